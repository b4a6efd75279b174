import {
  defineLadder,
  normal,
  uniform,
  type Ladder,
  type LaunchArgument,
  type LaunchStep,
  type OutputDeclaration,
  type VersionDeclaration,
} from "heddle/ladder";
import { rowInput, rows, STATE, weights, type ScanSize } from "../common/selective-scan.ts";

const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const rowOutput: OutputDeclaration<ScanSize> = {
  dtype: "bfloat16",
  length: rows,
  tolerance: {
    absolute: 2 ** -8,
    relative: 2 ** -8,
    reason:
      "the result is rounded to 8 bits; it is a sum of 16 terms of up to 100, each off by some 2^-19 for the " +
      "hardware's exponentials and what states and their gradients carry on",
  },
};
/** Sums of `count` terms of up to 100. */
const sums = (
  length: (shape: ScanSize) => number,
  count: (shape: ScanSize) => number,
): OutputDeclaration<ScanSize> => ({
  dtype: "float32",
  length,
  tolerance: {
    absolute: (shape) => 2 ** -12 * Math.sqrt(count(shape)) + 2 ** -10,
    relative: 2 ** -14,
    reason: "a sum in any order of terms of about 1 to 10, each off by some 2^-19 of up to 100",
  },
});

const INPUTS: LaunchArgument[] = ["u", "delta", "z", "a", "b", "c", "d", "bias", "gy"];
const OUTPUTS: LaunchArgument[] = ["gu", "gdelta", "gz", "ga", "gb", "gc", "gd", "gbias"];
const clear = (shape: ScanSize): LaunchStep => ({
  kernel: "clear",
  grid: divideUp(Math.max(weights(shape), shape.dim * STATE), 256),
  block: 256,
  args: ["ga", "gb", "gc", "gd", "gbias", shape.dim, weights(shape)],
});
const byLanes: VersionDeclaration<ScanSize> = {
  parameters: { BLOCK: [128, 64, 256] },
  launch: (shape, { BLOCK = 1 }) => {
    const { batch, dim, length } = shape;
    const grid: [number, number] = [divideUp(dim, BLOCK / 4), batch];
    return [
      clear(shape),
      {
        kernel: "checkpoints",
        grid,
        block: BLOCK,
        args: ["u", "delta", "a", "b", "bias", "states", dim, length],
      },
      { kernel: "gradients", grid, block: BLOCK, args: [...INPUTS, "states", ...OUTPUTS, dim, length] },
    ];
  },
};

const ladder: Ladder = defineLadder({
  summary:
    "gradients of the selective scan (Mamba) from the gradient gy of its output: of u, delta and z (bfloat16), and " +
    "of a, b, c, d and bias (float32); 16 numbers of state, length is a multiple of 8",
  inputs: {
    u: rowInput(1, normal(0, 1)),
    delta: rowInput(2, uniform(-4, 0)),
    z: rowInput(3, normal(0, 1)),
    a: { dtype: "float32", length: ({ dim }: ScanSize) => dim * STATE, values: uniform(-16, -0.5), seed: 4 },
    b: { dtype: "bfloat16", length: weights, values: normal(0, 1), seed: 5 },
    c: { dtype: "bfloat16", length: weights, values: normal(0, 1), seed: 6 },
    d: { dtype: "float32", length: ({ dim }: ScanSize) => dim, values: uniform(-1, 1), seed: 7 },
    bias: { dtype: "float32", length: ({ dim }: ScanSize) => dim, values: uniform(-1, 0), seed: 8 },
    gy: rowInput(9, normal(0, 1)),
  },
  outputs: {
    gu: rowOutput,
    gdelta: rowOutput,
    gz: rowOutput,
    ga: sums(
      ({ dim }) => dim * STATE,
      ({ batch, length }) => batch * length,
    ),
    gb: sums(weights, ({ dim }) => dim),
    gc: sums(weights, ({ dim }) => dim),
    gd: sums(
      ({ dim }) => dim,
      ({ batch, length }) => batch * length,
    ),
    gbias: sums(
      ({ dim }) => dim,
      ({ batch, length }) => batch * length,
    ),
  },
  // The naive version keeps every state; the others need an eighth of it.
  scratch: { states: { dtype: "float32", length: (shape: ScanSize) => rows(shape) * STATE } },
  reference: ({ u, delta, z, a, b, c, d, bias, gy }, shape: ScanSize) => {
    const { batch, dim, length } = shape;
    const [gu, gdelta, gz] = [rows(shape), rows(shape), rows(shape)].map((count) => new Float64Array(count));
    const [gb, gc] = [weights(shape), weights(shape)].map((count) => new Float64Array(count));
    const [ga, gd, gbias] = [dim * STATE, dim, dim].map((count) => new Float64Array(count));
    const arrays = { gu, gdelta, gz, ga, gb, gc, gd, gbias } as Record<string, Float64Array>;
    const at = (x: Float64Array | undefined, index: number): number => (x as Float64Array)[index] as number;
    const add = (x: Float64Array | undefined, index: number, value: number): void => {
      (x as Float64Array)[index] = at(x, index) + value;
    };
    const [step, inner, decays, states, toX, toStep, y] = Array.from({ length: 7 }, () => new Float64Array(length));
    for (let channel = 0; channel < batch * dim; channel++) {
      const [own, row] = [channel % dim, channel * length];
      for (let t = 0; t < length; t++) {
        const gate = at(z, row + t);
        (step as Float64Array)[t] = Math.log1p(Math.exp(at(delta, row + t) + at(bias, own)));
        (inner as Float64Array)[t] = (at(gy, row + t) * gate) / (1 + Math.exp(-gate));
        (toX as Float64Array)[t] = (toStep as Float64Array)[t] = 0;
        (y as Float64Array)[t] = at(d, own) * at(u, row + t);
      }
      for (let n = 0; n < STATE; n++) {
        const [rate, from] = [at(a, own * STATE + n), (Math.floor(channel / dim) * STATE + n) * length];
        let h = 0;
        for (let t = 0; t < length; t++) {
          const decay = Math.exp(at(step, t) * rate);
          h = decay * h + at(step, t) * at(u, row + t) * at(b, from + t);
          (decays as Float64Array)[t] = decay;
          (states as Float64Array)[t] = h;
          add(y, t, h * at(c, from + t));
        }
        let [g, sum] = [0, 0];
        for (let t = length - 1; t >= 0; t--) {
          g += at(inner, t) * at(c, from + t);
          const moved = t > 0 ? g * at(decays, t) * at(states, t - 1) : 0;
          add(gc, from + t, at(inner, t) * at(states, t));
          add(gb, from + t, g * at(step, t) * at(u, row + t));
          add(toX, t, g * at(b, from + t));
          add(toStep, t, moved * rate);
          sum += moved * at(step, t);
          g *= at(decays, t);
        }
        add(ga, own * STATE + n, sum);
      }
      for (let t = 0; t < length; t++) {
        const [x, gate] = [at(u, row + t), at(z, row + t)];
        const sigmoid = 1 / (1 + Math.exp(-gate));
        const toDelta = (at(toStep, t) + at(toX, t) * x) / (1 + Math.exp(-at(delta, row + t) - at(bias, own)));
        add(gu, row + t, at(d, own) * at(inner, t) + at(toX, t) * at(step, t));
        add(gdelta, row + t, toDelta);
        add(gz, row + t, at(gy, row + t) * at(y, t) * sigmoid * (1 + gate * (1 - sigmoid)));
        add(gd, own, at(inner, t) * x);
        add(gbias, own, toDelta);
      }
    }
    return arrays;
  },
  // Forward again, and back: a power and about twelve multiply-adds for each number of the state.
  work: (shape) => ({ bytes: 14 * rows(shape) + 12 * weights(shape), operations: 25 * STATE * rows(shape) }),
  shapes: {
    check: [
      { batch: 1, dim: 1, length: 8 },
      { batch: 2, dim: 5, length: 24 },
      { batch: 2, dim: 33, length: 136 },
      { batch: 1, dim: 3, length: 1096 },
    ],
    time: {
      emulated: [{ batch: 1, dim: 64, length: 128 }],
      cuda: [{ batch: 2, dim: 2048, length: 1024 }],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [64, 128] },
      launch: (shape, { BLOCK = 1 }) => {
        const { batch, dim, length } = shape;
        return [
          clear(shape),
          {
            kernel: "gradients",
            grid: [divideUp(dim, BLOCK), batch],
            block: BLOCK,
            args: [...INPUTS, "states", ...OUTPUTS, dim, length],
          },
        ];
      },
    },
    "2-checkpoints": byLanes,
    "3-reduced": byLanes,
  },
});
export default ladder;
