/**
 * Convolution, batch norm, ReLU and max pooling as one operation, under autocast on a device with kernels. Results and
 * gradients are those of the operations one by one, with fewer roundings: kernels/fused has how.
 */
import { autocastDtype } from "../autograd/autocast.ts";
import { lowPrecisionCopy } from "../autograd/low-precision.ts";
import { GradientNode, isGradEnabled, needsTape, recordMany } from "../autograd/tape.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import { depthOf, pooledSizes, tapsOf, type LayerSizes } from "../kernels/fused/block-sizes.ts";
import { launchNormPool, launchStatistics, type Norm } from "../kernels/fused/batch-norm.ts";
import { canEvaluate, launchEvaluation } from "../kernels/fused/evaluation.ts";
import { launchFirstGradients } from "../kernels/fused/first-layer-gradients.ts";
import { isFirstLayer } from "../kernels/fused/first-layer-sizes.ts";
import { launchFirstForward } from "../kernels/fused/first-layer.ts";
import { launchFirstStatistics } from "../kernels/fused/window-regions.ts";
import {
  launchFirstWeightGradient,
  launchNormGradient,
  launchNormSums,
  MOST_INNER,
} from "../kernels/fused/norm-gradients.ts";
import { launchConvolutionWithStatistics } from "../kernels/fused/convolution.ts";
import {
  launchBothGradients,
  launchInputGradient,
  launchWeightGradient,
} from "../kernels/fused/convolution-gradients.ts";
import { deferSumOfParts, launchSumOfParts } from "../kernels/fused/sums-of-parts.ts";
import { tensorDeviceOf, type TensorDevice } from "../kernels/tensor-device.ts";
import { empty, scoped, type Shape, type Tensor } from "../tensor.ts";
import { currentTracer } from "../follower.ts";
import { copyInto } from "./copies.ts";

export interface BlockOptions {
  readonly stride: Shape;
  readonly padding: Shape;
  readonly dilation: Shape;
  /** Windows of the max pooling; [1, 1]: none. */
  readonly pool: Shape;
  readonly hasRelu: boolean;
  /** The result is [batch, filters · rows · columns]. */
  readonly flattens: boolean;
}

const MOST_ELEMENTS = 2 ** 31;
const isFloat32 = (tensor: Tensor | null): boolean =>
  tensor === null || (tensor.dtype === "float32" && tensor.isContiguous);

function sizesOf(x: Tensor, weight: Tensor, options: BlockOptions): LayerSizes {
  const pair = (of: Shape): readonly [number, number] => [of[0] as number, of[1] as number];
  const [, channels, height, width] = x.shape as [number, number, number, number];
  const kernel = pair(weight.shape.slice(2));
  const { stride, padding, dilation, pool, hasRelu } = options;
  const out = (d: number, size: number): number =>
    Math.floor(
      (size + 2 * (padding[d] as number) - (dilation[d] as number) * ((kernel[d] as number) - 1) - 1) /
        (stride[d] as number),
    ) + 1;
  return {
    channels,
    filters: weight.shape[0] as number,
    height,
    width,
    kernel,
    stride: pair(stride),
    padding: pair(padding),
    dilation: pair(dilation),
    outHeight: out(0, height),
    outWidth: out(1, width),
    pool: pair(pool),
    hasRelu,
  };
}

/** The device whose kernels do it; null: the operations are to be done one by one. */
function deviceFor(x: Tensor, weight: Tensor, bias: Tensor | null, norm: Norm, sizes: LayerSizes): TensorDevice | null {
  const device = currentTracer() === null ? tensorDeviceOf(x.place) : null;
  if (device === null || autocastDtype() !== "bfloat16") return null;
  const { channels, filters, outHeight, outWidth, pool, kernel } = sizes;
  const others = [weight, bias, norm.weight, norm.bias, norm.runningMean, norm.runningVariance];
  if (!others.every(isFloat32) || others.some((tensor) => tensor !== null && tensor.place !== x.place)) return null;
  if (x.dtype !== "float32" && x.dtype !== "bfloat16") return null;
  const fits =
    filters % 16 === 0 &&
    pool[0] * pool[1] <= 16 &&
    outHeight >= pool[0] &&
    outWidth >= pool[1] &&
    (x.shape[0] as number) * outHeight * outWidth > 1 &&
    Math.max(x.length, (x.shape[0] as number) * outHeight * outWidth * filters) < MOST_ELEMENTS;
  const isFirst = !x.requiresGradient && tapsOf(sizes) * channels <= MOST_INNER;
  if (!fits || (depthOf(channels) === 0 && !isFirst) || kernel[0] * kernel[1] > 64) return null;
  return x.length < device.leastElements ? null : device;
}

/** As images lie whose channels are beside each other, in bfloat16. */
function channelsLast(x: Tensor): Tensor {
  const [batch, channels, height, width] = x.shape as [number, number, number, number];
  const strides = [height * width * channels, 1, width * channels, channels];
  const isSo = x.dtype === "bfloat16" && strides.every((stride, d) => x.shape[d] === 1 || x.strides[d] === stride);
  if (isSo) return x.asStrided(x.shape, strides);
  const images = empty([batch, height, width, channels], "bfloat16", x.place).asStrided(x.shape, strides, 0);
  copyInto(images, x);
  return images;
}

/** A result as it lies in memory, and as [batch, filters, rows, columns]. */
function blockResult(
  [batch, filters, rows, columns]: readonly [number, number, number, number],
  flattens: boolean,
  { place }: Tensor,
): { readonly dense: Tensor; readonly out: Tensor } {
  const windows = rows * columns;
  const dense = empty(flattens ? [batch, filters * windows] : [batch, rows, columns, filters], "bfloat16", place);
  const strides = flattens
    ? [filters * windows, windows, columns, 1]
    : [filters * windows, 1, columns * filters, filters];
  return { dense, out: dense.asStrided([batch, filters, rows, columns], strides, 0) };
}

/**
 * Null: this is not for its kernels, which says nothing of whether the operands are right.
 * @param isTraining else the norm takes its running statistics, and there are no gradients
 */
export function convolutionBlock(
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  norm: Norm,
  options: BlockOptions,
  isTraining = true,
): Tensor | null {
  if (x.rank !== 4 || weight.rank !== 4 || weight.shape[1] !== x.shape[1]) return null;
  const sizes = sizesOf(x, weight, options);
  const device = deviceFor(x, weight, bias, norm, sizes);
  if (device === null) return null;
  if (!isTraining && (norm.runningMean === null || norm.runningVariance === null || !canEvaluate(sizes))) return null;
  if (!isTraining && needsTape([x, weight, norm.weight, norm.bias, ...(bias === null ? [] : [bias])])) return null;
  return scoped(() => {
    const inputs = [x, weight, norm.weight, norm.bias, ...(bias === null ? [] : [bias])];
    const isRecorded = needsTape(inputs);
    const { filters, channels } = sizes;
    const batch = x.shape[0] as number;
    const images = depthOf(channels) === 0 ? x.asStrided(x.shape, x.strides) : channelsLast(x);
    const filter = lowPrecisionCopy(weight, "bfloat16", "channels-last");
    const [rows, columns] = pooledSizes(sizes);
    const { dense, out } = blockResult([batch, filters, rows, columns], options.flattens, x);
    if (!isTraining) {
      const { runningMean, runningVariance } = norm;
      if (runningMean === null || runningVariance === null) return null;
      launchEvaluation(device, sizes, images, filter, { ...norm, runningMean, runningVariance }, bias, out);
      return options.flattens ? dense : out;
    }
    const shape = [batch, filters, rows, columns];
    const result = options.flattens ? dense : out;
    const forward = !x.requiresGradient && isFirstLayer(sizes) ? firstForward : layerForward;
    const recorded = forward(device, sizes, images, filter, { weight, norm, bias }, out, isRecorded);
    if (recorded === null) return result;
    const needs = inputs.map((input) => input.requiresGradient);
    const backward = ([given]: readonly (Tensor | null)[]): (Tensor | null)[] => {
      if (isGradEnabled())
        throw new HeddleError("unsupported", "a fused block of layers has no gradient of its gradient", {
          notes: ["compute it without autocast, or with the layers one by one"],
        });
      const gradient = options.flattens
        ? (given as Tensor).asStrided(shape, [...blockStrides(given as Tensor, rows * columns, columns)])
        : (given as Tensor);
      const { dx, dw, sums } = recorded.gradients(gradient, needs[0] === true, needs[1] === true);
      return [
        dx,
        dw,
        sums.asStrided([filters], [1], filters),
        sums.asStrided([filters], [1], 0),
        // The norm takes a mean away that holds the bias: the result does not depend on it. These sums are 0.
        ...(bias === null ? [] : [sums.asStrided([filters], [1], 2 * filters)]),
      ];
    };
    const node = new GradientNode("ConvolutionBlockBackward0", inputs, backward, { saves: recorded.saves });
    recordMany(node, [result]);
    return result;
  });
}

interface Layer {
  readonly weight: Tensor;
  readonly norm: Norm;
  readonly bias: Tensor | null;
}

/** What a forward leaves for the way back. */
interface Recorded {
  readonly saves: readonly Tensor[];
  /** `sums`, [3, filters]: the gradients of the norm's bias and weight, and zeros. */
  readonly gradients: (
    gradient: Tensor,
    forX: boolean,
    forWeight: boolean,
  ) => { readonly dx: Tensor | null; readonly dw: Tensor | null; readonly sums: Tensor };
}

/** @param filter the weight as [filters, taps, channels], bfloat16 @returns null: there is no way back */
type Forward = (
  device: TensorDevice,
  sizes: LayerSizes,
  images: Tensor,
  filter: Tensor,
  layer: Layer,
  out: Tensor,
  isRecorded: boolean,
) => Recorded | null;

const layerForward: Forward = (device, sizes, images, filter, { weight, norm, bias }, out, isRecorded) => {
  const { y, statistics: parts } = launchConvolutionWithStatistics(device, sizes, images, filter);
  const rows = (images.shape[0] as number) * sizes.outHeight * sizes.outWidth;
  const statistics = launchStatistics(device, parts, rows, norm, bias);
  const chosen = launchNormPool(device, sizes, y, statistics, norm, out, isRecorded);
  if (chosen === null) return null;
  const { places, elements } = chosen;
  return {
    saves: [images, y, elements, places, statistics.mean, statistics.scale, weight, norm.weight],
    gradients: (gradient, forX, forWeight) => {
      const sums = empty([3, sizes.filters], "float32", gradient.place);
      launchSumOfParts(device, launchNormSums(device, sizes, gradient, chosen, statistics), sums);
      const of = { y, gradient, places, statistics, weight: norm.weight, sums };
      return { ...layerGradients(device, sizes, images, weight, of, forX, forWeight), sums };
    },
  };
};

const firstForward: Forward = (device, sizes, images, filter, { weight, norm, bias }, out, isRecorded) => {
  const statistics = launchFirstStatistics(device, sizes, images, filter, norm, bias);
  const places = launchFirstForward(device, sizes, filter, statistics, norm, out, isRecorded);
  if (places === null) return null;
  const { mean, scale, moments, regions } = statistics;
  return {
    saves: [regions, places, mean, scale, moments, weight, norm.weight],
    gradients: (gradient) => {
      const dw = empty(weight.shape, "float32", weight.place);
      const of = { gradient, places, statistics, gain: norm.weight };
      const low = lowPrecisionCopy(weight, "bfloat16", "channels-last");
      return { dx: null, dw, sums: launchFirstGradients(device, sizes, low, of, dw) };
    },
  };
};

/** Strides of [batch, filters, rows, columns] in a gradient of [batch, filters · rows · columns]. */
function blockStrides({ strides }: Tensor, windows: number, columns: number): Shape {
  const [ofBatch, ofElement] = strides as [number, number];
  return [ofBatch, windows * ofElement, columns * ofElement, ofElement];
}

function layerGradients(
  device: TensorDevice,
  sizes: LayerSizes,
  images: Tensor,
  weight: Tensor,
  of: Parameters<typeof launchNormGradient>[2],
  forX: boolean,
  forWeight: boolean,
): { readonly dx: Tensor | null; readonly dw: Tensor | null } {
  const { channels, height, width } = sizes;
  const taps = tapsOf(sizes);
  let dy: Tensor | null = null;
  let dx: Tensor | null = null;
  let dw: Tensor | null = null;
  const gradientOfResult = (): Tensor => (dy ??= launchNormGradient(device, sizes, of));
  let parts: Tensor | null = null;
  if (forX) {
    const filter = lowPrecisionCopy(weight, "bfloat16", "channels-last");
    let own: Tensor;
    if (forWeight) ({ dx: own, parts } = launchBothGradients(device, sizes, images, gradientOfResult(), filter));
    else own = launchInputGradient(device, sizes, gradientOfResult(), filter);
    const strides = [height * width * channels, 1, width * channels, channels];
    dx = own.asStrided([own.shape[0] as number, channels, height, width], strides);
  }
  if (forWeight) {
    const isFirst = !forX && taps * channels <= MOST_INNER;
    parts ??= isFirst
      ? launchFirstWeightGradient(device, sizes, images, of)
      : launchWeightGradient(device, sizes, images, gradientOfResult());
    dw = empty(weight.shape, "float32", weight.place);
    deferSumOfParts(device, parts, dw, { taps, channels });
  }
  return { dx, dw };
}
