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
 * The windows of one pooling overlap. What they have in common, their region, is gathered once: one kernel writes the
 * regions side by side, and the others read them. The moments of the windows follow from those of the regions.
 */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import type { Norm } from "./batch-norm.ts";
import { formOf, pooledSizes, type LayerSizes, imageStrides, type ImageStrides } from "./block-sizes.ts";
import { windowElementText } from "./convolution.ts";
import {
  dealOf,
  elementsOf,
  ofRegions,
  regionSide,
  regionText,
  turnText,
  variantsOf,
  type Deal,
} from "./first-layer-sizes.ts";
import { indented, launchFused } from "./fused-kernel.ts";
import type { FirstStatistics } from "./window-regions.ts";
import { channelText, NONE, ofChannels, storeBestText } from "./window-tiles.ts";

/**
 * @param out [batch, filters, rows, columns] with any strides
 * @returns which element of each window was greatest, [batch, rows, columns, filters]; null: nobody asks
 */
export function launchFirstForward(
  device: TensorDevice,
  sizes: LayerSizes,
  weight: Tensor,
  { mean, scale, regions }: FirstStatistics,
  norm: Norm,
  out: Tensor,
  keeps: boolean,
): Tensor | null {
  const batch = out.shape[0] as number;
  const deal = dealOf(device, sizes, batch, { positions: 64, channels: 32, ofProcessor: 8 });
  const places = keeps ? empty([batch, ...pooledSizes(sizes), sizes.filters], "uint8", out.place) : null;
  const strides = imageStrides(out);
  const tensors = { regions, w: weight, mean, scale, weight: norm.weight, bias: norm.bias, out };
  const all = places === null ? tensors : { ...tensors, places };
  const form = `${formOf(sizes)} ${strides.join()} ${deal.turns} ${keeps}`;
  launchFused(device, "first_layer", form, deal.programs * deal.ofChannels, all, { batch }, () => {
    const text = (own: Deal): string[] => forwardText(sizes, own, strides, keeps);
    return variantsOf(deal, text);
  });
  return places;
}

/** `w0`, `w1`…: the weights of channels `c`, for each place of a pooling where its window lies in the region. */
export function placeWeights(sizes: LayerSizes): string[] {
  const { filters, channels, kernel, stride, dilation, pool } = sizes;
  const inner = elementsOf(sizes);
  const lines: string[] = [];
  for (let place = 0; place < pool[0] * pool[1]; place++) {
    const [row, column] = [Math.floor(place / pool[1]) * stride[0], (place % pool[1]) * stride[1]];
    lines.push(
      `r = i - ${row}`,
      `s = j - ${column}`,
      `has = (k < ${elementsOf(ofRegions(sizes))}) & (r >= 0) & (s >= 0)`,
      `has = has & (r % ${dilation[0]} == 0) & (s % ${dilation[1]} == 0)`,
      `r = r // ${dilation[0]}`,
      `s = s // ${dilation[1]}`,
      `has = has & (r < ${kernel[0]}) & (s < ${kernel[1]})`,
      `w${place} = tl.load(w + ((r * ${kernel[1]} + s) * ${channels} + k % ${channels})[:, None] + ` +
        `(c * ${inner})[None, :], mask=has[:, None] & (c < ${filters})[None, :], other=0.0)`,
    );
  }
  return lines;
}

function forwardText(sizes: LayerSizes, deal: Deal, strides: ImageStrides, keeps: boolean): string[] {
  const { filters, pool, hasRelu } = sizes;
  const regions = ofRegions(sizes);
  const side = regionSide(sizes);
  const count = pool[0] * pool[1];
  const values: string[] = [];
  for (let place = 0; place < count; place++) {
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
  values.push(storeBestText(strides, filters, "c"));
  if (keeps)
    values.push(
      `fits = inside[:, None] & (c < ${filters})[None, :]`,
      "tl.store(places + kept[:, None] + c[None, :], place.to(tl.uint8), mask=fits)",
    );
  return [
    ...channelText(deal),
    ofChannels("mean", filters, "center"),
    ofChannels("scale", filters, "factor"),
    ofChannels("weight", filters, "gain"),
    ofChannels("bias", filters, "shift"),
    "factor = factor * gain",
    "shift = shift - center * factor",
    `k = tl.arange(0, ${side})`,
    ...windowElementText(regions, [0, 0, 0, 0]),
    ...placeWeights(sizes),
    `for turn in tl.range(0, ${deal.turns}, num_stages=3):`,
    ...indented([...turnText(sizes, deal), regionText(sizes), ...values]),
  ];
}
