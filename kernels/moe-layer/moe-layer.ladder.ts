import {
  defineLadder,
  uniform,
  type Configuration,
  type Ladder,
  type LaunchArgument,
  type LaunchStep,
} from "heddle/ladder";
import { divideUp, HOPPER_BYTES, persistentBytes, swizzled, WHOLE } from "../common/hopper.ts";
import { blocksFor, choicesOf, distinctLogits, lanesFor, type Choice } from "../moe-routing/choices.ts";

interface Size extends Readonly<Record<string, number>> {
  readonly tokens: number;
  /** At most 256. */
  readonly experts: number;
  /** Experts of a token, at most 32. */
  readonly top: number;
  readonly n: number;
  readonly k: number;
}
/** Rows of all experts. */
const rowsOf = ({ tokens, top }: Size): number => tokens * top;

const PARAMETERS = {
  TILE_N: [128, 256],
  ROWS: [128, 64],
  OUT_N: [128],
  STAGES: [3, 4, 5],
  GROUP: [8],
  BLOCKS: [132],
};
// Registers have room for 128 sums of a thread, and the router's blocks for 256 experts (routing.cuh).
const allow = (configuration: Configuration, { experts, top }: Size): boolean => {
  if (experts > 256 || top > 32) return false;
  const { TILE_N = 0, ROWS = 0 } = configuration;
  return persistentBytes(configuration, 1) <= HOPPER_BYTES && ROWS * TILE_N <= 128 * 128;
};
const route = (shape: Size, placed: readonly LaunchArgument[]): LaunchStep[] => {
  const blocks = { grid: blocksFor(shape.tokens, 132), block: 512 };
  const { tokens, experts, top } = shape;
  return [
    {
      kernel: `choose<${lanesFor(shape.experts)}>`,
      ...blocks,
      args: ["logits", "weights", "chosen", "counts", tokens, experts, top],
    },
    { kernel: "place", ...blocks, args: placed },
  ];
};
const products = (shape: Size, configuration: Configuration): Omit<LaunchStep, "kernel" | "args"> => {
  const { TILE_N = 1, ROWS = 1, BLOCKS = 1 } = configuration;
  // Each expert's last tile may be cut short.
  const tiles = (Math.floor(rowsOf(shape) / ROWS) + Math.min(shape.experts, rowsOf(shape))) * divideUp(shape.n, TILE_N);
  return { grid: Math.min(BLOCKS, tiles), block: 3 * 128, sharedBytes: persistentBytes(configuration, 1) };
};
const combine = ({ tokens, top, n }: Size): LaunchStep => ({
  kernel: "combine",
  grid: divideUp((tokens * n) / 8, 256),
  block: 256,
  args: ["products", "weights", "places", "y", tokens, top, n],
});

const ladder: Ladder = defineLadder({
  summary:
    "a layer of a mixture of experts: y = sum of softmax(logits) x w over each token's `top` experts, bfloat16; x is " +
    "tokens x k, w is experts x k x n; n and k are multiples of 8",
  inputs: {
    logits: {
      dtype: "float32",
      length: ({ tokens, experts }: Size) => tokens * experts,
      values: distinctLogits,
      seed: 1,
    },
    x: { dtype: "bfloat16", length: ({ tokens, k }: Size) => tokens * k, values: uniform(-1, 1), seed: 2 },
    w: { dtype: "bfloat16", length: ({ experts, n, k }: Size) => experts * n * k, values: uniform(-1, 1), seed: 3 },
  },
  outputs: {
    y: {
      dtype: "bfloat16",
      length: ({ tokens, n }: Size) => tokens * n,
      tolerance: {
        absolute: ({ k }) => Math.sqrt(k) * 2 ** -8,
        relative: 2 ** -7,
        reason:
          "products of up to 2 sqrt(k) are rounded to 8 bits, and so is the result; a rival rounds its weights, too",
      },
    },
  },
  scratch: {
    weights: { dtype: "float32", length: rowsOf },
    chosen: { dtype: "int32", length: rowsOf },
    places: { dtype: "int32", length: rowsOf },
    sources: { dtype: "int32", length: rowsOf },
    counts: { dtype: "int32", length: (shape: Size) => shape.experts * blocksFor(shape.tokens, 132) },
    ends: { dtype: "int32", length: ({ experts }: Size) => experts },
    rows: { dtype: "bfloat16", length: (shape: Size) => rowsOf(shape) * shape.k },
    products: { dtype: "bfloat16", length: (shape: Size) => rowsOf(shape) * shape.n },
  },
  reference: ({ logits, x, w }, { tokens, experts, top, n, k }: Size) => {
    const known = new Map<number, Choice[]>();
    const choices = (token: number): Choice[] => {
      const found = known.get(token) ?? choicesOf(logits.subarray(token * experts, (token + 1) * experts), top, true);
      known.set(token, found);
      return found;
    };
    const element = (index: number): number => {
      const [token, column] = [Math.floor(index / n), index % n];
      let sum = 0;
      for (const { expert, weight } of choices(token))
        for (let i = 0; i < k; i++)
          sum += weight * (x[token * k + i] as number) * (w[(expert * k + i) * n + column] as number);
      return sum;
    };
    const isSmall = tokens * top * n * k <= WHOLE;
    return { y: isSmall ? Float64Array.from({ length: tokens * n }, (_, index) => element(index)) : element };
  },
  work: ({ tokens, experts, top, n, k }) => ({
    bytes: 4 * tokens * experts + 2 * (tokens * k + Math.min(experts, tokens * top) * n * k + tokens * n),
    operations: 2 * tokens * top * n * k,
    unit: "bf16",
  }),
  shapes: {
    check: [
      { tokens: 3, experts: 2, top: 1, n: 8, k: 8 },
      { tokens: 70, experts: 8, top: 2, n: 72, k: 24 },
      { tokens: 130, experts: 40, top: 4, n: 136, k: 72 },
    ],
    time: {
      emulated: [{ tokens: 128, experts: 8, top: 2, n: 128, k: 128 }],
      // Qwen3-30B-A3B and DeepSeek-V2-Lite.
      cuda: [
        { tokens: 4096, experts: 128, top: 8, n: 768, k: 2048 },
        { tokens: 4096, experts: 64, top: 6, n: 1408, k: 2048 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [128, 256] },
      launch: ({ tokens, experts, top, n, k }, { BLOCK = 0 }) => [
        {
          kernel: "choose",
          grid: divideUp(tokens, BLOCK),
          block: BLOCK,
          args: ["logits", "weights", "chosen", tokens, experts, top],
        },
        {
          kernel: "layer",
          grid: [tokens, divideUp(n, BLOCK)],
          block: BLOCK,
          args: ["x", "w", "weights", "chosen", "y", top, n, k],
        },
      ],
    },
    "2-sorted": {
      parameters: PARAMETERS,
      allow,
      launch: (shape, configuration) => {
        const { tokens, experts, top, n, k } = shape;
        const { ROWS = 1 } = configuration;
        return [
          ...route(shape, ["x", "chosen", "counts", "places", "ends", "rows", tokens, experts, top, k]),
          {
            kernel: "matmul",
            ...products(shape, configuration),
            args: [
              swizzled("rows", [rowsOf(shape), k], [ROWS, 64]),
              swizzled("w", [experts, k, n], [1, 64, 64]),
              swizzled("products", [rowsOf(shape), n], [64, 64]),
              "ends",
              "products",
              experts,
              n,
              k,
            ],
          },
          combine(shape),
        ];
      },
    },
    "3-gathered": {
      parameters: PARAMETERS,
      allow,
      launch: (shape, configuration) => {
        const { tokens, experts, top, n, k } = shape;
        return [
          ...route(shape, ["chosen", "counts", "places", "sources", "ends", tokens, experts, top]),
          {
            kernel: "products",
            ...products(shape, configuration),
            args: [
              swizzled("x", [tokens, k], [1, 64]),
              swizzled("w", [experts, k, n], [1, 64, 64]),
              swizzled("products", [rowsOf(shape), n], [64, 64]),
              "ends",
              "sources",
              "products",
              rowsOf(shape),
              experts,
              n,
              k,
            ],
          },
          combine(shape),
        ];
      },
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "layer" },
  },
});
export default ladder;
