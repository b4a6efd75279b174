/** Methods of tensors that combine elements: sums, extremes, norms, softmax, sorting. */
import type { TensorDtype } from "../dtypes.ts";
import { narrow } from "../operations/creation.ts";
import { binary, cast, unary } from "../operations/elementwise.ts";
import { gatherElements } from "../operations/gathering.ts";
import * as reductions from "../operations/reductions.ts";
import { logSumExp, softmax } from "../operations/softmax.ts";
import { dimension } from "../operations/shapes.ts";
import { failShape, type Tensor } from "../tensor.ts";
import { installMethods } from "./install.ts";
import { dimsOf, scalar, type Dims, type ValuesAndIndices } from "./operands.ts";

export interface ReductionOptions {
  /** The reduced dimensions stay, with size 1. */
  readonly keepdim?: boolean;
  /** Elements are converted to it first. */
  readonly dtype?: TensorDtype;
}

export interface VarianceOptions {
  readonly keepdim?: boolean;
  /** Elements less than the number that the squares are divided by; default 1. */
  readonly correction?: number;
}

export interface ReductionMethods {
  sum(dim?: Dims, options?: ReductionOptions): Tensor;
  mean(dim?: Dims, options?: ReductionOptions): Tensor;
  prod(dim?: Dims, options?: ReductionOptions): Tensor;
  amax(dim?: Dims, options?: ReductionOptions): Tensor;
  amin(dim?: Dims, options?: ReductionOptions): Tensor;
  any(dim?: Dims, options?: ReductionOptions): Tensor;
  all(dim?: Dims, options?: ReductionOptions): Tensor;
  /** The index of the greatest element, of all elements in rows if no dimension is given. */
  argmax(dim?: number, options?: ReductionOptions): Tensor;
  argmin(dim?: number, options?: ReductionOptions): Tensor;
  max(): Tensor;
  max(dim: number, options?: ReductionOptions): ValuesAndIndices;
  min(): Tensor;
  min(dim: number, options?: ReductionOptions): ValuesAndIndices;
  var(dim?: Dims, options?: VarianceOptions): Tensor;
  std(dim?: Dims, options?: VarianceOptions): Tensor;
  /** (Σ |x|^p)^(1/p); p = 2, Infinity, -Infinity, 0 for the number of elements that are not 0. */
  norm(p?: number, dim?: Dims, options?: ReductionOptions): Tensor;
  countNonzero(dim?: Dims): Tensor;
  logsumexp(dim: Dims, options?: ReductionOptions): Tensor;
  softmax(dim: number): Tensor;
  logSoftmax(dim: number): Tensor;
  cumsum(dim: number): Tensor;
  /** The elements in order; equal ones keep theirs. NaN counts as the greatest. */
  sort(dim?: number, options?: { readonly descending?: boolean }): ValuesAndIndices;
  argsort(dim?: number, options?: { readonly descending?: boolean }): Tensor;
  /** The `k` greatest elements, from the greatest one on. */
  topk(k: number, dim?: number, options?: { readonly largest?: boolean }): ValuesAndIndices;
}

declare module "../tensor.ts" {
  interface Tensor extends ReductionMethods {}
}

function reduced(name: reductions.ReductionName) {
  return function own(this: Tensor, dim?: Dims, { keepdim = false, dtype }: ReductionOptions = {}): Tensor {
    return reductions.reduce(name, dtype === undefined ? this : cast(this, dtype), dimsOf(dim), keepdim);
  };
}

function extreme(name: "amax" | "amin", index: "argmax" | "argmin") {
  return function own(
    this: Tensor,
    dim?: number,
    { keepdim = false }: ReductionOptions = {},
  ): Tensor | ValuesAndIndices {
    if (dim === undefined) return reductions.reduce(name, this, null);
    const indices = reductions.reduce(index, this, [dim], true);
    const values = gatherElements(this, dim, indices);
    if (keepdim) return { values, indices };
    return { values: values.squeeze(dim), indices: indices.squeeze(dim) };
  };
}

function norm(given: Tensor, p: number, dims: Dims, keep: boolean): Tensor {
  // Powers of halves do not fit into halves.
  const isHalf = given.dtype === "float16" || given.dtype === "bfloat16";
  return isHalf ? cast(wideNorm(cast(given, "float32"), p, dims, keep), given.dtype) : wideNorm(given, p, dims, keep);
}

function wideNorm(tensor: Tensor, p: number, dims: Dims, keep: boolean): Tensor {
  const size = unary("abs", tensor);
  const over = dimsOf(dims);
  if (p === Infinity) return reductions.reduce("amax", size, over, keep);
  if (p === -Infinity) return reductions.reduce("amin", size, over, keep);
  if (p === 0) return cast(binary("ne", tensor, scalar(0)), tensor.dtype).sum(dims, { keepdim: keep });
  if (p === 1) return reductions.reduce("sum", size, over, keep);
  if (p === 2) return unary("sqrt", reductions.reduce("sum", unary("square", tensor), over, keep));
  return binary("pow", reductions.reduce("sum", binary("pow", size, scalar(p)), over, keep), scalar(1 / p));
}

function sorted(tensor: Tensor, dim: number, descending: boolean): ValuesAndIndices {
  const indices = reductions.sortOrder(tensor, dim, descending);
  return { values: gatherElements(tensor, dim, indices), indices };
}

installMethods({
  sum: reduced("sum"),
  mean: reduced("mean"),
  prod: reduced("prod"),
  amax: reduced("amax"),
  amin: reduced("amin"),
  any: reduced("any"),
  all: reduced("all"),
  argmax: reduced("argmax"),
  argmin: reduced("argmin"),
  max: extreme("amax", "argmax"),
  min: extreme("amin", "argmin"),
  var(this: Tensor, dim?: Dims, { keepdim = false, correction = 1 }: VarianceOptions = {}) {
    return reductions.variance(this, dimsOf(dim), correction, keepdim);
  },
  std(this: Tensor, dim?: Dims, { keepdim = false, correction = 1 }: VarianceOptions = {}) {
    return unary("sqrt", reductions.variance(this, dimsOf(dim), correction, keepdim));
  },
  norm(this: Tensor, p = 2, dim?: Dims, { keepdim = false }: ReductionOptions = {}) {
    return norm(this, p, dim, keepdim);
  },
  countNonzero(this: Tensor, dim?: Dims) {
    return cast(binary("ne", this, scalar(0)), "int64").sum(dim);
  },
  logsumexp(this: Tensor, dim: Dims, { keepdim = false }: ReductionOptions = {}) {
    return logSumExp(this, dimsOf(dim), keepdim);
  },
  softmax(this: Tensor, dim: number) {
    return softmax(this, dim);
  },
  logSoftmax(this: Tensor, dim: number) {
    return softmax(this, dim, true);
  },
  cumsum(this: Tensor, dim: number) {
    return reductions.cumulativeSum(this, dim);
  },
  sort(this: Tensor, dim = -1, { descending = false }: { descending?: boolean } = {}) {
    return sorted(this, dim, descending);
  },
  argsort(this: Tensor, dim = -1, { descending = false }: { descending?: boolean } = {}) {
    return reductions.sortOrder(this, dim, descending);
  },
  topk(this: Tensor, k: number, dim = -1, { largest = true }: { largest?: boolean } = {}) {
    const at = dimension(this, dim);
    if (!(k >= 0 && k <= (this.rank === 0 ? 1 : (this.shape[at] as number))))
      failShape(`selected index k out of range: ${k} of dimension ${at} of [${this.shape.join(", ")}]`);
    const { values, indices } = sorted(this, at, largest);
    return this.rank === 0
      ? { values, indices }
      : { values: narrow(values, at, 0, k), indices: narrow(indices, at, 0, k) };
  },
});
