/** Random generators of cuRAND, as lines for test-programs/rand-descriptors.cu. */
import fc from "fast-check";

const [XORWOW, MRG32K3A, MTGP32, MT19937, PHILOX, SOBOL32, SOBOL64] = [101, 121, 141, 142, 161, 201, 203] as const;

export const randDescriptors: fc.Arbitrary<string> = fc
  .record({
    type: fc.constantFrom(XORWOW, XORWOW, MRG32K3A, MTGP32, MT19937, PHILOX, PHILOX, SOBOL32, SOBOL64),
    what: fc.constantFrom(
      "int",
      "long",
      "uniform",
      "uniformd",
      "normal",
      "normald",
      "lognormal",
      "lognormald",
      "poisson",
    ),
    isHost: fc.integer({ min: 0, max: 1 }),
    count: fc.oneof(
      fc.integer({ min: 1, max: 3000 }),
      fc.integer({ min: 1, max: 20_000 }).map((half) => 2 * half),
    ),
    seed: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000_000_000 })),
    offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
    ordering: fc.constantFrom(0, 0, 100, 101, 102, 103, 201),
    dimensions: fc.constantFrom(0, 0, 1, 2, 5, 100),
    lambda: fc.constantFrom(0.5, 3, 20, 90, 1500, 9000),
    calls: fc.integer({ min: 1, max: 3 }),
  })
  .map((c) => Object.values(c).join(" "));
