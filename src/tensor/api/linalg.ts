/** Linear algebra, as PyTorch's `torch.linalg`. On the host, in double precision. */
import { arange } from "../operations/creation.ts";
import { binary, cast, unary } from "../operations/elementwise.ts";
import * as decompositions from "../operations/decompositions.ts";
import * as inverses from "../operations/pseudo-inverse.ts";
import * as algebra from "../operations/linear-algebra.ts";
import { matmul } from "../operations/matmul.ts";
import { dimension } from "../operations/shapes.ts";
import { failShape, type Tensor } from "../tensor.ts";
import type { Dims } from "./operands.ts";
import "./reduction-methods.ts";

export interface TriangularOptions {
  readonly upper: boolean;
  /** A X = B (the default), or X A = B. */
  readonly left?: boolean;
  /** The diagonal is 1, whatever is there. */
  readonly unitriangular?: boolean;
}

export interface NormOptions {
  readonly dim?: Dims;
  readonly keepdim?: boolean;
}

export interface EighOptions {
  /** Default: "L". */
  readonly UPLO?: "L" | "U";
}

export interface Linalg {
  inv(a: Tensor): Tensor;
  det(a: Tensor): Tensor;
  slogdet(a: Tensor): { readonly sign: Tensor; readonly logabsdet: Tensor };
  /** X of A X = B. */
  solve(a: Tensor, b: Tensor): Tensor;
  solveTriangular(a: Tensor, b: Tensor, options: TriangularOptions): Tensor;
  /** L of A = L Lᵀ. */
  cholesky(a: Tensor, options?: { readonly upper?: boolean }): Tensor;
  matrixPower(a: Tensor, n: number): Tensor;
  multiDot(tensors: readonly Tensor[]): Tensor;
  vectorNorm(x: Tensor, ord?: number, options?: NormOptions): Tensor;
  /**
   * "fro": the root of the sum of squares; ±1, ±∞: the greatest or least sum of a column or row; ±2: the greatest or
   * least singular value, "nuc": their sum.
   */
  matrixNorm(a: Tensor, ord?: MatrixNorm, options?: NormOptions): Tensor;
  vecdot(a: Tensor, b: Tensor, dim?: number): Tensor;
  /** A = Q R. Default of `mode`: "reduced". */
  qr(a: Tensor, mode?: decompositions.QrMode): { readonly q: Tensor; readonly r: Tensor };
  /** Of symmetric matrices: eigenvalues, the least first, and eigenvectors as columns. `UPLO`: what is read. */
  eigh(a: Tensor, options?: EighOptions): { readonly eigenvalues: Tensor; readonly eigenvectors: Tensor };
  eigvalsh(a: Tensor, options?: EighOptions): Tensor;
  /** A = U S Vᵀ, the greatest of S first. `fullMatrices` (the default): U and Vᵀ are square. */
  svd(a: Tensor, options?: { readonly fullMatrices?: boolean }): decompositions.Svd;
  svdvals(a: Tensor): Tensor;
  /** The pseudo-inverse. Singular values up to max(atol, rtol · the greatest) count as 0. */
  pinv(a: Tensor, options?: inverses.Tolerance): Tensor;
  matrixRank(a: Tensor, options?: inverses.Tolerance): Tensor;
  /** The shortest X with the least |A X - B|. */
  lstsq(a: Tensor, b: Tensor, options?: { readonly rcond?: number }): inverses.LeastSquares;
  /** The powers 0 to N - 1 of each element: [..., n] becomes [..., n, N]. Default of N: n. */
  vander(x: Tensor, options?: { readonly N?: number }): Tensor;
}

export type MatrixNorm = number | "fro" | "nuc";

function matrixNorm(a: Tensor, ord: MatrixNorm, { dim = [-2, -1], keepdim = false }: NormOptions): Tensor {
  const dims = typeof dim === "number" ? [dim] : dim;
  if (dims.length !== 2) failShape("linalg.matrix_norm: dim must be a 2-tuple.");
  const [p, q] = dims.map((own) => dimension(a, own)) as [number, number];
  if (ord === "fro") return unary("sqrt", unary("square", a).sum([p, q], { keepdim }));
  if (ord === "nuc" || Math.abs(ord) === 2) {
    const { s } = decompositions.svd(a.movedim([p, q], [-2, -1]), false);
    const most = ord === 2 ? s.amax(-1) : s.amin(-1);
    const norm = ord === "nuc" ? s.sum(-1) : most;
    return keepdim ? [p, q].sort((x, y) => x - y).reduce((of, d) => of.unsqueeze(d), norm) : norm;
  }
  const size = Math.abs(ord);
  if (size !== 1 && size !== Infinity) failShape(`linalg.matrix_norm: Order ${ord} not supported by heddle`);
  const [summed, best] = size === 1 ? [p, q] : [q, p];
  const sums = unary("abs", a).sum(summed, { keepdim: true });
  const result = ord > 0 ? sums.amax(best, { keepdim: true }) : sums.amin(best, { keepdim: true });
  return keepdim ? result : result.squeeze([p, q]);
}

export const linalg: Linalg = {
  qr: (a, mode = "reduced") => decompositions.qr(a, mode),
  eigh: (a, { UPLO = "L" } = {}) => decompositions.eigh(a, UPLO),
  eigvalsh: (a, { UPLO = "L" } = {}) => decompositions.eigh(a, UPLO).eigenvalues,
  svd: (a, { fullMatrices = true } = {}) => decompositions.svd(a, fullMatrices),
  svdvals: (a) => decompositions.svd(a, false).s,
  pinv: (a, options = {}) => inverses.pinv(a, options),
  matrixRank: (a, options = {}) => inverses.matrixRank(a, options),
  lstsq: (a, b, { rcond } = {}) => inverses.lstsq(a, b, rcond === undefined ? {} : { rtol: rcond }),
  inv: algebra.inverse,
  det: algebra.determinant,
  slogdet: algebra.logDeterminant,
  solve: algebra.solve,
  solveTriangular: (a, b, { upper, left = true, unitriangular = false }) =>
    algebra.solveTriangular(a, b, { isUpper: upper, isLeft: left, isUnit: unitriangular }),
  cholesky: (a, { upper = false } = {}) => algebra.cholesky(a, upper),
  matrixPower: algebra.matrixPower,
  multiDot(tensors) {
    if (tensors.length < 2) failShape(`multi_dot(): expected at least 2 tensors but got ${tensors.length}`);
    return tensors.reduce((product, tensor) => matmul(product, tensor));
  },
  vectorNorm(x, ord = 2, { dim, keepdim = false } = {}) {
    if (!x.isFloatingPoint)
      failShape(`linalg.vector_norm: Expected a floating point or complex tensor as input. Got ${x.dtype}`);
    return x.norm(ord, dim, { keepdim });
  },
  matrixNorm: (a, ord = "fro", options = {}) => matrixNorm(a, ord, options),
  vecdot: (a, b, dim = -1) => a.mul(b).sum(dim),
  vander(x, { N = x.shape.at(-1) ?? 1 } = {}) {
    const own = x.isFloatingPoint ? x : cast(x, "int64");
    const powers = arange(0, N, 1, "int64", x.place);
    return binary("pow", (x.rank === 0 ? own.reshape([1]) : own).unsqueeze(-1), powers);
  },
};
