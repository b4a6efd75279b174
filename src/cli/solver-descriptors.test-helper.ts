/** Random descriptors of cuSOLVER, as lines for test-programs/solver-descriptors.cu. */
import fc from "fast-check";

const OPERATIONS = ["getrf", "gesv", "potrf", "potri", "geqrf", "ormqr", "syevd", "syevdx", "syevj", "sygvd", "sygvj"];

export const solverDescriptors: fc.Arbitrary<string> = fc
  .record({
    op: fc.constantFrom(...OPERATIONS, "gesvd", "gesvdj", "gesvdp"),
    type: fc.integer({ min: 0, max: 3 }),
    m: fc.integer({ min: 1, max: 40 }),
    n: fc.integer({ min: 1, max: 40 }),
    columns: fc.integer({ min: 1, max: 5 }),
    isUpper: fc.integer({ min: 0, max: 1 }),
    extra: fc.integer({ min: 0, max: 3 }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  })
  .map((c) => Object.values(c).join(" "));
