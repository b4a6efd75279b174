/**
 * The gradients of batch norm, ReLU and max pooling behind a convolution.
 *
 * Forward keeps, of each window, the element that was chosen and its place. The sums that batch norm's gradient needs
 * are then sums over windows, not over all elements: the gradient is 0 elsewhere.
 */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import type { Chosen, Statistics } from "./batch-norm.ts";
import { formOf, pooledSizes, tapsOf, type LayerSizes, imageStrides, type ImageStrides } from "./block-sizes.ts";
import { patchText, windowElementText } from "./convolution.ts";
import { blocksOfProgram, indented, launchFused, sideOf } from "./fused-kernel.ts";
import { channelText, gradientText, NONE, ofChannels, tilingOf, windowText, type Tiling } from "./window-tiles.ts";

const processors = ({ raw }: TensorDevice): number => raw.properties.multiProcessorCount;

/**
 * The gradients of the norm's bias and weight, in this order: [2, filters] in parts.
 * @param gradient [batch, filters, rows, columns] with any strides
 */
export function launchNormSums(
  device: TensorDevice,
  sizes: LayerSizes,
  gradient: Tensor,
  { elements, places }: Chosen,
  { mean, scale }: Statistics,
): Tensor {
  const batch = gradient.shape[0] as number;
  const { filters } = sizes;
  const [height, width] = pooledSizes(sizes);
  const tiling = tilingOf(filters, height * width);
  const blocks = batch * tiling.ofImage;
  const turns = blocksOfProgram(blocks, 4 * processors(device));
  const programs = Math.ceil(blocks / turns);
  const parts = empty([programs, 2, filters], "float32", gradient.place);
  const strides = imageStrides(gradient);
  const tensors = { gradient, elements, places, mean, scale, parts };
  const form = `${formOf(sizes)} ${strides.slice(1).join()} ${turns}`;
  launchFused(device, "batch_norm_sums", form, programs * tiling.ofChannels, tensors, { batch }, () => {
    const lines = [
      ...channelText(tiling),
      ofChannels("mean", filters, "center"),
      ofChannels("scale", filters, "factor"),
      `first = tl.zeros((${tiling.positions}, ${tiling.channels}), dtype=tl.float32)`,
      `second = tl.zeros((${tiling.positions}, ${tiling.channels}), dtype=tl.float32)`,
      `for turn in range(0, ${turns}):`,
      ...indented([
        ...windowText(tiling, height, width, `program * ${turns} + turn`),
        ...gradientText(strides, filters),
        `kept = (n * ${height * width} + q)[:, None] * ${filters} + c[None, :]`,
        `fits = inside[:, None] & (c < ${filters})[None, :]`,
        "x = tl.load(elements + kept, mask=fits, other=0.0).to(tl.float32)",
        `place = tl.load(places + kept, mask=fits, other=${NONE}).to(tl.int32)`,
        `d = tl.where(place == ${NONE}, 0.0, g)`,
        "first += d",
        "second += d * (x - center) * factor",
      ]),
      `tl.store(parts + program * ${2 * filters} + c, tl.sum(first, 0), mask=c < ${filters})`,
      `tl.store(parts + program * ${2 * filters} + ${filters} + c, tl.sum(second, 0), mask=c < ${filters})`,
    ];
    return [{ lines }, { lines, warps: 8 }];
  });
  return parts;
}

export interface NormGradient {
  readonly y: Tensor;
  /** Of the block's result. */
  readonly gradient: Tensor;
  readonly places: Tensor;
  readonly statistics: Statistics;
  readonly weight: Tensor;
  /** [2, filters]: the gradients of the norm's bias and weight. */
  readonly sums: Tensor;
}

/** Statements before the tiles: numbers by channel. */
function normGradientHead(filters: number, elements: number): string[] {
  return [
    ofChannels("mean", filters, "center"),
    ofChannels("scale", filters, "factor"),
    ofChannels("weight", filters, "gain"),
    `length = batch.to(tl.float32) * ${elements}.0`,
    `lift = tl.load(sums + c, mask=c < ${filters}, other=0.0)[None, :] / length`,
    `slope = tl.load(sums + ${filters} + c, mask=c < ${filters}, other=0.0)[None, :] / length`,
  ];
}

/** For each place of the windows of a tile, the gradient of the convolution's result: `d0`, `d1` … */
function normGradientTiles(sizes: LayerSizes, strides: ImageStrides, tiling: Tiling, block: string): string[] {
  const { filters, outHeight, outWidth, pool } = sizes;
  const [height, width] = pooledSizes(sizes);
  // Windows that do not fit into the image have elements, too, though no gradient comes to them.
  const [rows, columns] = [Math.ceil(outHeight / pool[0]), Math.ceil(outWidth / pool[1])];
  const isWhole = rows === height && columns === width;
  const lines = [
    ...windowText(tiling, rows, columns, block),
    ...(isWhole ? ["full = inside"] : [`full = inside & (qh < ${height}) & (qw < ${width})`]),
    ...gradientText(strides, filters, "full"),
    `known = (c < ${filters})[None, :]`,
    `place = tl.load(places + ((n * ${height} + qh) * ${width} + qw)[:, None] * ${filters} + c[None, :], ` +
      `mask=full[:, None] & known, other=${NONE}).to(tl.int32)`,
    `pixel = (n * ${outHeight} + qh * ${pool[0]}) * ${outWidth} + qw * ${pool[1]}`,
    `at = (pixel * ${filters})[:, None] + c[None, :]`,
  ];
  const places = pool[0] * pool[1];
  for (let k = 0; k < places; k++) {
    const [r, s] = [Math.floor(k / pool[1]), k % pool[1]];
    const isInside = isWhole
      ? "inside"
      : `(inside & (qh * ${pool[0]} + ${r} < ${outHeight}) & (qw * ${pool[1]} + ${s} < ${outWidth}))`;
    lines.push(
      `fits${k} = ${isInside}[:, None] & known`,
      `x${k} = tl.load(y + at + ${(r * outWidth + s) * filters}, mask=fits${k}, other=0.0).to(tl.float32)`,
    );
  }
  for (let k = 0; k < places; k++)
    lines.push(
      `d${k} = tl.where(place == ${k}, g, 0.0) - lift - (x${k} - center) * factor * slope`,
      `d${k} = tl.where(fits${k}, d${k} * factor * gain, 0.0).to(tl.bfloat16)`,
    );
  return lines;
}

function gradientTiling({ filters, outHeight, outWidth, pool }: LayerSizes): Tiling {
  return tilingOf(filters, Math.ceil(outHeight / pool[0]) * Math.ceil(outWidth / pool[1]));
}

/** The gradient of the convolution's result: [batch, outHeight, outWidth, filters]. */
export function launchNormGradient(device: TensorDevice, sizes: LayerSizes, of: NormGradient): Tensor {
  const { y, gradient, places, statistics, weight, sums } = of;
  const batch = y.shape[0] as number;
  const { filters, outHeight, outWidth, pool } = sizes;
  const tiling = gradientTiling(sizes);
  const strides = imageStrides(gradient);
  const dy = empty(y.shape, "bfloat16", y.place);
  const tensors = { y, gradient, places, ...statistics, weight, sums, dy };
  const form = `${formOf(sizes)} ${strides.slice(1).join()}`;
  const programs = batch * tiling.ofImage * tiling.ofChannels;
  launchFused(device, "batch_norm_gradient", form, programs, tensors, { batch }, () => {
    const lines = [
      ...channelText(tiling),
      ...normGradientHead(filters, outHeight * outWidth),
      ...normGradientTiles(sizes, strides, tiling, "program"),
      ...Array.from({ length: pool[0] * pool[1] }, (_, k) => {
        const by = (Math.floor(k / pool[1]) * outWidth + (k % pool[1])) * filters;
        return `tl.store(dy + at + ${by}, d${k}, mask=fits${k})`;
      }),
    ];
    return [{ lines, warps: 8 }, { lines }];
  });
  return dy;
}

/** The longest sum over channels and taps that the gradient of a first layer's weight is made for. */
export const MOST_INNER = 64;

/**
 * The gradient of the weight of a convolution whose input needs none, without that of its result in memory:
 * [parts, filters, taps, channels], to be summed. The window has at most MOST_INNER elements.
 */
export function launchFirstWeightGradient(
  device: TensorDevice,
  sizes: LayerSizes,
  x: Tensor,
  of: NormGradient,
): Tensor {
  const { y, gradient, places, statistics, weight, sums } = of;
  const batch = y.shape[0] as number;
  const { filters } = sizes;
  const tiling = gradientTiling(sizes);
  const blocks = batch * tiling.ofImage;
  const turns = blocksOfProgram(blocks, 2 * processors(device));
  const programs = Math.ceil(blocks / turns);
  const parts = empty([programs, filters, tapsOf(sizes), sizes.channels], "float32", y.place);
  const [own, images] = [imageStrides(gradient), imageStrides(x)];
  const tensors = { y, gradient, places, ...statistics, weight, sums, x, parts };
  const form = `${formOf(sizes)} ${own.slice(1).join()} ${images.slice(1).join()} ${turns}`;
  launchFused(device, "first_weight_gradient", form, programs * tiling.ofChannels, tensors, { batch }, () => ({
    warps: 8,
    lines: firstWeightText(sizes, tiling, own, images, turns),
  }));
  return parts;
}

function firstWeightText(
  sizes: LayerSizes,
  tiling: Tiling,
  strides: ImageStrides,
  images: ImageStrides,
  turns: number,
): string[] {
  const { channels, filters, stride, padding, outHeight, outWidth, pool } = sizes;
  const inner = tapsOf(sizes) * channels;
  const side = sideOf(inner, MOST_INNER);
  const tiles = normGradientTiles(sizes, strides, tiling, `program * ${turns} + turn`);
  for (let place = 0; place < pool[0] * pool[1]; place++)
    tiles.push(
      `h = (qh * ${pool[0]} + ${Math.floor(place / pool[1])}) * ${stride[0]} - ${padding[0]}`,
      `v = (qw * ${pool[1]} + ${place % pool[1]}) * ${stride[1]} - ${padding[1]}`,
      ...patchText(sizes, images, "patch"),
      `total = tl.dot(tl.trans(d${place}), patch, total)`,
    );
  return [
    ...channelText(tiling),
    ...normGradientHead(filters, outHeight * outWidth),
    `k = tl.arange(0, ${side})`,
    ...windowElementText(sizes, images),
    `total = tl.zeros((${tiling.channels}, ${side}), dtype=tl.float32)`,
    `for turn in range(0, ${turns}):`,
    ...indented(tiles),
    `tl.store(parts + program * ${filters * inner} + (c * ${inner})[:, None] + k[None, :], total, ` +
      `mask=(c < ${filters})[:, None] & (k < ${inner})[None, :])`,
  ];
}
