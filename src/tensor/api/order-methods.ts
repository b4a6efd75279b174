/** Methods of tensors that go along a dimension: running results, order statistics, comparisons of whole tensors. */
import { requireOnePlace } from "../places.ts";
import { differenceOf } from "../operations/compare.ts";
import { binary, cast, unary, where } from "../operations/elementwise.ts";
import { float } from "../operations/operands.ts";
import * as algebra from "../operations/linear-algebra.ts";
import { matmul } from "../operations/matmul.ts";
import * as reductions from "../operations/reductions.ts";
import * as scans from "../operations/scans.ts";
import { failShape, fromValues, type Tensor } from "../tensor.ts";
import { installMethods } from "./install.ts";
import { dimsOf, operand, type Dims, type TensorLike, type ValuesAndIndices } from "./operands.ts";
import type { ReductionOptions, VarianceOptions } from "./reduction-methods.ts";

export interface KeepOption {
  readonly keepdim?: boolean;
}

export interface QuantileOptions {
  /** Default: of all elements. */
  readonly dim?: number;
  readonly keepdim?: boolean;
  readonly interpolation?: scans.Interpolation;
}

export interface ClosenessOptions {
  readonly rtol?: number;
  readonly atol?: number;
  readonly equalNan?: boolean;
}

export interface OrderMethods {
  cumprod(dim: number): Tensor;
  cummax(dim: number): ValuesAndIndices;
  cummin(dim: number): ValuesAndIndices;
  logcumsumexp(dim: number): Tensor;
  /** Differences of neighbours, `n` times. */
  diff(n?: number, dim?: number): Tensor;
  /** The `k`-th smallest element of each row. */
  kthvalue(k: number, dim?: number, options?: KeepOption): ValuesAndIndices;
  /** The lower one of two in the middle. */
  median(): Tensor;
  median(dim: number, options?: KeepOption): ValuesAndIndices;
  nanmedian(): Tensor;
  nanmedian(dim: number, options?: KeepOption): ValuesAndIndices;
  /** The least one of the elements that a row has most often. */
  mode(dim?: number, options?: KeepOption): ValuesAndIndices;
  quantile(q: Tensor | number, options?: QuantileOptions): Tensor;
  nanquantile(q: Tensor | number, options?: QuantileOptions): Tensor;
  msort(): Tensor;
  nansum(dim?: Dims, options?: ReductionOptions): Tensor;
  nanmean(dim?: Dims, options?: ReductionOptions): Tensor;
  /** The least and the greatest element. */
  aminmax(dim?: number, options?: KeepOption): { readonly min: Tensor; readonly max: Tensor };
  stdMean(dim?: Dims, options?: VarianceOptions): [std: Tensor, mean: Tensor];
  varMean(dim?: Dims, options?: VarianceOptions): [variance: Tensor, mean: Tensor];
  /** |this - other| ≤ atol + rtol · |other|, for each element. */
  isclose(other: Tensor, options?: ClosenessOptions): Tensor;
  /** The same for all elements. */
  allclose(other: Tensor, options?: ClosenessOptions): boolean;
  /** Equal shapes and elements. */
  equal(other: Tensor): boolean;
  trace(): Tensor;
  inverse(): Tensor;
  det(): Tensor;
  logdet(): Tensor;
  slogdet(): { readonly sign: Tensor; readonly logabsdet: Tensor };
  cholesky(options?: { readonly upper?: boolean }): Tensor;
  matrixPower(n: number): Tensor;
  /** beta · this + alpha · a · b. */
  addmm(a: Tensor, b: Tensor, options?: ScaleOptions): Tensor;
  /** beta · this + alpha · a · b, of stacks of matrices. */
  baddbmm(a: Tensor, b: Tensor, options?: ScaleOptions): Tensor;
  /** beta · this + alpha · Σ a · b, over the stack. */
  addbmm(a: Tensor, b: Tensor, options?: ScaleOptions): Tensor;
  addmv(matrix: Tensor, vector: Tensor, options?: ScaleOptions): Tensor;
  addr(a: Tensor, b: Tensor, options?: ScaleOptions): Tensor;
  vdot(other: Tensor): Tensor;
  inner(other: Tensor): Tensor;
  ger(other: Tensor): Tensor;
  /** 0 below 0, `values` at 0, 1 above. */
  heaviside(values: TensorLike): Tensor;
  ldexp(exponent: TensorLike): Tensor;
  floatPower(exponent: TensorLike): Tensor;
  /** The p-norm of each part of a dimension is at most `maxnorm`. */
  renorm(p: number, dim: number, maxnorm: number): Tensor;
}

export interface ScaleOptions {
  readonly beta?: number;
  readonly alpha?: number;
}

declare module "../tensor.ts" {
  interface Tensor extends OrderMethods {}
}

const CLOSE = { rtol: 1e-5, atol: 1e-8, equalNan: false };

function isClose(a: Tensor, b: Tensor, { rtol, atol, equalNan }: typeof CLOSE): Tensor {
  if (a.dtype !== b.dtype) failShape(`${a.dtype} did not match ${b.dtype}`);
  if (rtol < 0 || atol < 0) failShape(`rtol must be greater than or equal to zero, but got ${Math.min(rtol, atol)}`);
  const [x, y] = [a, b].map((of) => cast(of, "float64")) as [Tensor, Tensor];
  const bound = binary("add", binary("mul", unary("abs", y), float(rtol)), float(atol));
  const isNear = binary("logical_and", binary("le", unary("abs", binary("sub", x, y)), bound), unary("isfinite", y));
  const result = binary("logical_or", binary("eq", a, b), isNear);
  return equalNan ? binary("logical_or", result, binary("logical_and", unary("isnan", a), unary("isnan", b))) : result;
}

function middle(skipsNaN: boolean) {
  return function own(this: Tensor, dim?: number, { keepdim = false }: KeepOption = {}): Tensor | ValuesAndIndices {
    return dim === undefined ? scans.medianOfAll(this, skipsNaN) : scans.median(this, dim, keepdim, skipsNaN);
  };
}

function quantile(skipsNaN: boolean) {
  return function own(this: Tensor, q: Tensor | number, options: QuantileOptions = {}): Tensor {
    const { dim, keepdim = false, interpolation = "linear" } = options;
    const part = typeof q === "number" ? fromValues(Float64Array.of(q), [], this.dtype, this.place) : q;
    return scans.quantile(this, part, dim ?? null, { keep: keepdim, how: interpolation, skipsNaN });
  };
}

const withoutNaN = (tensor: Tensor): Tensor => where(unary("isnan", tensor), float(0), tensor);

/** beta · own + alpha · product; nothing of `own` where beta is 0. */
function scaled(own: Tensor, given: Tensor, options: ScaleOptions): Tensor {
  // Whole numbers stay whole: so do their factors.
  const factor = (value = 1): number => (given.isFloatingPoint ? value : Math.trunc(value));
  const [beta, alpha] = [factor(options.beta), factor(options.alpha)];
  const right = alpha === 1 ? given : binary("mul", given, operand(alpha));
  if (beta === 0) return right;
  return binary("add", beta === 1 ? own : binary("mul", own, operand(beta)), right);
}

function requireRanks(what: string, ranks: readonly number[], ...tensors: readonly Tensor[]): void {
  for (const [i, tensor] of tensors.entries())
    if (tensor.rank !== ranks[i]) failShape(`${what}: expected ${ranks[i]}D tensors, but got a ${tensor.rank}D tensor`);
}

installMethods({
  cumprod(this: Tensor, dim: number) {
    return scans.cumulativeProduct(this, dim);
  },
  cummax(this: Tensor, dim: number) {
    return scans.cumulativeExtreme(this, dim, true);
  },
  cummin(this: Tensor, dim: number) {
    return scans.cumulativeExtreme(this, dim, false);
  },
  logcumsumexp(this: Tensor, dim: number) {
    return scans.cumulativeLogSumExp(this, dim);
  },
  diff(this: Tensor, n = 1, dim = -1) {
    return scans.differences(this, n, dim);
  },
  kthvalue(this: Tensor, k: number, dim = -1, { keepdim = false }: KeepOption = {}) {
    return scans.kthValue(this, k, dim, keepdim);
  },
  median: middle(false),
  nanmedian: middle(true),
  mode(this: Tensor, dim = -1, { keepdim = false }: KeepOption = {}) {
    return scans.mode(this, dim, keepdim);
  },
  quantile: quantile(false),
  nanquantile: quantile(true),
  msort(this: Tensor) {
    return this.sort(0).values;
  },
  nansum(this: Tensor, dim?: Dims, options: ReductionOptions = {}) {
    return this.isFloatingPoint ? withoutNaN(this).sum(dim, options) : this.sum(dim, options);
  },
  nanmean(this: Tensor, dim?: Dims, options: ReductionOptions = {}) {
    if (!this.isFloatingPoint)
      failShape(`nanmean(): expected input to have floating point or complex dtype but got ${this.dtype}`);
    const count = cast(unary("logical_not", unary("isnan", this)), this.dtype).sum(dim, options);
    return binary("div", withoutNaN(this).sum(dim, options), count);
  },
  aminmax(this: Tensor, dim?: number, { keepdim = false }: KeepOption = {}) {
    return { min: this.amin(dim, { keepdim }), max: this.amax(dim, { keepdim }) };
  },
  stdMean(this: Tensor, dim?: Dims, options: VarianceOptions = {}) {
    return [this.std(dim, options), this.mean(dim, { keepdim: options.keepdim ?? false })];
  },
  varMean(this: Tensor, dim?: Dims, options: VarianceOptions = {}) {
    return [this.var(dim, options), this.mean(dim, { keepdim: options.keepdim ?? false })];
  },
  isclose(this: Tensor, other: Tensor, options: ClosenessOptions = {}) {
    return isClose(this, other, { ...CLOSE, ...options });
  },
  allclose(this: Tensor, other: Tensor, options: ClosenessOptions = {}) {
    requireOnePlace([this, other]);
    if (this.dtype !== other.dtype) failShape(`${this.dtype} did not match ${other.dtype}`);
    return differenceOf(this, other, { ...CLOSE, ...options }).mismatched === 0;
  },
  equal(this: Tensor, other: Tensor) {
    requireOnePlace([this, other]);
    if (this.rank !== other.rank || this.shape.some((size, d) => size !== other.shape[d])) return false;
    const [a, b] = [this.values(), other.values()];
    return a.every((value, i) => value === b[i]);
  },
  trace(this: Tensor) {
    return algebra.trace(this);
  },
  inverse(this: Tensor) {
    return algebra.inverse(this);
  },
  det(this: Tensor) {
    return algebra.determinant(this);
  },
  logdet(this: Tensor) {
    const { sign, logabsdet } = algebra.logDeterminant(this);
    return where(binary("lt", sign, float(0)), float(NaN), logabsdet);
  },
  slogdet(this: Tensor) {
    return algebra.logDeterminant(this);
  },
  cholesky(this: Tensor, { upper = false }: { upper?: boolean } = {}) {
    return algebra.cholesky(this, upper);
  },
  matrixPower(this: Tensor, n: number) {
    return algebra.matrixPower(this, n);
  },
  addmm(this: Tensor, a: Tensor, b: Tensor, options: ScaleOptions = {}) {
    requireRanks("addmm", [2, 2], a, b);
    return scaled(this, matmul(a, b), options);
  },
  baddbmm(this: Tensor, a: Tensor, b: Tensor, options: ScaleOptions = {}) {
    requireRanks("baddbmm", [3, 3], a, b);
    return scaled(this, matmul(a, b), options);
  },
  addbmm(this: Tensor, a: Tensor, b: Tensor, options: ScaleOptions = {}) {
    requireRanks("addbmm", [3, 3], a, b);
    return scaled(this, cast(reductions.reduce("sum", matmul(a, b), dimsOf(0)), a.dtype), options);
  },
  addmv(this: Tensor, matrix: Tensor, vector: Tensor, options: ScaleOptions = {}) {
    requireRanks("addmv", [2, 1], matrix, vector);
    return scaled(this, matmul(matrix, vector), options);
  },
  addr(this: Tensor, a: Tensor, b: Tensor, options: ScaleOptions = {}) {
    requireRanks("addr", [1, 1], a, b);
    const result = scaled(this, a.outer(b), options);
    return this.dtype === "bool" ? cast(result, "bool") : result;
  },
  vdot(this: Tensor, other: Tensor) {
    return this.dot(other);
  },
  inner(this: Tensor, other: Tensor) {
    if (this.rank === 0 || other.rank === 0) return binary("mul", this, other);
    if (this.shape.at(-1) !== other.shape.at(-1))
      failShape(
        `inner() the last dimension must match on both input tensors but got shapes [${this.shape.join(", ")}] and ` +
          `[${other.shape.join(", ")}]`,
      );
    const size = this.shape.at(-1) as number;
    const product = matmul(this.reshape(-1, size), other.reshape(-1, size).t());
    return product.reshape([...this.shape.slice(0, -1), ...other.shape.slice(0, -1)]);
  },
  ger(this: Tensor, other: Tensor) {
    return this.outer(other);
  },
  heaviside(this: Tensor, values: TensorLike) {
    const above = cast(binary("gt", this, operand(0)), this.dtype);
    return where(binary("eq", this, operand(0)), operand(values), above);
  },
  ldexp(this: Tensor, exponent: TensorLike) {
    return binary("mul", this, binary("pow", float(2), operand(exponent)));
  },
  floatPower(this: Tensor, exponent: TensorLike) {
    const power = typeof exponent === "object" ? cast(exponent, "float64") : operand(exponent);
    return binary("pow", cast(this, "float64"), power);
  },
  renorm(this: Tensor, p: number, dim: number, maxnorm: number) {
    if (this.rank < 2) failShape(`renorm: input needs at least 2 dimensions, got ${this.rank} dimensions`);
    const others = this.shape.map((_, d) => d).filter((d) => d !== (dim < 0 ? dim + this.rank : dim));
    const norm = this.norm(p, others, { keepdim: true });
    const factor = binary("div", float(maxnorm), binary("add", norm, float(1e-7)));
    return binary("mul", this, where(binary("gt", norm, float(maxnorm)), factor, float(1)));
  },
});
