import { defineLadder, indices, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly classes: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const all = ({ rows, classes }: Size): number => rows * classes;
const args = ({ rows, classes }: Size) => ["dlogits", "dlosses", "probabilities", "targets", rows, classes] as const;
const inRows =
  (perLoad: number) =>
  (shape: Size, { BLOCK = 0, PER_THREAD = 0 }: Configuration) => [
    {
      kernel: "backward",
      grid: [divideUp(shape.classes, perLoad * BLOCK * PER_THREAD), shape.rows] as const,
      block: BLOCK,
      args: args(shape),
    },
  ];
const parameters = { BLOCK: [256, 128, 512], PER_THREAD: [4, 2] };

const ladder: Ladder = defineLadder({
  summary: "gradient of cross entropy after softmax, added to the gradient of the logits; rows x classes floats",
  inputs: {
    dlogits: { dtype: "float32", length: all, values: uniform(-1, 1), seed: 1 },
    dlosses: { dtype: "float32", length: ({ rows }: Size) => rows, values: uniform(-1, 1), seed: 2 },
    probabilities: { dtype: "float32", length: all, values: uniform(0, 1), seed: 3 },
    targets: { dtype: "int32", length: ({ rows }: Size) => rows, values: indices("classes"), seed: 4 },
  },
  outputs: {
    dlogits: {
      dtype: "float32",
      length: all,
      inPlace: true,
      tolerance: {
        absolute: 2 ** -22,
        relative: 0,
        reason: "a difference, a product and a sum of up to 2, each rounded once to half a unit in the last place",
      },
    },
  },
  reference: ({ dlogits, dlosses, probabilities, targets }, { rows, classes }: Size) => {
    const out = new Float64Array(rows * classes);
    for (let row = 0, i = 0; row < rows; row++) {
      const [scale, target] = [dlosses[row] as number, targets[row] as number];
      for (let c = 0; c < classes; c++, i++)
        out[i] = (dlogits[i] as number) + ((probabilities[i] as number) - (c === target ? 1 : 0)) * scale;
    }
    return { dlogits: out };
  },
  work: ({ rows, classes }) => ({ bytes: 12 * rows * classes + 8 * rows, operations: 3 * rows * classes }),
  shapes: {
    check: [
      { rows: 1, classes: 1 },
      { rows: 5, classes: 3 },
      { rows: 7, classes: 1001 },
      { rows: 3, classes: 5000 },
    ],
    time: { emulated: [{ rows: 128, classes: 5000 }], cuda: [{ rows: 1024, classes: 50257 }] },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [256, 128, 512] },
      launch: (shape, { BLOCK = 0 }) => [
        { kernel: "backward", grid: divideUp(all(shape), BLOCK), block: BLOCK, args: args(shape) },
      ],
    },
    "2-row-a-block": { parameters, launch: inRows(1) },
    "3-vectorized": { parameters, launch: inRows(4) },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "backward" },
    "torch.compile": { python: "rivals.py", function: "backward", compile: true },
  },
});
export default ladder;
