/** The gradients of a first layer's weight and norm by one way over its windows: see first-layer.ts. */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { formOf, tapsOf, type LayerSizes, imageStrides, type ImageStrides } from "./block-sizes.ts";

import {
  dealOf,
  elementsOf,
  elementText,
  momentsSide,
  placesOf,
  regionSide,
  regionText,
  turnText,
  variantsOf,
  type Deal,
} from "./first-layer-sizes.ts";
import { indented, launchFused, sideOf } from "./fused-kernel.ts";
import { channelText, NONE } from "./window-tiles.ts";
import type { FirstStatistics } from "./window-regions.ts";

/**
 * The gradients of the norm and of the weight.
 * @param gradient of the block's result @param gain of the norm @param target gets that of the weight
 * @returns [3, filters]: the gradients of the norm's bias and weight, and zeros
 */
export function launchFirstGradients(
  device: TensorDevice,
  sizes: LayerSizes,
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
  const batch = gradient.shape[0] as number;
  const { filters, pool } = sizes;
  const side = regionSide(sizes);
  const count = pool[0] * pool[1];
  const channels = Math.min(64, Math.max(16, 4096 / (side * sideOf(count, 16))));
  const deal = dealOf(device, sizes, batch, { positions: 64, channels, ofProcessor: 4 });
  // [filter, place, element of the region], and the sum of g behind them
  const parts = empty([deal.programs, filters, count * side + 1], "float32", gradient.place);
  const own = imageStrides(gradient);
  const form = `${formOf(sizes)} ${own.join()} ${deal.turns}`;
  const tensors = { gradient, places, regions: statistics.regions, parts };
  launchFused(device, "first_layer_sums", form, deal.programs * deal.ofChannels, tensors, { batch }, () =>
    variantsOf(deal, (dealt) => sumsText(sizes, dealt, own)),
  );
  const sums = empty([3, filters], "float32", gradient.place);
  const { mean, scale, moments } = statistics;
  const all = { parts, weight, mean, scale, moments, gain, sums, target };
  const numbers = { programs: deal.programs };
  launchFused(device, "first_layer_gradients", formOf(sizes), filters, all, numbers, () => ({
    lines: gradientsText(sizes),
  }));
  return sums;
}

function sumsText(sizes: LayerSizes, deal: Deal, [ofBatch, ofChannel, ofRow, ofColumn]: ImageStrides): string[] {
  const { filters, pool } = sizes;
  const { channels, positions } = deal;
  const side = regionSide(sizes);
  const own = Array.from({ length: pool[0] * pool[1] }, (_, place) => place);
  const length = own.length * side + 1;
  const to = `n * ${ofBatch} + qh * ${ofRow} + qw * ${ofColumn}`;
  return [
    ...channelText(deal),
    `k = tl.arange(0, ${side})`,
    ...own.map((place) => `total${place} = tl.zeros((${side}, ${channels}), dtype=tl.float32)`),
    `sum = tl.zeros((${positions}, ${channels}), dtype=tl.float32)`,
    `for turn in range(0, ${deal.turns}):`,
    ...indented([
      ...turnText(sizes, deal),
      `fits = inside[:, None] & (c < ${filters})[None, :]`,
      `g = tl.load(gradient + (${to})[:, None] + (c * ${ofChannel})[None, :], mask=fits, other=0.0)`,
      `place = tl.load(places + kept[:, None] + c[None, :], mask=fits, other=${NONE}).to(tl.int32)`,
      regionText(sizes),
      "g = g.to(tl.float32)",
      `sum += tl.where(place == ${NONE}, 0.0, g)`,
      ...own.flatMap((p) => [
        `g${p} = tl.where(place == ${p}, g, 0.0).to(tl.bfloat16)`,
        `total${p} = tl.dot(tl.trans(region), g${p}, total${p})`,
      ]),
    ]),
    `to = parts + program * ${filters * length}`,
    ...own.map(
      (p) =>
        `tl.store(to + (c * ${length} + ${p * side})[None, :] + k[:, None], total${p}, ` +
        `mask=(k >= 0)[:, None] & (c < ${filters})[None, :])`,
    ),
    `tl.store(to + c * ${length} + ${length - 1}, tl.sum(sum, 0), mask=c < ${filters})`,
  ];
}

/** A program has one filter. */
function gradientsText(sizes: LayerSizes): string[] {
  const { filters, channels } = sizes;
  const inner = elementsOf(sizes);
  const taps = tapsOf(sizes);
  const side = regionSide(sizes);
  const places = placesOf(sizes).map((by, place) => place * side + by);
  const length = places.length * side + 1;
  const wide = momentsSide(sizes);
  const some = 2048 / wide;
  return [
    "c = tl.program_id(0)",
    `k = tl.arange(0, ${wide})`,
    `known = k < ${inner}`,
    ...elementText(sizes),
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
