import { defineLadder, indices, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly batch: number;
  readonly time: number;
  readonly columns: number;
  readonly vocabulary: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const args = ({ batch, time, columns }: Size) => ["out", "tokens", "words", "positions", batch, time, columns] as const;
/** With so many threads for a shape. */
const launch =
  (threads: (shape: Size) => number) =>
  (shape: Size, { BLOCK = 0 }: Configuration) => [
    { kernel: "encode", grid: divideUp(threads(shape), BLOCK), block: BLOCK, args: args(shape) },
  ];
/** Vectors that begin at multiples of 16 bytes are loaded as such. */
const wide = ({ columns }: Size): string => `encode<${columns % 8 === 0}>`;
/** How many of the words are asked for at all, on average. */
const distinct = ({ batch, time, vocabulary }: Size): number =>
  Math.round(vocabulary * (1 - (1 - 1 / vocabulary) ** (batch * time)));
const BLOCK = [256, 128, 512];

const ladder: Ladder = defineLadder({
  summary:
    "embedding: for each of batch x time tokens the sum of its word's vector and its position's vector, " +
    "of columns bfloat16",
  inputs: {
    tokens: { dtype: "int32", length: ({ batch, time }: Size) => batch * time, values: indices("vocabulary"), seed: 1 },
    words: {
      dtype: "bfloat16",
      length: ({ vocabulary, columns }: Size) => vocabulary * columns,
      values: uniform(-1, 1),
      seed: 2,
    },
    positions: {
      dtype: "bfloat16",
      length: ({ time, columns }: Size) => time * columns,
      values: uniform(-1, 1),
      seed: 3,
    },
  },
  outputs: {
    out: {
      dtype: "bfloat16",
      length: ({ batch, time, columns }: Size) => batch * time * columns,
      tolerance: {
        absolute: 0,
        relative: 2 ** -8 + 2 ** -23,
        reason: "rounded to bfloat16 once, half a unit of 2^-8; the sum before is exact, or rounded to a float",
      },
    },
  },
  reference: ({ tokens, words, positions }, { batch, time, columns }: Size) => {
    const out = new Float64Array(batch * time * columns);
    for (let i = 0; i < batch * time; i++) {
      const [word, position] = [(tokens[i] as number) * columns, (i % time) * columns];
      for (let c = 0; c < columns; c++)
        out[i * columns + c] = (words[word + c] as number) + (positions[position + c] as number);
    }
    return { out };
  },
  // Each vector that is asked for once, however often.
  work: (shape) => ({
    bytes: 2 * shape.columns * (distinct(shape) + shape.time + shape.batch * shape.time) + 4 * shape.batch * shape.time,
    operations: shape.batch * shape.time * shape.columns,
  }),
  shapes: {
    check: [
      { batch: 1, time: 1, columns: 1, vocabulary: 3 },
      { batch: 3, time: 5, columns: 31, vocabulary: 10 },
      { batch: 9, time: 17, columns: 264, vocabulary: 1000 },
    ],
    time: {
      emulated: [{ batch: 4, time: 128, columns: 768, vocabulary: 5000 }],
      cuda: [
        { batch: 8, time: 1024, columns: 768, vocabulary: 50257 },
        { batch: 32, time: 1024, columns: 1024, vocabulary: 50257 },
      ],
    },
  },
  versions: {
    "1-naive": { parameters: { BLOCK: [128, 32] }, launch: launch(({ batch, time }) => batch * time) },
    "2-element-a-thread": {
      parameters: { BLOCK },
      launch: launch(({ batch, time, columns }) => batch * time * columns),
    },
    "3-vectorized": {
      parameters: { BLOCK },
      launch: (shape, { BLOCK: block = 0 }) => [
        {
          kernel: wide(shape),
          grid: divideUp(shape.batch * shape.time * divideUp(shape.columns, 8), block),
          block,
          args: args(shape),
        },
      ],
    },
    "4-position-a-thread": {
      parameters: { BLOCK, SEQUENCES: [4, 2, 8] },
      launch: (shape, { BLOCK: block = 0, SEQUENCES = 0 }) => [
        {
          kernel: wide(shape),
          grid: [divideUp(shape.time * divideUp(shape.columns, 8), block), divideUp(shape.batch, SEQUENCES)] as const,
          block,
          args: args(shape),
        },
      ],
    },
    "5-rolling": {
      parameters: { BLOCK: [256, 128], SEQUENCES: [4, 2] },
      launch: (shape, { BLOCK: block = 0 }) => [
        {
          kernel: wide(shape),
          grid: divideUp(shape.time * divideUp(shape.columns, 8), block),
          block,
          args: args(shape),
        },
      ],
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "encode" },
    "torch.compile": { python: "rivals.py", function: "encode", compile: true },
  },
});
export default ladder;
