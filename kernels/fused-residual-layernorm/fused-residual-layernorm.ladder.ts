import { defineLadder, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly columns: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const EPSILON = 1e-5;
const all = ({ rows, columns }: Size): number => rows * columns;
const rowsOf = ({ rows }: Size): number => rows;
const columnsOf = ({ columns }: Size): number => columns;
const args = ({ rows, columns }: Size) =>
  ["a", "b", "weight", "bias", "residual", "normed", "mean", "rstd", rows, columns] as const;
const launch =
  (threadsARow: number) =>
  (shape: Size, { BLOCK = 0 }: Configuration) => [
    { kernel: "fused", grid: divideUp(shape.rows, BLOCK / threadsARow), block: BLOCK, args: args(shape) },
  ];
/** Rows that begin at multiples of 16 bytes are loaded as such. */
const wide = ({ columns }: Size): string => `fused<${columns % 8 === 0}>`;
/** The fewest packs of eight a lane with which a warp has room for a row. */
const fits = ({ PACKS = 0 }: Configuration, { columns }: Size): boolean => PACKS === divideUp(columns, 256);
const PACKS = [1, 2, 3, 4, 5, 6, 7, 8];

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);
/** As the kernels do: to a float, and to the nearest bfloat16, ties to even. */
function toBfloat(value: number): number {
  float[0] = value;
  const all32 = bits[0] as number;
  bits[0] = (all32 + 0x7fff + ((all32 >>> 16) & 1)) & 0xffff0000;
  return float[0] as number;
}

const ladder: Ladder = defineLadder({
  summary:
    "sum of two rows x columns arrays of bfloat16, and layer normalization of each row with weight and " +
    "bias; also returns mean and 1 / deviation",
  inputs: {
    a: { dtype: "bfloat16", length: all, values: uniform(-1, 2), seed: 1 },
    b: { dtype: "bfloat16", length: all, values: uniform(-1, 1), seed: 2 },
    weight: { dtype: "bfloat16", length: columnsOf, values: uniform(0.5, 1.5), seed: 3 },
    bias: { dtype: "bfloat16", length: columnsOf, values: uniform(-1, 1), seed: 4 },
  },
  outputs: {
    residual: {
      dtype: "bfloat16",
      length: all,
      tolerance: {
        absolute: 0,
        relative: 0,
        reason: "a sum, rounded to float and to bfloat16: every processor does it alike",
      },
    },
    normed: {
      dtype: "bfloat16",
      length: all,
      tolerance: {
        absolute: 1.5 * 2 ** -7,
        relative: 2 ** -8,
        reason:
          "rounded to bfloat16 once: half a unit of 2^-8; a version may also normalize the sum before it is rounded " +
          "to bfloat16, as torch.compile does: a sum between 2 and 3 is rounded by up to 2^-7, times 1 / deviation " +
          "and weight, up to 0.97 and 1.5",
      },
    },
    mean: {
      dtype: "float32",
      length: rowsOf,
      tolerance: {
        absolute: 2 ** -10,
        relative: 0,
        reason:
          "the mean of sums before or after they are rounded to bfloat16, which differ by up to 2^-9 in either " +
          "direction",
      },
    },
    rstd: {
      dtype: "float32",
      length: rowsOf,
      tolerance: {
        absolute: 0,
        relative: 2 ** -7,
        reason:
          "of sums before or after they are rounded to bfloat16: two of them differ by up to 2^-9 in their difference",
      },
    },
  },
  reference: ({ a, b, weight, bias }, { rows, columns }: Size) => {
    const [residual, normed, mean, rstd] = [
      a.map((value, i) => toBfloat(value + (b[i] as number))),
      new Float64Array(a.length),
      new Float64Array(rows),
      new Float64Array(rows),
    ];
    for (let row = 0; row < rows; row++) {
      const [begin, end] = [row * columns, (row + 1) * columns];
      let [m, squares] = [0, 0];
      for (let i = begin; i < end; i++) m += residual[i] as number;
      m /= columns;
      for (let i = begin; i < end; i++) squares += ((residual[i] as number) - m) ** 2;
      const s = 1 / Math.sqrt(squares / columns + EPSILON);
      for (let i = begin; i < end; i++)
        normed[i] = ((residual[i] as number) - m) * s * (weight[i - begin] as number) + (bias[i - begin] as number);
      [mean[row], rstd[row]] = [m, s];
    }
    return { residual, normed, mean, rstd };
  },
  work: ({ rows, columns }) => ({ bytes: 8 * rows * columns + 4 * columns + 8 * rows, operations: 9 * rows * columns }),
  shapes: {
    // A row of one element has no deviation: 1 / sqrt(EPSILON).
    check: [
      { rows: 1, columns: 1 },
      { rows: 3, columns: 31 },
      { rows: 33, columns: 264 },
      { rows: 9, columns: 768 },
    ],
    time: {
      emulated: [{ rows: 512, columns: 768 }],
      cuda: [
        { rows: 8192, columns: 768 },
        { rows: 32768, columns: 1024 },
      ],
    },
  },
  versions: {
    "1-naive": { parameters: { BLOCK: [128, 32] }, launch: launch(1) },
    "2-warp-a-row": { parameters: { BLOCK: [128, 256, 512] }, launch: launch(32) },
    "3-registers": {
      parameters: { BLOCK: [128, 256, 512], PACKS },
      allow: fits,
      launch: (shape, { BLOCK = 0 }) => [
        { kernel: wide(shape), grid: divideUp(shape.rows, BLOCK / 32), block: BLOCK, args: args(shape) },
      ],
    },
    // A few blocks for each of the 132 multiprocessors of an H200.
    "4-persistent": {
      parameters: { BLOCK: [256, 128], PACKS, BLOCKS: [396, 264, 528] },
      allow: fits,
      launch: (shape, { BLOCK = 0, BLOCKS = 0 }) => [
        {
          kernel: wide(shape),
          grid: Math.min(BLOCKS, divideUp(shape.rows, BLOCK / 32)),
          block: BLOCK,
          args: args(shape),
        },
      ],
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "fused" },
    "torch.compile": { python: "rivals.py", function: "fused", compile: true },
  },
});
export default ladder;
