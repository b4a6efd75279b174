import { defineLadder, normal, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly columns: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const EPSILON = 1e-5;
const launch =
  (threadsARow: number) =>
  (shape: Size, { BLOCK = 0 }: Readonly<Record<string, number>>) => [
    {
      kernel: "layernorm",
      grid: divideUp(shape.rows, BLOCK / threadsARow),
      block: BLOCK,
      args: ["x", "weight", "bias", "y", "mean", "rstd", shape.rows, shape.columns],
    },
  ];
/** The fewest quads a thread with which a block has room for a row. */
const fits = ({ BLOCK = 0, QUADS = 0 }: Configuration, { columns }: Size): boolean =>
  4 * BLOCK * QUADS >= columns && (QUADS === 1 || 2 * BLOCK * QUADS < columns);
const all = ({ rows, columns }: Size): number => rows * columns;
const rowSums =
  "sums of a row one after the other, of numbers around 1: columns roundings of half a unit in the last place of " +
  "what has come together, of which a quarter is allowed";

const ladder: Ladder = defineLadder({
  summary:
    "layer normalization of each row with weight and bias, rows x columns floats; also returns mean and " +
    "1 / deviation",
  inputs: {
    x: { dtype: "float32", length: all, values: normal(0.5, 1), seed: 1 },
    weight: { dtype: "float32", length: ({ columns }: Size) => columns, values: uniform(0.5, 1.5), seed: 2 },
    bias: { dtype: "float32", length: ({ columns }: Size) => columns, values: uniform(-1, 1), seed: 3 },
  },
  outputs: {
    y: {
      dtype: "float32",
      length: all,
      tolerance: {
        absolute: ({ columns }) => 2 ** -19 + columns * 2 ** -25,
        relative: ({ columns }) => 2 ** -20 + columns * 2 ** -26,
        reason: rowSums,
      },
    },
    mean: {
      dtype: "float32",
      length: ({ rows }: Size) => rows,
      tolerance: { absolute: ({ columns }) => 2 ** -22 + columns * 2 ** -26, relative: 2 ** -22, reason: rowSums },
    },
    rstd: {
      dtype: "float32",
      length: ({ rows }: Size) => rows,
      tolerance: { absolute: 0, relative: ({ columns }) => 2 ** -20 + columns * 2 ** -26, reason: rowSums },
    },
  },
  reference: ({ x, weight, bias }, { rows, columns }: Size) => {
    const [y, mean, rstd] = [new Float64Array(x.length), new Float64Array(rows), new Float64Array(rows)];
    for (let row = 0; row < rows; row++) {
      const values = x.subarray(row * columns, (row + 1) * columns);
      const m = values.reduce((sum, value) => sum + value, 0) / columns;
      const s = 1 / Math.sqrt(values.reduce((sum, value) => sum + (value - m) ** 2, 0) / columns + EPSILON);
      values.forEach(
        (value, i) => void (y[row * columns + i] = (value - m) * s * (weight[i] as number) + (bias[i] as number)),
      );
      [mean[row], rstd[row]] = [m, s];
    }
    return { y, mean, rstd };
  },
  // Sum; difference, square, sum; difference, product, product, sum.
  work: ({ rows, columns }) => ({ bytes: 8 * rows * columns + 8 * columns + 8 * rows, operations: 8 * rows * columns }),
  shapes: {
    // A row of one element has no deviation: 1 / sqrt(EPSILON).
    check: [
      { rows: 1, columns: 1 },
      { rows: 3, columns: 31 },
      { rows: 5, columns: 768 },
      { rows: 33, columns: 257 },
    ],
    time: { emulated: [{ rows: 512, columns: 768 }], cuda: [{ rows: 8192, columns: 8192 }] },
  },
  versions: {
    "1-naive": { parameters: { BLOCK: [128, 32, 256] }, launch: launch(1) },
    "2-warp-a-row": { parameters: { BLOCK: [128, 32, 256] }, launch: launch(32) },
    "3-one-pass": { parameters: { BLOCK: [128, 32, 256] }, launch: launch(32) },
    "4-registers": {
      parameters: { BLOCK: [256, 128, 512, 1024], QUADS: [1, 2, 4, 8, 16] },
      allow: fits,
      launch: (shape, configuration) => launch(configuration["BLOCK"] ?? 0)(shape, configuration),
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "layernorm" },
    "torch.compile": { python: "rivals.py", function: "layernorm", compile: true },
    Triton: { python: "rivals_triton.py", function: "layernorm" },
  },
});
export default ladder;
