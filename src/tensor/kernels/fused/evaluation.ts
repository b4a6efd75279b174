/**
 * Convolution, batch norm by running statistics, ReLU and max pooling in one launch: what a block of layers computes
 * while it does not train. Rows of the product are the pixels of one window after the other; in a first layer, whose
 * windows have few elements, they are the windows of the pooling.
 */
import type { Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { formOf, pooledSizes, type LayerSizes, imageStrides, type ImageStrides } from "./block-sizes.ts";
import type { Norm } from "./batch-norm.ts";
import { forwardProduct, isManyRows, patchText, processors, windowElementText, withWarps } from "./convolution.ts";
import { dealOf, isFirstLayer, ofRegions, regionSide, turnText, variantsOf, type Deal } from "./first-layer-sizes.ts";
import { placeWeights } from "./first-layer.ts";
import { blocksOfProgram, indented, launchFused, sideOf } from "./fused-kernel.ts";
import {
  hasResidentWeights,
  RESIDENT_SIDE,
  RESIDENT_STAGES,
  residentProduct,
  residentWeights,
} from "./resident-weights.ts";
import { channelText, storeBestText } from "./window-tiles.ts";

/** Pixels of a product. */
const SIDE = 128;

/** Whether windows fill the rows of a product. */
export function canEvaluate({ pool }: LayerSizes): boolean {
  const places = pool[0] * pool[1];
  return places <= 16 && Number.isInteger(Math.log2(places));
}

/** What a norm is in evaluation: running statistics, and a gain and a shift. */
type RunningNorm = Norm & { readonly runningMean: Tensor; readonly runningVariance: Tensor };

/**
 * @param x, weight as `launchConvolutionWithStatistics` takes them @param norm with running statistics
 * @param bias of the convolution @param out [batch, filters, rows, columns] with any strides
 */
export function launchEvaluation(
  device: TensorDevice,
  sizes: LayerSizes,
  x: Tensor,
  weight: Tensor,
  norm: RunningNorm,
  bias: Tensor | null,
  out: Tensor,
): void {
  if (isFirstLayer(sizes)) {
    launchFirstEvaluation(device, sizes, x, weight, norm, bias, out);
    return;
  }
  const batch = x.shape[0] as number;
  const { filters, pool } = sizes;
  const [height, width] = pooledSizes(sizes);
  const columns = sideOf(filters, 64);
  const across = Math.ceil(filters / columns);
  const places = pool[0] * pool[1];
  const rows = batch * height * width * places;
  const isResident = hasResidentWeights(sizes, columns) && isManyRows(device, rows * across);
  const side = isResident ? RESIDENT_SIDE : SIDE;
  const blocks = Math.ceil(rows / side);
  // With weights in it, shared memory is for two programs.
  const turns = isResident ? blocksOfProgram(blocks, Math.ceil((2 * processors(device)) / across)) : 1;
  const { epsilon } = norm;
  const tensors = { x, weight, ...normTensors(norm, bias), out };
  const [images, to] = [imageStrides(x), imageStrides(out)];
  const layouts = `${images.slice(1).join()} ${to.slice(1).join()}`;
  const form = `${formOf(sizes)} ${layouts} ${epsilon} ${bias !== null} ${isResident ? turns : 0}`;
  const shape = { side, columns, across, places, epsilon, hasBias: bias !== null };
  const programs = Math.ceil(blocks / turns) * across;
  launchFused(device, "convolution_norm_pool", form, programs, tensors, { batch }, () =>
    isResident
      ? { lines: residentText(sizes, images, to, shape, turns) }
      : withWarps(blockText(sizes, images, to, shape)),
  );
}

function normTensors(norm: RunningNorm, bias: Tensor | null): Record<string, Tensor> {
  const { runningMean: mean, runningVariance: variance, weight: gain, bias: shift } = norm;
  return { mean, variance, gain, shift, ...(bias === null ? {} : { bias }) };
}

/** The windows of one pooling overlap: a program loads what they have in common once (see first-layer.ts). */
function launchFirstEvaluation(
  device: TensorDevice,
  sizes: LayerSizes,
  x: Tensor,
  w: Tensor,
  norm: RunningNorm,
  bias: Tensor | null,
  out: Tensor,
): void {
  const batch = x.shape[0] as number;
  const { epsilon } = norm;
  const deal = dealOf(device, sizes, batch, { positions: 64, channels: 64, ofProcessor: 16 });
  const tensors = { x, w, ...normTensors(norm, bias), out };
  const [images, to] = [imageStrides(x), imageStrides(out)];
  const form = `${formOf(sizes)} ${images.join()} ${to.join()} ${epsilon} ${bias !== null} ${deal.turns}`;
  const norms = { epsilon, hasBias: bias !== null };
  launchFused(device, "first_layer_norm_pool", form, deal.programs * deal.ofChannels, tensors, { batch }, () => {
    const text = (own: Deal): string[] => firstText(sizes, images, to, own, norms);
    return variantsOf(deal, text);
  });
}

function firstText(
  sizes: LayerSizes,
  images: ImageStrides,
  to: ImageStrides,
  deal: Deal,
  norms: Pick<Shape, "epsilon" | "hasBias">,
): string[] {
  const { pool, hasRelu } = sizes;
  const regions = ofRegions(sizes);
  const values = Array.from({ length: pool[0] * pool[1] }, (_, place) => {
    const value = `(tl.dot(region, w${place}).to(tl.bfloat16).to(tl.float32) - center) * factor + by`;
    return place === 0 ? `best = ${value}` : `best = tl.maximum(best, ${value})`;
  });
  return [
    ...channelText(deal),
    "column = c",
    ...normText(sizes, norms),
    "center = center[None, :]",
    "factor = factor[None, :]",
    "by = by[None, :]",
    `k = tl.arange(0, ${regionSide(sizes)})`,
    ...windowElementText(regions, images),
    ...placeWeights(sizes),
    `for turn in range(0, ${deal.turns}):`,
    ...indented([
      ...turnText(sizes, deal),
      ...patchText(regions, images, "region"),
      ...values,
      ...(hasRelu ? [RELU] : []),
      storeBestText(to, sizes.filters, "column"),
    ]),
  ];
}

const RELU = "best = tl.where(best <= 0.0, 0.0, best)";

interface Shape {
  readonly side: number;
  readonly columns: number;
  readonly across: number;
  readonly places: number;
  readonly epsilon: number;
  readonly hasBias: boolean;
}

/** A program has one block of pixels. */
function blockText(sizes: LayerSizes, images: ImageStrides, to: ImageStrides, shape: Shape): string[] {
  return [
    ...filterText(sizes, shape),
    `first = (program // ${shape.across}) * ${shape.side / shape.places}`,
    ...pixelText(sizes, shape),
    ...forwardProduct(sizes, images),
    ...normText(sizes, shape),
    ...poolText(sizes, to, shape),
  ];
}

/** A program has several blocks, and the weights of its filters stay in shared memory. */
function residentText(
  sizes: LayerSizes,
  images: ImageStrides,
  to: ImageStrides,
  shape: Shape,
  turns: number,
): string[] {
  return [
    ...filterText(sizes, shape),
    ...residentWeights(sizes, images, shape.columns),
    ...normText(sizes, shape),
    `for turn in tl.range(0, ${turns}, num_stages=${RESIDENT_STAGES}):`,
    ...indented([
      `first = ((program // ${shape.across}) * ${turns} + turn) * ${shape.side / shape.places}`,
      ...pixelText(sizes, shape),
      ...residentProduct(sizes, images),
      ...poolText(sizes, to, shape),
    ]),
  ];
}

const filterText = (sizes: LayerSizes, { columns, across }: Shape): string[] => {
  const [height, width] = pooledSizes(sizes);
  return [
    "program = tl.program_id(0)",
    `column = (program % ${across}) * ${columns} + tl.arange(0, ${columns})`,
    `length = batch * ${height * width}`,
  ];
};

/** Which pixels the rows of a block are, from its window `first` on. */
function pixelText(sizes: LayerSizes, { side, columns, places }: Shape): string[] {
  const { pool, stride, padding } = sizes;
  const [height, width] = pooledSizes(sizes);
  return [
    `m = tl.arange(0, ${side})`,
    `w = first + m // ${places}`,
    `place = m % ${places}`,
    "inside = w < length",
    `n = w // ${height * width}`,
    `window = w % ${height * width}`,
    `h = (window // ${width} * ${pool[0]} + place // ${pool[1]}) * ${stride[0]} - ${padding[0]}`,
    `v = (window % ${width} * ${pool[1]} + place % ${pool[1]}) * ${stride[1]} - ${padding[1]}`,
    `total = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
  ];
}

function normText({ filters }: LayerSizes, { epsilon, hasBias }: Pick<Shape, "epsilon" | "hasBias">): string[] {
  const known = `mask=column < ${filters}, other=0.0`;
  return [
    `center = tl.load(mean + column, ${known})`,
    ...(hasBias ? [`center -= tl.load(bias + column, ${known})`] : []),
    `factor = tl.load(gain + column, ${known}) / tl.sqrt(tl.load(variance + column, ${known}) + ${epsilon})`,
    `by = tl.load(shift + column, ${known})`,
  ];
}

/** Stores the greatest results of the windows. */
function poolText(sizes: LayerSizes, to: ImageStrides, { side, columns, places }: Shape): string[] {
  const [height, width] = pooledSizes(sizes);
  const windows = side / places;
  return [
    // Rounded as the results of the layers one by one would be.
    "value = (total.to(tl.bfloat16).to(tl.float32) - center[None, :]) * factor[None, :] + by[None, :]",
    ...(places === 1
      ? ["best = value"]
      : [`best = tl.max(tl.reshape(value, (${windows}, ${places}, ${columns})), axis=1)`]),
    ...(sizes.hasRelu ? [RELU] : []),
    `q = first + tl.arange(0, ${windows})`,
    "inside = q < length",
    `n = q // ${height * width}`,
    `qh = q % ${height * width} // ${width}`,
    `qw = q % ${width}`,
    storeBestText(to, sizes.filters, "column"),
  ];
}
