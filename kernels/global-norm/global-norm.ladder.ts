import { defineLadder, uniform, type Configuration, type Ladder } from "heddle/ladder";

const divideUp = (a: number, b: number): number => Math.ceil(a / b);
/** No more than there is work for. */
const blocksOf = ({ n }: { n: number }, { BLOCK = 1, BLOCKS = 1 }: Configuration): number =>
  Math.min(BLOCKS, divideUp(n, BLOCK));
const atomic =
  (blocks: (shape: { n: number }, configuration: Configuration) => number) =>
  (shape: { n: number }, configuration: Configuration) => [
    { kernel: "zero", grid: 1, block: 1, args: ["partial"] },
    {
      kernel: "squares",
      grid: blocks(shape, configuration),
      block: configuration["BLOCK"] ?? 0,
      args: ["partial", "x", shape.n],
    },
    { kernel: "root", grid: 1, block: 1, args: ["norm", "partial"] },
  ];
const ordered = (shape: { n: number }, configuration: Configuration) => [
  {
    kernel: "squares",
    grid: blocksOf(shape, configuration),
    block: configuration["BLOCK"] ?? 0,
    args: ["partial", "x", shape.n],
  },
  { kernel: "finish", grid: 1, block: 1024, args: ["norm", "partial", blocksOf(shape, configuration)] },
];

const ladder: Ladder = defineLadder({
  summary: "norm of n bfloat16: the root of the sum of their squares",
  inputs: { x: { dtype: "bfloat16", length: ({ n }: { n: number }) => n, values: uniform(-1, 1), seed: 1 } },
  outputs: {
    norm: {
      dtype: "float32",
      length: () => 1,
      tolerance: {
        absolute: 0,
        relative: ({ n }) => 2 ** -22 + Math.sqrt(n) * 2 ** -23,
        reason:
          "one after the other, n sums are rounded by up to half a unit in the last place in either direction, which " +
          "adds up as sqrt(n); a tree is far better",
      },
    },
  },
  scratch: {
    partial: {
      dtype: "float32",
      length: (shape: { n: number }, configuration: Configuration) => blocksOf(shape, configuration),
    },
  },
  reference: ({ x }) => ({ norm: Float64Array.of(Math.sqrt(x.reduce((sum, value) => sum + value * value, 0))) }),
  work: ({ n }) => ({ bytes: 2 * n, operations: 2 * n }),
  shapes: {
    check: [{ n: 1 }, { n: 31 }, { n: 257 }, { n: 4096 }, { n: 100007 }],
    // The weights of the matrices of GPT-2's twelve layers, twice.
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 5 * 768 * 768 * 24 }] },
  },
  versions: {
    "1-atomic": { parameters: { BLOCK: [256, 512] }, launch: atomic(({ n }, { BLOCK = 1 }) => divideUp(n, BLOCK)) },
    // As many as the 132 multiprocessors of an H200 hold, and fewer.
    "2-block-sums": {
      parameters: { BLOCK: [256, 512, 1024], BLOCKS: [1056, 528, 264] },
      allow: ({ BLOCK = 0, BLOCKS = 0 }) => BLOCK * BLOCKS <= 132 * 2048,
      launch: atomic(blocksOf),
    },
    "3-vectorized": {
      parameters: { BLOCK: [256, 512, 1024], BLOCKS: [1056, 528, 264] },
      allow: ({ BLOCK = 0, BLOCKS = 0 }) => BLOCK * BLOCKS <= 132 * 2048,
      launch: ordered,
    },
    "4-unrolled": {
      parameters: { BLOCK: [256, 512, 1024], BLOCKS: [1056, 528, 264], UNROLL: [4, 8] },
      allow: ({ BLOCK = 0, BLOCKS = 0 }) => BLOCK * BLOCKS <= 132 * 2048,
      launch: ordered,
    },
    // Buffers that fit into an A100, which an emulated device is by default, with BLOCKS / 132 blocks side by side.
    "5-bulk": {
      parameters: { BLOCK: [512], BLOCKS: [132, 264], STAGES: [4, 6], CHUNK: [8192, 4096] },
      allow: ({ BLOCKS = 0, STAGES = 0, CHUNK = 0 }) => (BLOCKS / 132) * STAGES * CHUNK * 2 <= 208 * 1024,
      launch: ({ n }: { n: number }, configuration: Configuration) => [
        {
          kernel: "squares",
          grid: Math.min(configuration["BLOCKS"] ?? 1, divideUp(n, configuration["CHUNK"] ?? 1)),
          block: configuration["BLOCK"] ?? 0,
          sharedBytes: (configuration["STAGES"] ?? 0) * (configuration["CHUNK"] ?? 0) * 2,
          cooperative: true,
          args: ["norm", "partial", "x", n],
        },
      ],
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "norm" },
    "torch.compile": { python: "rivals.py", function: "norm", compile: true },
  },
});
export default ladder;
