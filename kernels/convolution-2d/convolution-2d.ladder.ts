import { defineLadder, uniform, type Ladder, type LaunchArgument, type VersionDeclaration } from "heddle/ladder";
import {
  arrangeWeights,
  IMPLICIT,
  implicitLaunch,
  transformWeights,
  weightsLength,
  WINOGRAD,
  winogradLaunch,
} from "./products.ts";

interface Size extends Readonly<Record<string, number>> {
  readonly images: number;
  /** Channels. */ readonly input: number;
  readonly output: number;
  readonly height: number;
  readonly width: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const TAPS = 9;
const args = ({ input, output, height, width }: Size): LaunchArgument[] => [
  "x",
  "w",
  "y",
  input,
  output,
  height,
  width,
];
const pixels = ({ images, height, width }: Size): number => images * height * width;
const gemm: VersionDeclaration<Size> = {
  ...IMPLICIT,
  launch: (shape, configuration) => [
    {
      kernel: "convolve",
      ...implicitLaunch(pixels(shape), shape.output, configuration),
      args: [...args(shape), shape.images],
    },
  ],
};
const prepared = ({ input, output, height, width, images }: Size): LaunchArgument[] => [
  "x",
  "weights",
  "y",
  input,
  output,
  height,
  width,
  images,
];

const ladder: Ladder = defineLadder({
  summary:
    "3 x 3 convolution of images with zeros at the border: input channels x height x width each, output " +
    "x input x 3 x 3 weights; floats",
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
  },
  outputs: {
    y: {
      dtype: "float32",
      length: ({ images, output, height, width }: Size) => images * output * height * width,
      tolerance: {
        absolute: ({ input }) => (4 * TAPS * input + 4) * 2 ** -24,
        relative: 2 ** -23,
        reason:
          "9 x input sums one after the other, each rounded by up to 2^-24 of a partial sum that is sqrt(9 input) / " +
          "3 as a rule and several times that in the worst of a million elements; products of tf32 are off by more",
      },
    },
  },
  scratch: { weights: { dtype: "float32", length: weightsLength } },
  reference: ({ x, w }, { input, output, height, width }: Size) => ({
    y: (index) => {
      const [column, row] = [index % width, Math.floor(index / width) % height];
      const [to, image] = [
        Math.floor(index / (width * height)) % output,
        Math.floor(index / (width * height * output)),
      ];
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
    },
  }),
  work: ({ images, input, output, height, width }) => ({
    bytes: 4 * (images * (input + output) * height * width + output * input * TAPS),
    // A formula's nine multiply-adds for each channel and pixel, less those with zeros of the border, times 4 / 9: what
    // Winograd's F(2 x 2, 3 x 3) multiplies (A. Lavin, S. Gray, "Fast algorithms for convolutional neural networks",
    // 2016), as libraries may. Operations of the formula are 2.25 times what the table's rate says.
    operations: Math.round((8 / 9) * images * output * input * (3 * height - 2) * (3 * width - 2)),
  }),
  shapes: {
    check: [
      { images: 1, input: 1, output: 1, height: 1, width: 1 },
      { images: 2, input: 3, output: 5, height: 7, width: 9 },
      { images: 1, input: 9, output: 66, height: 12, width: 10 },
      { images: 3, input: 1, output: 32, height: 28, width: 28 },
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
    "1-direct": {
      parameters: { BLOCK: [128, 64, 256] },
      launch: (shape, { BLOCK = 0 }) => [
        {
          kernel: "convolve",
          grid: [divideUp(shape.height * shape.width, BLOCK), shape.output, shape.images],
          block: BLOCK,
          args: args(shape),
        },
      ],
    },
    "2-tiled": {
      parameters: { THREADS_X: [8, 16, 14], THREADS_Y: [8, 16, 14], OUT: [8, 16] },
      launch: (shape, { THREADS_X = 0, THREADS_Y = 0, OUT = 0 }) => [
        {
          kernel: "convolve",
          grid: [
            divideUp(shape.width, 2 * THREADS_X) * divideUp(shape.height, 2 * THREADS_Y),
            divideUp(shape.output, OUT),
            shape.images,
          ],
          block: THREADS_X * THREADS_Y,
          args: args(shape),
        },
      ],
    },
    "3-implicit-gemm": gemm,
    "4-double-buffered": gemm,
    "5-taps-apart": {
      ...IMPLICIT,
      parameters: { ...IMPLICIT.parameters, STAGES: [3, 2, 4] },
      launch: (shape, configuration) => [
        arrangeWeights(shape, configuration),
        { kernel: "convolve", ...implicitLaunch(pixels(shape), shape.output, configuration), args: prepared(shape) },
      ],
    },
    "6-winograd": {
      ...WINOGRAD,
      launch: (shape, configuration) => {
        const tiles = shape.images * divideUp(shape.height, 2) * divideUp(shape.width, 2);
        return [
          transformWeights(shape, configuration),
          { kernel: "convolve", ...winogradLaunch(tiles, shape.output, configuration), args: prepared(shape) },
        ];
      },
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "convolution" },
  },
});
export default ladder;
