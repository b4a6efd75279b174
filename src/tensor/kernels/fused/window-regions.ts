/** The statistics of a first layer's results from the moments of its windows: see first-layer.ts. */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { runningText, type Norm, type Statistics } from "./batch-norm.ts";
import { formOf, type LayerSizes } from "./block-sizes.ts";
import { imageStrides, patchText, processors, windowElementText } from "./convolution.ts";
import { elementsOf, momentsSide } from "./first-layer-sizes.ts";
import { blocksOfProgram, indented, launchFused } from "./fused-kernel.ts";

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
