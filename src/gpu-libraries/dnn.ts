/** Layers of neural networks on arrays in device memory: cuDNN's (cuDNN documentation, "cudnn_cnn", "cudnn_ops"). */
import { HeddleError } from "../base/diagnostics.ts";
import type { Dtype } from "../base/dtypes.ts";
import { checkOptions, type OptionNames } from "../base/options.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import { requireArray, requireSizes } from "./arrays.ts";
import { callLibrary } from "./host-library-node.ts";

/** Sizes of a convolution: a number for both directions, or [vertical, horizontal]. */
export type Pair = number | readonly [number, number];

/** What a convolution is, whichever of its arrays is computed. Sizes are in elements. */
export interface ConvolutionShape {
  /** The input: images, channels, height, width. */
  readonly shape: readonly [number, number, number, number];
  /** The filters: number, channels of a group, height, width. */
  readonly filter: readonly [number, number, number, number];
  /** Default 1. */
  readonly stride?: Pair;
  /** Zeros around each image; default 0. */
  readonly padding?: Pair;
  /** Default 1: neighbouring elements. */
  readonly dilation?: Pair;
  /** Groups of channels that do not mix; default 1. */
  readonly groups?: number;
}

/** Options of `convolution`. */
export interface ConvolutionOptions extends ConvolutionShape {
  /** One element for each filter, added to the result. */
  readonly bias?: DeviceArray;
  /** Takes the result; default: a new array. */
  readonly out?: DeviceArray;
}

/** Options of the gradients of a convolution. */
export interface ConvolutionGradientOptions extends ConvolutionShape {
  /** Takes the result; default: a new array. */
  readonly out?: DeviceArray;
}

/** Options of `softmax`. */
export interface SoftmaxOptions {
  /** Elements of a row; rows follow from the array's length. */
  readonly columns: number;
  /** True: the logarithm of the result; default false. */
  readonly logarithm?: boolean;
  /** Takes the result; it may be the input. Default: a new array. */
  readonly out?: DeviceArray;
}

const SHAPE_NAMES: OptionNames<ConvolutionShape> = {
  shape: true,
  filter: true,
  stride: true,
  padding: true,
  dilation: true,
  groups: true,
};
/** cudnnDataType_t */
const TYPES: Readonly<Partial<Record<Dtype, number>>> = { float32: 0, float64: 1, float16: 2, bfloat16: 9 };
const Direction = { forward: 0, inputGradient: 1, filterGradient: 2 } as const;

/**
 * Layers of neural networks on one device. Made by `dnn`. Images are NCHW. Elements are float32, float64, float16 or
 * bfloat16; sums are float32, of float64 float64. A call waits for its kernels.
 */
export class Dnn {
  readonly #gpu: Gpu;

  /** @internal Use `dnn`. */
  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /**
   * Convolves images with filters (cross-correlation, as layers do).
   *
   *     const y = await dnn(device).convolution(x, w, { shape: [1, 3, 32, 32], filter: [16, 3, 3, 3], padding: 1 });
   *
   * @throws HeddleError "bad-arguments" if sizes, dtypes or devices do not fit.
   */
  async convolution<D extends Dtype>(
    x: DeviceArray<D>,
    filters: DeviceArray<D>,
    options: ConvolutionOptions,
  ): Promise<DeviceArray<D>> {
    checkOptions<ConvolutionOptions>("convolution", options, { ...SHAPE_NAMES, bias: true, out: true });
    const sizes = convolutionSizes(options);
    const type = typeOf("convolution", x);
    const { dtype } = x;
    const y = this.#out("convolution", options.out, dtype, sizes.y);
    requireArray("the input of convolution", this.#gpu, x, { length: sizes.x });
    requireArray("the filters of convolution", this.#gpu, filters, { length: sizes.w, dtype });
    if (options.bias !== undefined)
      requireArray("the bias of convolution", this.#gpu, options.bias, { length: options.filter[0], dtype });
    await this.#convolve(Direction.forward, type, sizes.values, [x, filters, options.bias ?? null, y]);
    return y;
  }

  /**
   * The gradient of a convolution's input, from the gradient of its result.
   * @throws HeddleError "bad-arguments" if sizes, dtypes or devices do not fit.
   */
  async convolutionInputGradient<D extends Dtype>(
    dy: DeviceArray<D>,
    filters: DeviceArray<D>,
    options: ConvolutionGradientOptions,
  ): Promise<DeviceArray<D>> {
    const name = "convolutionInputGradient";
    checkOptions<ConvolutionGradientOptions>(name, options, { ...SHAPE_NAMES, out: true });
    const sizes = convolutionSizes(options);
    const type = typeOf(name, dy);
    const { dtype } = dy;
    const dx = this.#out(name, options.out, dtype, sizes.x);
    requireArray(`the gradient given to ${name}`, this.#gpu, dy, { length: sizes.y });
    requireArray(`the filters of ${name}`, this.#gpu, filters, { length: sizes.w, dtype });
    await this.#convolve(Direction.inputGradient, type, sizes.values, [dx, filters, null, dy]);
    return dx;
  }

  /**
   * The gradient of a convolution's filters, from its input and the gradient of its result.
   * @throws HeddleError "bad-arguments" if sizes, dtypes or devices do not fit.
   */
  async convolutionFilterGradient<D extends Dtype>(
    x: DeviceArray<D>,
    dy: DeviceArray<D>,
    options: ConvolutionGradientOptions,
  ): Promise<DeviceArray<D>> {
    const name = "convolutionFilterGradient";
    checkOptions<ConvolutionGradientOptions>(name, options, { ...SHAPE_NAMES, out: true });
    const sizes = convolutionSizes(options);
    const type = typeOf(name, x);
    const { dtype } = x;
    const dw = this.#out(name, options.out, dtype, sizes.w);
    requireArray(`the input of ${name}`, this.#gpu, x, { length: sizes.x });
    requireArray(`the gradient given to ${name}`, this.#gpu, dy, { length: sizes.y, dtype });
    await this.#convolve(Direction.filterGradient, type, sizes.values, [x, dw, null, dy]);
    return dw;
  }

  /**
   * Softmax of each row: exponentials divided by their sum, without overflow.
   * @throws HeddleError "bad-arguments" if sizes, dtypes or devices do not fit.
   */
  async softmax<D extends Dtype>(x: DeviceArray<D>, options: SoftmaxOptions): Promise<DeviceArray<D>> {
    checkOptions<SoftmaxOptions>("softmax", options, { columns: true, logarithm: true, out: true });
    const { columns, logarithm = false } = options;
    requireSizes("the columns of softmax", [columns]);
    const type = typeOf("softmax", x);
    const rows = x.length / columns;
    if (!Number.isInteger(rows) || rows < 1)
      throw new HeddleError("bad-arguments", `softmax: ${x.length} elements are not rows of ${columns}`);
    const { dtype } = x;
    const y = this.#out("softmax", options.out, dtype, x.length);
    requireArray("the input of softmax", this.#gpu, x, { length: x.length });
    await callLibrary(this.#gpu, "dnn", "__heddle_door_softmax", [type, rows, columns, Number(logarithm), x, y]);
    return y;
  }

  #convolve(
    direction: number,
    type: number,
    sizes: readonly number[],
    arrays: readonly (DeviceArray | null)[],
  ): Promise<void> {
    return callLibrary(this.#gpu, "dnn", "__heddle_door_convolution", [direction, type, ...sizes, ...arrays]);
  }

  #out<D extends Dtype>(what: string, given: DeviceArray | undefined, dtype: D, length: number): DeviceArray<D> {
    if (given === undefined) return new DeviceArray<D>(this.#gpu.raw, dtype, length);
    requireArray(`out of ${what}`, this.#gpu, given, { length, dtype });
    return given as DeviceArray<D>;
  }
}

function typeOf(what: string, { dtype }: DeviceArray): number {
  const type = TYPES[dtype];
  if (type === undefined)
    throw new HeddleError("bad-arguments", `${what} takes ${Object.keys(TYPES).join(", ")}, not ${dtype}`);
  return type;
}

/** Elements of the arrays, and the numbers that the library takes. */
function convolutionSizes(options: ConvolutionShape): {
  readonly x: number;
  readonly w: number;
  readonly y: number;
  readonly values: readonly number[];
} {
  const { shape, filter, groups = 1 } = options;
  if (shape?.length !== 4 || filter?.length !== 4)
    throw new HeddleError("bad-arguments", "a convolution needs shape and filter, four sizes each", {
      notes: ["for example { shape: [1, 3, 32, 32], filter: [16, 3, 3, 3] }"],
    });
  const [stride, padding, dilation] = [pair(options.stride, 1), pair(options.padding, 0), pair(options.dilation, 1)];
  requireSizes("the sizes of a convolution", [...shape, ...filter, ...stride, ...dilation, groups]);
  requireSizes("the padding of a convolution", padding, 0);
  const [images, channels, ...image] = shape;
  const [filters, ownChannels, ...window] = filter;
  if (ownChannels * groups !== channels || filters % groups !== 0)
    throw new HeddleError(
      "bad-arguments",
      `filters of ${ownChannels} channels in ${groups} groups do not fit images of ${channels} channels`,
    );
  const across = [0, 1].map((i) => {
    const covered = (dilation[i] as number) * ((window[i] as number) - 1) + 1;
    return Math.floor(((image[i] as number) + 2 * (padding[i] as number) - covered) / (stride[i] as number)) + 1;
  });
  if (across.some((size) => size < 1))
    throw new HeddleError("bad-arguments", "the filters of a convolution are larger than its padded images");
  const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);
  return {
    x: product(shape),
    w: product(filter),
    y: product([images, filters, ...across]),
    values: [...shape, ...filter, ...padding, ...stride, ...dilation, groups],
  };
}

function pair(given: Pair | undefined, fallback: number): readonly [number, number] {
  if (given === undefined) return [fallback, fallback];
  return typeof given === "number" ? [given, given] : given;
}

/**
 * Layers of neural networks on a device: cuDNN's functions with arrays. NVIDIA's library does the work on a GPU that
 * has it, Heddle's kernels elsewhere.
 *
 *     const y = await dnn(device).convolution(x, w, { shape: [1, 3, 32, 32], filter: [16, 3, 3, 3], padding: 1 });
 */
export function dnn(device: Gpu): Dnn {
  return new Dnn(device);
}
