import { defineLadder, indices, normal, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly classes: number;
}
/**
 * Rows begin at multiples of 256 bytes: there are up to 63 elements behind each that belong to no class, whose gradient
 * is zero.
 */
const strideOf = ({ classes }: Size): number => 64 * Math.ceil(classes / 64);
const all = (shape: Size): number => shape.rows * strideOf(shape);
const args = (shape: Size) =>
  ["dlogits", "losses", "logits", "dlosses", "targets", shape.rows, shape.classes, strideOf(shape)] as const;
const rowABlock = (shape: Size, { BLOCK = 0 }: Configuration) => [
  { kernel: "classify", grid: shape.rows, block: BLOCK, args: args(shape) },
];
/** Of a row's slots of BLOCK quads so many wait in shared memory, of 224 KiB with EXTRA ones of the next row. */
const slotsOf = (shape: Size, { BLOCK = 1, REGISTERS = 0, EXTRA = 0 }: Configuration): number => {
  const slots = Math.ceil(strideOf(shape) / 4 / BLOCK);
  return Math.max(1, Math.min(slots - REGISTERS, Math.floor((224 * 64) / BLOCK) - EXTRA));
};
const sumsOfExponentials =
  "as in a softmax: x - max, up to about 32, is rounded before exp: 32 * 2^-24, and exp is good to 2 units in the " +
  "last place (the hardware's to 2 + 1.2 |x|: as much again); a sum of positive terms one after the other loses up " +
  "to 2^-24 at each, of which a quarter is allowed";

const ladder: Ladder = defineLadder({
  summary:
    "softmax, cross entropy and its gradient in one: the loss and the gradient of rows x classes logits, " + "floats",
  inputs: {
    logits: { dtype: "float32", length: all, values: normal(0, 3), seed: 1 },
    dlosses: { dtype: "float32", length: ({ rows }: Size) => rows, values: uniform(0.5, 1.5), seed: 2 },
    targets: { dtype: "int32", length: ({ rows }: Size) => rows, values: indices("classes"), seed: 3 },
  },
  outputs: {
    losses: {
      dtype: "float32",
      length: ({ rows }: Size) => rows,
      tolerance: {
        absolute: ({ classes }) => 2 ** -17 + classes * 2 ** -26,
        relative: 2 ** -22,
        reason: `${sumsOfExponentials}; its logarithm is off by as much`,
      },
    },
    dlogits: {
      dtype: "float32",
      length: all,
      tolerance: {
        absolute: ({ classes }) => 2 ** -17 / classes,
        relative: ({ classes }) => 2 ** -17 + classes * 2 ** -26,
        reason:
          `${sumsOfExponentials}; a target's gradient cancels where its probability is near 1, ` +
          `as with few classes`,
      },
    },
  },
  reference: ({ logits, dlosses, targets }, shape: Size) => {
    const { rows, classes } = shape;
    const stride = strideOf(shape);
    const [losses, dlogits] = [new Float64Array(rows), new Float64Array(rows * stride)];
    for (let row = 0; row < rows; row++) {
      const [begin, end, target] = [row * stride, row * stride + classes, row * stride + (targets[row] as number)];
      let [largest, sum] = [-Infinity, 0];
      for (let i = begin; i < end; i++) largest = Math.max(largest, logits[i] as number);
      for (let i = begin; i < end; i++) sum += dlogits[i] = Math.exp((logits[i] as number) - largest);
      losses[row] = Math.log(sum) - ((logits[target] as number) - largest);
      for (let i = begin; i < end; i++)
        dlogits[i] = ((dlogits[i] as number) / sum - (i === target ? 1 : 0)) * (dlosses[row] as number);
    }
    return { losses, dlogits };
  },
  work: (shape) => ({ bytes: 8 * all(shape) + 12 * shape.rows, operations: 7 * all(shape) }),
  shapes: {
    check: [
      { rows: 1, classes: 1 },
      { rows: 5, classes: 7 },
      { rows: 3, classes: 1001 },
      { rows: 2, classes: 5000 },
      { rows: 134, classes: 20001 },
    ],
    time: { emulated: [{ rows: 64, classes: 5000 }], cuda: [{ rows: 1024, classes: 50257 }] },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [32, 128] },
      launch: (shape, { BLOCK = 0 }) => [
        { kernel: "classify", grid: Math.ceil(shape.rows / BLOCK), block: BLOCK, args: args(shape) },
      ],
    },
    "2-block-a-row": { parameters: { BLOCK: [256, 512, 1024] }, launch: rowABlock },
    "3-online": { parameters: { BLOCK: [256, 512, 1024] }, launch: rowABlock },
    "4-shared": {
      parameters: { BLOCK: [512, 1024], KILOBYTES: [100, 32, 64, 200] },
      launch: (shape, { BLOCK = 0, KILOBYTES = 0 }) => [
        {
          kernel: "classify",
          grid: shape.rows,
          block: BLOCK,
          sharedBytes: Math.min(1024 * KILOBYTES, 4 * strideOf(shape)),
          args: args(shape),
        },
      ],
    },
    "5-ahead": {
      parameters: { BLOCK: [1024, 768], REGISTERS: [2, 1, 3], EXTRA: [3, 2, 4], BLOCKS: [132] },
      launch: (shape, configuration) => {
        const { BLOCK = 1, EXTRA = 0, BLOCKS = 1 } = configuration;
        return [
          {
            kernel: "classify",
            grid: Math.min(shape.rows, BLOCKS),
            block: BLOCK,
            sharedBytes: 16 * BLOCK * (slotsOf(shape, configuration) + EXTRA),
            args: [...args(shape), slotsOf(shape, configuration)],
          },
        ];
      },
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "classify" },
    "torch.compile": { python: "rivals.py", function: "classify", compile: true },
  },
});
export default ladder;
