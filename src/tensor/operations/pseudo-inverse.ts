/** What follows from singular values: ranks, pseudo-inverses, least squares. */
import { onNode, record } from "../autograd/tape.ts";
import { newValues } from "../dtypes.ts";
import { aliasOf, failShape, fromValues, type Tensor } from "../tensor.ts";
import { expandAs } from "./broadcasting.ts";
import { full } from "./creation.ts";
import { add, checkMatrix, mul, sub, svd, turned } from "./decompositions.ts";
import { binary, cast, unary, where } from "./elementwise.ts";
import { float } from "./operands.ts";
import { matmul } from "./matmul.ts";
import { reduce } from "./reductions.ts";
import { broadcastShapes, reshape, unsqueeze } from "./shapes.ts";

export interface Tolerance {
  readonly atol?: number;
  readonly rtol?: number;
}

/** Below so much, a singular value counts as 0: a tensor of one number for each matrix. */
function threshold(a: Tensor, s: Tensor, { atol = 0, rtol }: Tolerance): Tensor {
  const [m, n] = a.shape.slice(-2) as [number, number];
  const epsilon = a.dtype === "float64" ? 2 ** -52 : 2 ** -23;
  const relative = rtol ?? (atol > 0 ? 0 : Math.max(m, n) * epsilon);
  const most = reduce("amax", s, [-1], true);
  return binary("maximum", binary("mul", most, float(relative)), float(atol));
}

/** How many singular values are not 0. */
export function matrixRank(a: Tensor, tolerance: Tolerance): Tensor {
  checkMatrix("matrix_rank", a);
  const own = aliasOf(a);
  const stack = a.shape.slice(0, -2);
  if (a.length === 0) return full(stack, 0, "int64", a.place);
  const { s } = svd(own, false);
  return reduce("sum", cast(binary("gt", s, threshold(own, s, tolerance)), "int64"), [-1], false);
}

/** The pseudo-inverse (Moore and Penrose). */
export function pinv(a: Tensor, tolerance: Tolerance): Tensor {
  checkMatrix("pinv", a);
  const [m, n] = a.shape.slice(-2) as [number, number];
  if (a.length === 0) return full([...a.shape.slice(0, -2), n, m], 0, a.dtype, a.place);
  const own = aliasOf(a);
  const { u, s, vh } = svd(own, false);
  const isKept = binary("gt", s, threshold(own, s, tolerance));
  const inverse = where(isKept, binary("div", float(1), where(isKept, s, float(1))), float(0));
  const result = matmul(turned(vh), mul(unsqueeze(inverse, -1), turned(u)));
  const kept = aliasOf(result);
  return record(
    "LinalgPinvBackward0",
    result,
    [a],
    (gradient, node) => [pinvGradient(a, onNode(kept, node), turned(gradient))],
    [a, kept],
  );
}

/** As PyTorch's pinv_backward. @param g the gradient, transposed */
function pinvGradient(a: Tensor, p: Tensor, g: Tensor): Tensor {
  const pt = turned(p);
  if ((a.shape.at(-2) as number) <= (a.shape.at(-1) as number)) {
    const k = matmul(g, p);
    const kp = matmul(k, pt);
    const rest = sub(g, matmul(k, a));
    return add(sub(sub(kp, turned(matmul(p, k))), matmul(matmul(a, p), kp)), matmul(matmul(pt, p), rest));
  }
  const k = matmul(p, g);
  const pk = matmul(pt, k);
  const rest = sub(g, matmul(a, k));
  return add(sub(sub(pk, turned(matmul(k, p))), matmul(matmul(pk, p), a)), matmul(matmul(rest, p), pt));
}

export interface LeastSquares {
  readonly solution: Tensor;
  /** The squares of what is left of each column; empty where they are 0, or where columns of A depend on others. */
  readonly residuals: Tensor;
  readonly rank: Tensor;
}

/** The shortest X with the least |A X - B|. */
export function lstsq(a: Tensor, b: Tensor, { rtol }: Tolerance): LeastSquares {
  checkMatrix("lstsq", a);
  if (b.rank < 1) failShape("torch.linalg.lstsq: input must have at least 1 dimension");
  if (b.dtype !== a.dtype)
    failShape(
      `torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype ${a.dtype} and ` +
        `other's dtype ${b.dtype}`,
    );
  const isVector = a.rank - 1 === b.rank && b.shape.every((size, d) => size === a.shape[d]);
  const given = isVector ? unsqueeze(b, -1) : b;
  if (given.shape.at(-2) !== a.shape.at(-2))
    failShape(
      `torch.linalg.lstsq: input.size(-2) should match other.size(-2), but got shapes [${a.shape.join(", ")}] and ` +
        `[${b.shape.join(", ")}]`,
    );
  const [m, n] = a.shape.slice(-2) as [number, number];
  const tolerance: Tolerance = rtol === undefined ? {} : { rtol };
  const stack = broadcastShapes(a.shape.slice(0, -2), given.shape.slice(0, -2));
  const x = matmul(
    expandAs(pinv(a, tolerance), [...stack, n, m]),
    expandAs(given, [...stack, ...given.shape.slice(-2)]),
  );
  const rank = matrixRank(a, tolerance);
  const isWhole = m > n && [...rank.values()].every((each) => each === n);
  const left = isWhole
    ? reduce("sum", unary("square", sub(matmul(aliasOf(a), aliasOf(x)), aliasOf(given))), [-2], false)
    : fromValues(newValues(a.dtype, 0), [0], a.dtype, a.place);
  return { solution: isVector ? reshape(x, x.shape.slice(0, -1)) : x, residuals: left, rank };
}
