/**
 * Batch norm, ReLU and max pooling behind a convolution in one launch, and their gradients.
 *
 * Forward keeps, of each window, the element that was chosen and its place. The sums that batch norm's gradient needs
 * are then sums over windows, not over all elements: the gradient is 0 elsewhere.
 */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { formOf, pooledSizes, tapsOf, type LayerSizes } from "./block-sizes.ts";
import { imageStrides, type ImageStrides, type StatisticsParts } from "./convolution.ts";
import { blocksOfProgram, indented, launchFused, sideOf } from "./fused-kernel.ts";

/** The place of a window whose greatest element is not above 0: ReLU lets no gradient through. */
const NONE = 255;
const ELEMENTS = 2048;
const MOST_CHANNELS = 64;

const processors = ({ raw }: TensorDevice): number => raw.properties.multiProcessorCount;

export interface Norm {
  readonly weight: Tensor;
  readonly bias: Tensor;
  readonly runningMean: Tensor | null;
  readonly runningVariance: Tensor | null;
  readonly epsilon: number;
  readonly momentum: number;
}

export interface Statistics {
  readonly mean: Tensor;
  /** 1 / sqrt(variance + epsilon) */
  readonly scale: Tensor;
}

/** Mean and scale of each channel from the parts; the running ones follow. @param bias of the convolution */
export function launchStatistics(
  device: TensorDevice,
  { parts, programs, rowsOfProgram }: StatisticsParts,
  rows: number,
  norm: Norm,
  bias: Tensor | null,
): Statistics {
  const filters = parts.shape[2] as number;
  const mean = empty([filters], "float32", parts.place);
  const scale = empty([filters], "float32", parts.place);
  const { runningMean, runningVariance, momentum, epsilon } = norm;
  const isRunning = runningMean !== null && runningVariance !== null;
  const tensors = {
    parts,
    mean,
    scale,
    ...(isRunning ? { running_mean: runningMean, running_variance: runningVariance } : {}),
    ...(isRunning && bias !== null ? { bias } : {}),
  };
  const form = `${filters} ${rowsOfProgram} ${epsilon} ${momentum} ${isRunning} ${bias !== null}`;
  const columns = 4;
  const side = 256;
  launchFused(device, "batch_norm_statistics", form, Math.ceil(filters / columns), tensors, { programs, rows }, () => ({
    lines: [
      `column = tl.program_id(0) * ${columns} + tl.arange(0, ${columns})`,
      `known = column < ${filters}`,
      "length = rows.to(tl.float32)",
      `sums = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
      `for first in range(0, programs, ${side}):`,
      ...indented([...partText(side, rowsOfProgram, filters), "sums += means * count[:, None]"]),
      "center = tl.sum(sums, 0) / length",
      `squares = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
      `for first in range(0, programs, ${side}):`,
      ...indented([
        ...partText(side, rowsOfProgram, filters),
        `own = tl.load(at + ${filters}, mask=fits, other=0.0)`,
        "apart = means - center[None, :]",
        "squares += own + apart * apart * count[:, None]",
      ]),
      "total = tl.sum(squares, 0)",
      "tl.store(mean + column, center, mask=known)",
      `tl.store(scale + column, 1.0 / tl.sqrt(total / length + ${epsilon}), mask=known)`,
      ...(isRunning
        ? [
            `shift = center${bias === null ? "" : " + tl.load(bias + column, mask=known, other=0.0)"}`,
            ...follow("running_mean", "shift", momentum),
            ...follow("running_variance", "total / (length - 1.0)", momentum),
          ]
        : []),
    ],
  }));
  if (isRunning) for (const tensor of [runningMean, runningVariance]) tensor.storage.version++;
  return { mean, scale };
}

function partText(side: number, rowsOfProgram: number, filters: number): string[] {
  return [
    `part = first + tl.arange(0, ${side})`,
    `count = tl.minimum(tl.maximum(rows - part * ${rowsOfProgram}, 0), ${rowsOfProgram}).to(tl.float32)`,
    "fits = (part < programs)[:, None] & known[None, :]",
    `at = parts + (part * ${2 * filters})[:, None] + column[None, :]`,
    "means = tl.load(at, mask=fits, other=0.0)",
  ];
}

function follow(running: string, now: string, momentum: number): string[] {
  return [
    `before = tl.load(${running} + column, mask=known, other=0.0)`,
    `tl.store(${running} + column, before * ${1 - momentum} + (${now}) * ${momentum}, mask=known)`,
  ];
}

/** How windows are dealt out: a program takes `positions` windows of one image at a time, and some channels. */
interface Tiling {
  readonly positions: number;
  readonly channels: number;
  readonly ofImage: number;
  readonly ofChannels: number;
}

function tilingOf(filters: number, windows: number): Tiling {
  const channels = sideOf(filters, MOST_CHANNELS);
  let positions = 16;
  while (positions < windows && positions < ELEMENTS / channels) positions *= 2;
  return {
    positions,
    channels,
    ofImage: Math.ceil(windows / positions),
    ofChannels: Math.ceil(filters / channels),
  };
}

/**
 * `n`, `qh`, `qw`: the image and the window of each row of the tile; `c`: the channels; `inside`.
 * @param block an expression: which tile of all images
 */
function windowText({ positions, ofImage }: Tiling, height: number, width: number, block: string): string[] {
  return [
    `n = (${block}) // ${ofImage}`,
    `q = ((${block}) % ${ofImage}) * ${positions} + tl.arange(0, ${positions})`,
    `inside = (q < ${height * width}) & (n < batch)`,
    `qh = q // ${width}`,
    `qw = q % ${width}`,
  ];
}

function channelText({ channels, ofChannels }: Tiling): string[] {
  return [
    "program = tl.program_id(0)",
    `c = (program % ${ofChannels}) * ${channels} + tl.arange(0, ${channels})`,
    `program = program // ${ofChannels}`,
  ];
}

/** A row of numbers by channel. */
const ofChannels = (name: string, filters: number, as = name): string =>
  `${as} = tl.load(${name} + c, mask=c < ${filters}, other=0.0)[None, :]`;

const isTurned = (strides: ImageStrides): boolean => strides[1] !== 1;

/** Statements that load `g`, the gradient of the windows, in the order in which it lies in memory. */
function gradientText(strides: ImageStrides, filters: number, inside = "inside"): string[] {
  const [ofBatch, ofChannel, ofRow, ofColumn] = strides;
  const place = `n * ${ofBatch} + qh * ${ofRow} + qw * ${ofColumn}`;
  if (!isTurned(strides))
    return [
      `g = tl.load(gradient + (${place})[:, None] + c[None, :], ` +
        `mask=${inside}[:, None] & (c < ${filters})[None, :], other=0.0).to(tl.float32)`,
    ];
  return [
    `g = tl.trans(tl.load(gradient + (${place})[None, :] + (c * ${ofChannel})[:, None], ` +
      `mask=${inside}[None, :] & (c < ${filters})[:, None], other=0.0)).to(tl.float32)`,
  ];
}

export interface Chosen {
  /** [batch, rows, columns, filters], as all of them: the element of each window that was greatest. */
  readonly elements: Tensor;
  /** Its place in the window. */
  readonly places: Tensor;
}

/**
 * @param y [batch, outHeight, outWidth, filters]
 * @param out [batch, filters, rows, columns] with any strides
 * @param keeps what gradients need
 */
export function launchNormPool(
  device: TensorDevice,
  sizes: LayerSizes,
  y: Tensor,
  { mean, scale }: Statistics,
  norm: Norm,
  out: Tensor,
  keeps: boolean,
): Chosen | null {
  const batch = y.shape[0] as number;
  const { filters } = sizes;
  const [height, width] = pooledSizes(sizes);
  const tiling = tilingOf(filters, height * width);
  const shape = [batch, height, width, filters];
  const chosen = keeps ? { elements: empty(shape, "bfloat16", y.place), places: empty(shape, "uint8", y.place) } : null;
  const strides = imageStrides(out);
  const tensors = { y, mean, scale, weight: norm.weight, bias: norm.bias, out, ...chosen };
  launchFused(
    device,
    "batch_norm_pool",
    `${formOf(sizes)} ${strides.slice(1).join()} ${keeps}`,
    batch * tiling.ofImage * tiling.ofChannels,
    tensors,
    { batch },
    () => ({ lines: poolText(sizes, tiling, strides, keeps) }),
  );
  return chosen;
}

function poolText(sizes: LayerSizes, tiling: Tiling, strides: ImageStrides, keeps: boolean): string[] {
  const { filters, outHeight, outWidth, pool, hasRelu } = sizes;
  const [height, width] = pooledSizes(sizes);
  const lines = [
    ...channelText(tiling),
    ...windowText(tiling, height, width, "program"),
    "fits = inside[:, None] & " + `(c < ${filters})[None, :]`,
    ofChannels("mean", filters, "center"),
    ofChannels("scale", filters, "factor"),
    ofChannels("weight", filters, "gain"),
    ofChannels("bias", filters, "shift"),
    "factor = factor * gain",
    `base = y + ((n * ${outHeight} + qh * ${pool[0]}) * ${outWidth} + qw * ${pool[1]}) * ${filters}`,
    "at = base[:, None] + c[None, :]",
  ];
  const places = pool[0] * pool[1];
  // All loads first: they do not wait for one another.
  for (let k = 0; k < places; k++) {
    const by = (Math.floor(k / pool[1]) * outWidth + (k % pool[1])) * filters;
    lines.push(`x${k} = tl.load(at + ${by}, mask=fits, other=0.0).to(tl.float32)`);
  }
  for (let k = 0; k < places; k++) {
    // Rounded as the result of a batch norm of its own would be, so that the same element is the greatest.
    const value = `((x${k} - center) * factor + shift).to(tl.bfloat16).to(tl.float32)`;
    if (k === 0)
      lines.push(
        `best = ${value}`,
        "chosen = x0",
        `place = tl.zeros((${tiling.positions}, ${tiling.channels}), dtype=tl.int32)`,
      );
    else
      lines.push(
        `v = ${value}`,
        "better = (v > best) | (v != v)",
        "best = tl.where(better, v, best)",
        `chosen = tl.where(better, x${k}, chosen)`,
        `place = tl.where(better, ${k}, place)`,
      );
  }
  if (hasRelu) lines.push(`place = tl.where(best <= 0.0, ${NONE}, place)`, "best = tl.where(best <= 0.0, 0.0, best)");
  const [ofBatch, ofChannel, ofRow, ofColumn] = strides;
  const to = `n * ${ofBatch} + qh * ${ofRow} + qw * ${ofColumn}`;
  if (isTurned(strides))
    lines.push(
      `tl.store(out + (${to})[None, :] + (c * ${ofChannel})[:, None], tl.trans(best).to(tl.bfloat16), ` +
        `mask=inside[None, :] & (c < ${filters})[:, None])`,
    );
  else lines.push(`tl.store(out + (${to})[:, None] + c[None, :], best.to(tl.bfloat16), mask=fits)`);
  if (keeps)
    lines.push(
      `kept = (n * ${height * width} + q)[:, None] * ${filters} + c[None, :]`,
      "tl.store(elements + kept, chosen.to(tl.bfloat16), mask=fits)",
      "tl.store(places + kept, place.to(tl.uint8), mask=fits)",
    );
  return lines;
}

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
  const turns = blocksOfProgram(blocks, 2 * processors(device));
  const programs = Math.ceil(blocks / turns);
  const parts = empty([programs, 2, filters], "float32", gradient.place);
  const strides = imageStrides(gradient);
  const tensors = { gradient, elements, places, mean, scale, parts };
  const form = `${formOf(sizes)} ${strides.slice(1).join()} ${turns}`;
  launchFused(device, "batch_norm_sums", form, programs * tiling.ofChannels, tensors, { batch }, () => ({
    lines: [
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
    ],
  }));
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
  launchFused(device, "batch_norm_gradient", form, programs, tensors, { batch }, () => ({
    lines: [
      ...channelText(tiling),
      ...normGradientHead(filters, outHeight * outWidth),
      ...normGradientTiles(sizes, strides, tiling, "program"),
      ...Array.from({ length: pool[0] * pool[1] }, (_, k) => {
        const by = (Math.floor(k / pool[1]) * outWidth + (k % pool[1])) * filters;
        return `tl.store(dy + at + ${by}, d${k}, mask=fits${k})`;
      }),
    ],
  }));
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
    lines: firstWeightText(sizes, tiling, own, images, turns),
  }));
  return parts;
}

function firstWeightText(
  sizes: LayerSizes,
  tiling: Tiling,
  strides: ImageStrides,
  [ofBatch, ofChannel, ofRow, ofColumn]: ImageStrides,
  turns: number,
): string[] {
  const { channels, filters, height, width, kernel, stride, padding, dilation, outHeight, outWidth, pool } = sizes;
  const inner = tapsOf(sizes) * channels;
  const side = sideOf(inner, MOST_INNER);
  const tiles = normGradientTiles(sizes, strides, tiling, `program * ${turns} + turn`);
  for (let place = 0; place < pool[0] * pool[1]; place++)
    tiles.push(
      `r = ((qh * ${pool[0]} + ${Math.floor(place / pool[1])}) * ${stride[0]} - ${padding[0]})[:, None] + i[None, :]`,
      `s = ((qw * ${pool[1]} + ${place % pool[1]}) * ${stride[1]} - ${padding[1]})[:, None] + j[None, :]`,
      `own = inside[:, None] & (k < ${inner})[None, :] & (r >= 0) & (r < ${height}) & (s >= 0) & (s < ${width})`,
      `patch = tl.load(x + n * ${ofBatch} + r * ${ofRow} + s * ${ofColumn} + (k % ${channels} * ${ofChannel})[None, :], ` +
        "mask=own, other=0.0).to(tl.bfloat16)",
      `total = tl.dot(tl.trans(d${place}), patch, total)`,
    );
  return [
    ...channelText(tiling),
    ...normGradientHead(filters, outHeight * outWidth),
    `k = tl.arange(0, ${side})`,
    `i = (k // ${channels * kernel[1]}) * ${dilation[0]}`,
    `j = (k // ${channels} % ${kernel[1]}) * ${dilation[1]}`,
    `total = tl.zeros((${tiling.channels}, ${side}), dtype=tl.float32)`,
    `for turn in range(0, ${turns}):`,
    ...indented(tiles),
    `tl.store(parts + program * ${filters * inner} + (c * ${inner})[:, None] + k[None, :], total, ` +
      `mask=(c < ${filters})[:, None] & (k < ${inner})[None, :])`,
  ];
}
