import { defineLadder, uniform, type Configuration, type Ladder } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly rows: number;
  readonly columns: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const all = ({ rows, columns }: Size): number => rows * columns;
const rowsOf = ({ rows }: Size): number => rows;
const columnsOf = ({ columns }: Size): number => columns;
const args = (sums: string, { rows, columns }: Size) =>
  ["dinp", sums, "dout", "inp", "weight", "mean", "rstd", rows, columns] as const;
const atomic =
  (threadsARow: number) =>
  (shape: Size, { BLOCK = 0 }: Configuration) => [
    { kernel: "zero", grid: divideUp(2 * shape.columns, 256), block: 256, args: ["partial", 2 * shape.columns] },
    { kernel: "backward", grid: divideUp(shape.rows, BLOCK / threadsARow), block: BLOCK, args: args("partial", shape) },
    {
      kernel: "finish",
      grid: divideUp(shape.columns, 256),
      block: 256,
      args: ["dweight", "dbias", "partial", shape.columns],
    },
  ];
const blocksOf = ({ rows }: Size, { BLOCKS = 1 }: Configuration): number => Math.min(rows, BLOCKS);
const persistent = (shape: Size, configuration: Configuration) => [
  {
    kernel: `backward<${shape.columns % 8 === 0}>`,
    grid: blocksOf(shape, configuration),
    block: configuration["BLOCK"] ?? 0,
    args: args("partial", shape),
  },
  {
    kernel: "finish",
    grid: divideUp(2 * shape.columns, 32),
    block: 1024,
    args: ["dweight", "dbias", "partial", blocksOf(shape, configuration), shape.columns],
  },
];
/** The fewest packs of eight a thread with which a block has room for a row. */
const fits = ({ BLOCK = 0, PACKS = 0 }: Configuration, { columns }: Size): boolean =>
  8 * BLOCK * PACKS >= columns && (PACKS === 1 || 4 * BLOCK * PACKS < columns);
/** Rows of three arrays, sixteen bytes for each thread and pack. */
const ringBytes = ({ BLOCK = 0, PACKS = 0, STAGES = 0 }: Configuration): number => 3 * 16 * BLOCK * PACKS * STAGES;
/** Rows of three arrays for each warp, 512 bytes a pack, and one of the weights for all. */
const warpRingBytes = ({ BLOCK = 0, PACKS = 0, STAGES = 0 }: Configuration): number =>
  512 * PACKS * (1 + 3 * STAGES * (BLOCK / 32));
/** A few blocks for each of the 132 multiprocessors of an H200. */
const parameters = { BLOCK: [256, 224, 128], PACKS: [1, 2, 4], BLOCKS: [528, 396, 264] };

const ladder: Ladder = defineLadder({
  summary:
    "gradients of layer normalization, rows x columns bfloat16: adds to the gradients of the input, the " +
    "weight and the bias",
  inputs: {
    dinp: { dtype: "bfloat16", length: all, values: uniform(-1, 1), seed: 1 },
    dweight: { dtype: "bfloat16", length: columnsOf, values: uniform(-1, 1), seed: 2 },
    dbias: { dtype: "bfloat16", length: columnsOf, values: uniform(-1, 1), seed: 3 },
    dout: { dtype: "bfloat16", length: all, values: uniform(-1, 1), seed: 4 },
    inp: { dtype: "bfloat16", length: all, values: uniform(-1, 2), seed: 5 },
    weight: { dtype: "bfloat16", length: columnsOf, values: uniform(0.5, 1.5), seed: 6 },
    // About what they are for such an input; the formulas take any.
    mean: { dtype: "float32", length: rowsOf, values: uniform(0.45, 0.55), seed: 7 },
    rstd: { dtype: "float32", length: rowsOf, values: uniform(1.1, 1.2), seed: 8 },
  },
  outputs: {
    dinp: {
      dtype: "bfloat16",
      length: all,
      inPlace: true,
      tolerance: {
        absolute: ({ columns }) => 2 ** -20 + columns * 2 ** -27,
        relative: 2 ** -8,
        reason:
          "rounded to bfloat16 once: half a unit of 2^-8, and as much again where it cancels to a smaller binade; in " +
          "the two means, columns terms around 1 in float, of which an eighth of half a unit each is allowed",
      },
    },
    dweight: {
      dtype: "bfloat16",
      length: columnsOf,
      inPlace: true,
      tolerance: {
        absolute: ({ rows }) => 2 ** -20 + rows * 2 ** -23,
        relative: 2 ** -8,
        reason:
          "rounded to bfloat16 once; before, rows terms of up to 2 are added in float, in any order, whose sums are " +
          "about sqrt(rows)",
      },
    },
    dbias: {
      dtype: "bfloat16",
      length: columnsOf,
      inPlace: true,
      tolerance: {
        absolute: ({ rows }) => 2 ** -20 + rows * 2 ** -24,
        relative: 2 ** -8,
        reason: "rounded to bfloat16 once; before, rows terms of up to 1 are added in float, in any order",
      },
    },
  },
  scratch: {
    partial: {
      dtype: "float32",
      length: (shape: Size, configuration: Configuration) => 2 * shape.columns * blocksOf(shape, configuration),
    },
  },
  reference: (inputs, { rows, columns }: Size) => {
    const [dinp, dweight, dbias] = [
      Float64Array.from(inputs.dinp),
      Float64Array.from(inputs.dweight),
      Float64Array.from(inputs.dbias),
    ];
    const { dout, inp, weight } = inputs;
    for (let row = 0; row < rows; row++) {
      const [begin, m, s] = [row * columns, inputs.mean[row] as number, inputs.rstd[row] as number];
      let [sum, product] = [0, 0];
      for (let i = 0; i < columns; i++) {
        const scaled = (weight[i] as number) * (dout[begin + i] as number);
        sum += scaled;
        product += scaled * ((inp[begin + i] as number) - m) * s;
      }
      [sum, product] = [sum / columns, product / columns];
      for (let i = 0; i < columns; i++) {
        const [d, normalized] = [dout[begin + i] as number, ((inp[begin + i] as number) - m) * s];
        dweight[i] = (dweight[i] as number) + d * normalized;
        dbias[i] = (dbias[i] as number) + d;
        dinp[begin + i] = (dinp[begin + i] as number) + ((weight[i] as number) * d - sum - normalized * product) * s;
      }
    }
    return { dinp, dweight, dbias };
  },
  // Two gradients and the input are read, one is written.
  work: ({ rows, columns }) => ({
    bytes: 8 * rows * columns + 10 * columns + 8 * rows,
    operations: 16 * rows * columns,
  }),
  shapes: {
    check: [
      { rows: 2, columns: 1 },
      { rows: 3, columns: 31 },
      { rows: 37, columns: 264 },
      { rows: 70, columns: 768 },
    ],
    time: {
      emulated: [{ rows: 512, columns: 768 }],
      cuda: [
        { rows: 8192, columns: 1600 },
        { rows: 16384, columns: 2048 },
      ],
    },
  },
  versions: {
    "1-naive": { parameters: { BLOCK: [128, 32] }, launch: atomic(1) },
    "2-warp-a-row": { parameters: { BLOCK: [256, 128, 512] }, launch: atomic(32) },
    "3-registers": { parameters, allow: fits, launch: persistent },
    "4-asynchronous": {
      parameters: { BLOCK: [256, 224, 128], PACKS: [1, 2, 4], STAGES: [3, 4, 2], BLOCKS: [528, 396, 264] },
      // What a block may have of shared memory without asking for more than other GPUs have, too.
      allow: (configuration, shape) => fits(configuration, shape) && ringBytes(configuration) <= 96 * 1024,
      launch: (shape, configuration) =>
        persistent(shape, configuration).map((step) =>
          step.kernel === "finish" ? step : { ...step, sharedBytes: ringBytes(configuration) },
        ),
    },
    "5-warps": {
      parameters: { BLOCK: [256, 128], PACKS: [8, 7, 6, 5, 4, 3, 2, 1], STAGES: [2, 3, 4], BLOCKS: [132, 264] },
      allow: ({ BLOCK = 0, PACKS = 0, STAGES = 0, BLOCKS = 0 }, { columns }) =>
        256 * PACKS >= columns &&
        256 * (PACKS - 1) < columns &&
        warpRingBytes({ BLOCK, PACKS, STAGES }) * (BLOCKS / 132) <= 225 * 1024,
      launch: (shape, configuration) =>
        persistent(shape, configuration).map((step) =>
          step.kernel === "finish" ? step : { ...step, sharedBytes: warpRingBytes(configuration) },
        ),
    },
  },
  // With floats in between: PyTorch's own operation rounds what it adds to bfloat16 first, which the tolerance does not
  // allow.
  rivals: {
    PyTorch: { python: "rivals.py", function: "backward" },
    "torch.compile": { python: "rivals.py", function: "backward", compile: true },
  },
});
export default ladder;
