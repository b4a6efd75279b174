import { defineLadder, uniform, type Ladder, type LaunchStep } from "heddle/ladder";

const launches = (n: number, block: number, perThread: number): LaunchStep[] => [
  { kernel: "zero", grid: 1, block: 1, args: ["total"] },
  { kernel: "sum", grid: Math.ceil(n / (block * perThread)), block, args: ["x", "total", n] },
];

const ladder: Ladder = defineLadder({
  summary: "the sum of n floats",
  inputs: { x: { dtype: "float32", length: ({ n }) => n, values: uniform(-1, 1), seed: 1 } },
  outputs: {
    total: {
      dtype: "float32",
      length: () => 1,
      tolerance: { absolute: ({ n }) => n * 2 ** -24, relative: 2 ** -23, reason: "n additions, each rounded" },
    },
  },
  // The right answer, computed in float64.
  reference: ({ x }) => ({ total: Float64Array.of(x.reduce((sum, value) => sum + value, 0)) }),
  // What every version must read and compute: the rates in the table follow from it.
  work: ({ n }) => ({ bytes: 4 * n, operations: n }),
  shapes: {
    check: [{ n: 1 }, { n: 257 }, { n: 10007 }],
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 1 << 26 }] },
  },
  versions: {
    "1-shared-memory": {
      parameters: { BLOCK: [256] },
      launch: ({ n }, { BLOCK = 0 }) => launches(n, BLOCK, 1),
    },
    "2-more-per-thread": {
      parameters: { BLOCK: [256], PER_THREAD: [4, 16, 64] },
      launch: ({ n }, { BLOCK = 0, PER_THREAD = 0 }) => launches(n, BLOCK, PER_THREAD),
    },
  },
});
export default ladder;
