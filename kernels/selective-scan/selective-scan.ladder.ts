import { defineLadder, normal, uniform, type Configuration, type Ladder, type LaunchArgument } from "heddle/ladder";
import { rowInput, rows, STATE, weights, type ScanSize } from "../common/selective-scan.ts";

const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const TILE = 64;
/** 64 steps of so many rows: rows of 128 bytes, swizzled. */
const map = (tensorMap: string, { batch, length }: ScanSize, height: number, boxRows: number): LaunchArgument => ({
  tensorMap,
  shape: [batch, height, length],
  box: [1, boxRows, TILE],
  swizzle: 128,
});
const ARRAYS: LaunchArgument[] = ["u", "delta", "z", "a", "b", "c", "d", "bias", "y"];

const ladder: Ladder = defineLadder({
  summary:
    "selective scan (Mamba): h = exp(step a) h + step b u along the sequence, y = (sum(c h) + d u) z sigmoid(z), " +
    "with step = softplus(delta + bias); 16 numbers of state, bfloat16; length is a multiple of 8",
  inputs: {
    u: rowInput(1, normal(0, 1)),
    delta: rowInput(2, uniform(-4, 0)),
    z: rowInput(3, normal(0, 1)),
    a: { dtype: "float32", length: ({ dim }: ScanSize) => dim * STATE, values: uniform(-16, -0.5), seed: 4 },
    b: { dtype: "bfloat16", length: weights, values: normal(0, 1), seed: 5 },
    c: { dtype: "bfloat16", length: weights, values: normal(0, 1), seed: 6 },
    d: { dtype: "float32", length: ({ dim }: ScanSize) => dim, values: uniform(-1, 1), seed: 7 },
    bias: { dtype: "float32", length: ({ dim }: ScanSize) => dim, values: uniform(-1, 0), seed: 8 },
  },
  outputs: {
    y: {
      dtype: "bfloat16",
      length: rows,
      tolerance: {
        absolute: 2 ** -11,
        relative: 2 ** -8,
        reason:
          "the result is rounded to 8 bits, off by up to 2^-8 of it; sums of 16 products of about 1, each off by " +
          "some 2^-21 for the hardware's exponentials and what states carry on",
      },
    },
  },
  reference: ({ u, delta, z, a, b, c, d, bias }, { dim, length }: ScanSize) => {
    const known = new Map<number, Float64Array>();
    const at = (x: Float64Array, index: number): number => x[index] as number;
    const row = (index: number): Float64Array => {
      const [batch, channel] = [Math.floor(index / dim), index % dim];
      const state = new Float64Array(STATE);
      return Float64Array.from({ length }, (_, t) => {
        const [x, gate] = [at(u, index * length + t), at(z, index * length + t)];
        const step = Math.log1p(Math.exp(at(delta, index * length + t) + at(bias, channel)));
        let sum = at(d, channel) * x;
        for (let n = 0; n < STATE; n++) {
          const weight = (batch * STATE + n) * length + t;
          const decay = Math.exp(step * at(a, channel * STATE + n));
          state[n] = decay * at(state, n) + step * at(b, weight) * x;
          sum += at(c, weight) * at(state, n);
        }
        return (sum * gate) / (1 + Math.exp(-gate));
      });
    };
    return {
      y: (index) => {
        const which = Math.floor(index / length);
        let found = known.get(which);
        if (found === undefined) known.set(which, (found = row(which)));
        return found[index % length] as number;
      },
    };
  },
  // A power, three multiply-adds and a product for each number of the state.
  work: (shape) => ({ bytes: 8 * rows(shape) + 4 * weights(shape), operations: 8 * STATE * rows(shape) }),
  shapes: {
    check: [
      { batch: 1, dim: 1, length: 8 },
      { batch: 2, dim: 5, length: 24 },
      { batch: 2, dim: 33, length: 136 },
      { batch: 1, dim: 3, length: 1096 },
    ],
    time: {
      emulated: [{ batch: 1, dim: 64, length: 256 }],
      // Layers of Mamba 370M and 2.8B, and a long sequence.
      cuda: [
        { batch: 8, dim: 2048, length: 2048 },
        { batch: 1, dim: 5120, length: 8192 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [64, 128] },
      launch: ({ batch, dim, length }, { BLOCK = 1 }) => [
        { kernel: "scan", grid: [divideUp(dim, BLOCK), batch], block: BLOCK, args: [...ARRAYS, dim, length] },
      ],
    },
    "2-block-scan": {
      parameters: { BLOCK: [128, 64, 256], ITEMS: [8, 4] },
      launch: ({ batch, dim, length }, { BLOCK = 1 }) => [
        { kernel: "scan", grid: [dim, batch], block: BLOCK, args: [...ARRAYS, dim, length] },
      ],
    },
    "3-staged": {
      parameters: { BLOCK: [128, 256], LANES: [2, 4, 1], STAGES: [2, 3] },
      allow: ({ BLOCK = 0, LANES = 1, STAGES = 0 }: Configuration) => (STAGES * 3 + 1) * (BLOCK / LANES) <= 1280,
      launch: (shape, { BLOCK = 1, LANES = 1, STAGES = 0 }) => {
        const { batch, dim, length } = shape;
        const channels = BLOCK / LANES;
        const [rowBytes, weightBytes] = [channels * TILE * 2, STATE * TILE * 2];
        return [
          {
            kernel: "scan",
            grid: [divideUp(dim, channels), batch],
            block: BLOCK,
            sharedBytes: 1024 + STAGES * (3 * rowBytes + 2 * weightBytes) + rowBytes,
            args: [
              map("u", shape, dim, channels),
              map("delta", shape, dim, channels),
              map("z", shape, dim, channels),
              map("b", shape, STATE, STATE),
              map("c", shape, STATE, STATE),
              map("y", shape, dim, channels),
              "a",
              "d",
              "bias",
              dim,
              length,
            ],
          },
        ];
      },
    },
  },
  rivals: { "mamba-ssm": { python: "rivals.py", function: "mamba" } },
});
export default ladder;
