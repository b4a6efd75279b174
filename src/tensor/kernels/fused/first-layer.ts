/**
 * Convolution, batch norm, ReLU and max pooling of a first layer: its windows have few elements, and its input needs no
 * gradient. The results of the convolution are in no memory: it is cheaper to compute them twice.
 *
 * They are y = w · p for a window p of the input. So their statistics follow from the moments of the windows, the means
 * of p and of p pᵀ: mean(y) = w · mean(p), and var(y) = wᵀ cov(p) w. The gradient of a result is
 *
 *     (g - sum(g) / n - (y - mean(y)) · scale · sum(g (y - mean(y)) scale) / n) · scale · gain
 *
 * with g = 0 where no gradient comes through the pooling. Multiplied with the windows and summed, it is made of
 * sum(g p), sum(g) and the moments alone: one way over g and the input.
 *
 * The windows of one pooling overlap. What they have in common, their region, is loaded once.
 */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { runningText, type Norm, type Statistics } from "./batch-norm.ts";
import { formOf, pooledSizes, tapsOf, type LayerSizes } from "./block-sizes.ts";
import { imageStrides, patchText, processors, windowElementText, type ImageStrides } from "./convolution.ts";
import { blocksOfProgram, indented, launchFused, sideOf } from "./fused-kernel.ts";
import { channelText, isTurned, NONE, ofChannels } from "./window-tiles.ts";

const MOST_ELEMENTS = 64;

function regionOf({ kernel, stride, dilation, pool }: LayerSizes): readonly [number, number] {
  const along = (d: 0 | 1): number => (pool[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] + 1;
  return [along(0), along(1)];
}

/** Sizes of the convolution whose windows are the regions. */
function ofRegions(sizes: LayerSizes): LayerSizes {
  return { ...sizes, kernel: regionOf(sizes), dilation: [1, 1] };
}

const elementsOf = (sizes: LayerSizes): number => tapsOf(sizes) * sizes.channels;

/** Whether these kernels are for a layer of these sizes. */
export function isFirstLayer(sizes: LayerSizes): boolean {
  return elementsOf(sizes) < MOST_ELEMENTS && elementsOf(ofRegions(sizes)) <= MOST_ELEMENTS;
}

/** The sides of the moments: an element more than a window has, which is 1. */
const momentsSide = (sizes: LayerSizes): number => sideOf(elementsOf(sizes) + 1, MOST_ELEMENTS);

const PIXELS = 256;

/** The sums of p pᵀ over the windows of all pixels in parts, [parts, side, side]. Behind its elements, p has a 1. */
function launchMoments(device: TensorDevice, sizes: LayerSizes, x: Tensor): Tensor {
  const batch = x.shape[0] as number;
  const { outHeight, outWidth, stride, padding } = sizes;
  const pixels = outHeight * outWidth;
  const inner = elementsOf(sizes);
  const side = momentsSide(sizes);
  const blocks = Math.ceil((batch * pixels) / PIXELS);
  const turns = blocksOfProgram(blocks, 2 * processors(device));
  const programs = Math.ceil(blocks / turns);
  const parts = empty([programs, side, side], "float32", x.place);
  const strides = imageStrides(x);
  const form = `${formOf(sizes)} ${strides.join()} ${turns}`;
  launchFused(device, "window_moments", form, programs, { x, parts }, { batch }, () => {
    const lines = [
      `k = tl.arange(0, ${side})`,
      ...windowElementText(sizes, strides),
      `total = tl.zeros((${side}, ${side}), dtype=tl.float32)`,
      `for turn in range(0, ${turns}):`,
      ...indented([
        `m = (tl.program_id(0) * ${turns} + turn) * ${PIXELS} + tl.arange(0, ${PIXELS})`,
        `inside = m < batch * ${pixels}`,
        `n = m // ${pixels}`,
        `pixel = m % ${pixels}`,
        `h = (pixel // ${outWidth}) * ${stride[0]} - ${padding[0]}`,
        `v = (pixel % ${outWidth}) * ${stride[1]} - ${padding[1]}`,
        ...patchText(sizes, strides, "p"),
        `p = tl.where(inside[:, None] & (k == ${inner})[None, :], 1.0, p.to(tl.float32)).to(tl.bfloat16)`,
        "total = tl.dot(tl.trans(p), p, total)",
      ]),
      `at = tl.program_id(0) * ${side * side} + k[:, None] * ${side} + k[None, :]`,
      "tl.store(parts + at, total)",
    ];
    return [{ lines }, { lines, warps: 8 }];
  });
  return parts;
}

export interface FirstStatistics extends Statistics {
  /** The means of p pᵀ, [side, side]. */
  readonly moments: Tensor;
}

/** @param weight [filters, taps, channels] @param bias of the convolution */
export function launchFirstStatistics(
  device: TensorDevice,
  sizes: LayerSizes,
  x: Tensor,
  weight: Tensor,
  norm: Norm,
  bias: Tensor | null,
): FirstStatistics {
  const { filters, outHeight, outWidth } = sizes;
  const parts = launchMoments(device, sizes, x);
  const inner = elementsOf(sizes);
  const side = momentsSide(sizes);
  const rows = (x.shape[0] as number) * outHeight * outWidth;
  const mean = empty([filters], "float32", x.place);
  const scale = empty([filters], "float32", x.place);
  const moments = empty([side, side], "float32", x.place);
  const running = runningText(norm, bias);
  const together = side > 16 ? 1 : 8;
  const some = 8192 / (side * side);
  const tensors = { parts, weight, mean, scale, moments, ...running.tensors };
  const form = `${formOf(sizes)} ${norm.epsilon} ${running.form}`;
  const numbers = { programs: parts.shape[0] as number, rows };
  const sums = ["products", "of_i", "of_j"];
  launchFused(device, "window_statistics", form, Math.ceil(filters / together), tensors, numbers, () => ({
    warps: 16,
    lines: [
      `column = tl.program_id(0) * ${together} + tl.arange(0, ${together})`,
      `known = column < ${filters}`,
      "length = rows.to(tl.float32)",
      `e = tl.arange(0, ${side * side})`,
      `i = e // ${side}`,
      `j = e % ${side}`,
      ...sums.map((name) => `${name} = tl.zeros((${some}, ${side * side}), dtype=tl.float32)`),
      `for first in range(0, programs, ${some}):`,
      ...indented([
        `part = first + tl.arange(0, ${some})`,
        `at = parts + (part * ${side * side})[:, None]`,
        "fits = (part < programs)[:, None] & (e >= 0)[None, :]",
        "products += tl.load(at + e[None, :], mask=fits, other=0.0)",
        `of_i += tl.load(at + (${inner * side} + i)[None, :], mask=fits, other=0.0)`,
        `of_j += tl.load(at + (${inner * side} + j)[None, :], mask=fits, other=0.0)`,
      ]),
      ...sums.map((name) => `${name} = tl.sum(${name}, 0) / length`),
      "tl.store(moments + e, products, mask=(e >= 0) & (tl.program_id(0) == 0))",
      ...["i", "j"].map(
        (name) =>
          `of_${name}_ = tl.load(weight + (column * ${inner})[:, None] + ${name}[None, :], ` +
          `mask=known[:, None] & (${name} < ${inner})[None, :], other=0.0).to(tl.float32)`,
      ),
      `center = tl.sum(tl.where((j == ${inner})[None, :], of_i_ * products[None, :], 0.0), 1)`,
      "variance = tl.maximum(tl.sum(of_i_ * of_j_ * (products - of_i * of_j)[None, :], 1), 0.0)",
      "tl.store(mean + column, center, mask=known)",
      `tl.store(scale + column, 1.0 / tl.sqrt(variance + ${norm.epsilon}), mask=known)`,
      ...running.lines("variance * (length / (length - 1.0))"),
    ],
  }));
  running.note();
  return { mean, scale, moments };
}

/** How the windows of all images are dealt out: a program takes `positions` of them `turns` times. */
interface Deal {
  readonly positions: number;
  readonly channels: number;
  readonly ofChannels: number;
  readonly turns: number;
  readonly programs: number;
}

function dealOf(device: TensorDevice, sizes: LayerSizes, batch: number, most: number, ofProcessor: number): Deal {
  const [height, width] = pooledSizes(sizes);
  const positions = 64;
  const channels = sideOf(sizes.filters, most);
  const blocks = Math.ceil((batch * height * width) / positions);
  const turns = blocksOfProgram(blocks, ofProcessor * processors(device));
  const programs = Math.ceil(blocks / turns);
  return { positions, channels, ofChannels: Math.ceil(sizes.filters / channels), turns, programs };
}

/** `n`, `qh`, `qw`: the windows of a turn; `kept`: where they lie in what is [batch, rows, columns, filters]. */
function turnText(sizes: LayerSizes, { positions, turns }: Deal): string[] {
  const [height, width] = pooledSizes(sizes);
  return [
    `q = (program * ${turns} + turn) * ${positions} + tl.arange(0, ${positions})`,
    `inside = q < batch * ${height * width}`,
    `n = q // ${height * width}`,
    `qh = q % ${height * width} // ${width}`,
    `qw = q % ${width}`,
    `kept = q * ${sizes.filters}`,
    `h = qh * ${sizes.pool[0] * sizes.stride[0]} - ${sizes.padding[0]}`,
    `v = qw * ${sizes.pool[1] * sizes.stride[1]} - ${sizes.padding[1]}`,
  ];
}

/**
 * @param out [batch, filters, rows, columns] with any strides
 * @returns which element of each window was greatest, [batch, rows, columns, filters]; null: nobody asks
 */
export function launchFirstForward(
  device: TensorDevice,
  sizes: LayerSizes,
  x: Tensor,
  weight: Tensor,
  { mean, scale }: Statistics,
  norm: Norm,
  out: Tensor,
  keeps: boolean,
): Tensor | null {
  const batch = x.shape[0] as number;
  const deal = dealOf(device, sizes, batch, 32, 8);
  const places = keeps ? empty([batch, ...pooledSizes(sizes), sizes.filters], "uint8", x.place) : null;
  const [strides, images] = [imageStrides(out), imageStrides(x)];
  const tensors = { x, w: weight, mean, scale, weight: norm.weight, bias: norm.bias, out };
  const all = places === null ? tensors : { ...tensors, places };
  const form = `${formOf(sizes)} ${strides.join()} ${images.join()} ${deal.turns} ${keeps}`;
  launchFused(device, "first_layer", form, deal.programs * deal.ofChannels, all, { batch }, () => {
    const lines = forwardText(sizes, deal, strides, images, keeps);
    return [{ lines }, { lines, warps: 8 }, { lines, warps: 2 }];
  });
  return places;
}

function forwardText(
  sizes: LayerSizes,
  deal: Deal,
  strides: ImageStrides,
  images: ImageStrides,
  keeps: boolean,
): string[] {
  const { filters, channels, kernel, stride, dilation, pool, hasRelu } = sizes;
  const inner = elementsOf(sizes);
  const regions = ofRegions(sizes);
  const side = sideOf(elementsOf(regions), MOST_ELEMENTS);
  const count = pool[0] * pool[1];
  const weights: string[] = [];
  const values: string[] = [];
  for (let place = 0; place < count; place++) {
    const [row, column] = [Math.floor(place / pool[1]) * stride[0], (place % pool[1]) * stride[1]];
    weights.push(
      `r = i - ${row}`,
      `s = j - ${column}`,
      `has = (k < ${elementsOf(regions)}) & (r >= 0) & (s >= 0) & (r % ${dilation[0]} == 0) & (s % ${dilation[1]} == 0)`,
      `r = r // ${dilation[0]}`,
      `s = s // ${dilation[1]}`,
      `has = has & (r < ${kernel[0]}) & (s < ${kernel[1]})`,
      `w${place} = tl.load(w + ((r * ${kernel[1]} + s) * ${channels} + k % ${channels})[:, None] + ` +
        `(c * ${inner})[None, :], mask=has[:, None] & (c < ${filters})[None, :], other=0.0)`,
    );
    // Rounded as the results of layers of their own would be, so that the same element is the greatest.
    const y = `tl.dot(region, w${place}).to(tl.bfloat16).to(tl.float32)`;
    const value = `(${y} * factor + shift).to(tl.bfloat16).to(tl.float32)`;
    if (place === 0) values.push(`best = ${value}`, "place = tl.zeros_like(best).to(tl.int32)");
    else
      values.push(
        `value = ${value}`,
        // One NaN makes all of a channel NaN: the norm has its mean.
        "better = value > best",
        "best = tl.where(better, value, best)",
        `place = tl.where(better, ${place}, place)`,
      );
  }
  if (hasRelu) values.push(`place = tl.where(best <= 0.0, ${NONE}, place)`, "best = tl.where(best <= 0.0, 0.0, best)");
  const [ofBatch, ofChannel, ofRow, ofColumn] = strides;
  const to = `n * ${ofBatch} + qh * ${ofRow} + qw * ${ofColumn}`;
  if (isTurned(strides))
    values.push(
      `tl.store(out + (${to})[None, :] + (c * ${ofChannel})[:, None], tl.trans(best).to(tl.bfloat16), ` +
        `mask=inside[None, :] & (c < ${filters})[:, None])`,
    );
  else values.push(`tl.store(out + (${to})[:, None] + c[None, :], best.to(tl.bfloat16), mask=fits)`);
  if (keeps) values.push("tl.store(places + kept[:, None] + c[None, :], place.to(tl.uint8), mask=fits)");
  return [
    ...channelText(deal),
    ofChannels("mean", filters, "center"),
    ofChannels("scale", filters, "factor"),
    ofChannels("weight", filters, "gain"),
    ofChannels("bias", filters, "shift"),
    "factor = factor * gain",
    "shift = shift - center * factor",
    `k = tl.arange(0, ${side})`,
    ...windowElementText(regions, images),
    ...weights,
    `for turn in range(0, ${deal.turns}):`,
    ...indented([
      ...turnText(sizes, deal),
      ...patchText(regions, images, "region"),
      `fits = inside[:, None] & (c < ${filters})[None, :]`,
      ...values,
    ]),
  ];
}

/**
 * The gradients of the norm and of the weight.
 * @param gradient of the block's result @param gain of the norm @param target gets that of the weight
 * @returns [3, filters]: the gradients of the norm's bias and weight, and zeros
 */
export function launchFirstGradients(
  device: TensorDevice,
  sizes: LayerSizes,
  x: Tensor,
  weight: Tensor,
  of: {
    readonly gradient: Tensor;
    readonly places: Tensor;
    readonly statistics: FirstStatistics;
    readonly gain: Tensor;
  },
  target: Tensor,
): Tensor {
  const { gradient, places, statistics, gain } = of;
  const batch = x.shape[0] as number;
  const { filters, pool } = sizes;
  const side = sideOf(elementsOf(ofRegions(sizes)), MOST_ELEMENTS);
  let count = 1;
  while (count < pool[0] * pool[1]) count *= 2;
  const deal = dealOf(device, sizes, batch, Math.min(64, Math.max(16, 4096 / (side * count))), 4);
  // [filter, place, element of the region], and the sum of g behind them
  const parts = empty([deal.programs, filters, count * side + 1], "float32", x.place);
  const [own, images] = [imageStrides(gradient), imageStrides(x)];
  const form = `${formOf(sizes)} ${own.join()} ${images.join()} ${deal.turns}`;
  const tensors = { gradient, places, x, parts };
  launchFused(device, "first_layer_sums", form, deal.programs * deal.ofChannels, tensors, { batch }, () => {
    const lines = sumsText(sizes, deal, own, images, { side, count });
    return [{ lines }, { lines, warps: 8 }, { lines, stages: 1 }];
  });
  const sums = empty([3, filters], "float32", x.place);
  const all = { parts, weight, ...statistics, gain, sums, target };
  const numbers = { programs: deal.programs };
  launchFused(device, "first_layer_gradients", formOf(sizes), filters, all, numbers, () => ({
    lines: gradientsText(sizes, { side, count }),
  }));
  return sums;
}

interface Places {
  readonly side: number;
  /** A power of two. */
  readonly count: number;
}

function sumsText(
  sizes: LayerSizes,
  deal: Deal,
  [ofBatch, ofChannel, ofRow, ofColumn]: ImageStrides,
  images: ImageStrides,
  { side, count }: Places,
): string[] {
  const { filters, height, width } = sizes;
  const { channels, positions } = deal;
  const regions = ofRegions(sizes);
  const length = count * side + 1;
  const to = `n * ${ofBatch} + qh * ${ofRow} + qw * ${ofColumn}`;
  const loads = (name: string, c: string): string[] => [
    `fits = inside[:, None] & (${c} < ${filters})[None, :]`,
    `${name} = tl.load(gradient + (${to})[:, None] + (${c} * ${ofChannel})[None, :], mask=fits, other=0.0)`,
    `${name}_place = tl.load(places + kept[:, None] + ${c}[None, :], mask=fits, other=${NONE})`,
  ];
  return [
    ...channelText(deal),
    `column = tl.arange(0, ${count * channels})`,
    `own = column // ${channels}`,
    `d = (tl.program_id(0) % ${deal.ofChannels}) * ${channels} + column % ${channels}`,
    `k = tl.arange(0, ${side})`,
    ...windowElementText(regions, images),
    `total = tl.zeros((${side}, ${count * channels}), dtype=tl.float32)`,
    `sum = tl.zeros((${positions}, ${channels}), dtype=tl.float32)`,
    `for turn in range(0, ${deal.turns}):`,
    ...indented([
      ...turnText(sizes, deal),
      ...loads("g", "d"),
      ...loads("all", "c"),
      `row = tl.where(inside, h, ${-(2 ** 21)})`,
      `fits = ((row[None, :] + i[:, None]).to(tl.uint32) < ${height}) & ` +
        `((v[None, :] + j[:, None]).to(tl.uint32) < ${width})`,
      `begin = n * ${images[0]} + h * ${images[2]} + v * ${images[3]}`,
      "region = tl.load(x + (begin[None, :] + offset[:, None]), mask=fits, other=0.0).to(tl.bfloat16)",
      "g = tl.where(g_place.to(tl.int32) == own[None, :], g.to(tl.float32), 0.0).to(tl.bfloat16)",
      "total = tl.dot(region, g, total)",
      `sum += tl.where(all_place.to(tl.int32) == ${NONE}, 0.0, all.to(tl.float32))`,
    ]),
    `to = parts + program * ${filters * length}`,
    `tl.store(to + (d * ${length} + own * ${side})[None, :] + k[:, None], total, ` +
      `mask=(k >= 0)[:, None] & (d < ${filters})[None, :])`,
    `tl.store(to + c * ${length} + ${length - 1}, tl.sum(sum, 0), mask=c < ${filters})`,
  ];
}

/** A program has one filter. */
function gradientsText(sizes: LayerSizes, { side, count }: Places): string[] {
  const { filters, channels, kernel, stride, dilation, pool } = sizes;
  const inner = elementsOf(sizes);
  const taps = tapsOf(sizes);
  const length = count * side + 1;
  const wide = momentsSide(sizes);
  const some = 4096 / wide;
  const [, width] = regionOf(sizes);
  const places = Array.from({ length: pool[0] * pool[1] }, (_, place) => {
    const [row, column] = [Math.floor(place / pool[1]) * stride[0], (place % pool[1]) * stride[1]];
    return place * side + (row * width + column) * channels;
  });
  return [
    "c = tl.program_id(0)",
    `k = tl.arange(0, ${wide})`,
    `known = k < ${inner}`,
    // Where an element of a window is in the region of the first place.
    `tap = k // ${channels}`,
    `element = (tap // ${kernel[1]} * ${dilation[0] * width} + tap % ${kernel[1]} * ${dilation[1]}) * ${channels} + ` +
      `k % ${channels}`,
    `total = tl.zeros((${some}, ${wide}), dtype=tl.float32)`,
    `all = tl.zeros((${some},), dtype=tl.float32)`,
    `for first in range(0, programs, ${some}):`,
    ...indented([
      `part = first + tl.arange(0, ${some})`,
      `at = parts + part * ${filters * length} + c * ${length}`,
      "fits = (part < programs)[:, None] & known[None, :]",
      ...places.map((by, p) => `g${p} = tl.load(at[:, None] + (element + ${by})[None, :], mask=fits, other=0.0)`),
      `all += tl.load(at + ${length - 1}, mask=part < programs, other=0.0)`,
      ...places.map((_, p) => `total += g${p}`),
    ]),
    "sum = tl.sum(total, 0)",
    "shift = tl.sum(all, 0)",
    "w = tl.load(weight + c * " + `${inner} + k, mask=known, other=0.0).to(tl.float32)`,
    "center = tl.load(mean + c)",
    "factor = tl.load(scale + c)",
    "along = factor * (tl.sum(w * sum, 0) - center * shift)",
    `products = tl.load(moments + k[:, None] * ${wide} + k[None, :])`,
    `means = tl.load(moments + ${inner * wide} + k)`,
    "apart = tl.sum(w[:, None] * products, 0) - center * means",
    "d = (sum - shift * means - along * factor * apart) * (factor * tl.load(gain + c))",
    `tl.store(target + c * ${inner} + k % ${channels} * ${taps} + tap, d, mask=known)`,
    "tl.store(sums + c, shift)",
    `tl.store(sums + ${filters} + c, along)`,
    `tl.store(sums + ${2 * filters} + c, along * 0.0)`,
  ];
}
