import { defineLadder, uniform, type Ladder, type LaunchStep } from "heddle/ladder";

const divideUp = (a: number, b: number): number => Math.max(1, Math.ceil(a / b));
const BLOCK = [256, 128, 512];

const twoLaunches = (n: number, block: number, perBlock: number): LaunchStep[] => {
  const blocks = divideUp(n, perBlock);
  return [
    { kernel: "reduce", grid: blocks, block, args: ["x", "partial", n] },
    { kernel: "finish", grid: 1, block, args: ["partial", "sum", blocks] },
  ];
};

const ladder: Ladder = defineLadder({
  summary: "the sum of n floats",
  inputs: { x: { dtype: "float32", length: ({ n }) => n, values: uniform(-1, 1), seed: 1 } },
  outputs: {
    sum: {
      dtype: "float32",
      length: () => 1,
      tolerance: {
        absolute: ({ n }) => n * 2 ** -24,
        relative: 2 ** -23,
        reason:
          "one after the other, n sums are rounded, each to half a unit in the last place of a partial sum of about " +
          "sqrt(n): sqrt(n) * sqrt(n) * 2^-24; a tree is far better",
      },
    },
  },
  scratch: {
    partial: {
      dtype: "float32",
      length: ({ n }, { BLOCK: block = 1, PER_THREAD = 0.25 }) => divideUp(n, block * PER_THREAD * 4),
    },
  },
  reference: ({ x }) => ({ sum: Float64Array.of(x.reduce((sum, value) => sum + value, 0)) }),
  work: ({ n }) => ({ bytes: 4 * n, operations: n }),
  shapes: {
    check: [{ n: 1 }, { n: 31 }, { n: 257 }, { n: 4096 }, { n: 10007 }],
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 1 << 26 }] },
  },
  versions: {
    "1-atomic": {
      parameters: { BLOCK },
      launch: ({ n }, { BLOCK: block = 0 }) => [
        { kernel: "zero", grid: 1, block: 1, args: ["sum"] },
        { kernel: "reduce", grid: divideUp(n, block), block, args: ["x", "sum", n] },
      ],
    },
    "2-shared-tree": { parameters: { BLOCK }, launch: ({ n }, { BLOCK: block = 0 }) => twoLaunches(n, block, block) },
    "3-shuffle": { parameters: { BLOCK }, launch: ({ n }, { BLOCK: block = 0 }) => twoLaunches(n, block, block) },
    "4-vectorized": {
      parameters: { BLOCK, PER_THREAD: [4, 8, 16] },
      launch: ({ n }, { BLOCK: block = 0, PER_THREAD = 0 }) => twoLaunches(n, block, 4 * block * PER_THREAD),
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "reduce" },
    "torch.compile": { python: "rivals.py", function: "reduce", compile: true },
  },
});
export default ladder;
