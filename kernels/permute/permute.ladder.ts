import { defineLadder, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly d1: number;
  readonly d2: number;
  readonly d3: number;
  readonly d4: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const all = ({ d1, d2, d3, d4 }: Size): number => d1 * d2 * d3 * d4;
const args = ({ d1, d2, d3, d4 }: Size) => ["x", "y", d1, d2, d3, d4] as const;
const BLOCK = [256, 128, 512];

const ladder: Ladder = defineLadder({
  summary: "reorders four axes: y[i4][i3][i1][i2] = x[i1][i2][i3][i4], d1 x d2 x d3 x d4 floats",
  inputs: { x: { dtype: "float32", length: all, values: uniform(-1, 1), seed: 1 } },
  outputs: { y: { dtype: "float32", length: all, tolerance: { absolute: 0, relative: 0, reason: "copies" } } },
  reference: ({ x }, { d1, d2, d3, d4 }: Size) => {
    const y = new Float64Array(x.length);
    const [rows, columns] = [d1 * d2, d3 * d4];
    for (let i4 = 0, to = 0; i4 < d4; i4++)
      for (let i3 = 0; i3 < d3; i3++)
        for (let row = 0; row < rows; row++) y[to++] = x[row * columns + i3 * d4 + i4] as number;
    return { y };
  },
  work: (shape) => ({ bytes: 8 * all(shape), operations: 0 }),
  shapes: {
    check: [
      { d1: 1, d2: 1, d3: 1, d4: 1 },
      { d1: 2, d2: 3, d3: 5, d4: 7 },
      { d1: 5, d2: 7, d3: 3, d4: 16 },
      { d1: 6, d2: 10, d3: 4, d4: 12 },
      { d1: 9, d2: 11, d3: 13, d4: 8 },
    ],
    time: {
      emulated: [{ d1: 24, d2: 42, d3: 20, d4: 32 }],
      cuda: [
        { d1: 24, d2: 42, d3: 20, d4: 32 },
        { d1: 64, d2: 128, d3: 32, d4: 64 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK },
      launch: (shape, { BLOCK: block = 0 }: Configuration) => [
        { kernel: "permute", grid: divideUp(all(shape), block), block, args: args(shape) },
      ],
    },
    "2-output-order": {
      parameters: { BLOCK },
      launch: (shape, { BLOCK: block = 0 }) => [
        {
          kernel: "permute",
          grid: [divideUp(shape.d1 * shape.d2, block), shape.d3 * shape.d4] as const,
          block,
          args: args(shape),
        },
      ],
    },
    "3-tiled": {
      parameters: { HEIGHT: [8, 16, 32] },
      launch: (shape, { HEIGHT = 0 }) => [
        {
          kernel: "permute",
          grid: [divideUp(shape.d3 * shape.d4, 32), divideUp(shape.d1 * shape.d2, 32)] as const,
          block: [32, HEIGHT] as const,
          args: args(shape),
        },
      ],
    },
    "4-registers": {
      parameters: { HEIGHT: [16, 32, 64] },
      launch: (shape, { HEIGHT = 0 }) => [
        {
          kernel: "permute",
          grid: [divideUp(shape.d3 * shape.d4, 32), divideUp(shape.d1 * shape.d2, 4 * HEIGHT)] as const,
          block: [8, HEIGHT] as const,
          args: args(shape),
        },
      ],
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "permute" },
    "torch.compile": { python: "rivals.py", function: "permute", compile: true },
  },
});
export default ladder;
