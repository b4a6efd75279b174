import { defineLadder, normal, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly columns: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
/** The fewest quads a thread with which a block has room for a row. */
const fits = ({ BLOCK = 0, QUADS = 0 }: Configuration, { columns }: Size): boolean =>
  4 * BLOCK * QUADS >= columns && (QUADS === 1 || 2 * BLOCK * QUADS < columns);
const args = ({ rows, columns }: Size) => ["x", "y", rows, columns] as const;

const ladder: Ladder = defineLadder({
  summary: "softmax of each row, rows x columns floats",
  inputs: {
    x: { dtype: "float32", length: ({ rows, columns }: Size) => rows * columns, values: normal(0, 3), seed: 1 },
  },
  outputs: {
    y: {
      dtype: "float32",
      length: ({ rows, columns }: Size) => rows * columns,
      tolerance: {
        absolute: 0,
        relative: ({ columns }) => 2 ** -17 + columns * 2 ** -26,
        reason:
          "x - max, up to about 32, is rounded before exp: 32 * 2^-24, and exp is good to 2 units in the last place; " +
          "a sum of positive terms one after the other loses up to 2^-24 at each, of which a quarter is allowed",
      },
    },
  },
  reference: ({ x }, { rows, columns }: Size) => {
    const y = new Float64Array(x.length);
    for (let row = 0; row < rows; row++) {
      const [begin, end] = [row * columns, (row + 1) * columns];
      let [largest, sum] = [-Infinity, 0];
      for (let i = begin; i < end; i++) largest = Math.max(largest, x[i] as number);
      for (let i = begin; i < end; i++) sum += y[i] = Math.exp((x[i] as number) - largest);
      for (let i = begin; i < end; i++) y[i] = (y[i] as number) / sum;
    }
    return { y };
  },
  // Maximum, difference, exponential, sum, product: counted as one operation each.
  work: ({ rows, columns }) => ({ bytes: 8 * rows * columns, operations: 5 * rows * columns }),
  shapes: {
    check: [
      { rows: 1, columns: 1 },
      { rows: 3, columns: 31 },
      { rows: 5, columns: 2 },
      { rows: 5, columns: 1000 },
      { rows: 33, columns: 257 },
    ],
    time: {
      emulated: [{ rows: 512, columns: 1000 }],
      cuda: [
        { rows: 8192, columns: 8192 },
        { rows: 1024, columns: 50257 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [128, 32, 256] },
      launch: (shape, { BLOCK = 0 }) => [
        { kernel: "softmax", grid: divideUp(shape.rows, BLOCK), block: BLOCK, args: args(shape) },
      ],
    },
    "2-block-a-row": {
      parameters: { BLOCK: [256, 128, 512] },
      launch: (shape, { BLOCK = 0 }) => [{ kernel: "softmax", grid: shape.rows, block: BLOCK, args: args(shape) }],
    },
    "3-warp-a-row": {
      parameters: { BLOCK: [128, 32, 256] },
      launch: (shape, { BLOCK = 0 }) => [
        { kernel: "softmax", grid: divideUp(shape.rows, BLOCK / 32), block: BLOCK, args: args(shape) },
      ],
    },
    "4-online": {
      parameters: { BLOCK: [128, 32, 256, 512] },
      launch: (shape, { BLOCK = 0 }) => [{ kernel: "softmax", grid: shape.rows, block: BLOCK, args: args(shape) }],
    },
    "5-registers": {
      parameters: { BLOCK: [256, 128, 512, 1024], QUADS: [1, 2, 4, 8, 16] },
      allow: fits,
      launch: (shape, { BLOCK = 0 }) => [{ kernel: "softmax", grid: shape.rows, block: BLOCK, args: args(shape) }],
    },
    "6-shared": {
      parameters: { BLOCK: [512, 256, 1024], KILOBYTES: [32, 64, 100, 200] },
      // Of what is more than a row's length, the least.
      allow: ({ KILOBYTES = 0 }, { columns }) => KILOBYTES === 32 || 512 * KILOBYTES < 4 * columns,
      launch: (shape, { BLOCK = 0, KILOBYTES = 0 }) => [
        {
          kernel: "softmax",
          grid: shape.rows,
          block: BLOCK,
          sharedBytes: Math.min(1024 * KILOBYTES, 16 * divideUp(shape.columns, 4)),
          args: args(shape),
        },
      ],
    },
    "7-triton": {
      parameters: { BLOCK: [1024, 8192, 65536], WARPS: [4, 8, 16] },
      // The least tile that has room for a row.
      allow: ({ BLOCK = 0 }, { columns }) => BLOCK >= columns && (BLOCK === 1024 || BLOCK < 8 * columns),
      launch: (shape, { WARPS = 0 }) => [{ kernel: "softmax", grid: shape.rows, block: 32 * WARPS, args: args(shape) }],
    },
  },
  rivals: {
    C: { source: "native.c", function: "softmax", args },
    PyTorch: { python: "rivals.py", function: "softmax" },
    "torch.compile": { python: "rivals.py", function: "softmax", compile: true },
    Triton: { python: "rivals_triton.py", function: "softmax" },
  },
});
export default ladder;
