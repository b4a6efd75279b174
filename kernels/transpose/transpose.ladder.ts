import { defineLadder, uniform, type Ladder, type LaunchStep } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly columns: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);

const tiles = ({ rows, columns }: Size, width: number, tileHeight: number, threadRows: number): LaunchStep[] => [
  {
    kernel: "transpose",
    grid: [divideUp(columns, width), divideUp(rows, tileHeight)],
    block: [width, threadRows],
    args: ["x", "y", rows, columns],
  },
];

const ladder: Ladder = defineLadder({
  summary: "transposes a matrix: y = x transposed, rows x columns floats",
  inputs: {
    x: { dtype: "float32", length: ({ rows, columns }: Size) => rows * columns, values: uniform(-1, 1), seed: 1 },
  },
  outputs: {
    y: {
      dtype: "float32",
      length: ({ rows, columns }: Size) => rows * columns,
      tolerance: { absolute: 0, relative: 0, reason: "elements are moved, not computed" },
    },
  },
  reference: ({ x }, { rows, columns }: Size) => {
    const y = new Float64Array(x.length);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) y[column * rows + row] = x[row * columns + column] as number;
    return { y };
  },
  work: ({ rows, columns }) => ({ bytes: 8 * rows * columns, operations: 0 }),
  shapes: {
    check: [
      { rows: 1, columns: 1 },
      { rows: 1, columns: 77 },
      { rows: 33, columns: 65 },
      { rows: 64, columns: 64 },
      { rows: 100, columns: 31 },
    ],
    time: { emulated: [{ rows: 1024, columns: 1024 }], cuda: [{ rows: 8192, columns: 8192 }] },
  },
  versions: {
    "1-naive": {
      parameters: { WIDTH: [32, 16, 64], HEIGHT: [8, 16] },
      launch: (shape, { WIDTH = 0, HEIGHT = 0 }) => tiles(shape, WIDTH, HEIGHT, HEIGHT),
    },
    "2-shared": { parameters: { TILE: [32, 16] }, launch: (shape, { TILE = 0 }) => tiles(shape, TILE, TILE, TILE) },
    "3-padded": { parameters: { TILE: [32, 16] }, launch: (shape, { TILE = 0 }) => tiles(shape, TILE, TILE, TILE) },
    "4-coarsened": {
      parameters: { TILE: [32, 64], HEIGHT: [8, 4, 16] },
      allow: ({ TILE = 0, HEIGHT = 0 }) => TILE * HEIGHT <= 1024,
      launch: (shape, { TILE = 0, HEIGHT = 0 }) => tiles(shape, TILE, TILE, HEIGHT),
    },
  },
  rivals: {
    C: { source: "native.c", function: "transpose", args: ({ rows, columns }) => ["x", "y", rows, columns] },
    PyTorch: { python: "rivals.py", function: "transpose" },
    "torch.compile": { python: "rivals.py", function: "transpose", compile: true },
    Triton: { python: "rivals_triton.py", function: "transpose" },
  },
});
export default ladder;
