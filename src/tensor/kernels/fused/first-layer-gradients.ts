/** The gradients of a first layer's weight and norm by one way over its windows: see first-layer.ts. */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { formOf, tapsOf, type LayerSizes } from "./block-sizes.ts";
import { imageStrides, windowElementText, type ImageStrides } from "./convolution.ts";
import {
  dealOf,
  elementsOf,
  momentsSide,
  MOST_ELEMENTS,
  ofRegions,
  regionOf,
  turnText,
  variantsOf,
  type Deal,
} from "./first-layer-sizes.ts";
import { indented, launchFused, sideOf } from "./fused-kernel.ts";
import { channelText, NONE } from "./window-tiles.ts";
import type { FirstStatistics } from "./window-moments.ts";

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
    const text = (dealt: Deal): string[] => sumsText(sizes, dealt, own, images, { side, count });
    return variantsOf(deal, text);
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
  const some = 2048 / wide;
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
