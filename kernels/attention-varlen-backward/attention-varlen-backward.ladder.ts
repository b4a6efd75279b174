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
import { divideUp } from "../common/hopper.ts";
import { sequenceStarts, tokensMap, type VarlenSize } from "../common/varlen.ts";

/** Elements of a query, key or value: what the kernels are written for. */
const SIZE = 128;
const KEYS = 128;
const QUERIES = 64;
const queries = ({ tokens, heads }: VarlenSize): number => tokens * heads * SIZE;
const keys = ({ tokens, kvHeads }: VarlenSize): number => tokens * kvHeads * SIZE;
/** Tiles of queries do not cross sequences. */
const padded = ({ tokens, sequences }: VarlenSize): number => (Math.floor(tokens / QUERIES) + sequences) * QUERIES;
const input = (
  seed: number,
  length: (shape: VarlenSize) => number,
  values: Distribution,
): InputDeclaration<VarlenSize> => ({ dtype: "bfloat16", length, values, seed });
/** Logarithms of the sums of exponentials as they are for such scores, about; the formulas hold for any. */
const logarithms: Distribution =
  (random, { longest = 1 }) =>
  () =>
    Math.log(longest) + 0.5 + 0.2 * random();

const byWarpgroups = (stagesTried: readonly number[]): VersionDeclaration<VarlenSize> => ({
  parameters: { STAGES: stagesTried },
  launch: (shape, configuration) => {
    const { tokens, sequences, longest, heads, kvHeads, causal } = shape;
    const map = (name: string, count: number, rows: number): LaunchArgument => tokensMap(name, shape, count, rows);
    return [
      {
        kernel: "prepare",
        grid: [divideUp(padded(shape), 4), heads],
        block: 128,
        args: ["o", "go", "lse", "starts", "stats", "sums", tokens, sequences, heads, kvHeads],
      },
      {
        kernel: `gradients<${causal === 1}>`,
        grid: [sequences * kvHeads, divideUp(longest, KEYS)],
        block: 384,
        sharedBytes: backwardBytes(configuration),
        args: [
          map("q", heads, QUERIES),
          map("k", kvHeads, KEYS),
          map("v", kvHeads, KEYS),
          map("go", heads, QUERIES),
          "starts",
          "stats",
          "sums",
          "gk",
          "gv",
          tokens,
          sequences,
          heads,
          kvHeads,
        ],
      },
      {
        kernel: "finish",
        grid: [divideUp(padded(shape) * (SIZE / 16), 256), heads],
        block: 256,
        args: ["sums", "gq", "starts", tokens, sequences, heads, kvHeads],
      },
    ];
  },
});

const gradient = (what: string, length: (shape: VarlenSize) => number) => ({
  dtype: "bfloat16" as const,
  length,
  tolerance: {
    absolute: ({ longest, heads, kvHeads }: VarlenSize) =>
      2 ** -7 * Math.max(1, Math.sqrt((longest * heads) / kvHeads) / 16),
    relative: 2 ** -7,
    reason:
      `the gradient of ${what} is rounded to 8 bits, and so are weights and gradients of scores for the tensor ` +
      "cores, each by up to 2^-9 of it; what they are multiplied with is about 1, and errors add up as square roots",
  },
});

const ladder: Ladder = defineLadder({
  summary:
    "gradients of attention-varlen: of queries, keys and values, from the gradient go of the output o and the " +
    "logarithms lse of the softmax's sums (heads x tokens); sequence s has the tokens from starts[s] to " +
    "starts[s + 1]; causal=1 leaves out keys after the query's own",
  inputs: {
    q: input(1, queries, normal(0, 1)),
    k: input(2, keys, normal(0, 1)),
    v: input(3, keys, uniform(-1, 1)),
    o: input(4, queries, uniform(-0.2, 0.2)),
    go: input(5, queries, uniform(-1, 1)),
    lse: {
      dtype: "float32",
      length: ({ tokens, heads }: VarlenSize) => tokens * heads,
      values: logarithms,
      seed: 6,
    },
    starts: {
      dtype: "int32",
      length: ({ sequences }: VarlenSize) => sequences + 1,
      values: sequenceStarts,
      seed: 7,
    },
  },
  outputs: { gq: gradient("queries", queries), gk: gradient("keys", keys), gv: gradient("values", keys) },
  scratch: {
    stats: { dtype: "float32", length: (shape: VarlenSize) => 2 * shape.heads * padded(shape) },
    sums: { dtype: "float32", length: (shape: VarlenSize) => shape.heads * padded(shape) * SIZE },
  },
  reference: ({ q, k, v, o, go, lse, starts }, { tokens, heads, kvHeads, causal }: VarlenSize) => {
    const group = heads / kvHeads;
    const dot = (x: Float64Array, a: number, y: Float64Array, b: number): number => {
      let sum = 0;
      for (let d = 0; d < SIZE; d++) sum += (x[a * SIZE + d] as number) * (y[b * SIZE + d] as number);
      return sum;
    };
    /** The weight, and the gradient of the score, of a row of queries and one of keys. */
    const pair = (query: number, key: number): [number, number] => {
      const [token, head] = [Math.floor(query / heads), query % heads];
      if (causal === 1 && Math.floor(key / kvHeads) > token) return [0, 0];
      const weight = Math.exp(dot(q, query, k, key) / Math.sqrt(SIZE) - (lse[head * tokens + token] as number));
      return [weight, weight * (dot(go, query, v, key) - dot(go, query, o, query))];
    };
    /** Rows of a gradient, computed when they are first asked for. */
    const byRow = (add: (out: Float64Array, row: number) => void): ((index: number) => number) => {
      const known = new Map<number, Float64Array>();
      return (index) => {
        const at = Math.floor(index / SIZE);
        let out = known.get(at);
        if (out === undefined) {
          known.set(at, (out = new Float64Array(SIZE)));
          add(out, at);
        }
        return out[index % SIZE] as number;
      };
    };
    const addTo = (out: Float64Array, factor: number, from: Float64Array, row: number): void => {
      for (let d = 0; factor !== 0 && d < SIZE; d++)
        out[d] = (out[d] as number) + factor * (from[row * SIZE + d] as number);
    };
    /** For each token of the sequence of a token. */
    const forTokens = (token: number, use: (other: number) => void): void => {
      const sequence = starts.findIndex((start) => start > token) - 1;
      for (let other = starts[sequence] as number; other < (starts[sequence + 1] as number); other++) use(other);
    };
    /** For each row of queries that uses a row of keys. */
    const forQueries = (key: number, use: (query: number) => void): void => {
      forTokens(Math.floor(key / kvHeads), (token) => {
        for (let i = 0; i < group; i++) use(token * heads + (key % kvHeads) * group + i);
      });
    };
    const root = Math.sqrt(SIZE);
    return {
      gq: byRow((out, query) => {
        forTokens(Math.floor(query / heads), (token) => {
          const key = token * kvHeads + Math.floor((query % heads) / group);
          addTo(out, pair(query, key)[1] / root, k, key);
        });
      }),
      gk: byRow((out, key) => forQueries(key, (query) => addTo(out, pair(query, key)[1] / root, q, query))),
      gv: byRow((out, key) => forQueries(key, (query) => addTo(out, pair(query, key)[0], go, query))),
    };
  },
  // Five products, a multiply-add an element each. Lengths are the device's: here all are taken to be alike.
  work: (shape) => ({
    bytes: 2 * (4 * queries(shape) + 4 * keys(shape)),
    operations: 10 * queries(shape) * (shape.causal === 1 ? 0.5 : 1) * (shape.tokens / Math.max(1, shape.sequences)),
    unit: "bf16",
  }),
  shapes: {
    check: [
      { tokens: 1, sequences: 1, longest: 1, heads: 1, kvHeads: 1, causal: 1 },
      { tokens: 130, sequences: 5, longest: 70, heads: 2, kvHeads: 1, causal: 1 },
      { tokens: 150, sequences: 3, longest: 140, heads: 2, kvHeads: 2, causal: 0 },
      { tokens: 200, sequences: 2, longest: 200, heads: 3, kvHeads: 1, causal: 1 },
    ],
    time: {
      emulated: [{ tokens: 128, sequences: 2, longest: 128, heads: 2, kvHeads: 1, causal: 1 }],
      // 16 sequences of a batch, 32 heads that share 8, as in Llama 3 8B.
      cuda: [
        { tokens: 16384, sequences: 16, longest: 4096, heads: 32, kvHeads: 8, causal: 1 },
        { tokens: 16384, sequences: 16, longest: 4096, heads: 32, kvHeads: 8, causal: 0 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [128, 256] },
      launch: ({ tokens, heads, kvHeads, causal }, { BLOCK = 32 }) =>
        (
          [
            ["queries", heads, ["gq"]],
            ["keys", kvHeads, ["gk", "gv"]],
          ] as const
        ).map(([kernel, count, outputs]) => ({
          kernel: `${kernel}<${causal === 1}>`,
          grid: divideUp(tokens * count, BLOCK / 32),
          block: BLOCK,
          args: ["q", "k", "v", "o", "go", "lse", "starts", ...outputs, tokens, heads, kvHeads],
        })),
    },
    "2-wgmma": byWarpgroups([2]),
    "3-overlapped": byWarpgroups([2, 3]),
  },
  rivals: {
    "PyTorch, flash": { python: "rivals.py", function: "flash" },
  },
});
export default ladder;
