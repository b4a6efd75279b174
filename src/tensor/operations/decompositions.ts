/**
 * QR, eigenvalues of symmetric matrices, singular values: of matrices and stacks of them, on the host in double
 * precision, with gradients of any order. pseudo-inverse.ts has what follows from them.
 */
import { needsTape, record } from "../autograd/tape.ts";
import { newValues } from "../dtypes.ts";
import { aliasOf, failShape, fromValues, type Tensor } from "../tensor.ts";
import { concatenate, full, narrow, triangle } from "./creation.ts";
import { diagEmbed, diagonal } from "./diagonals.ts";
import { binary, unary, where } from "./elementwise.ts";
import { float } from "./operands.ts";
import { eigenOf, matrix, qrOf, svdOf, type Matrix } from "./factorizations.ts";
import { checkFloats, checkSquare, solveTriangular } from "./linear-algebra.ts";
import { matmul } from "./matmul.ts";
import { transpose, unsqueeze } from "./shapes.ts";

export const turned = (tensor: Tensor): Tensor => transpose(tensor, -2, -1);
export const add = (a: Tensor, b: Tensor): Tensor => binary("add", a, b);
export const sub = (a: Tensor, b: Tensor): Tensor => binary("sub", a, b);
export const mul = (a: Tensor, b: Tensor): Tensor => binary("mul", a, b);

export function checkMatrix(what: string, a: Tensor): void {
  if (a.rank < 2) failShape(`linalg.${what}: The input tensor A must have at least 2 dimensions.`);
  checkFloats(what, a);
}

/** Tensors of the parts that `work` finds of each matrix of a stack. @param shapes of the parts */
function perMatrix(
  a: Tensor,
  shapes: readonly (readonly number[])[],
  work: (of: Matrix) => readonly Float64Array[],
): Tensor[] {
  const [m, n] = a.shape.slice(-2) as [number, number];
  const stack = a.shape.slice(0, -2);
  const count = stack.reduce((product, size) => product * size, 1);
  const from = Float64Array.from(a.values());
  const sizes = shapes.map((shape) => shape.reduce((product, size) => product * size, 1));
  const parts = sizes.map((size) => new Float64Array(size * count));
  for (let s = 0; s < count; s++) {
    const found = work({ rows: m, columns: n, values: from.slice(s * m * n, (s + 1) * m * n) });
    for (const [i, part] of found.entries()) parts[i]?.set(part, s * (sizes[i] as number));
  }
  return parts.map((part, i) => fromValues(part, [...stack, ...(shapes[i] as number[])], a.dtype, a.place));
}

/** The gradient of the input by those of the results: null for a result that has none. */
type Backward = (gradients: readonly (Tensor | null)[], results: readonly Tensor[]) => Tensor;

/**
 * Puts results of one computation on the tape: each has a node of its own, and gradients add up. Where gradients get
 * gradients, the results are computed again, on the tape.
 */
function recordAll(
  name: string,
  a: Tensor,
  results: readonly Tensor[],
  again: () => readonly Tensor[],
  backward: Backward,
): Tensor[] {
  if (!needsTape([a])) return [...results];
  const kept = results.map(aliasOf);
  return results.map((result, k) =>
    record(
      name,
      result,
      [a],
      (gradient) => [
        backward(
          results.map((_, i) => (i === k ? gradient : null)),
          needsTape([a]) ? again() : kept,
        ),
      ],
      [a, ...kept],
    ),
  );
}

/** The columns from 0 on of each matrix. */
const columns = (of: Tensor, count: number): Tensor => narrow(of, -1, 0, count);
const rows = (of: Tensor, count: number): Tensor => narrow(of, -2, 0, count);

export type QrMode = "reduced" | "complete" | "r";

/** A = Q R: `r` is an upper triangle. Of the mode "r", `q` is empty. */
export function qr(a: Tensor, mode: QrMode): { readonly q: Tensor; readonly r: Tensor } {
  checkMatrix("qr", a);
  const [m, n] = a.shape.slice(-2) as [number, number];
  const k = mode === "complete" ? m : Math.min(m, n);
  const shapes = [
    [m, k],
    [k, n],
  ];
  const found = perMatrix(a, shapes, (own) => {
    const { q, r } = qrOf(own);
    return [cut(q, m, k), cut(r, k, n)];
  });
  const again = (): Tensor[] => Object.values(qr(a, mode));
  const [q, r] = recordAll("LinalgQrBackward0", a, found, again, ([gq, gr], parts) => {
    if (mode === "r")
      failShape(
        "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, " +
          "mode='reduced') if you are going to require gradients",
      );
    if (mode === "complete" && m > n)
      failShape("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
    return qrGradient(a, gq ?? null, gr ?? null, parts as [Tensor, Tensor]);
  }) as [Tensor, Tensor];
  return { q: mode === "r" ? fromValues(newValues(a.dtype, 0), [0], a.dtype, a.place) : q, r };
}

function cut({ columns: width, values }: Matrix, m: number, n: number): Float64Array {
  const result = matrix(m, n).values;
  for (let i = 0; i < m; i++) result.set(values.subarray(i * width, i * width + n), i * n);
  return result;
}

function qrGradient(a: Tensor, gq: Tensor | null, gr: Tensor | null, [q, r]: readonly [Tensor, Tensor]): Tensor {
  const [m, n] = a.shape.slice(-2) as [number, number];
  if (m < n) {
    // A = (X | Y), R = (U | V): X = Q U is square, and Y = Q V.
    const behind = narrow(a, -1, m, n - m);
    const ofV = gr === null ? null : narrow(gr, -1, m, n - m);
    const through = ofV === null ? null : matmul(behind, turned(ofV));
    const forQ = sumOf(gq, through);
    const left = qrGradient(columns(a, m), forQ, gr === null ? null : columns(gr, m), [q, columns(r, m)]);
    const right = ofV === null ? zerosLike(behind) : matmul(q, ofV);
    return concatenate([left, right], -1);
  }
  const byR = gr === null ? null : matmul(gr, turned(r));
  const byQ = gq === null ? null : matmul(turned(q), gq);
  const both = sumOf(byR, byQ === null ? null : unary("neg", byQ)) as Tensor;
  const upper = triangle(both, 0, "upper");
  const symmetric = sub(add(upper, turned(upper)), diagEmbed(diagonal(upper, 0, -2, -1), 0, -2, -1));
  const own = matmul(q, symmetric);
  const sum = gq === null ? own : add(gq, own);
  // Times the inverse of Rᵀ.
  return turned(solveTriangular(r, turned(sum), { isUpper: true, isLeft: true, isUnit: false }));
}

/** Null: there is none. */
function sumOf(a: Tensor | null, b: Tensor | null): Tensor | null {
  if (a === null) return b;
  return b === null ? a : add(a, b);
}

const zerosLike = (of: Tensor): Tensor => full(of.shape, 0, of.dtype, of.place);

/** Eigenvalues, the least first, and eigenvectors as columns. Only one triangle of A is read. */
export function eigh(a: Tensor, reads: "L" | "U"): { readonly eigenvalues: Tensor; readonly eigenvectors: Tensor } {
  checkSquare("eigh", a);
  const n = a.shape.at(-1) as number;
  const found = perMatrix(a, [[n], [n, n]], (own) => {
    for (let i = 0; i < n; i++)
      for (let j = 0; j < i; j++) {
        const [low, high] = [i * n + j, j * n + i];
        if (reads === "L") own.values[high] = own.values[low] as number;
        else own.values[low] = own.values[high] as number;
      }
    const { values, vectors } = eigenOf(own);
    return [values, vectors.values];
  });
  const again = (): Tensor[] => Object.values(eigh(a, reads));
  const [eigenvalues, eigenvectors] = recordAll("LinalgEighBackward0", a, found, again, ([gl, gv], [l, v]) => {
    const [values, vectors] = [l as Tensor, v as Tensor];
    const middle =
      gv == null
        ? diagEmbed(gl as Tensor, 0, -2, -1)
        : mul(matmul(turned(vectors), gv), inverseDifferences(values, values));
    return matmul(vectors, matmul(middle, turned(vectors)));
  }) as [Tensor, Tensor];
  return { eigenvalues, eigenvectors };
}

/** 1 / (b_j - a_i), and 0 on the diagonal. */
function inverseDifferences(a: Tensor, b: Tensor): Tensor {
  const difference = sub(unsqueeze(b, -2), unsqueeze(a, -1));
  const n = a.shape.at(-1) as number;
  const diagonal_ = triangle(triangle(full([n, n], 1, "bool", a.place), 0, "lower"), 0, "upper");
  return where(diagonal_, float(0), binary("div", float(1), where(diagonal_, float(1), difference)));
}

export interface Svd {
  readonly u: Tensor;
  /** The greatest first. */
  readonly s: Tensor;
  /** Vᵀ: A = U S Vᵀ. */
  readonly vh: Tensor;
}

/** @param isFull U and Vᵀ are square */
export function svd(a: Tensor, isFull: boolean): Svd {
  checkMatrix("svd", a);
  const [m, n] = a.shape.slice(-2) as [number, number];
  const k = Math.min(m, n);
  const [left, right] = isFull ? [m, n] : [k, k];
  const found = perMatrix(a, [[m, left], [k], [right, n]], (own) => {
    const { u, s, v } = svdOf(own);
    const vh = matrix(right, n).values;
    for (let i = 0; i < right; i++) for (let j = 0; j < n; j++) vh[i * n + j] = v.values[j * n + i] as number;
    return [cut(u, m, left), s, vh];
  });
  const again = (): Tensor[] => Object.values(svd(a, isFull));
  const [u, s, vh] = recordAll("LinalgSvdBackward0", a, found, again, ([gu, gs, gvh], parts) => {
    const [ownU, ownS, ownVh] = parts as [Tensor, Tensor, Tensor];
    return svdGradient(
      [gu == null ? null : columns(gu, k), gs ?? null, gvh == null ? null : rows(gvh, k)],
      [columns(ownU, k), ownS, rows(ownVh, k)],
    );
  }) as [Tensor, Tensor, Tensor];
  return { u, s, vh };
}

/** One of the gradients is there. As PyTorch's svd_backward: the parts of U and V beside one another, then the rest. */
function svdGradient([gu, gs, gvh]: readonly (Tensor | null)[], [u, s, vh]: readonly [Tensor, Tensor, Tensor]): Tensor {
  if (gs != null) return matmul(u, mul(unsqueeze(gs, -1), vh));
  const squares = mul(s, s);
  const inverse = inverseDifferences(squares, squares);
  const skew = (x: Tensor): Tensor => mul(sub(x, turned(x)), inverse);
  if (gu != null) {
    const inner = matmul(turned(u), gu);
    const result = matmul(u, matmul(mul(skew(inner), unsqueeze(s, -2)), vh));
    if (u.shape.at(-2) === u.shape.at(-1)) return result;
    return add(result, matmul(binary("div", sub(gu, matmul(u, inner)), unsqueeze(s, -2)), vh));
  }
  const forV = turned(gvh as Tensor);
  const inner = matmul(vh, forV);
  const result = matmul(u, matmul(mul(unsqueeze(s, -1), skew(inner)), vh));
  if (vh.shape.at(-2) === vh.shape.at(-1)) return result;
  const rest = sub(turned(forV), matmul(turned(inner), vh));
  return add(result, matmul(u, binary("div", rest, unsqueeze(s, -1))));
}
