/**
 * The regions of a first layer side by side in memory, which all its kernels read, and the statistics of its results
 * from the moments of its windows: see first-layer.ts.
 */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { runningText, type Norm, type Statistics } from "./batch-norm.ts";
import { formOf, pooledSizes, type LayerSizes, imageStrides, type ImageStrides } from "./block-sizes.ts";
import { patchText, windowElementText } from "./convolution.ts";
import {
  dealOf,
  elementsOf,
  elementText,
  momentsSide,
  ofRegions,
  placesOf,
  regionSide,
  turnText,
  variantsOf,
  type Deal,
} from "./first-layer-sizes.ts";
import { indented, launchFused } from "./fused-kernel.ts";

interface Regions {
  /** [windows of the pooling, side], bfloat16 */
  readonly regions: Tensor;
  /** The sums of p pᵀ over the windows of all pixels in parts, [parts, side, side]. Behind its elements, p has a 1. */
  readonly parts: Tensor;
}

function launchRegions(device: TensorDevice, sizes: LayerSizes, x: Tensor): Regions {
  const batch = x.shape[0] as number;
  const [height, width] = pooledSizes(sizes);
  const side = regionSide(sizes);
  const wide = momentsSide(sizes);
  const deal = dealOf(device, sizes, batch, { positions: 256, channels: 16, ofProcessor: 2 });
  const regions = empty([batch * height * width, side], "bfloat16", x.place);
  const sums = empty([deal.programs, side + 1, side], "float32", x.place);
  const parts = empty([deal.programs, wide, wide], "float32", x.place);
  const strides = imageStrides(x);
  const form = `${formOf(sizes)} ${strides.join()} ${deal.turns}`;
  launchFused(device, "window_regions", form, deal.programs, { x, regions, sums, parts }, { batch }, () =>
    variantsOf(deal, (own) => regionsText(sizes, own, strides)),
  );
  return { regions, parts };
}

function regionsText(sizes: LayerSizes, deal: Deal, strides: ImageStrides): string[] {
  const side = regionSide(sizes);
  const wide = momentsSide(sizes);
  const inner = elementsOf(sizes);
  return [
    "program = tl.program_id(0)",
    `k = tl.arange(0, ${side})`,
    ...windowElementText(ofRegions(sizes), strides),
    `total = tl.zeros((${side}, ${side}), dtype=tl.float32)`,
    `sum = tl.zeros((${deal.positions}, ${side}), dtype=tl.float32)`,
    `for turn in range(0, ${deal.turns}):`,
    ...indented([
      ...turnText(sizes, deal),
      ...patchText(ofRegions(sizes), strides, "region"),
      `tl.store(regions + (q * ${side})[:, None] + k[None, :], region, mask=inside[:, None] & (k >= 0)[None, :])`,
      "total = tl.dot(tl.trans(region), region, total)",
      "sum += region.to(tl.float32)",
    ]),
    `own = sums + program * ${(side + 1) * side}`,
    `tl.store(own + k[:, None] * ${side} + k[None, :], total)`,
    `tl.store(own + ${side * side} + k, tl.sum(sum, 0))`,
    "tl.debug_barrier()",
    // A window is a part of the region of its pooling: another one for each place.
    `k = tl.arange(0, ${wide})`,
    ...elementText(sizes),
    `element = tl.where(k < ${inner}, element, 0)`,
    `one_i = (k == ${inner})[:, None]`,
    `one_j = (k == ${inner})[None, :]`,
    `at = tl.where(one_j, ${side * side} + element[:, None], element[:, None] * ${side} + element[None, :])`,
    `at = tl.where(one_i, ${side * side} + element[None, :], at)`,
    `by = tl.where(one_i | one_j, 1, ${side + 1})`,
    `fits = (k <= ${inner})[:, None] & (k <= ${inner})[None, :]`,
    `total = tl.zeros((${wide}, ${wide}), dtype=tl.float32)`,
    ...placesOf(sizes).map((place) => `total += tl.load(own + at + by * ${place}, mask=fits, other=0.0)`),
    `tl.store(parts + program * ${wide * wide} + k[:, None] * ${wide} + k[None, :], total)`,
  ];
}

export interface FirstStatistics extends Statistics {
  /** [windows of the pooling, side], bfloat16 */
  readonly regions: Tensor;
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
  const { regions, parts } = launchRegions(device, sizes, x);
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
  launchFused(device, "window_statistics", form, Math.ceil(filters / together), tensors, numbers, () => ({
    warps: 16,
    lines: [
      `column = tl.program_id(0) * ${together} + tl.arange(0, ${together})`,
      `known = column < ${filters}`,
      "length = rows.to(tl.float32)",
      `e = tl.arange(0, ${side * side})`,
      `i = e // ${side}`,
      `j = e % ${side}`,
      `products = tl.zeros((${some}, ${side * side}), dtype=tl.float32)`,
      `for first in range(0, programs, ${some}):`,
      ...indented([
        `part = first + tl.arange(0, ${some})`,
        `at = parts + (part * ${side * side})[:, None]`,
        "fits = (part < programs)[:, None] & (e >= 0)[None, :]",
        "products += tl.load(at + e[None, :], mask=fits, other=0.0)",
      ]),
      "products = tl.sum(products, 0) / length",
      `of_i = tl.gather(products, ${inner * side} + i, 0)`,
      `of_j = tl.gather(products, ${inner * side} + j, 0)`,
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
  return { mean, scale, moments, regions };
}
