/**
 * Convolutions of bfloat16 whose channels lie beside each other, as products on tensor cores: forward with the
 * statistics of a batch norm behind it, the gradient of the input, and the gradient of the weight.
 *
 * Weights lie as [filter, tap, channel]. Statistics of each program are a mean and a sum of squares around it, which
 * batch-norm.ts combines (Chan et al., "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances").
 */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { depthOf, formOf, tapsOf, type LayerSizes } from "./block-sizes.ts";
import { blocksOfProgram, indented, launchFused, sideOf } from "./fused-kernel.ts";

/** The parts of statistics: [programs, 2, filters] and how many rows each program has. */
export interface StatisticsParts {
  readonly parts: Tensor;
  readonly programs: number;
  readonly rowsOfProgram: number;
}

const processors = ({ raw }: TensorDevice): number => raw.properties.multiProcessorCount;

/** Where an image's element lies: strides of [batch, channel, row, column]. */
export type ImageStrides = readonly [number, number, number, number];

export function imageStrides({ strides }: Tensor): ImageStrides {
  return strides as unknown as ImageStrides;
}

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
  const side = Math.ceil(rows / 128) * across >= 2 * processors(device) ? 128 : 64;
  const blocks = Math.ceil(rows / side);
  const turns = blocksOfProgram(blocks, 4 * processors(device));
  const programs = Math.ceil(blocks / turns);
  const y = empty([batch, outHeight, outWidth, filters], "bfloat16", x.place);
  const parts = empty([programs, 2, filters], "float32", x.place);
  const strides = imageStrides(x);
  const form = `${formOf(sizes)} ${strides.slice(1).join()} ${side} ${turns}`;
  launchFused(device, "convolution_statistics", form, programs * across, { x, weight, y, parts }, { batch }, () => ({
    lines: forwardText(sizes, strides, { side, columns, turns }),
  }));
  return { y, statistics: { parts, programs, rowsOfProgram: side * turns } };
}

function forwardText(
  sizes: LayerSizes,
  strides: ImageStrides,
  { side, columns, turns }: { readonly side: number; readonly columns: number; readonly turns: number },
): string[] {
  const { filters, outHeight, outWidth, stride, padding } = sizes;
  const pixels = outHeight * outWidth;
  return [
    "program = tl.program_id(0)",
    `across = ${Math.ceil(filters / columns)}`,
    "part = program // across",
    `column = (program % across) * ${columns} + tl.arange(0, ${columns})`,
    `length = batch * ${pixels}`,
    `mean = tl.zeros((${columns},), dtype=tl.float32)`,
    `squares = tl.zeros((${columns},), dtype=tl.float32)`,
    "seen = 0.0",
    `for turn in range(0, ${turns}):`,
    ...indented([
      `first = (part * ${turns} + turn) * ${side}`,
      `m = first + tl.arange(0, ${side})`,
      "inside = m < length",
      `n = m // ${pixels}`,
      `pixel = m % ${pixels}`,
      `h = (pixel // ${outWidth}) * ${stride[0]} - ${padding[0]}`,
      `v = (pixel % ${outWidth}) * ${stride[1]} - ${padding[1]}`,
      `total = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
      ...forwardProduct(sizes, strides),
      "rounded = total.to(tl.bfloat16)",
      `tl.store(y + m[:, None] * ${filters} + column[None, :], rounded, ` +
        `mask=inside[:, None] & (column < ${filters})[None, :])`,
      // The statistics are of what is stored.
      "value = rounded.to(tl.float32)",
      `count = tl.minimum(tl.maximum(length - first, 0), ${side}).to(tl.float32)`,
      "own = tl.sum(value, 0) / tl.maximum(count, 1.0)",
      "apart = tl.where(inside[:, None], value - own[None, :], 0.0)",
      "both = tl.maximum(seen + count, 1.0)",
      "delta = own - mean",
      "mean = mean + delta * (count / both)",
      "squares = squares + tl.sum(apart * apart, 0) + delta * delta * (seen * count / both)",
      "seen = seen + count",
    ]),
    `tl.store(parts + part * ${2 * filters} + column, mean, mask=column < ${filters})`,
    `tl.store(parts + part * ${2 * filters} + ${filters} + column, squares, mask=column < ${filters})`,
  ];
}

function forwardProduct(sizes: LayerSizes, [ofBatch, ofChannel, ofRow, ofColumn]: ImageStrides): string[] {
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
  const side = sideOf(inner, 32);
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
function tapText({ kernel, dilation }: LayerSizes, chunks: number): string[] {
  return [
    `tap = step // ${chunks}`,
    `i = tap // ${kernel[1]} * ${dilation[0]}`,
    `j = tap % ${kernel[1]} * ${dilation[1]}`,
  ];
}

/**
 * The gradient of the input, [batch, height, width, channels].
 * @param gradient [batch, outHeight, outWidth, filters]
 */
export function launchInputGradient(device: TensorDevice, sizes: LayerSizes, gradient: Tensor, weight: Tensor): Tensor {
  const batch = gradient.shape[0] as number;
  const { channels, height, width } = sizes;
  const { side, columns, programs } = inputGradientTiles(device, sizes, batch);
  const dx = empty([batch, height, width, channels], "bfloat16", gradient.place);
  launchFused(
    device,
    "convolution_input_gradient",
    `${formOf(sizes)} ${side}`,
    programs,
    { gradient, weight, dx },
    { batch },
    () => ({ lines: inputGradientText(sizes, side, columns) }),
  );
  return dx;
}

function inputGradientTiles(
  device: TensorDevice,
  { channels, height, width }: LayerSizes,
  batch: number,
): { readonly side: number; readonly columns: number; readonly programs: number } {
  const rows = batch * height * width;
  const columns = sideOf(channels, 64);
  const across = Math.ceil(channels / columns);
  const side = Math.ceil(rows / 128) * across >= 2 * processors(device) ? 128 : 64;
  return { side, columns, programs: Math.ceil(rows / side) * across };
}

function inputGradientText(sizes: LayerSizes, side: number, columns: number): string[] {
  const { channels, filters, height, width, outHeight, outWidth, stride, padding } = sizes;
  const depth = depthOf(filters);
  const chunks = filters / depth;
  const inner = tapsOf(sizes) * channels;
  const hasRest = channels % columns !== 0;
  const strided = stride[0] !== 1 || stride[1] !== 1;
  return [
    "program = tl.program_id(0)",
    `across = ${Math.ceil(channels / columns)}`,
    `m = (program // across) * ${side} + tl.arange(0, ${side})`,
    `column = (program % across) * ${columns} + tl.arange(0, ${columns})`,
    `inside = m < batch * ${height * width}`,
    `n = m // ${height * width}`,
    `pixel = m % ${height * width}`,
    `h = pixel // ${width} + ${padding[0]}`,
    `v = pixel % ${width} + ${padding[1]}`,
    `k = tl.arange(0, ${depth})`,
    `total = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
    ...(strided ? [] : [`base = gradient + (n * ${outHeight * outWidth} + h * ${outWidth} + v) * ${filters}`]),
    `for step in range(0, ${tapsOf(sizes) * chunks}):`,
    ...indented([
      ...tapText(sizes, chunks),
      "r = h - i",
      "s = v - j",
      "fits = inside & (r >= 0) & (s >= 0)",
      ...(strided
        ? [
            `fits = fits & (r % ${stride[0]} == 0) & (s % ${stride[1]} == 0)`,
            `r = r // ${stride[0]}`,
            `s = s // ${stride[1]}`,
          ]
        : []),
      `fits = fits & (r < ${outHeight}) & (s < ${outWidth})`,
      strided
        ? `from_ = gradient + (n * ${outHeight * outWidth} + r * ${outWidth} + s) * ${filters}`
        : `from_ = base - (i * ${outWidth} + j) * ${filters}`,
      `a = tl.load(from_[:, None] + (step % ${chunks} * ${depth} + k)[None, :], mask=fits[:, None], other=0.0)`,
      `b = tl.load(weight + (step % ${chunks} * ${depth} + k)[:, None] * ${inner} + ` +
        `(tap * ${channels} + column)[None, :]` +
        `${hasRest ? `, mask=(column < ${channels})[None, :], other=0.0` : ""})`,
      "total = tl.dot(a, b, total)",
    ]),
    `tl.store(dx + m[:, None] * ${channels} + column[None, :], total.to(tl.bfloat16), ` +
      `mask=inside[:, None] & (column < ${channels})[None, :])`,
  ];
}

/** Pixels that a step of the gradient of the weight takes. */
const PIXELS = 64;
/** Taps of a row of the window that a program takes together: each has sums of its own in registers. */
const MOST_TAPS = 4;

/**
 * The gradient of the weight in parts, [parts, filters, taps, channels], which are to be summed.
 * @param x [batch, height, width, channels]
 * @param gradient [batch, outHeight, outWidth, filters]
 */
export function launchWeightGradient(device: TensorDevice, sizes: LayerSizes, x: Tensor, gradient: Tensor): Tensor {
  const batch = x.shape[0] as number;
  const { programs, splits, ...tile } = weightGradientTiles(device, sizes, batch);
  const parts = empty([splits, sizes.filters, tapsOf(sizes), sizes.channels], "float32", x.place);
  launchFused(
    device,
    "convolution_weight_gradient",
    `${formOf(sizes)} ${tile.rows} ${tile.columns} ${tile.turns}`,
    programs,
    { x, gradient, parts },
    { batch },
    () => ({ lines: weightGradientText(sizes, tile) }),
  );
  return parts;
}

interface WeightTile {
  readonly rows: number;
  readonly columns: number;
  readonly taps: number;
  readonly groups: number;
  readonly turns: number;
}

function weightGradientTiles(
  device: TensorDevice,
  sizes: LayerSizes,
  batch: number,
): WeightTile & { readonly splits: number; readonly programs: number } {
  const { channels, filters, kernel, outHeight, outWidth } = sizes;
  const rows = sideOf(filters, 64);
  const columns = Math.min(depthOf(channels), 32);
  const taps = kernel[1] <= MOST_TAPS ? kernel[1] : 1;
  const groups = tapsOf(sizes) / taps;
  const tiles = Math.ceil(filters / rows) * (channels / columns) * groups;
  const steps = Math.ceil((batch * outHeight * outWidth) / PIXELS);
  const wanted = Math.max(1, Math.floor((3 * processors(device)) / tiles));
  const turns = blocksOfProgram(steps, wanted);
  const splits = Math.ceil(steps / turns);
  return { rows, columns, taps, groups, turns, splits, programs: splits * tiles };
}

/**
 * Both gradients: by one launch where the device holds all programs at once, else by two.
 * @returns the gradient of the input, and the parts of that of the weight
 */
export function launchBothGradients(
  device: TensorDevice,
  sizes: LayerSizes,
  x: Tensor,
  gradient: Tensor,
  weight: Tensor,
): { readonly dx: Tensor; readonly parts: Tensor } {
  const batch = x.shape[0] as number;
  const { channels, height, width } = sizes;
  const { side, columns, programs } = inputGradientTiles(device, sizes, batch);
  if (programs > 2 * processors(device))
    return {
      dx: launchInputGradient(device, sizes, gradient, weight),
      parts: launchWeightGradient(device, sizes, x, gradient),
    };
  const { splits, programs: ofWeight, ...tile } = weightGradientTiles(device, sizes, batch);
  const dx = empty([batch, height, width, channels], "bfloat16", x.place);
  const parts = empty([splits, sizes.filters, tapsOf(sizes), channels], "float32", x.place);
  launchFused(
    device,
    "convolution_gradients",
    `${formOf(sizes)} ${side} ${tile.rows} ${tile.columns} ${tile.turns}`,
    ofWeight + programs,
    { x, gradient, weight, dx, parts },
    { batch, first_of_input: ofWeight },
    () => ({
      lines: [
        "if tl.program_id(0) < first_of_input:",
        ...indented(weightGradientText(sizes, tile)),
        "else:",
        // Both parts of an `if` have to agree in the types of names.
        ...indented(
          inputGradientText(sizes, side, columns).map((line) =>
            line
              .replace("program = tl.program_id(0)", "program = tl.program_id(0) - first_of_input")
              .replace(OF_INPUT, "input_$1"),
          ),
        ),
      ],
    }),
  );
  return { dx, parts };
}

/** What the gradient of the input calls its values. */
const OF_INPUT =
  /(?<![.\w])(program|across|m|column|inside|n|pixel|h|v|k|total|base|step|tap|i|j|r|s|fits|from_|a|b)(?!\w| *\()/g;

function weightGradientText(sizes: LayerSizes, tile: WeightTile): string[] {
  const { channels, filters, height, width, kernel, stride, padding, dilation, outHeight, outWidth } = sizes;
  const { rows, columns, taps, groups, turns } = tile;
  const pixels = outHeight * outWidth;
  const chunks = channels / columns;
  const inner = tapsOf(sizes) * channels;
  const own = Array.from({ length: taps }, (_, t) => t);
  const hasRest = filters % rows !== 0;
  return [
    "program = tl.program_id(0)",
    `first_tap = (program % ${groups}) * ${taps}`,
    `i = first_tap // ${kernel[1]} * ${dilation[0]}`,
    `j = first_tap % ${kernel[1]} * ${dilation[1]}`,
    `column = (program // ${groups} % ${chunks}) * ${columns} + tl.arange(0, ${columns})`,
    `row = (program // ${groups * chunks} % ${Math.ceil(filters / rows)}) * ${rows} + tl.arange(0, ${rows})`,
    `split = program // ${groups * chunks * Math.ceil(filters / rows)}`,
    `length = batch * ${pixels}`,
    ...own.map((t) => `total${t} = tl.zeros((${rows}, ${columns}), dtype=tl.float32)`),
    `for step in range(split * ${turns}, split * ${turns} + ${turns}):`,
    ...indented([
      `m = step * ${PIXELS} + tl.arange(0, ${PIXELS})`,
      "inside = m < length",
      `n = m // ${pixels}`,
      `pixel = m % ${pixels}`,
      `h = (pixel // ${outWidth}) * ${stride[0]} - ${padding[0]} + i`,
      `v = (pixel % ${outWidth}) * ${stride[1]} - ${padding[1]} + j`,
      `base = x + ((n * ${height} + h) * ${width} + v) * ${channels}`,
      `fits = inside & (h >= 0) & (h < ${height})`,
      `d = tl.trans(tl.load(gradient + m[:, None] * ${filters} + row[None, :], ` +
        `mask=inside[:, None]${hasRest ? ` & (row < ${filters})[None, :]` : ""}, other=0.0))`,
      ...own.flatMap((t) => {
        const by = t * dilation[1];
        return [
          `b${t} = tl.load((base + ${by * channels})[:, None] + column[None, :], ` +
            `mask=(fits & (v + ${by} >= 0) & (v + ${by} < ${width}))[:, None], other=0.0)`,
          `total${t} = tl.dot(d, b${t}, total${t})`,
        ];
      }),
    ]),
    `out = parts + split * ${filters * inner} + row[:, None] * ${inner} + first_tap * ${channels} + column[None, :]`,
    ...own.map(
      (t) => `tl.store(out + ${t * channels}, total${t}${hasRest ? `, mask=(row < ${filters})[:, None]` : ""})`,
    ),
  ];
}
