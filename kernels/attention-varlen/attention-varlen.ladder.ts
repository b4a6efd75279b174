import { defineLadder, normal, uniform, type Ladder, type LaunchStep, type VersionDeclaration } from "heddle/ladder";
import { forwardBytes } from "../common/attention.ts";
import { divideUp, HOPPER_BYTES } from "../common/hopper.ts";
import { sequenceStarts, tokensMap, type VarlenSize as Size } from "../common/varlen.ts";

/** Elements of a query, key or value: what the kernels are written for. */
const SIZE = 128;
const queries = ({ tokens, heads }: Size): number => tokens * heads * SIZE;
const keys = ({ tokens, kvHeads }: Size): number => tokens * kvHeads * SIZE;

/** The first of KEYS fits into an A100, which an emulated device is by default. */
const byWarpgroups = (before: (shape: Size) => readonly LaunchStep[]): VersionDeclaration<Size> => ({
  parameters: { KEYS: [64, 128], WARPGROUPS: [2], BLOCKS: [132] },
  allow: (configuration) => forwardBytes(configuration) <= HOPPER_BYTES,
  launch: (shape, configuration) => {
    const { KEYS = 0, WARPGROUPS = 1, BLOCKS = 1 } = configuration;
    const { sequences, longest, heads, kvHeads, causal } = shape;
    return [
      ...before(shape),
      {
        kernel: `attention<${causal === 1}>`,
        grid: Math.min(BLOCKS, divideUp(longest, 64 * WARPGROUPS) * sequences * heads),
        block: 128 * (WARPGROUPS + 1),
        sharedBytes: forwardBytes(configuration),
        args: [
          tokensMap("q", shape, heads, 64),
          tokensMap("k", shape, kvHeads, KEYS),
          tokensMap("v", shape, kvHeads, KEYS),
          tokensMap("o", shape, heads, 64),
          "starts",
          "list",
          "o",
          sequences,
          longest,
          heads,
          kvHeads,
          "taken",
        ],
      },
    ];
  },
});

const ladder: Ladder = defineLadder({
  summary:
    "attention of sequences of any lengths: o = softmax(q k' / sqrt(128)) v for each head; q and o have tokens x " +
    "heads x 128 bfloat16, k and v tokens x kvHeads x 128; sequence s has the tokens from starts[s] to " +
    "starts[s + 1]; causal=1 leaves out keys after the query's own",
  inputs: {
    q: { dtype: "bfloat16", length: queries, values: normal(0, 1), seed: 1 },
    k: { dtype: "bfloat16", length: keys, values: normal(0, 1), seed: 2 },
    v: { dtype: "bfloat16", length: keys, values: uniform(-1, 1), seed: 3 },
    starts: { dtype: "int32", length: ({ sequences }: Size) => sequences + 1, values: sequenceStarts, seed: 4 },
  },
  outputs: {
    o: {
      dtype: "bfloat16",
      length: queries,
      tolerance: {
        absolute: 2 ** -8,
        relative: 2 ** -8,
        reason:
          "weights are rounded to 8 bits for the tensor cores, each by up to 2^-8 of it: with values below 1 that is " +
          "2^-8 in all if all err to one side; the result is rounded to 8 bits, too",
      },
    },
  },
  scratch: {
    // The number of tiles, and two numbers for each: a tile has at least one token of its own sequence.
    list: {
      dtype: "int32",
      length: ({ tokens, sequences }: Size) => 1 + 2 * (Math.floor(tokens / 64) + Math.min(sequences, tokens)),
    },
    taken: { dtype: "uint32", length: () => 1 },
  },
  reference: ({ q, k, v, starts }, { heads, kvHeads, causal }: Size) => {
    let last = -1;
    let result: Float64Array = new Float64Array(SIZE);
    const row = (index: number): Float64Array => {
      const token = Math.floor(index / heads);
      const kvHead = Math.floor((index % heads) / (heads / kvHeads));
      const sequence = starts.findIndex((start) => start > token) - 1;
      const first = starts[sequence] as number;
      const end = causal === 1 ? token + 1 : (starts[sequence + 1] as number);
      const at = (key: number): number => ((first + key) * kvHeads + kvHead) * SIZE;
      const scores = Float64Array.from({ length: end - first }, (_, key) => {
        let sum = 0;
        for (let d = 0; d < SIZE; d++) sum += (q[index * SIZE + d] as number) * (k[at(key) + d] as number);
        return sum / Math.sqrt(SIZE);
      });
      const most = scores.reduce((a, b) => Math.max(a, b));
      const weights = scores.map((score) => Math.exp(score - most));
      const total = weights.reduce((a, b) => a + b);
      const out = new Float64Array(SIZE);
      weights.forEach((weight, key) => {
        for (let d = 0; d < SIZE; d++) out[d] = (out[d] as number) + (weight / total) * (v[at(key) + d] as number);
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
  // Scores and weighted sums, a multiply-add an element each. Lengths are the device's: here all are taken to be alike.
  work: (shape) => ({
    bytes: 2 * 2 * (queries(shape) + keys(shape)),
    operations: 4 * queries(shape) * (shape.causal === 1 ? 0.5 : 1) * (shape.tokens / Math.max(1, shape.sequences)),
    unit: "bf16",
  }),
  shapes: {
    check: [
      { tokens: 1, sequences: 1, longest: 1, heads: 1, kvHeads: 1, causal: 1 },
      { tokens: 130, sequences: 5, longest: 70, heads: 2, kvHeads: 1, causal: 1 },
      { tokens: 150, sequences: 3, longest: 140, heads: 2, kvHeads: 2, causal: 0 },
      { tokens: 300, sequences: 2, longest: 300, heads: 3, kvHeads: 1, causal: 1 },
    ],
    time: {
      emulated: [{ tokens: 192, sequences: 3, longest: 128, heads: 2, kvHeads: 1, causal: 1 }],
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
      launch: ({ tokens, heads, kvHeads, causal }, { BLOCK = 32 }) => [
        {
          kernel: `attention<${causal === 1}>`,
          grid: divideUp(tokens * heads, BLOCK / 32),
          block: BLOCK,
          args: ["q", "k", "v", "starts", "o", tokens, heads, kvHeads],
        },
      ],
    },
    "2-turns": byWarpgroups(() => [{ kernel: "begin", grid: 1, block: 1, args: ["taken"] }]),
    "3-sorted": byWarpgroups(({ sequences, causal }) => [
      {
        kernel: `listTiles<${causal === 1}>`,
        grid: 1,
        block: 1024,
        args: ["starts", "list", sequences, "taken"],
      },
    ]),
  },
  rivals: {
    "PyTorch, flash": { python: "rivals.py", function: "flash" },
  },
});
export default ladder;
