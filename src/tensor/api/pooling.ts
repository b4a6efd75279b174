/** Pooling, as functions. */
import { HeddleError } from "../../base/diagnostics.ts";
import { binary, unary } from "../operations/elementwise.ts";
import { float } from "../operations/operands.ts";
import * as pooling from "../operations/pooling.ts";
import type { PoolOptions } from "../operations/pooling-windows.ts";
import type { Shape, Tensor } from "../tensor.ts";
import { sizesFor, type Sizes } from "./layers.ts";
import type { ValuesAndIndices } from "./operands.ts";

export interface MaxPoolOptions {
  /** Default: the size of the kernel. */
  readonly stride?: Sizes;
  readonly padding?: Sizes;
  readonly dilation?: Sizes;
  /** A window may end beside the input. */
  readonly ceilMode?: boolean;
}

export interface AvgPoolOptions {
  /** Default: the size of the kernel. */
  readonly stride?: Sizes;
  readonly padding?: Sizes;
  readonly ceilMode?: boolean;
  /** Means divide by the elements of the margin, too; default true. */
  readonly countIncludePad?: boolean;
  readonly divisorOverride?: number | null;
}

export interface UnpoolOptions {
  readonly stride?: Sizes;
  readonly padding?: Sizes;
  readonly outputSize?: Shape;
}

function optionsOf(
  kernelSize: Sizes,
  dims: number,
  { stride = kernelSize, padding = 0, dilation = 1, ceilMode = false }: MaxPoolOptions,
): PoolOptions {
  return {
    kernel: sizesFor("kernelSize", kernelSize, dims),
    stride: sizesFor("stride", stride, dims),
    padding: sizesFor("padding", padding, dims),
    dilation: sizesFor("dilation", dilation, dims),
    ceilMode,
  };
}

type MaxPool = (input: Tensor, kernelSize: Sizes, options?: MaxPoolOptions) => Tensor;
type MaxPoolWithIndices = (input: Tensor, kernelSize: Sizes, options?: MaxPoolOptions) => ValuesAndIndices;
type AvgPool = (input: Tensor, kernelSize: Sizes, options?: AvgPoolOptions) => Tensor;
type AdaptivePool = (input: Tensor, outputSize: number | readonly (number | null)[]) => Tensor;
type AdaptivePoolWithIndices = (input: Tensor, outputSize: number | readonly (number | null)[]) => ValuesAndIndices;
type Unpool = (input: Tensor, indices: Tensor, kernelSize: Sizes, options?: UnpoolOptions) => Tensor;
type LpPool = (input: Tensor, normType: number, kernelSize: Sizes, options?: MaxPoolOptions) => Tensor;

const maxPool =
  (dims: number): MaxPool =>
  (input, kernelSize, options = {}) =>
    pooling.maxPool(input, optionsOf(kernelSize, dims, options)).values;
const maxPoolWithIndices =
  (dims: number): MaxPoolWithIndices =>
  (input, kernelSize, options = {}) =>
    pooling.maxPool(input, optionsOf(kernelSize, dims, options));
const avgPool =
  (dims: number): AvgPool =>
  (input, kernelSize, { countIncludePad = true, divisorOverride = null, ...options } = {}) =>
    pooling.averagePool(input, optionsOf(kernelSize, dims, options), {
      countsPadding: countIncludePad,
      divisor: divisorOverride,
    });
const countsFor = (input: Tensor, size: number | readonly (number | null)[], dims: number): Shape => {
  const all = typeof size === "number" ? Array.from({ length: dims }, () => size) : size;
  return sizesFor(
    "outputSize",
    all.map((own, d) => own ?? (input.shape.at(d - dims) as number)),
    dims,
  );
};
const adaptiveAvgPool =
  (dims: number): AdaptivePool =>
  (input, outputSize) =>
    pooling.adaptiveAveragePool(input, countsFor(input, outputSize, dims));
const adaptiveMaxPool =
  (dims: number): AdaptivePool =>
  (input, outputSize) =>
    pooling.adaptiveMaxPool(input, countsFor(input, outputSize, dims)).values;
const adaptiveMaxPoolWithIndices =
  (dims: number): AdaptivePoolWithIndices =>
  (input, outputSize) =>
    pooling.adaptiveMaxPool(input, countsFor(input, outputSize, dims));
const maxUnpool =
  (dims: number): Unpool =>
  (input, indices, kernelSize, options = {}) => {
    const own = optionsOf(kernelSize, dims, options);
    const sizes = input.shape
      .slice(-dims)
      .map(
        (size, d) =>
          (size - 1) * (own.stride[d] as number) + (own.kernel[d] as number) - 2 * (own.padding[d] as number),
      );
    return pooling.maxUnpool(input, indices, options.outputSize?.slice(-dims) ?? sizes);
  };
/** (Σ xᵖ)^(1/p) of each window. */
const lpPool =
  (dims: number): LpPool =>
  (input, normType, kernelSize, options = {}) => {
    if (normType === 0) throw new HeddleError("bad-arguments", "a norm of 0 has no root");
    const kernel = sizesFor("kernelSize", kernelSize, dims);
    const mean = avgPool(dims)(binary("pow", input, float(normType)), kernelSize, options);
    const count = kernel.reduce((product, size) => product * size, 1);
    // sign(mean) · relu(|mean|), as PyTorch: a sum below 0 has no root.
    const size = binary("mul", unary("sign", mean), unary("relu", unary("abs", mean)));
    return binary("pow", binary("mul", size, float(count)), float(1 / normType));
  };

export const maxPool1d: MaxPool = maxPool(1);
export const maxPool2d: MaxPool = maxPool(2);
export const maxPool3d: MaxPool = maxPool(3);
/** The greatest elements, and where they are among the elements of their channel. */
export const maxPool1dWithIndices: MaxPoolWithIndices = maxPoolWithIndices(1);
export const maxPool2dWithIndices: MaxPoolWithIndices = maxPoolWithIndices(2);
export const maxPool3dWithIndices: MaxPoolWithIndices = maxPoolWithIndices(3);
export const avgPool1d: AvgPool = avgPool(1);
export const avgPool2d: AvgPool = avgPool(2);
export const avgPool3d: AvgPool = avgPool(3);
/** @param outputSize null keeps a size */
export const adaptiveAvgPool1d: AdaptivePool = adaptiveAvgPool(1);
export const adaptiveAvgPool2d: AdaptivePool = adaptiveAvgPool(2);
export const adaptiveAvgPool3d: AdaptivePool = adaptiveAvgPool(3);
export const adaptiveMaxPool1d: AdaptivePool = adaptiveMaxPool(1);
export const adaptiveMaxPool2d: AdaptivePool = adaptiveMaxPool(2);
export const adaptiveMaxPool3d: AdaptivePool = adaptiveMaxPool(3);
/** The greatest elements, and where they are among the elements of their channel. */
export const adaptiveMaxPool1dWithIndices: AdaptivePoolWithIndices = adaptiveMaxPoolWithIndices(1);
export const adaptiveMaxPool2dWithIndices: AdaptivePoolWithIndices = adaptiveMaxPoolWithIndices(2);
export const adaptiveMaxPool3dWithIndices: AdaptivePoolWithIndices = adaptiveMaxPoolWithIndices(3);
export const maxUnpool1d: Unpool = maxUnpool(1);
export const maxUnpool2d: Unpool = maxUnpool(2);
export const maxUnpool3d: Unpool = maxUnpool(3);
export const lpPool1d: LpPool = lpPool(1);
export const lpPool2d: LpPool = lpPool(2);
