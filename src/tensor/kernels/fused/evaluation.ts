/**
 * Convolution, batch norm by running statistics, ReLU and max pooling in one launch: what a block of layers computes
 * while it does not train. Rows of the product are the pixels of one window after the other.
 */
import type { Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { formOf, pooledSizes, type LayerSizes, imageStrides, type ImageStrides } from "./block-sizes.ts";
import type { Norm } from "./batch-norm.ts";
import { forwardProduct, isManyRows, processors, withWarps } from "./convolution.ts";
import { blocksOfProgram, indented, launchFused, sideOf } from "./fused-kernel.ts";
import {
  hasResidentWeights,
  RESIDENT_SIDE,
  RESIDENT_STAGES,
  residentProduct,
  residentWeights,
} from "./resident-weights.ts";
import { isTurned } from "./window-tiles.ts";

/** Pixels of a product. */
const SIDE = 128;

/** Whether windows fill the rows of a product. */
export function canEvaluate({ pool }: LayerSizes): boolean {
  const places = pool[0] * pool[1];
  return places <= 16 && Number.isInteger(Math.log2(places));
}

/**
 * @param x, weight as `launchConvolutionWithStatistics` takes them @param norm with running statistics
 * @param bias of the convolution @param out [batch, filters, rows, columns] with any strides
 */
export function launchEvaluation(
  device: TensorDevice,
  sizes: LayerSizes,
  x: Tensor,
  weight: Tensor,
  norm: Norm & { readonly runningMean: Tensor; readonly runningVariance: Tensor },
  bias: Tensor | null,
  out: Tensor,
): void {
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
  const { runningMean: mean, runningVariance: variance, epsilon, weight: gain, bias: shift } = norm;
  const tensors = { x, weight, mean, variance, gain, shift, out, ...(bias === null ? {} : { bias }) };
  const [images, to] = [imageStrides(x), imageStrides(out)];
  const form = `${formOf(sizes)} ${images.slice(1).join()} ${to.slice(1).join()} ${epsilon} ${bias !== null} ${isResident ? turns : 0}`;
  const shape = { side, columns, across, places, epsilon, hasBias: bias !== null };
  const programs = Math.ceil(blocks / turns) * across;
  launchFused(device, "convolution_norm_pool", form, programs, tensors, { batch }, () =>
    isResident
      ? { lines: residentText(sizes, images, to, shape, turns) }
      : withWarps(blockText(sizes, images, to, shape)),
  );
}

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

function normText({ filters }: LayerSizes, { epsilon, hasBias }: Shape): string[] {
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
  const { filters, hasRelu } = sizes;
  const [height, width] = pooledSizes(sizes);
  const windows = side / places;
  const [ofBatch, ofChannel, ofRow, ofColumn] = to;
  const at = `(q // ${height * width}) * ${ofBatch} + (own // ${width}) * ${ofRow} + own % ${width} * ${ofColumn}`;
  return [
    // Rounded as the results of the layers one by one would be.
    "value = (total.to(tl.bfloat16).to(tl.float32) - center[None, :]) * factor[None, :] + by[None, :]",
    ...(places === 1
      ? ["best = value"]
      : [`best = tl.max(tl.reshape(value, (${windows}, ${places}, ${columns})), axis=1)`]),
    ...(hasRelu ? ["best = tl.where(best <= 0.0, 0.0, best)"] : []),
    `q = first + tl.arange(0, ${windows})`,
    `own = q % ${height * width}`,
    isTurned(to)
      ? `tl.store(out + (${at})[None, :] + (column * ${ofChannel})[:, None], tl.trans(best).to(tl.bfloat16), ` +
        `mask=(q < length)[None, :] & (column < ${filters})[:, None])`
      : `tl.store(out + (${at})[:, None] + column[None, :], best.to(tl.bfloat16), ` +
        `mask=(q < length)[:, None] & (column < ${filters})[None, :])`,
  ];
}
