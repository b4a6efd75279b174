/** Random descriptors of cuSOLVER's sparse functions, as lines for test-programs/solver-sparse-descriptors.cu. */
import fc from "fast-check";

const SYSTEMS = ["lu", "qr", "chol", "lsq", "eig", "eigdev", "eigs"];
const ORDERS = ["zfd", "order", "perm", "issym"];
const REFACTORIZATION = ["rf", "rfbatch"];

export const solverSparseDescriptors: fc.Arbitrary<string> = fc
  .record({
    op: fc.constantFrom(...SYSTEMS, ...ORDERS, ...REFACTORIZATION),
    type: fc.integer({ min: 0, max: 3 }),
    m: fc.integer({ min: 1, max: 40 }),
    n: fc.integer({ min: 1, max: 40 }),
    variant: fc.integer({ min: 1, max: 5 }),
    base: fc.integer({ min: 0, max: 1 }),
    extra: fc.integer({ min: 0, max: 3 }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  })
  .map((c) => Object.values(c).join(" "));
