/** The gradients of a convolution's input and weight, as products on tensor cores: convolution.ts has the forward. */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { depthOf, formOf, tapsOf, type LayerSizes } from "./block-sizes.ts";
import { processors, tapText, withWarps } from "./convolution.ts";
import { blocksOfProgram, indented, launchFused, sideOf } from "./fused-kernel.ts";

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
    () => {
      const lines = inputGradientText(sizes, side, columns);
      // The windows of neighbouring pixels overlap: what was loaded for one is in the cache for the next.
      const cached = inputGradientText(sizes, side, columns, true);
      return [{ lines }, { lines: cached }, { lines: cached, stages: 2 }, { lines, warps: 8 }];
    },
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

function inputGradientText(sizes: LayerSizes, side: number, columns: number, isCached = false): string[] {
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
      `a = tl.load(from_[:, None] + (step % ${chunks} * ${depth} + k)[None, :], mask=fits[:, None], other=0.0` +
        `${isCached ? ', cache_modifier=".ca"' : ""})`,
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
    () => withWarps(weightGradientText(sizes, tile)),
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
