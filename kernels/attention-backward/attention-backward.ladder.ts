import {
  defineLadder,
  normal,
  uniform,
  type Distribution,
  type InputDeclaration,
  type Ladder,
  type LaunchArgument,
  type VersionDeclaration,
} from "heddle/ladder";
import { backwardBytes } from "../common/attention.ts";

/** Elements of a query, key or value: what the kernels are written for. */
const SIZE = 128;
const KEYS = 128;
const QUERIES = 64;
interface Size extends Readonly<Record<string, number>> {
  readonly batch: number;
  readonly heads: number;
  readonly length: number;
  /** 1: a query sees no keys after its own. */ readonly causal: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const rows = ({ batch, heads, length }: Size): number => batch * heads * length;
const padded = ({ length }: Size): number => divideUp(length, QUERIES) * QUERIES;
const input = (seed: number, values: InputDeclaration<Size>["values"]): InputDeclaration<Size> => ({
  dtype: "bfloat16",
  length: (shape) => rows(shape) * SIZE,
  values,
  seed,
});
/** Logarithms of the sums of exponentials as they are for such scores, about; the formulas hold for any. */
const logarithms: Distribution =
  (random, { length = 1 }) =>
  () =>
    Math.log(length) + 0.5 + 0.2 * random();

/** In boxes of 64 columns: rows of 128 bytes, swizzled. */
const map = (tensorMap: string, { batch, heads, length }: Size, boxRows: number): LaunchArgument => ({
  tensorMap,
  shape: [batch * heads, length, SIZE],
  box: [1, boxRows, 64],
  swizzle: 128,
});
/** @param headsFirst the blocks with the first keys of all heads come first. */
const byWarpgroups = (stagesTried: readonly number[], headsFirst = false): VersionDeclaration<Size> => ({
  parameters: { STAGES: stagesTried },
  launch: (shape, configuration) => {
    const heads = shape.batch * shape.heads;
    return [
      {
        kernel: "prepare",
        grid: [divideUp(padded(shape), 4), heads],
        block: 128,
        args: ["o", "go", "lse", "stats", "sums", shape.length, padded(shape)],
      },
      {
        kernel: `gradients<${shape.causal === 1}>`,
        grid: headsFirst ? [heads, divideUp(shape.length, KEYS)] : [divideUp(shape.length, KEYS), heads],
        block: 384,
        sharedBytes: backwardBytes(configuration),
        args: [
          map("q", shape, QUERIES),
          map("k", shape, KEYS),
          map("v", shape, KEYS),
          map("go", shape, QUERIES),
          "stats",
          "sums",
          "gk",
          "gv",
          shape.length,
          padded(shape),
        ],
      },
      {
        kernel: "finish",
        grid: [divideUp(padded(shape) * (SIZE / 8), 256), heads],
        block: 256,
        args: ["sums", "gq", shape.length, padded(shape)],
      },
    ];
  },
});

const gradient = (what: string) => ({
  dtype: "bfloat16" as const,
  length: (shape: Size) => rows(shape) * SIZE,
  tolerance: {
    absolute: ({ length }: Size) => 2 ** -7 * Math.max(1, Math.sqrt(length) / 16),
    relative: 2 ** -7,
    reason:
      `the gradient of ${what} is rounded to 8 bits, and so are weights and gradients of scores for the tensor ` +
      "cores, each by up to 2^-9 of it; what they are multiplied with is about 1, and errors add up as square roots",
  },
});

const ladder: Ladder = defineLadder({
  summary:
    "gradients of attention (head size 128, bfloat16): of queries, keys and values, from the gradient go of the " +
    "output o and the logarithms lse of the softmax's sums; causal=1 leaves out keys after the query's own",
  inputs: {
    q: input(1, normal(0, 1)),
    k: input(2, normal(0, 1)),
    v: input(3, uniform(-1, 1)),
    o: input(4, uniform(-0.2, 0.2)),
    go: input(5, uniform(-1, 1)),
    lse: { dtype: "float32", length: rows, values: logarithms, seed: 6 },
  },
  outputs: { gq: gradient("queries"), gk: gradient("keys"), gv: gradient("values") },
  scratch: {
    p: { dtype: "bfloat16", length: (shape: Size) => rows(shape) * shape.length },
    gs: { dtype: "bfloat16", length: (shape: Size) => rows(shape) * shape.length },
    stats: { dtype: "float32", length: (shape: Size) => 2 * shape.batch * shape.heads * padded(shape) },
    sums: { dtype: "float32", length: (shape: Size) => shape.batch * shape.heads * padded(shape) * SIZE },
  },
  reference: ({ q, k, v, o, go, lse }, { length, causal }: Size) => {
    const dot = (x: Float64Array, a: number, y: Float64Array, b: number): number => {
      let sum = 0;
      for (let d = 0; d < SIZE; d++) sum += (x[a * SIZE + d] as number) * (y[b * SIZE + d] as number);
      return sum;
    };
    const commons = new Map<number, number>();
    const commonOf = (query: number): number => {
      let common = commons.get(query);
      if (common === undefined) commons.set(query, (common = dot(go, query, o, query)));
      return common;
    };
    /** The weight, and the gradient of the score, of a query and a key. */
    const pair = (query: number, key: number): [number, number] => {
      if (causal === 1 && key > query) return [0, 0];
      const weight = Math.exp(dot(q, query, k, key) / Math.sqrt(SIZE) - (lse[query] as number));
      return [weight, weight * (dot(go, query, v, key) - commonOf(query))];
    };
    /** Rows of a gradient, computed when they are first asked for. */
    const byRow = (add: (out: Float64Array, row: number, other: number) => void): ((index: number) => number) => {
      const known = new Map<number, Float64Array>();
      return (index) => {
        const at = Math.floor(index / SIZE);
        let out = known.get(at);
        if (out === undefined) {
          known.set(at, (out = new Float64Array(SIZE)));
          const head = Math.floor(at / length) * length;
          for (let other = head; other < head + length; other++) add(out, at, other);
        }
        return out[index % SIZE] as number;
      };
    };
    const addTo = (out: Float64Array, factor: number, from: Float64Array, row: number): void => {
      if (factor === 0) return;
      for (let d = 0; d < SIZE; d++) out[d] = (out[d] as number) + factor * (from[row * SIZE + d] as number);
    };
    const root = Math.sqrt(SIZE);
    return {
      gq: byRow((out, query, key) => addTo(out, pair(query, key)[1] / root, k, key)),
      gk: byRow((out, key, query) => addTo(out, pair(query, key)[1] / root, q, query)),
      gv: byRow((out, key, query) => addTo(out, pair(query, key)[0], go, query)),
    };
  },
  // Five products, a multiply-add an element each; with a mask of a little more than half of the keys.
  work: (shape) => ({
    bytes: 8 * 2 * rows(shape) * SIZE + 4 * rows(shape),
    operations: 10 * SIZE * rows(shape) * (shape.causal === 1 ? (shape.length + 1) / 2 : shape.length),
    unit: "bf16",
  }),
  shapes: {
    check: [
      { batch: 1, heads: 1, length: 1, causal: 0 },
      { batch: 1, heads: 2, length: 37, causal: 1 },
      { batch: 1, heads: 1, length: 150, causal: 0 },
      { batch: 1, heads: 1, length: 200, causal: 1 },
    ],
    time: {
      emulated: [{ batch: 1, heads: 1, length: 128, causal: 1 }],
      cuda: [
        { batch: 1, heads: 16, length: 4096, causal: 0 },
        { batch: 1, heads: 16, length: 4096, causal: 1 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [128] },
      launch: (shape, { BLOCK = 0 }) => {
        const heads = shape.batch * shape.heads;
        return [
          {
            kernel: `weights<${shape.causal === 1}>`,
            grid: [divideUp(shape.length, BLOCK), shape.length, heads],
            block: BLOCK,
            args: ["q", "k", "v", "o", "go", "lse", "p", "gs", shape.length],
          },
          { kernel: "queries", grid: [shape.length, heads], block: SIZE, args: ["gs", "k", "gq", shape.length] },
          {
            kernel: "keys",
            grid: [shape.length, heads],
            block: SIZE,
            args: ["p", "gs", "q", "go", "gk", "gv", shape.length],
          },
        ];
      },
    },
    "2-wgmma": byWarpgroups([2]),
    "3-overlapped": byWarpgroups([2]),
    "4-in-order": byWarpgroups([2, 3], true),
  },
  rivals: {
    "PyTorch, cuDNN": { python: "rivals.py", function: "cudnn" },
    "PyTorch, flash": { python: "rivals.py", function: "flash" },
  },
});
export default ladder;
