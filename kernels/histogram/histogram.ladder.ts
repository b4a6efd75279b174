import { defineLadder, indices, type Ladder, type LaunchStep } from "heddle/ladder";

const divideUp = (a: number, b: number): number => Math.max(1, Math.ceil(a / b));
const BLOCK = [256, 128, 512];
const steps = (n: number, block: number, perThread: number): LaunchStep[] => [
  { kernel: "zero", grid: 1, block: 256, args: ["bins"] },
  { kernel: "histogram", grid: divideUp(n, block * perThread), block, args: ["x", "bins", n] },
];

const ladder: Ladder = defineLadder({
  summary: "counts how often each byte value occurs among n bytes; `different` is the number of different values",
  inputs: { x: { dtype: "uint8", length: ({ n }) => n, values: indices("different"), seed: 1 } },
  outputs: {
    bins: { dtype: "uint32", length: () => 256, tolerance: { absolute: 0, relative: 0, reason: "counts are exact" } },
  },
  reference: ({ x }) => {
    const bins = new Float64Array(256);
    for (const value of x) bins[value] = (bins[value] as number) + 1;
    return { bins };
  },
  work: ({ n }) => ({ bytes: n + 1024, operations: 0 }),
  shapes: {
    check: [
      { n: 1, different: 256 },
      { n: 15, different: 256 },
      { n: 1000, different: 3 },
      { n: 20011, different: 256 },
      { n: 300_003, different: 1 },
    ],
    time: { emulated: [{ n: 1 << 20, different: 256 }], cuda: [{ n: 1 << 28, different: 256 }] },
  },
  versions: {
    "1-global": { parameters: { BLOCK }, launch: ({ n }, { BLOCK: block = 0 }) => steps(n, block, 1) },
    "2-privatized": {
      parameters: { BLOCK, PER_THREAD: [16, 64, 256] },
      launch: ({ n }, { BLOCK: block = 0, PER_THREAD = 0 }) => steps(n, block, PER_THREAD),
    },
    "3-words": {
      parameters: { BLOCK, PER_THREAD: [16, 64, 256] },
      launch: ({ n }, { BLOCK: block = 0, PER_THREAD = 0 }) => steps(n, block, PER_THREAD),
    },
    "4-columns": {
      // As many blocks as an H100 has multiprocessors, or a multiple of it; few bytes are counted by fewer.
      parameters: { BLOCK: [256, 512, 1024], BLOCKS: [264, 132, 396, 528, 792] },
      allow: ({ BLOCK: block = 0, BLOCKS = 0 }) => (BLOCKS / 132) * block <= 2048,
      launch: ({ n }, { BLOCK: block = 0, BLOCKS = 0 }) => [
        { kernel: "zero", grid: 1, block: 256, args: ["bins"] },
        { kernel: "histogram", grid: Math.min(BLOCKS, divideUp(n, block * 512)), block, args: ["x", "bins", n] },
      ],
    },
    "5-ahead": {
      parameters: { BLOCK: [512, 1024], AHEAD: [4, 2, 8], BLOCKS: [264, 132] },
      launch: ({ n }, { BLOCK: block = 0, BLOCKS = 0 }) => [
        { kernel: "zero", grid: 1, block: 256, args: ["bins"] },
        { kernel: "histogram", grid: Math.min(BLOCKS, divideUp(n, block * 512)), block, args: ["x", "bins", n] },
      ],
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "histogram" },
    Triton: { python: "rivals_triton.py", function: "histogram" },
  },
});
export default ladder;
