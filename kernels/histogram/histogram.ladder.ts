import { defineLadder, integers, type Ladder, type LaunchStep } from "heddle/ladder";

const divideUp = (a: number, b: number): number => Math.max(1, Math.ceil(a / b));
const BLOCK = [256, 128, 512];
const steps = (n: number, block: number, perThread: number): LaunchStep[] => [
  { kernel: "zero", grid: 1, block: 256, args: ["bins"] },
  { kernel: "histogram", grid: divideUp(n, block * perThread), block, args: ["x", "bins", n] },
];

const ladder: Ladder = defineLadder({
  summary: "how often each byte occurs in n",
  inputs: { x: { dtype: "uint8", length: ({ n }) => n, values: integers(0, 255), seed: 1 } },
  outputs: { bins: { dtype: "uint32", length: () => 256, tolerance: { absolute: 0, relative: 0, reason: "counts are exact" } } },
  reference: ({ x }) => {
    const bins = new Float64Array(256);
    for (const value of x) bins[value] = (bins[value] as number) + 1;
    return { bins };
  },
  work: ({ n }) => ({ bytes: n + 1024, operations: 0 }),
  shapes: {
    check: [{ n: 1 }, { n: 15 }, { n: 1000 }, { n: 20011 }],
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 1 << 28 }] },
  },
  versions: {
    "1-global": { parameters: { BLOCK }, launch: ({ n }, { BLOCK: block = 0 }) => steps(n, block, 1) },
    "2-privatized": { parameters: { BLOCK, PER_THREAD: [16, 64, 256] }, launch: ({ n }, { BLOCK: block = 0, PER_THREAD = 0 }) => steps(n, block, PER_THREAD) },
    "3-words": { parameters: { BLOCK, PER_THREAD: [16, 64, 256] }, launch: ({ n }, { BLOCK: block = 0, PER_THREAD = 0 }) => steps(n, block, PER_THREAD) },
    "4-columns": {
      // As many blocks as an H100 has multiprocessors, or a multiple of it; few bytes are counted by fewer.
      parameters: { BLOCK: [256, 512, 1024], BLOCKS: [264, 132, 396, 528, 792] },
      allow: ({ BLOCK: block = 0, BLOCKS = 0 }) => (BLOCKS / 132) * block <= 2048,
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
