import { defineLadder, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly columns: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const columnsOf = ({ columns }: Size): number => columns;
/** Strips of columns, of eight for each lane. */
const stripsOf = ({ columns }: Size, { LANES = 32 }: Configuration): number => divideUp(columns, 8 * LANES);
/** So many blocks share the rows of each strip. */
const partsOf = (shape: Size, configuration: Configuration): number =>
  Math.min(shape.rows, divideUp(configuration["BLOCKS"] ?? 1, stripsOf(shape, configuration)));
const inParts = (shape: Size, configuration: Configuration) => [
  {
    kernel: `biasGradient<${shape.columns % 8 === 0}>`,
    grid: [stripsOf(shape, configuration), partsOf(shape, configuration)] as const,
    block: configuration["BLOCK"] ?? 0,
    args: ["partial", "dout", shape.rows, shape.columns],
  },
  {
    kernel: "finish",
    grid: divideUp(shape.columns, 32),
    block: 256,
    args: ["dbias", "partial", partsOf(shape, configuration), shape.columns],
  },
];

const ladder: Ladder = defineLadder({
  summary: "gradient of a bias: adds the sums of the columns of a rows x columns array to it, bfloat16",
  inputs: {
    dbias: { dtype: "bfloat16", length: columnsOf, values: uniform(-1, 1), seed: 1 },
    dout: { dtype: "bfloat16", length: ({ rows, columns }: Size) => rows * columns, values: uniform(-1, 1), seed: 2 },
  },
  outputs: {
    dbias: {
      dtype: "bfloat16",
      length: columnsOf,
      inPlace: true,
      tolerance: {
        absolute: ({ rows }) => 2 ** -20 + rows * 2 ** -24,
        relative: 2 ** -8,
        reason:
          "rounded to bfloat16 once: half a unit of 2^-8; before, rows terms of up to 1 are added in float, in any " +
          "order, whose sums are about sqrt(rows)",
      },
    },
  },
  scratch: {
    partial: {
      dtype: "float32",
      length: (shape: Size, configuration: Configuration) => {
        const columns = 8 * (configuration["LANES"] ?? 32) * stripsOf(shape, configuration);
        return columns * partsOf(shape, configuration);
      },
    },
  },
  reference: ({ dbias, dout }, { rows, columns }: Size) => {
    const sums = Float64Array.from(dbias);
    for (let row = 0, i = 0; row < rows; row++)
      for (let column = 0; column < columns; column++, i++)
        sums[column] = (sums[column] as number) + (dout[i] as number);
    return { dbias: sums };
  },
  work: ({ rows, columns }) => ({ bytes: 2 * rows * columns + 4 * columns, operations: rows * columns }),
  shapes: {
    check: [
      { rows: 2, columns: 1 },
      { rows: 3, columns: 31 },
      { rows: 301, columns: 264 },
      { rows: 128, columns: 768 },
    ],
    time: {
      emulated: [{ rows: 1024, columns: 768 }],
      cuda: [
        { rows: 8192, columns: 3072 },
        { rows: 16384, columns: 4096 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [128, 32] },
      launch: (shape, { BLOCK = 0 }) => [
        {
          kernel: "biasGradient",
          grid: divideUp(shape.columns, BLOCK),
          block: BLOCK,
          args: ["dbias", "dout", shape.rows, shape.columns],
        },
      ],
    },
    "2-block-a-strip": {
      parameters: { BLOCK: [1024, 512, 256] },
      launch: (shape, { BLOCK = 0 }) => [
        {
          kernel: "biasGradient",
          grid: divideUp(shape.columns, 32),
          block: BLOCK,
          args: ["dbias", "dout", shape.rows, shape.columns],
        },
      ],
    },
    // A few blocks for each of the 132 multiprocessors of an H200.
    "3-split-rows": { parameters: { BLOCK: [256, 512], BLOCKS: [528, 1056] }, launch: inParts },
    "4-unrolled": { parameters: { BLOCK: [256, 512], BLOCKS: [528, 264, 1056], UNROLL: [4, 8] }, launch: inParts },
    "5-rolling": { parameters: { BLOCK: [512, 256, 1024], BLOCKS: [256, 128, 512], UNROLL: [4, 8] }, launch: inParts },
    // An A100, which an emulated device is by default, has no clusters.
    "6-cluster": {
      parameters: { BLOCK: [512, 256, 1024], CLUSTER: [1, 8, 4], LANES: [32, 16], UNROLL: [4, 8] },
      launch: (shape, { BLOCK = 0, CLUSTER = 1, LANES = 1 }) => [
        {
          kernel: `biasGradient<${shape.columns % 8 === 0}>`,
          grid: [stripsOf(shape, { LANES }), CLUSTER] as const,
          block: BLOCK,
          args: ["dbias", "dout", shape.rows, shape.columns],
        },
      ],
    },
    "7-all-together": {
      // Blocks that fit an H100 at the same time, with 1024 threads a multiprocessor.
      parameters: { BLOCK: [512, 256], BLOCKS: [256, 128, 512], LANES: [32, 16], UNROLL: [4, 8] },
      allow: (configuration, shape: Size) =>
        stripsOf(shape, configuration) * partsOf(shape, configuration) * (configuration["BLOCK"] ?? 0) <= 132 * 1024,
      launch: (shape, configuration) => [
        {
          kernel: `biasGradient<${shape.columns % 8 === 0}>`,
          grid: [stripsOf(shape, configuration), partsOf(shape, configuration)] as const,
          block: configuration["BLOCK"] ?? 0,
          cooperative: true,
          args: ["dbias", "partial", "dout", shape.rows, shape.columns],
        },
      ],
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "bias_gradient" },
    "torch.compile": { python: "rivals.py", function: "bias_gradient", compile: true },
  },
});
export default ladder;
