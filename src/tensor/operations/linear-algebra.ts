/** Linear algebra of matrices and stacks of them, on the host in double precision. Gradients are products of them. */
import { onNode, record } from "../autograd/tape.ts";
import { isFloating } from "../dtypes.ts";
import { requireOnePlace } from "../places.ts";
import { aliasOf, failShape, fromValues, type Tensor } from "../tensor.ts";
import { triangle } from "./creation.ts";
import { diagonal } from "./diagonals.ts";
import { binary, cast, unary } from "./elementwise.ts";
import { float } from "./operands.ts";
import { matmul } from "./matmul.ts";
import { reduce } from "./reductions.ts";
import { broadcastShapes, reshape, transpose } from "./shapes.ts";
import { expandAs } from "./broadcasting.ts";

const turned = (tensor: Tensor): Tensor => transpose(tensor, -2, -1);
const negative = (tensor: Tensor): Tensor => unary("neg", tensor);

export function checkFloats(what: string, tensor: Tensor): void {
  if (tensor.dtype !== "float32" && tensor.dtype !== "float64")
    failShape(
      isFloating(tensor.dtype)
        ? `linalg.${what}: Low precision dtypes not supported. Got ${tensor.dtype}`
        : `linalg.${what}: Expected a floating point or complex tensor as input. Got ${tensor.dtype}`,
    );
}

export function checkSquare(what: string, tensor: Tensor): void {
  if (tensor.rank < 2) failShape(`linalg.${what}: The input tensor A must have at least 2 dimensions.`);
  const [rows, columns] = tensor.shape.slice(-2);
  if (rows !== columns)
    failShape(`linalg.${what}: A must be batches of square matrices, but they are ${rows} by ${columns} matrices`);
  checkFloats(what, tensor);
}

/** A matrix's factors L and U in its place, its rows in another order, and the sign of that order. */
function factor(
  a: Float64Array,
  n: number,
): { readonly rows: number[]; readonly sign: number; readonly isSingular: boolean } {
  const rows = Array.from({ length: n }, (_, i) => i);
  let [sign, isSingular] = [1, false];
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++)
      if (Math.abs(a[i * n + k] as number) > Math.abs(a[best * n + k] as number)) best = i;
    if (a[best * n + k] === 0) {
      isSingular = true;
      continue;
    }
    if (best !== k) {
      for (let j = 0; j < n; j++) [a[k * n + j], a[best * n + j]] = [a[best * n + j] as number, a[k * n + j] as number];
      [rows[k], rows[best]] = [rows[best] as number, rows[k] as number];
      sign = -sign;
    }
    for (let i = k + 1; i < n; i++) {
      const ratio = (a[i * n + k] as number) / (a[k * n + k] as number);
      a[i * n + k] = ratio;
      for (let j = k + 1; j < n; j++) a[i * n + j] = (a[i * n + j] as number) - ratio * (a[k * n + j] as number);
    }
  }
  return { rows, sign, isSingular };
}

/** X of A X = B, of stacks of matrices of equal shapes. Not on the tape. */
function solveValues(what: string, a: Tensor, b: Tensor): Tensor {
  const n = a.shape.at(-1) as number;
  const k = b.shape.at(-1) as number;
  const [from, given] = [Float64Array.from(a.values()), b.values()];
  const stacks = n === 0 ? 0 : from.length / (n * n);
  const results = new Float64Array(given.length);
  for (let s = 0; s < stacks; s++) {
    const matrix = from.subarray(s * n * n, (s + 1) * n * n);
    const { rows, isSingular } = factor(matrix, n);
    if (isSingular)
      failShape(
        what === "inv"
          ? "linalg.inv: The diagonal element is zero, the inversion could not be completed because the " +
              "input matrix is singular."
          : "torch.linalg.solve: The solver failed because the input matrix is singular.",
      );
    for (let c = 0; c < k; c++) {
      const x = Float64Array.from(rows, (row) => given[(s * n + row) * k + c] as number);
      for (let i = 0; i < n; i++)
        for (let j = 0; j < i; j++) x[i] = (x[i] as number) - (matrix[i * n + j] as number) * (x[j] as number);
      for (let i = n - 1; i >= 0; i--) {
        for (let j = i + 1; j < n; j++) x[i] = (x[i] as number) - (matrix[i * n + j] as number) * (x[j] as number);
        x[i] = (x[i] as number) / (matrix[i * n + i] as number);
      }
      for (let i = 0; i < n; i++) results[(s * n + i) * k + c] = x[i] as number;
    }
  }
  return fromValues(results, b.shape, a.dtype, a.place);
}

/** X of A X = B; a vector B, or a stack of vectors, gives vectors. */
export function solve(a: Tensor, b: Tensor): Tensor {
  checkSquare("solve", a);
  requireOnePlace([a, b]);
  if (b.dtype !== a.dtype)
    failShape(
      `linalg.solve: Expected A and B to have the same dtype, but found A of type ${a.dtype} and B of type ` +
        `${b.dtype} instead`,
    );
  const isVector = b.rank === 1 || (b.rank === a.rank - 1 && b.shape.every((size, d) => size === a.shape[d]));
  if (isVector) {
    const matrix = solve(a, reshape(b, [...b.shape, 1]));
    return reshape(matrix, matrix.shape.slice(0, -1));
  }
  if (b.rank < 2 || b.shape.at(-2) !== a.shape.at(-1))
    failShape(
      `linalg.solve: Incompatible shapes of A and B for the equation AX = B ([${a.shape.join(", ")}] and ` +
        `[${b.shape.join(", ")}])`,
    );
  const stack = broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2));
  return solved(expandAs(a, [...stack, ...a.shape.slice(-2)]), expandAs(b, [...stack, ...b.shape.slice(-2)]));
}

function solved(a: Tensor, b: Tensor): Tensor {
  const result = solveValues("solve", a, b);
  const alias = aliasOf(result);
  return record(
    "LinalgSolveExBackward0",
    result,
    [a, b],
    (gradient, node) => {
      const forB = solved(turned(a), gradient);
      return [negative(matmul(forB, turned(onNode(alias, node)))), forB];
    },
    [a, alias],
  );
}

export function inverse(a: Tensor): Tensor {
  checkSquare("inv", a);
  const n = a.shape.at(-1) as number;
  const ones = Float64Array.from({ length: a.length }, (_, i) => Number(Math.floor(i / n) % n === i % n));
  const result = solveValues("inv", a, fromValues(ones, a.shape, a.dtype, a.place));
  const alias = aliasOf(result);
  return record(
    "LinalgInvExBackward0",
    result,
    [a],
    (gradient, node) => {
      const own = turned(onNode(alias, node));
      return [negative(matmul(own, matmul(gradient, own)))];
    },
    [alias],
  );
}

/** The sign of the determinant, and the logarithm of its size. */
function logDeterminantValues(a: Tensor): { sign: Tensor; log: Tensor } {
  checkSquare("slogdet", a);
  const n = a.shape.at(-1) as number;
  const values = Float64Array.from(a.values());
  const shape = a.shape.slice(0, -2);
  const count = shape.reduce((product, size) => product * size, 1);
  const [signs, logs] = [new Float64Array(count).fill(1), new Float64Array(count)];
  for (let s = 0; s < count; s++) {
    const matrix = values.subarray(s * n * n, (s + 1) * n * n);
    const { sign } = factor(matrix, n);
    signs[s] = sign;
    for (let i = 0; i < n; i++) {
      const own = matrix[i * n + i] as number;
      signs[s] = (signs[s] as number) * Math.sign(own);
      logs[s] = (logs[s] as number) + Math.log(Math.abs(own));
    }
  }
  const make = (of: Float64Array<ArrayBuffer>): Tensor => fromValues(of, shape, a.dtype, a.place);
  return { sign: make(signs), log: make(logs) };
}

const wide = (of: Tensor): Tensor => reshape(of, [...of.shape, 1, 1]);

export function logDeterminant(a: Tensor): { readonly sign: Tensor; readonly logabsdet: Tensor } {
  const { sign, log } = logDeterminantValues(a);
  const logabsdet = record(
    "LinalgSlogdetBackward0",
    log,
    [a],
    (gradient) => [binary("mul", wide(gradient), turned(inverse(a)))],
    [a],
  );
  return { sign, logabsdet };
}

export function determinant(a: Tensor): Tensor {
  checkSquare("det", a);
  const { sign, log } = logDeterminantValues(a);
  const result = cast(binary("mul", cast(sign, "float64"), unary("exp", cast(log, "float64"))), a.dtype);
  const alias = aliasOf(result);
  return record(
    "LinalgDetBackward0",
    result,
    [a],
    (gradient, node) => [binary("mul", wide(binary("mul", gradient, onNode(alias, node))), turned(inverse(a)))],
    [a, alias],
  );
}

/** L of A = L Lᵀ. */
export function cholesky(a: Tensor, isUpper: boolean): Tensor {
  checkSquare("cholesky", a);
  const n = a.shape.at(-1) as number;
  const from = a.values();
  const result = new Float64Array(a.length);
  for (let base = 0; base < a.length; base += n * n)
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) {
        let sum = (isUpper ? from[base + j * n + i] : from[base + i * n + j]) as number;
        for (let k = 0; k < j; k++) sum -= (result[base + i * n + k] as number) * (result[base + j * n + k] as number);
        if (i === j && !(sum > 0))
          failShape(
            `linalg.cholesky: The factorization could not be completed because the input is not ` +
              `positive-definite (the ` +
              `leading minor of order ${i + 1} is not positive-definite).`,
          );
        result[base + i * n + j] = i === j ? Math.sqrt(sum) : sum / (result[base + j * n + j] as number);
      }
  const lower = fromValues(result, a.shape, a.dtype, a.place);
  const alias = aliasOf(lower);
  const own = record(
    "LinalgCholeskyExBackward0",
    lower,
    [a],
    (gradient, node) => {
      const l = onNode(alias, node);
      // Φ takes the lower triangle, half of the diagonal.
      const product = triangle(matmul(turned(l), gradient), 0, "lower");
      const half = binary(
        "sub",
        product,
        binary("mul", triangle(triangle(product, 0, "lower"), 0, "upper"), float(0.5)),
      );
      const outer = solved(turned(l), turned(solved(turned(l), turned(half))));
      return [binary("mul", binary("add", outer, turned(outer)), float(0.5))];
    },
    [alias],
  );
  return isUpper ? turned(own) : own;
}

/** X of A X = B (or X A = B), where A is a triangle; the other part is not read. */
export function solveTriangular(
  a: Tensor,
  b: Tensor,
  { isUpper, isLeft, isUnit }: { readonly isUpper: boolean; readonly isLeft: boolean; readonly isUnit: boolean },
): Tensor {
  checkSquare("solve_triangular", a);
  requireOnePlace([a, b]);
  if (!isLeft) return turned(solveTriangular(turned(a), turned(b), { isUpper: !isUpper, isLeft: true, isUnit }));
  let own = triangle(a, 0, isUpper ? "upper" : "lower");
  if (isUnit) {
    const n = a.shape.at(-1) as number;
    const ones = Float64Array.from({ length: n * n }, (_, i) => Number(Math.floor(i / n) === i % n));
    own = binary(
      "add",
      triangle(a, isUpper ? 1 : -1, isUpper ? "upper" : "lower"),
      fromValues(ones, [n, n], a.dtype, a.place),
    );
  }
  const stack = broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2));
  return solved(expandAs(own, [...stack, ...a.shape.slice(-2)]), expandAs(b, [...stack, ...b.shape.slice(-2)]));
}

export function matrixPower(a: Tensor, n: number): Tensor {
  if (a.rank < 2 || a.shape.at(-1) !== a.shape.at(-2))
    failShape(
      `linalg.matrix_power: A must be batches of square matrices, but they are ${a.shape.at(-2)} by ` +
        `${a.shape.at(-1)} matrices`,
    );
  if (n < 0) return matrixPower(inverse(a), -n);
  if (n === 0) {
    const size = a.shape.at(-1) as number;
    const ones = Float64Array.from({ length: a.length }, (_, i) => Number(Math.floor(i / size) % size === i % size));
    return fromValues(ones, a.shape, a.dtype, a.place);
  }
  let [result, square]: [Tensor | null, Tensor] = [null, a];
  for (let rest = n; rest > 0; rest >>= 1) {
    if (rest & 1) result = result === null ? square : matmul(result, square);
    if (rest > 1) square = matmul(square, square);
  }
  return result as Tensor;
}

export function trace(a: Tensor): Tensor {
  if (a.rank !== 2) failShape(`trace: expected a matrix, but got tensor with dim ${a.rank}`);
  return reduce("sum", diagonal(a, 0, 0, 1), null);
}
