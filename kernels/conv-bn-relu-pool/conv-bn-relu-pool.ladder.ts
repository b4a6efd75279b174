import {
  defineLadder,
  uniform,
  type InputDeclaration,
  type Ladder,
  type LaunchArgument,
  type VersionDeclaration,
} from "heddle/ladder";
import {
  arrangeWeights,
  IMPLICIT,
  implicitLaunch,
  transformWeights,
  weightsLength,
  WINOGRAD,
  winogradLaunch,
} from "../convolution-2d/products.ts";

interface Size extends Readonly<Record<string, number>> {
  readonly images: number;
  /** Channels. */ readonly input: number;
  readonly output: number;
  readonly height: number;
  readonly width: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const TAPS = 9;
const EPSILON = 1e-5;
const windows = ({ images, height, width }: Size): number => images * Math.floor(height / 2) * Math.floor(width / 2);
const pooled = (shape: Size): number => shape.output * windows(shape);
const ofChannels = (seed: number, values: InputDeclaration<Size>["values"]): InputDeclaration<Size> => ({
  dtype: "float32",
  length: ({ output }) => output,
  values,
  seed,
});
const args = (to: string, { input, output, height, width }: Size): LaunchArgument[] => [
  "x",
  "w",
  "mean",
  "variance",
  "gamma",
  "beta",
  to,
  input,
  output,
  height,
  width,
];
const tiled = (to: string): VersionDeclaration<Size> => ({
  parameters: { THREADS_X: [8, 16, 14], THREADS_Y: [8, 16, 14, 7], OUT: [8, 16] },
  launch: (shape, { THREADS_X = 0, THREADS_Y = 0, OUT = 0 }) => [
    {
      kernel: "convolve",
      grid: [
        divideUp(shape.width, 2 * THREADS_X) * divideUp(shape.height, 2 * THREADS_Y),
        divideUp(shape.output, OUT),
        shape.images,
      ],
      block: THREADS_X * THREADS_Y,
      args: args(to, shape),
    },
    ...(to === "z"
      ? []
      : [
          {
            kernel: "pool",
            grid: divideUp(pooled(shape), 256),
            block: 256,
            args: [to, "z", shape.height, shape.width, pooled(shape)],
          },
        ]),
  ],
});

const SCALES = ["variance", "gamma"];
const prepared = ({ input, output, height, width, images }: Size): LaunchArgument[] => [
  "x",
  "weights",
  "mean",
  "variance",
  "gamma",
  "beta",
  "z",
  input,
  output,
  height,
  width,
  images,
];

const ladder: Ladder = defineLadder({
  summary:
    "3 x 3 convolution with zeros at the border, batch normalization with given means and variances, " +
    "ReLU, and the maximum of 2 x 2 pixels; floats",
  inputs: {
    x: {
      dtype: "float32",
      length: ({ images, input, height, width }: Size) => images * input * height * width,
      values: uniform(-1, 1),
      seed: 1,
    },
    w: {
      dtype: "float32",
      length: ({ input, output }: Size) => output * input * TAPS,
      values: uniform(-1, 1),
      seed: 2,
    },
    // Scales of both signs.
    mean: ofChannels(3, uniform(-1, 1)),
    variance: ofChannels(4, uniform(0.5, 2)),
    gamma: ofChannels(5, uniform(-1.5, 1.5)),
    beta: ofChannels(6, uniform(-1, 1)),
  },
  outputs: {
    z: {
      dtype: "float32",
      length: pooled,
      tolerance: {
        absolute: ({ input }) => 2.2 * (4 * TAPS * input + 12) * 2 ** -24,
        relative: 2 ** -21,
        reason:
          "9 x input sums one after the other, each rounded by up to 2^-24 of a partial sum that is sqrt(9 input) / " +
          "3 as a rule, scaled by up to 1.5 / sqrt(0.5); the scale is of three rounded operations",
      },
    },
  },
  scratch: {
    y: { dtype: "float32", length: ({ images, output, height, width }) => images * output * height * width },
    weights: { dtype: "float32", length: weightsLength },
  },
  reference: ({ x, w, mean, variance, gamma, beta }, { input, output, height, width }: Size) => {
    const convolved = (image: number, to: number, row: number, column: number): number => {
      let sum = 0;
      for (let c = 0; c < input; c++) {
        for (let tap = 0; tap < TAPS; tap++) {
          const [from, at] = [row + Math.floor(tap / 3) - 1, column + (tap % 3) - 1];
          if (from >= 0 && from < height && at >= 0 && at < width)
            sum +=
              (w[(to * input + c) * TAPS + tap] as number) *
              (x[((image * input + c) * height + from) * width + at] as number);
        }
      }
      return sum;
    };
    const [down, across] = [Math.floor(height / 2), Math.floor(width / 2)];
    return {
      z: (index) => {
        const [column, row] = [index % across, Math.floor(index / across) % down];
        const [to, image] = [
          Math.floor(index / (across * down)) % output,
          Math.floor(index / (across * down * output)),
        ];
        let most = 0;
        for (let p = 0; p < 4; p++) {
          const sum = convolved(image, to, 2 * row + (p >> 1), 2 * column + (p & 1));
          most = Math.max(
            most,
            ((sum - (mean[to] as number)) / Math.sqrt((variance[to] as number) + EPSILON)) * (gamma[to] as number) +
              (beta[to] as number),
          );
        }
        return most;
      },
    };
  },
  work: (shape) => {
    const { images, input, output, height, width } = shape;
    return {
      bytes: 4 * (images * input * height * width + pooled(shape) + output * (input * TAPS + 4)),
      // The convolution's as in convolution-2d, where it says why 4 / 9 of the formula's; what else there is is four
      // operations a pixel.
      operations: Math.round((8 / 9) * images * output * input * (3 * height - 2) * (3 * width - 2)),
    };
  },
  shapes: {
    check: [
      { images: 1, input: 1, output: 1, height: 2, width: 2 },
      { images: 2, input: 3, output: 5, height: 7, width: 9 },
      { images: 1, input: 9, output: 18, height: 12, width: 20 },
      { images: 2, input: 1, output: 32, height: 28, width: 28 },
      { images: 90, input: 9, output: 2, height: 15, width: 16 },
    ],
    time: {
      emulated: [{ images: 4, input: 16, output: 32, height: 28, width: 28 }],
      cuda: [
        { images: 1024, input: 1, output: 32, height: 28, width: 28 },
        { images: 1024, input: 32, output: 64, height: 14, width: 14 },
        { images: 64, input: 32, output: 64, height: 14, width: 14 },
        { images: 32, input: 64, output: 64, height: 56, width: 56 },
      ],
    },
  },
  versions: {
    "1-separate": {
      parameters: { BLOCK: [128, 256] },
      launch: (shape, { BLOCK = 0 }) => {
        const { images, input, output, height, width } = shape;
        const [plane, count] = [height * width, images * output * height * width];
        return [
          {
            kernel: "convolve",
            grid: [divideUp(plane, BLOCK), output, images],
            block: BLOCK,
            args: ["x", "w", "y", input, output, height, width],
          },
          {
            kernel: "normalize",
            grid: divideUp(count, BLOCK),
            block: BLOCK,
            args: ["y", "mean", "variance", "gamma", "beta", output, plane, count],
          },
          { kernel: "relu", grid: divideUp(count, BLOCK), block: BLOCK, args: ["y", count] },
          {
            kernel: "pool",
            grid: divideUp(pooled(shape), BLOCK),
            block: BLOCK,
            args: ["y", "z", height, width, pooled(shape)],
          },
        ];
      },
    },
    "2-fused-epilogue": tiled("y"),
    "3-fused-pool": tiled("z"),
    "4-implicit-gemm": {
      ...IMPLICIT,
      parameters: { ...IMPLICIT.parameters, STAGES: [3, 2, 4] },
      launch: (shape, configuration) => [
        arrangeWeights(shape, configuration, SCALES),
        {
          kernel: "convolve",
          ...implicitLaunch(4 * windows(shape), shape.output, configuration),
          args: prepared(shape),
        },
      ],
    },
    "5-winograd": {
      ...WINOGRAD,
      launch: (shape, configuration) => [
        transformWeights(shape, configuration, SCALES),
        { kernel: "convolve", ...winogradLaunch(windows(shape), shape.output, configuration), args: prepared(shape) },
      ],
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "block" },
    "torch.compile": { python: "rivals.py", function: "block", compile: true },
  },
});
export default ladder;
