import { defineLadder, indices, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly batch: number;
  readonly time: number;
  readonly columns: number;
  readonly vocabulary: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
/** With so many threads for a shape. */
const launch =
  (threads: (shape: Size) => number) =>
  (shape: Size, { BLOCK = 0 }: Configuration) => [
    {
      kernel: "backward",
      grid: divideUp(threads(shape), BLOCK),
      block: BLOCK,
      args: ["words", "positions", "dout", "tokens", shape.batch, shape.time, shape.columns],
    },
  ];
/** How many of the words occur at all, on average. */
const distinct = ({ batch, time, vocabulary }: Size): number =>
  Math.round(vocabulary * (1 - (1 - 1 / vocabulary) ** (batch * time)));
const wordsOf = ({ vocabulary, columns }: Size): number => vocabulary * columns;
const positionsOf = ({ time, columns }: Size): number => time * columns;
const BLOCK = [256, 128, 512];

const ladder: Ladder = defineLadder({
  summary:
    "gradient of an embedding: adds the gradients of batch x time tokens, of columns floats each, to " +
    "their words' and their positions' vectors",
  inputs: {
    words: { dtype: "float32", length: wordsOf, values: uniform(-1, 1), seed: 1 },
    positions: { dtype: "float32", length: positionsOf, values: uniform(-1, 1), seed: 2 },
    dout: {
      dtype: "float32",
      length: ({ batch, time, columns }: Size) => batch * time * columns,
      values: uniform(-1, 1),
      seed: 3,
    },
    tokens: { dtype: "int32", length: ({ batch, time }: Size) => batch * time, values: indices("vocabulary"), seed: 4 },
  },
  outputs: {
    words: {
      dtype: "float32",
      length: wordsOf,
      inPlace: true,
      tolerance: {
        absolute: ({ batch, time, vocabulary }) => (2 + (batch * time) / vocabulary) * 2 ** -22,
        relative: 0,
        reason:
          "as many additions, in any order, as a word occurs, on average batch * time / vocabulary times; each is " +
          "rounded to half a unit in the last place of a sum of up to 4",
      },
    },
    positions: {
      dtype: "float32",
      length: positionsOf,
      inPlace: true,
      tolerance: {
        absolute: ({ batch }) => (2 + batch) * 2 ** -23,
        relative: ({ batch }) => batch * 2 ** -24,
        reason:
          "batch additions in any order, each rounded to half a unit in the last place of a sum of up to 4, or where " +
          "the result is larger, as with a long batch, of one as large as that",
      },
    },
  },
  reference: (inputs, { time, columns }: Size) => {
    const [words, positions] = [Float64Array.from(inputs.words), Float64Array.from(inputs.positions)];
    inputs.tokens.forEach((token, i) => {
      for (let c = 0; c < columns; c++) {
        const [d, word, position] = [
          inputs.dout[i * columns + c] as number,
          token * columns + c,
          (i % time) * columns + c,
        ];
        words[word] = (words[word] as number) + d;
        positions[position] = (positions[position] as number) + d;
      }
    });
    return { words, positions };
  },
  // The gradient is read; each word's vector that occurs, and each position's, is read and written once.
  work: (shape) => ({
    bytes:
      4 * shape.columns * (shape.batch * shape.time + 2 * distinct(shape) + 2 * shape.time) +
      4 * shape.batch * shape.time,
    operations: 2 * shape.batch * shape.time * shape.columns,
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
        { batch: 32, time: 1024, columns: 768, vocabulary: 50257 },
      ],
    },
  },
  versions: {
    "1-naive": { parameters: { BLOCK }, launch: launch(({ batch, time, columns }) => batch * time * columns) },
    "2-position-a-thread": { parameters: { BLOCK }, launch: launch(({ time, columns }) => time * columns) },
    "3-vectorized": {
      parameters: { BLOCK, UNROLL: [4, 8] },
      launch: launch(({ time, columns }) => time * divideUp(columns, 4)),
    },
    "4-bulk": {
      // Four columns a thread.
      parameters: { BLOCK: [192, 96], STAGES: [3, 2, 4], FIRST_OUT: [2, 1, 0] },
      launch: (shape, { BLOCK = 0, STAGES = 0 }) => [
        {
          kernel: "backward",
          grid: [shape.time, divideUp(shape.columns, 4 * BLOCK)],
          block: BLOCK,
          sharedBytes: STAGES * 16 * BLOCK,
          args: ["words", "positions", "dout", "tokens", shape.batch, shape.time, shape.columns],
        },
      ],
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "backward" },
    "torch.compile": { python: "rivals.py", function: "backward", compile: true },
  },
});
export default ladder;
