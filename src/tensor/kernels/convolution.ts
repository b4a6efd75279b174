/** Convolutions by kernels: matrix products whose operands are read where they lie, so that no columns are copied. */
import type { Expression } from "../expressions/expression.ts";
import type { ConvolutionSizes } from "../operations/convolution-host.ts";
import { elementCount, empty, type Shape, type Tensor } from "../tensor.ts";
import { convolutionText, type ConvolutionTile } from "./convolution-text.ts";
import { nextPowerOfTwo } from "./layout.ts";
import { launchReduction } from "./reduction.ts";
import { settings } from "./settings.ts";
import { tensorDeviceOf, type TensorDevice } from "./tensor-device.ts";

const IDENTITY: Expression = { op: "input", index: 0, isBool: false };

/** What is computed of the other two. */
export type ConvolutionPart = "output" | "input" | "weight";

/** On the emulated device, the host is done with fewer products before a kernel is. */
const LEAST_PRODUCTS = 2 ** 24;
const MOST_ELEMENTS = 2 ** 31;

/** A convolution as a product of matrices: [m, k] · [k, n]. */
interface Product {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

function productOf(part: ConvolutionPart, sizes: ConvolutionSizes): Product {
  const { batch, inputs, outputs, input, output, kernel } = sizes;
  const [pixels, places, weights] = [elementCount(output), elementCount(input), elementCount(kernel)];
  if (part === "output") return { m: batch * pixels, n: outputs, k: inputs * weights };
  if (part === "input") return { m: batch * places, n: inputs, k: outputs * weights };
  return { m: outputs, n: inputs * weights, k: batch * pixels };
}

function tileFor({ m, n, k }: Product): ConvolutionTile {
  const clamp = (size: number, most: number): number => Math.min(most, Math.max(16, nextPowerOfTwo(size)));
  return { rows: clamp(m, 64), columns: clamp(n, 64), depth: clamp(k, 32) };
}

/** Channels lie beside each other: the result lies as its operand does. */
function isChannelsLast(tensor: Tensor): boolean {
  return tensor.rank > 3 && tensor.strides[1] === 1 && (tensor.shape[1] as number) > 1;
}

function emptyAs(like: Tensor, shape: Shape): Tensor {
  if (!isChannelsLast(like)) return empty(shape, like.dtype, like.place);
  const [batch, channels, ...spatial] = shape as [number, number, ...number[]];
  const dense = empty([batch, ...spatial, channels], like.dtype, like.place);
  const last = shape.length - 1;
  const pick = (of: Shape): number[] => [of[0] as number, of[last] as number, ...of.slice(1, last)];
  return dense.asStrided(shape, pick(dense.strides));
}

/**
 * @param a, b for the output: input and weight; for the input: gradient and weight; for the weight: input and gradient
 */
export function launchConvolution(
  part: ConvolutionPart,
  sizes: ConvolutionSizes,
  a: Tensor,
  b: Tensor,
  shape: Shape,
): Tensor | null {
  const device = tensorDeviceOf(a.place);
  const { dtype } = a;
  if (device === null || (dtype !== "float32" && dtype !== "float16" && dtype !== "bfloat16")) return null;
  const product = productOf(part, sizes);
  const count = product.m * product.n * product.k * sizes.groups;
  if (count === 0 || Math.max(a.length, b.length, elementCount(shape)) >= MOST_ELEMENTS) return null;
  if (device.leastElements > 1 && count < LEAST_PRODUCTS) return null;
  const result = part === "weight" ? empty(shape, dtype, a.place) : emptyAs(a, shape);
  const tile = tileFor(product);
  const blocks = Math.ceil(product.m / tile.rows) * Math.ceil(product.n / tile.columns) * sizes.groups;
  const splits = part === "weight" ? splitsFor(device, blocks, product.k, tile) : 1;
  if (splits === 1) {
    launch(device, part, sizes, [a, b, result], tile, blocks, 1);
    return result;
  }
  // Parts of each sum first; they are added in a fixed order.
  const parts = empty([splits, ...shape], "float32", a.place);
  launch(device, part, sizes, [a, b, parts], tile, blocks, splits);
  const combined = sumParts(parts, result);
  parts.release();
  return combined;
}

function sumParts(parts: Tensor, result: Tensor): Tensor {
  const device = tensorDeviceOf(parts.place) as TensorDevice;
  const fn = { name: "sum", combine: "sum", expression: IDENTITY, type: "float32", finish: null } as const;
  launchReduction(device, fn, [parts], result.asStrided([1, ...result.shape], [0, ...result.strides]), []);
  return result;
}

function splitsFor(device: TensorDevice, blocks: number, k: number, tile: ConvolutionTile): number {
  const wanted = device.raw.kind === "emulated" ? 8 : device.raw.properties.multiProcessorCount * 2;
  return Math.max(1, Math.min(Math.ceil(wanted / blocks), Math.floor(k / (tile.depth * 4))));
}

function launch(
  device: TensorDevice,
  part: ConvolutionPart,
  sizes: ConvolutionSizes,
  [a, b, c]: readonly [Tensor, Tensor, Tensor],
  tile: ConvolutionTile,
  blocks: number,
  splits: number,
): void {
  const isAligned = [a, b, c].every(({ pointer }) => pointer % 16 === 0);
  const precision = settings.tf32Convolutions ? "tf32" : "ieee";
  const { batch, ...fixed } = sizes;
  const forms = [a, b, c].map(({ dtype, strides }) => `${dtype}[${strides.join()}]`);
  const key =
    `convolution ${part} ${JSON.stringify(fixed)} ${forms.join()} ${JSON.stringify(tile)} ` +
    `${splits} ${precision} ${isAligned}`;
  const kernel = device.kernel(key, () =>
    convolutionText(part, sizes, { a, b, c, tile, splits, precision, isAligned }),
  );
  kernel.launch(blocks * splits, [a.pointer, b.pointer, c.pointer, batch]);
  c.storage.version++;
}
