import { defineLadder, integers, type Configuration, type Ladder, type LaunchStep } from "heddle/ladder";

const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const BLOCK = [256, 128, 512];
const FIRST_STATE = 16;
const lookBackParts = (n: number, { BLOCK: block = 1, QUADS = 1 }: Configuration): number =>
  divideUp(n, 4 * block * QUADS);
/** Two parts. */
const residentBytes = ({ BLOCK: block = 0, QUADS = 0 }: Configuration): number => 2 * 16 * block * QUADS;
/** What a multiprocessor has room for, and no less than half of it. */
const fitsMultiprocessor = (configuration: Configuration): boolean => {
  const bytes = (residentBytes(configuration) + 2048) * ((configuration["BLOCKS"] ?? 0) / 132);
  return bytes >= 114 * 1024 && bytes <= 228 * 1024;
};
/** Blocks are scanned, then their totals, then these are added. */
const scanThenAdd =
  (scanThreads: (block: number) => number) =>
  ({ n }: { n: number }, { BLOCK: block = 0 }: Configuration): LaunchStep[] => {
    const blocks = divideUp(n, block);
    return [
      { kernel: "scanBlocks", grid: blocks, block, args: ["x", "y", "totals", n] },
      { kernel: "scanTotals", grid: 1, block: scanThreads(block), args: ["totals", blocks] },
      { kernel: "addTotals", grid: blocks, block, args: ["y", "totals", n] },
    ];
  };
/** One pass: a block a part. */
const lookBack = (n: number, configuration: Configuration): LaunchStep[] => {
  const parts = lookBackParts(n, configuration);
  return [
    { kernel: "clear", grid: divideUp(1 + parts, 256), block: 256, args: ["states", 1 + parts] },
    { kernel: "scan", grid: parts, block: configuration["BLOCK"] ?? 0, args: ["x", "y", "states", n] },
  ];
};

const ladder: Ladder = defineLadder({
  summary: "inclusive prefix sums of n integers",
  inputs: { x: { dtype: "int32", length: ({ n }: { n: number }) => n, values: integers(-100, 100), seed: 1 } },
  outputs: {
    y: {
      dtype: "int32",
      length: ({ n }: { n: number }) => n,
      tolerance: { absolute: 0, relative: 0, reason: "sums of integers are exact" },
    },
  },
  // The counter of parts, in a line of its own, and a state for each.
  scratch: {
    states: { dtype: "uint64", length: ({ n }, configuration) => FIRST_STATE + lookBackParts(n, configuration) },
    totals: { dtype: "int32", length: ({ n }, { BLOCK: block = 1 }) => divideUp(n, block) },
  },
  reference: ({ x }) => {
    let sum = 0;
    return { y: x.map((value) => (sum += value)) };
  },
  work: ({ n }) => ({ bytes: 8 * n, operations: 0 }),
  shapes: {
    check: [{ n: 1 }, { n: 31 }, { n: 257 }, { n: 4096 }, { n: 70001 }],
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 1 << 26 }] },
  },
  versions: {
    "1-hillis-steele": { parameters: { BLOCK }, launch: scanThenAdd(() => 1) },
    "2-shuffle": { parameters: { BLOCK }, launch: scanThenAdd((block) => block) },
    "3-reduce-then-scan": {
      parameters: { BLOCK },
      launch: ({ n }, { BLOCK: block = 0 }) => {
        const blocks = divideUp(n, 4 * block);
        return [
          { kernel: "addBlocks", grid: blocks, block, args: ["x", "totals", n] },
          { kernel: "scanTotals", grid: 1, block, args: ["totals", blocks] },
          { kernel: "scanBlocks", grid: blocks, block, args: ["x", "y", "totals", n] },
        ];
      },
    },
    "4-look-back": {
      parameters: { BLOCK, QUADS: [4, 2, 8] },
      launch: ({ n }, configuration) => lookBack(n, configuration),
    },
    "5-resident": {
      // As many blocks as an H100 has multiprocessors; two parts of shared memory each.
      parameters: { BLOCK: [512, 768, 384], QUADS: [9, 7, 12], BLOCKS: [132], PREFETCH: [0, 16], EVICT_FIRST: [0, 1] },
      allow: fitsMultiprocessor,
      launch: ({ n }, configuration) => {
        const parts = lookBackParts(n, configuration),
          { BLOCK: block = 0, BLOCKS = 0, PREFETCH = 0 } = configuration;
        return [
          {
            kernel: "clear",
            grid: divideUp(Math.max(FIRST_STATE + parts, Math.min(PREFETCH * 8192, divideUp(n, 32))), 256),
            block: 256,
            args: ["states", FIRST_STATE + parts, "x", n],
          },
          {
            kernel: "scan",
            grid: Math.min(BLOCKS, parts),
            block: block + 32,
            sharedBytes: residentBytes(configuration),
            args: ["x", "y", "states", n, parts],
          },
        ];
      },
    },
    "6-prefetched": {
      // AHEAD parts of each block are asked for beside the two that it has. With 544 and 9, or 800 and 8, all blocks
      // have the same number of parts of 2^26 numbers, nearly.
      parameters: {
        BLOCK: [544, 512, 800],
        QUADS: [9, 8],
        BLOCKS: [132],
        AHEAD: [1, 0],
        EVICT_FIRST: [1, 0],
      },
      allow: fitsMultiprocessor,
      launch: ({ n }, configuration) => {
        const parts = lookBackParts(n, configuration),
          { BLOCK: block = 0, BLOCKS = 0 } = configuration;
        return [
          {
            kernel: "scan",
            grid: Math.min(BLOCKS, parts),
            block: block + 32,
            sharedBytes: residentBytes(configuration),
            cooperative: true,
            args: ["x", "y", "states", n, parts],
          },
        ];
      },
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "scan" },
    "torch.compile": { python: "rivals.py", function: "scan", compile: true },
  },
});
export default ladder;
