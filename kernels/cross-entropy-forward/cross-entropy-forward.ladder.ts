import { defineLadder, indices, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly classes: number;
}
const launch = (shape: Size, { BLOCK = 0 }: Configuration) => [
  {
    kernel: "crossEntropy",
    grid: Math.ceil(shape.rows / BLOCK),
    block: BLOCK,
    args: ["losses", "probabilities", "targets", shape.rows, shape.classes],
  },
];

const ladder: Ladder = defineLadder({
  summary: "cross entropy of each row: minus the logarithm of the target's probability; rows x classes floats",
  inputs: {
    probabilities: {
      dtype: "float32",
      length: ({ rows, classes }: Size) => rows * classes,
      values: uniform(2 ** -20, 1),
      seed: 1,
    },
    targets: { dtype: "int32", length: ({ rows }: Size) => rows, values: indices("classes"), seed: 2 },
  },
  outputs: {
    losses: {
      dtype: "float32",
      length: ({ rows }: Size) => rows,
      tolerance: {
        absolute: 2 ** -21,
        relative: 2 ** -21,
        reason:
          "the hardware's logarithm is good to 2^-21.41 between 0.5 and 2 and to 3 units in the last place elsewhere " +
          "(CUDA C++ Programming Guide, intrinsic functions)",
      },
    },
  },
  reference: ({ probabilities, targets }, { classes }: Size) => ({
    losses: targets.map((target, row) => -Math.log(probabilities[row * classes + target] as number)),
  }),
  // A sector of 32 bytes for each probability: memory gives no less.
  work: ({ rows, classes }) => ({ bytes: rows * (8 + Math.min(32, 4 * classes)), operations: 2 * rows }),
  shapes: {
    check: [
      { rows: 1, classes: 1 },
      { rows: 33, classes: 7 },
      { rows: 257, classes: 100 },
    ],
    time: {
      emulated: [{ rows: 1024, classes: 1000 }],
      cuda: [
        { rows: 1024, classes: 50257 },
        { rows: 1 << 21, classes: 64 },
      ],
    },
  },
  versions: {
    "1-naive": { parameters: { BLOCK: [256, 128, 512] }, launch },
    "2-small-blocks": { parameters: { BLOCK: [32, 64, 128] }, launch },
    "3-hardware-logarithm": { parameters: { BLOCK: [32, 64, 128, 256, 512, 1024] }, launch },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "cross_entropy" },
    "torch.compile": { python: "rivals.py", function: "cross_entropy", compile: true },
  },
});
export default ladder;
