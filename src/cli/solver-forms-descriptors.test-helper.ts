/** Random descriptors of cuSOLVER's condensed forms, as lines for test-programs/solver-forms-descriptors.cu. */
import fc from "fast-check";

const OPERATIONS = ["gebrd", "orgbr", "sytrd", "ormtr", "lauum", "sytrf", "sytri", "larft", "gels"];

export const solverFormDescriptors: fc.Arbitrary<string> = fc
  .record({
    op: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...OPERATIONS) },
      { weight: 1, arbitrary: fc.constant("wrong") },
    ),
    type: fc.integer({ min: 0, max: 3 }),
    m: fc.integer({ min: 1, max: 40 }),
    n: fc.integer({ min: 1, max: 40 }),
    columns: fc.integer({ min: 1, max: 5 }),
    isUpper: fc.integer({ min: 0, max: 1 }),
    extra: fc.integer({ min: 0, max: 3 }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  })
  .map((c) => Object.values(c).join(" "));
