import { defineLadder, uniform, type Ladder, type LaunchStep } from "heddle/ladder";

/** Elements of a query, key or value: what the kernels are written for. */
const SIZE = 64;
interface Size extends Readonly<Record<string, number>> {
  readonly batch: number;
  readonly heads: number;
  readonly length: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const rows = ({ batch, length }: Size): number => batch * length;
const elements = (shape: Size): number => rows(shape) * shape.heads * SIZE;

const ladder: Ladder = defineLadder({
  summary:
    "causal attention, floats, in llm.c's layout: qkv is batch x length x (query, key, value) x heads x " +
    "64, out is batch x length x heads x 64",
  inputs: { qkv: { dtype: "float32", length: (shape: Size) => 3 * elements(shape), values: uniform(-1, 1), seed: 1 } },
  outputs: {
    out: {
      dtype: "float32",
      length: elements,
      tolerance: {
        absolute: 2 ** -7,
        relative: 2 ** -8,
        reason:
          "versions may round queries, keys, values and weights to the 8 bits of bfloat16 for the tensor cores: " +
          "values below 1 are off by up to 2^-9, weights by 2^-8 of each, and scores, sums of 64 products with a " +
          "deviation of 1/3, by so little that their powers are off by less than 2^-8; the first rows, of few " +
          "keys, have no mean over many errors",
      },
    },
  },
  scratch: {
    scores: { dtype: "float32", length: (shape) => rows(shape) * shape.heads * shape.length },
    sorted: { dtype: "bfloat16", length: (shape) => 3 * elements(shape) },
  },
  reference: ({ qkv }, { heads, length }: Size) => {
    let [last, result] = [-1, new Float64Array(0) as Float64Array];
    /** `index`: of a row of a head of the output. */
    const row = (index: number): Float64Array => {
      const [head, at] = [index % heads, Math.floor(index / heads)];
      const begin = at - (at % length);
      const from = (part: number, token: number): number => (token * 3 + part) * heads * SIZE + head * SIZE;
      const scores = Float64Array.from({ length: (at % length) + 1 }, (_, key) => {
        let sum = 0;
        for (let d = 0; d < SIZE; d++)
          sum += (qkv[from(0, at) + d] as number) * (qkv[from(1, begin + key) + d] as number);
        return sum / Math.sqrt(SIZE);
      });
      const most = scores.reduce((a, b) => Math.max(a, b));
      const weights = scores.map((score) => Math.exp(score - most));
      const total = weights.reduce((a, b) => a + b);
      const out = new Float64Array(SIZE);
      weights.forEach((weight, key) => {
        for (let d = 0; d < SIZE; d++)
          out[d] = (out[d] as number) + (weight / total) * (qkv[from(2, begin + key) + d] as number);
      });
      return out;
    };
    // Rows are asked for one after the other.
    return {
      out: (index) => {
        const at = Math.floor(index / SIZE);
        if (at !== last) [last, result] = [at, row(at)];
        return result[index % SIZE] as number;
      },
    };
  },
  work: (shape) => ({
    bytes: 4 * 4 * elements(shape),
    operations: 4 * elements(shape) * ((shape.length + 1) / 2),
    unit: "bf16",
  }),
  shapes: {
    check: [
      { batch: 1, heads: 1, length: 1 },
      { batch: 2, heads: 3, length: 37 },
      { batch: 1, heads: 1, length: 130 },
    ],
    // On a GPU the shape of GPT-2 small.
    time: { emulated: [{ batch: 1, heads: 4, length: 128 }], cuda: [{ batch: 8, heads: 12, length: 1024 }] },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [128, 256] },
      launch: (shape, { BLOCK = 0 }): LaunchStep[] => {
        const { batch, heads, length } = shape;
        return [
          {
            kernel: `scores<${heads}>`,
            grid: [divideUp(length, BLOCK), length, batch * heads],
            block: BLOCK,
            args: ["qkv", "scores", length],
          },
          {
            kernel: "softmax",
            grid: divideUp(rows(shape) * heads, BLOCK),
            block: BLOCK,
            args: ["scores", rows(shape) * heads, length],
          },
          {
            kernel: `weigh<${heads}>`,
            grid: [length, batch * heads],
            block: SIZE,
            args: ["qkv", "scores", "out", length],
          },
        ];
      },
    },
    "2-fused": {
      parameters: { BLOCK: [128, 256] },
      launch: ({ batch, heads, length }, { BLOCK = 0 }) => [
        {
          kernel: `attention<${heads}>`,
          grid: [divideUp(length, BLOCK / 8), batch * heads],
          block: BLOCK,
          args: ["qkv", "out", length],
        },
      ],
    },
    "3-flash": {
      parameters: { WARPS: [4, 8], ROWS: [16, 32], KEYS: [32, 64] },
      allow: ({ WARPS = 0, ROWS = 0 }) => WARPS * ROWS <= 128,
      launch: (shape, { WARPS = 0, ROWS = 0, KEYS = 0 }) => {
        const { batch, heads, length } = shape;
        return [
          {
            kernel: `sortByHeads<${heads}>`,
            grid: divideUp(3 * elements(shape), 8 * 256),
            block: 256,
            args: ["qkv", "sorted", length, rows(shape)],
          },
          {
            kernel: `attention<${heads}>`,
            grid: [divideUp(length, WARPS * ROWS), batch * heads],
            block: 32 * WARPS,
            sharedBytes: 2 * SIZE * (WARPS * ROWS + 2 * KEYS),
            args: ["sorted", "out", length, rows(shape)],
          },
        ];
      },
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "attention" },
    "PyTorch, bfloat16": { python: "rivals.py", function: "attention_bfloat16" },
  },
});
export default ladder;
