/**
 * Convolutions of bfloat16 whose channels lie beside each other, as products on tensor cores: forward with the
 * statistics of a batch norm behind it.
 *
 * Weights lie as [filter, tap, channel]. Statistics of each program are a mean and a sum of squares around it, which
 * batch-norm.ts combines (Chan et al., "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances").
 */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { depthOf, formOf, imageStrides, tapsOf, type ImageStrides, type LayerSizes } from "./block-sizes.ts";
import { forwardHead, forwardStore, forwardTurn, statisticsStore, type ForwardTile } from "./forward-text.ts";
import { hasResidentWeights, residentVariants } from "./resident-weights.ts";
import { blocksOfProgram, indented, launchFused, sideOf, type FusedText } from "./fused-kernel.ts";

/** The same text for more threads, or with loads further ahead: which is faster depends on the layer's sizes. */
export const withWarps = (lines: string[]): FusedText[] => [
  { lines },
  { lines, warps: 8 },
  { lines, stages: 4 },
  { lines, warps: 8, stages: 4 },
];

/** The parts of statistics: [programs, 2, filters] and how many rows each program has. */
export interface StatisticsParts {
  readonly parts: Tensor;
  readonly programs: number;
  readonly rowsOfProgram: number;
}

export const processors = ({ raw }: TensorDevice): number => raw.properties.multiProcessorCount;

/**
 * @param x [batch, channels, height, width], of any float and with any strides; rows of channels without gaps where
 * `depthOf` of their number is above 0
 * @param weight [filters, taps, channels]
 */
export function launchConvolutionWithStatistics(
  device: TensorDevice,
  sizes: LayerSizes,
  x: Tensor,
  weight: Tensor,
): { readonly y: Tensor; readonly statistics: StatisticsParts } {
  const batch = x.shape[0] as number;
  const { filters, outHeight, outWidth } = sizes;
  const rows = batch * outHeight * outWidth;
  const columns = sideOf(filters, 64);
  const across = Math.ceil(filters / columns);
  const isResident = hasResidentWeights(sizes, columns) && isManyRows(device, rows * across);
  const side = !isResident && Math.ceil(rows / 128) * across >= 2 * processors(device) ? 128 : 64;
  const blocks = Math.ceil(rows / side);
  // A first layer takes little of a processor, and waits for memory. With weights in it, shared memory is for two.
  const most = depthOf(sizes.channels) === 0 ? 8 : 4;
  const turns = blocksOfProgram(
    blocks,
    isResident ? Math.ceil((2 * processors(device)) / across) : most * processors(device),
  );
  const programs = Math.ceil(blocks / turns);
  const y = empty([batch, outHeight, outWidth, filters], "bfloat16", x.place);
  const parts = empty([programs, 2, filters], "float32", x.place);
  const strides = imageStrides(x);
  const tensors = { x, weight, y, parts };
  const form = `${formOf(sizes)} ${strides.join()} ${side} ${turns} ${isResident}`;
  const tile = { side, columns, turns };
  launchFused(device, "convolution_statistics", form, programs * across, tensors, { batch }, () =>
    isResident ? residentVariants(sizes, strides, tile) : withWarps(forwardText(sizes, strides, tile)),
  );
  return { y, statistics: { parts, programs, rowsOfProgram: side * turns } };
}

/** Whether there are so many rows that weights are worth a place in shared memory. */
export const isManyRows = (device: TensorDevice, rows: number): boolean => rows >= 900 * processors(device);
/** Elements of a window that are loaded at once. */
const MOST_TOGETHER = 32;

function forwardText(sizes: LayerSizes, strides: ImageStrides, tile: ForwardTile): string[] {
  const { filters } = sizes;
  const { side, columns, turns } = tile;
  return [
    ...forwardHead(sizes, tile),
    `mean = tl.zeros((${columns},), dtype=tl.float32)`,
    `squares = tl.zeros((${columns},), dtype=tl.float32)`,
    "seen = 0.0",
    `for turn in range(0, ${turns}):`,
    ...indented([
      ...forwardTurn(sizes, tile),
      ...forwardProduct(sizes, strides),
      ...forwardStore(filters, side),
      "own = tl.sum(value, 0) / tl.maximum(count, 1.0)",
      "apart = tl.where(inside[:, None], value - own[None, :], 0.0)",
      "both = tl.maximum(seen + count, 1.0)",
      "delta = own - mean",
      "mean = mean + delta * (count / both)",
      "squares = squares + tl.sum(apart * apart, 0) + delta * delta * (seen * count / both)",
      "seen = seen + count",
    ]),
    ...statisticsStore(filters),
  ];
}

export function forwardProduct(sizes: LayerSizes, [ofBatch, ofChannel, ofRow, ofColumn]: ImageStrides): string[] {
  const { channels, filters, height, width } = sizes;
  const depth = depthOf(channels);
  const inner = tapsOf(sizes) * channels;
  const hasRest = filters % sideOf(filters, 64) !== 0;
  const columnMask = hasRest ? ` & (column < ${filters})[None, :]` : "";
  if (depth > 0) {
    const chunks = channels / depth;
    return [
      `base = x + n * ${ofBatch} + h * ${ofRow} + v * ${ofColumn}`,
      `k = tl.arange(0, ${depth})`,
      `for step in range(0, ${tapsOf(sizes) * chunks}):`,
      ...indented([
        ...tapText(sizes, chunks),
        `fits = inside & (h + i >= 0) & (h + i < ${height}) & (v + j >= 0) & (v + j < ${width})`,
        `a = tl.load(base[:, None] + (i * ${ofRow} + j * ${ofColumn} + step % ${chunks} * ${depth} + k)[None, :], ` +
          "mask=fits[:, None], other=0.0)",
        `b = tl.load(weight + column[None, :] * ${inner} + (step * ${depth} + k)[:, None]` +
          `${hasRest ? `, mask=(column < ${filters})[None, :], other=0.0` : ""})`,
        "total = tl.dot(a, b, total)",
      ]),
    ];
  }
  const side = sideOf(inner, MOST_TOGETHER);
  const images = [ofBatch, ofChannel, ofRow, ofColumn] as const;
  const step = [
    `k = start + tl.arange(0, ${side})`,
    ...windowElementText(sizes, images),
    ...patchText(sizes, images, "a"),
    `b = tl.load(weight + column[None, :] * ${inner} + k[:, None], ` +
      `mask=(k < ${inner})[:, None]${columnMask}, other=0.0)`,
    "total = tl.dot(a, b, total)",
  ];
  if (side >= inner) return ["start = 0", ...step];
  return [`for start in range(0, ${inner}, ${side}):`, ...indented(step)];
}

/** So far from any image that no element is there. */
const FAR = 1 << 20;

/** `i`, `j` and `offset`: where the elements `k` of a window lie; those behind the last one lie beside the image. */
export function windowElementText(sizes: LayerSizes, [, ofChannel, ofRow, ofColumn]: ImageStrides): string[] {
  const { channels, kernel, dilation } = sizes;
  return [
    `i = (k // ${channels * kernel[1]}) * ${dilation[0]}`,
    `j = (k // ${channels} % ${kernel[1]}) * ${dilation[1]}`,
    `offset = i * ${ofRow} + j * ${ofColumn} + k % ${channels} * ${ofChannel}`,
    `i = tl.where(k < ${tapsOf(sizes) * channels}, i, ${FAR})`,
  ];
}

/** Loads the windows of pixels that begin at (`h`, `v`) of image `n`, where `inside` holds. */
export function patchText({ height, width }: LayerSizes, strides: ImageStrides, name: string): string[] {
  const [ofBatch, , ofRow, ofColumn] = strides;
  return [
    `row_ = tl.where(inside, h, ${-2 * FAR})`,
    // Numbers below 0 are large ones without a sign.
    `fits_ = ((row_[:, None] + i[None, :]).to(tl.uint32) < ${height}) & ` +
      `((v[:, None] + j[None, :]).to(tl.uint32) < ${width})`,
    `from_ = n * ${ofBatch} + h * ${ofRow} + v * ${ofColumn}`,
    `${name} = tl.load(x + (from_[:, None] + offset[None, :]), mask=fits_, other=0.0).to(tl.bfloat16)`,
  ];
}

/** `i` and `j`: how far the tap of a step lies from the first one. */
export function tapText({ kernel, dilation }: LayerSizes, chunks: number): string[] {
  return [
    `tap = step // ${chunks}`,
    `i = tap // ${kernel[1]} * ${dilation[0]}`,
    `j = tap % ${kernel[1]} * ${dilation[1]}`,
  ];
}
