import {
  defineLadder,
  normal,
  uniform,
  type Configuration,
  type InputDeclaration,
  type Ladder,
  type LaunchArgument,
  type LaunchStep,
  type VersionDeclaration,
} from "heddle/ladder";
import { forwardBytes } from "../common/attention.ts";

/** Elements of a query, key or value: what the kernels are written for. */
const SIZE = 128;
interface Size extends Readonly<Record<string, number>> {
  readonly batch: number;
  readonly heads: number;
  readonly length: number;
  /** 1: a query sees no keys after its own. */ readonly causal: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const rows = ({ batch, heads, length }: Size): number => batch * heads * length;
const input = (seed: number, values: InputDeclaration<Size>["values"]): InputDeclaration<Size> => ({
  dtype: "bfloat16",
  length: (shape) => rows(shape) * SIZE,
  values,
  seed,
});
const attention = (
  { batch, heads, length, causal }: Size,
  queries: number,
  block: number,
  sharedBytes = 0,
): LaunchStep[] => [
  {
    kernel: `attention<${causal === 1}>`,
    grid: [divideUp(length, queries), batch * heads],
    block,
    sharedBytes,
    args: ["q", "k", "v", "o", length],
  },
];
const byWarps = (parameters: Readonly<Record<string, readonly number[]>>): VersionDeclaration<Size> => ({
  parameters,
  // More blocks than registers have room for are no use.
  allow: ({ WARPS = 0, ROWS = 0 }: Configuration) => WARPS * ROWS <= 128,
  launch: (shape, { WARPS = 0, ROWS = 0, KEYS = 0 }) =>
    attention(shape, WARPS * ROWS, 32 * WARPS, 2 * SIZE * (WARPS * ROWS + 2 * KEYS)),
});

/** Queries, keys, values or outputs of all heads, in boxes of 64 columns: rows of 128 bytes, swizzled. */
const map = (tensorMap: string, { batch, heads, length }: Size, boxRows: number): LaunchArgument => ({
  tensorMap,
  shape: [batch * heads, length, SIZE],
  box: [1, boxRows, 64],
  swizzle: 128,
});
/** The first of KEYS fits into an A100, which an emulated device is by default. */
const byWarpgroups = (hasQueue: boolean): VersionDeclaration<Size> => ({
  parameters: { KEYS: [64, 128], WARPGROUPS: [2], HEADS: [16, 8], BLOCKS: [132] },
  launch: (shape, configuration) => {
    const { KEYS = 0, WARPGROUPS = 1, BLOCKS = 1 } = configuration;
    const heads = shape.batch * shape.heads;
    const step: LaunchStep = {
      kernel: `attention<${shape.causal === 1}>`,
      grid: Math.min(BLOCKS, divideUp(shape.length, 64 * WARPGROUPS) * heads),
      block: 128 * (WARPGROUPS + 1),
      sharedBytes: forwardBytes(configuration),
      args: [
        map("q", shape, 64),
        map("k", shape, KEYS),
        map("v", shape, KEYS),
        map("o", shape, 64),
        shape.length,
        heads,
        "taken",
      ],
    };
    return hasQueue ? [{ kernel: "begin", grid: 1, block: 1, args: ["taken"] }, step] : [step];
  },
});

const ladder: Ladder = defineLadder({
  summary:
    "attention: o = softmax(q k' / sqrt(128)) v for each batch and head; q, k, v and o are length x 128 " +
    "bfloat16; causal=1 leaves out keys after the query's own",
  inputs: { q: input(1, normal(0, 1)), k: input(2, normal(0, 1)), v: input(3, uniform(-1, 1)) },
  outputs: {
    o: {
      dtype: "bfloat16",
      length: (shape: Size) => rows(shape) * SIZE,
      tolerance: {
        absolute: ({ length, causal }) => 2 ** -8 * (causal === 1 ? 1 : Math.min(1, 8 / Math.sqrt(length))),
        relative: 2 ** -8,
        reason:
          "weights are rounded to 8 bits for the tensor cores, each by up to 2^-8 of it: with values below 1 that is " +
          "2^-8 in all if all err to one side, and without a mask, where all queries have many keys, 20 deviations " +
          "are 2^-8 times 8 / sqrt(length); the result is rounded to 8 bits, too",
      },
    },
  },
  scratch: {
    scores: { dtype: "float32", length: (shape) => rows(shape) * shape.length },
    taken: { dtype: "uint32", length: () => 1 },
  },
  reference: ({ q, k, v }, { length, causal }: Size) => {
    let last = -1;
    let result: Float64Array = new Float64Array(SIZE);
    const row = (index: number): Float64Array => {
      const head = Math.floor(index / length) * length;
      const keys = causal === 1 ? (index % length) + 1 : length;
      const scores = Float64Array.from({ length: keys }, (_, key) => {
        let sum = 0;
        for (let d = 0; d < SIZE; d++) sum += (q[index * SIZE + d] as number) * (k[(head + key) * SIZE + d] as number);
        return sum / Math.sqrt(SIZE);
      });
      const most = scores.reduce((a, b) => Math.max(a, b));
      const weights = scores.map((score) => Math.exp(score - most));
      const total = weights.reduce((a, b) => a + b);
      const out = new Float64Array(SIZE);
      weights.forEach((weight, key) => {
        for (let d = 0; d < SIZE; d++)
          out[d] = (out[d] as number) + (weight / total) * (v[(head + key) * SIZE + d] as number);
      });
      return out;
    };
    // Rows are asked for one after the other.
    return {
      o: (index) => {
        const at = Math.floor(index / SIZE);
        if (at !== last) [last, result] = [at, row(at)];
        return result[index % SIZE] as number;
      },
    };
  },
  // Scores and weighted sums, a multiply-add an element each; with a mask of a little more than half of the keys.
  work: (shape) => ({
    bytes: 4 * 2 * rows(shape) * SIZE,
    operations: 4 * SIZE * rows(shape) * (shape.causal === 1 ? (shape.length + 1) / 2 : shape.length),
    unit: "bf16",
  }),
  shapes: {
    check: [
      { batch: 1, heads: 1, length: 1, causal: 0 },
      { batch: 1, heads: 2, length: 37, causal: 1 },
      { batch: 1, heads: 1, length: 70, causal: 0 },
      { batch: 1, heads: 1, length: 130, causal: 1 },
    ],
    time: {
      emulated: [{ batch: 1, heads: 2, length: 128, causal: 1 }],
      cuda: [
        { batch: 4, heads: 16, length: 4096, causal: 0 },
        { batch: 4, heads: 16, length: 4096, causal: 1 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [128, 256] },
      launch: (shape, { BLOCK = 0 }) => [
        {
          kernel: `scores<${shape.causal === 1}>`,
          grid: [divideUp(shape.length, BLOCK), shape.length, shape.batch * shape.heads],
          block: BLOCK,
          args: ["q", "k", "scores", shape.length],
        },
        {
          kernel: "softmax",
          grid: divideUp(rows(shape), BLOCK),
          block: BLOCK,
          args: ["scores", rows(shape), shape.length],
        },
        {
          kernel: "weigh",
          grid: [shape.length, shape.batch * shape.heads],
          block: SIZE,
          args: ["scores", "v", "o", shape.length],
        },
      ],
    },
    "2-fused": {
      parameters: { BLOCK: [128, 256] },
      launch: (shape, { BLOCK = 0 }) => attention(shape, BLOCK / 8, BLOCK),
    },
    "3-tensor-cores": byWarps({ WARPS: [4, 8], ROWS: [16], KEYS: [32, 64] }),
    "4-flash": byWarps({ WARPS: [4, 8], ROWS: [16, 32], KEYS: [32, 64] }),
    "5-wgmma": byWarpgroups(false),
    "6-turns": byWarpgroups(true),
  },
  rivals: {
    "PyTorch, cuDNN": { python: "rivals.py", function: "cudnn" },
    "PyTorch, flash": { python: "rivals.py", function: "flash" },
  },
});
export default ladder;
