/** What PyTorch's `torch.nn.functional` has: functions of layers and losses. Their names are PyTorch's in camelCase. */
import { HeddleError } from "../../base/diagnostics.ts";
import * as bags from "../operations/embedding-bag.ts";
import { convolution, foldColumns, transposedConvolution, windowColumns } from "../operations/convolution.ts";
import type { Windows } from "../operations/convolution-host.ts";
import { productOperand } from "../autograd/autocast.ts";
import { binary, cast, where } from "../operations/elementwise.ts";
import { linearLayer } from "../operations/linear-layer.ts";
import { matmul } from "../operations/matmul.ts";
import { pad as padded, type PadMode } from "../operations/padding.ts";
import { indexSelect } from "../operations/selecting.ts";
import { reshape, transpose } from "../operations/shapes.ts";
import { fromValues, type Shape, type Tensor } from "../tensor.ts";

/** One number for all dimensions, or one for each. */
export type Sizes = number | Shape;

/** @internal */
export function sizesFor(what: string, value: Sizes, dims: number): Shape {
  const sizes = typeof value === "number" ? Array.from({ length: dims }, () => value) : value;
  const own = sizes.length === 1 ? Array.from({ length: dims }, () => sizes[0] as number) : sizes;
  if (own.length !== dims || !own.every(Number.isInteger))
    throw new HeddleError("bad-arguments", `${what} is a whole number or ${dims} of them, not [${sizes.join(", ")}]`);
  return own;
}

export interface ConvOptions {
  readonly bias?: Tensor | null;
  readonly stride?: Sizes;
  /** "same": the output is as large as the input, for a stride of 1. */
  readonly padding?: Sizes | "same" | "valid";
  readonly dilation?: Sizes;
  readonly groups?: number;
}

export interface ConvTransposeOptions {
  readonly bias?: Tensor | null;
  readonly stride?: Sizes;
  readonly padding?: Sizes;
  /** Added to one side of the output. */
  readonly outputPadding?: Sizes;
  readonly dilation?: Sizes;
  readonly groups?: number;
}

type Conv = (input: Tensor, weight: Tensor, options?: ConvOptions) => Tensor;
type ConvTranspose = (input: Tensor, weight: Tensor, options?: ConvTransposeOptions) => Tensor;

const conv = (dims: number): Conv =>
  function own(input, weight, { bias = null, stride = 1, padding = 0, dilation = 1, groups = 1 } = {}) {
    return convolution(input, weight, bias, {
      stride: sizesFor("stride", stride, dims),
      padding: typeof padding === "string" ? padding : sizesFor("padding", padding, dims),
      dilation: sizesFor("dilation", dilation, dims),
      groups,
    });
  };

const convTranspose = (dims: number): ConvTranspose =>
  function own(input, weight, options = {}) {
    const { bias = null, stride = 1, padding = 0, outputPadding = 0, dilation = 1, groups = 1 } = options;
    return transposedConvolution(input, weight, bias, {
      stride: sizesFor("stride", stride, dims),
      padding: sizesFor("padding", padding, dims),
      outputPadding: sizesFor("outputPadding", outputPadding, dims),
      dilation: sizesFor("dilation", dilation, dims),
      groups,
    });
  };

/** @param input [batch, channels, length] @param weight [outputs, channels / groups, kernel] */
export const conv1d: Conv = conv(1);
/** @param input [batch, channels, height, width] @param weight [outputs, channels / groups, height, width] */
export const conv2d: Conv = conv(2);
export const conv3d: Conv = conv(3);
/** @param weight [channels, outputs / groups, kernel] */
export const convTranspose1d: ConvTranspose = convTranspose(1);
export const convTranspose2d: ConvTranspose = convTranspose(2);
export const convTranspose3d: ConvTranspose = convTranspose(3);

/** input · weightᵀ + bias. @param weight [outputs, inputs], or [inputs] */
export function linear(input: Tensor, weight: Tensor, bias: Tensor | null = null): Tensor {
  const whole = linearLayer(input, weight, bias, false);
  if (whole !== null) return whole;
  const product = matmul(input, weight.rank === 1 ? weight : transpose(weight, 0, 1));
  return bias === null ? product : binary("add", product, productOperand(bias, cast));
}

/** Σ a · weight · b + bias. @param weight [outputs, inputs of a, inputs of b] */
export function bilinear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | null = null): Tensor {
  const [outputs, left, right] = weight.shape as [number, number, number];
  if (weight.rank !== 3 || a.shape.at(-1) !== left || b.shape.at(-1) !== right)
    throw new HeddleError(
      "bad-arguments",
      `bilinear(): inputs of shapes [${a.shape.join(", ")}] and [${b.shape.join(", ")}] do not fit a weight of shape ` +
        `[${weight.shape.join(", ")}]`,
    );
  const outer = a.shape.slice(0, -1);
  if (outer.join() !== b.shape.slice(0, -1).join())
    throw new HeddleError(
      "bad-arguments",
      `bilinear(): input batch dimensions do not match: [${outer.join(", ")}] and [${b.shape.slice(0, -1).join(", ")}]`,
    );
  const pairs = binary("mul", reshape(a, [-1, left, 1]), reshape(b, [-1, 1, right]));
  const rows = matmul(reshape(pairs, [-1, left * right]), transpose(reshape(weight, [outputs, left * right]), 0, 1));
  const result = reshape(rows, [...outer, outputs]);
  return bias === null ? result : binary("add", result, bias);
}

export interface EmbeddingOptions {
  /** The row of `weight` that has no gradient. */
  readonly paddingIdx?: number | null;
}

/** Rows of `weight` at the indices. */
export function embedding(indices: Tensor, weight: Tensor, { paddingIdx = null }: EmbeddingOptions = {}): Tensor {
  if (weight.rank !== 2) throw new HeddleError("bad-arguments", "'weight' must be 2-D");
  const rows = weight.shape[0] as number;
  if (paddingIdx !== null && (paddingIdx < -rows || paddingIdx >= rows))
    throw new HeddleError("bad-arguments", "Padding_idx must be within num_embeddings");
  const padding = paddingIdx !== null && paddingIdx < 0 ? paddingIdx + rows : paddingIdx;
  const flat = reshape(indices, [-1]);
  const own = padding === null ? weight : withoutGradient(weight, padding);
  return reshape(indexSelect(own, 0, flat), [...indices.shape, weight.shape[1] as number]);
}

export interface EmbeddingBagOptions extends EmbeddingOptions {
  /** What rows become together; default: "mean". */
  readonly mode?: "sum" | "mean" | "max";
  /** A factor for each index; of "sum" alone. */
  readonly perSampleWeights?: Tensor | null;
  /** The last offset is the end of the last bag. */
  readonly includeLastOffset?: boolean;
}

/**
 * Sums, means or maxima of the rows of `weight` at the indices of each bag.
 * @param indices [bags, of each], or all behind one another with the offsets at which bags begin
 */
export function embeddingBag(
  indices: Tensor,
  weight: Tensor,
  offsets: Tensor | null = null,
  options: EmbeddingBagOptions = {},
): Tensor {
  const { mode = "mean", perSampleWeights = null, includeLastOffset = false, paddingIdx = null } = options;
  return bags.embeddingBag(indices, weight, offsets, { mode, perSampleWeights, includeLastOffset, paddingIdx });
}

/** The same rows, one of them off the tape. */
function withoutGradient(weight: Tensor, row: number): Tensor {
  const rows = Float64Array.from({ length: weight.shape[0] as number }, (_, i) => Number(i !== row));
  const counts = fromValues(rows, [rows.length, 1], "bool", weight.place);
  return where(counts, weight, weight.asStrided(weight.shape, weight.strides));
}

export interface PadOptions {
  readonly mode?: PadMode;
  readonly value?: number | boolean;
}

/** A margin: for each dimension from the last one on, before and after. */
export function pad(input: Tensor, padding: Shape, { mode = "constant", value = 0 }: PadOptions = {}): Tensor {
  return padded(input, padding, mode, Number(value));
}

export interface UnfoldOptions {
  readonly dilation?: Sizes;
  readonly padding?: Sizes;
  readonly stride?: Sizes;
}

function windowsOf(kernelSize: Sizes, { dilation = 1, padding = 0, stride = 1 }: UnfoldOptions): Windows {
  return {
    kernel: sizesFor("kernelSize", kernelSize, 2),
    dilation: sizesFor("dilation", dilation, 2),
    padding: sizesFor("padding", padding, 2),
    stride: sizesFor("stride", stride, 2),
  };
}

/** The elements of each window as a column: [batch, channels · kernel, windows]. */
export function unfold(input: Tensor, kernelSize: Sizes, options: UnfoldOptions = {}): Tensor {
  return windowColumns(input, windowsOf(kernelSize, options));
}

/** Adds up the columns of windows: the transpose of `unfold`. */
export function fold(input: Tensor, outputSize: Sizes, kernelSize: Sizes, options: UnfoldOptions = {}): Tensor {
  return foldColumns(input, sizesFor("outputSize", outputSize, 2), windowsOf(kernelSize, options));
}
