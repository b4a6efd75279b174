/** Matrix products, also of stacks of matrices. */
import type { Device } from "../../device/device.ts";
import { needsTape, record, withoutTape } from "../autograd/tape.ts";
import { isFloating, newValues, type TensorDtype, type Values } from "../dtypes.ts";
import { productOperand } from "../autograd/autocast.ts";
import { cast } from "./elementwise.ts";
import { broadcastShapes, reshape, transpose, unsqueeze } from "./shapes.ts";
import { expandAs, sumTo } from "./broadcasting.ts";
import { elementCount, empty, failShape, fromValues, type Tensor } from "../tensor.ts";
import { traceable } from "../tracing.ts";

/** The product of two matrices, or the products of two stacks of them, in this shape. Null: it does not do these. */
export type Products = (a: Tensor, b: Tensor, shape: readonly number[]) => Tensor | null;

const products = new WeakMap<Device, Products>();

/** What computes products of floats on a device. */
export function useProducts(device: Device, own: Products): void {
  products.set(device, own);
}

const ON_DEVICES: ReadonlySet<TensorDtype> = new Set<TensorDtype>(["float64", "float32", "float16", "bfloat16"]);

interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Columns of B that are used for several rows of A while they are in the processor's cache. */
const COLUMNS = 256;
const DEPTH = 64;

/** c += a · b. Each element is one chain of additions along k, rounded to the type of `c` after each. */
export function multiply(
  c: Values,
  a: Values,
  b: Values,
  { m, n, k }: Sizes,
  [atC, atA, atB]: [number, number, number],
): void {
  for (let l0 = 0; l0 < k; l0 += DEPTH)
    for (let j0 = 0; j0 < n; j0 += COLUMNS) {
      const [lEnd, jEnd] = [Math.min(k, l0 + DEPTH), Math.min(n, j0 + COLUMNS)];
      for (let i = 0; i < m; i++) {
        const row = atC + i * n;
        for (let l = l0; l < lEnd; l++) {
          const factor = a[atA + i * k + l] as number;
          const from = atB + l * n;
          for (let j = j0; j < jEnd; j++) c[row + j] = (c[row + j] as number) + factor * (b[from + j] as number);
        }
      }
    }
}

/** As torch.matmul: vectors, matrices, and stacks of matrices that broadcast. */
export function matmul(one: Tensor, other: Tensor): Tensor {
  const [a, b] = [productOperand(one, cast), productOperand(other, cast)];
  if (a.rank === 0 || b.rank === 0) failShape("both arguments to matmul need to be at least 1D, but they are 0D");
  if ((a.rank === 1 || b.rank === 1) && a.shape.at(-1) !== b.shape.at(b.rank === 1 ? 0 : -2))
    failShape("sizes of a product with a vector do not match", [a.shape, b.shape]);
  if (a.rank === 1) {
    const product = matmul(unsqueeze(a, 0), b);
    return reshape(product, product.shape.toSpliced(b.rank === 1 ? 0 : -2, 1));
  }
  if (b.rank === 1) {
    const product = matmul(a, unsqueeze(b, 1));
    return reshape(product, product.shape.slice(0, -1));
  }
  if (a.dtype !== b.dtype) failShape(`expected m1 and m2 to have the same dtype, but got: ${a.dtype} != ${b.dtype}`);
  const areMatrices = a.rank === 2 && b.rank === 2;
  const [m, k] = (areMatrices ? a.shape : a.shape.slice(-2)) as [number, number];
  const [inner, n] = (areMatrices ? b.shape : b.shape.slice(-2)) as [number, number];
  if (k !== inner)
    failShape(
      `mat1 and mat2 shapes cannot be multiplied (${m}x${k} and ${inner}x${n})`,
      areMatrices ? [] : [a.shape, b.shape],
    );
  const stack = areMatrices ? [] : broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const all = areMatrices ? { a, b } : { a: expandAs(a, [...stack, m, k]), b: expandAs(b, [...stack, k, n]) };
  const count = elementCount(stack);
  const { dtype } = a;
  const shape = areMatrices ? [m, n] : [...stack, m, n];
  const result = traceable(
    "matmul",
    [all.a, all.b],
    () => empty(shape, dtype, a.place),
    ([x, y]) => onDevice(x as Tensor, y as Tensor, [count, m, n, k], shape) ?? onHost(x as Tensor, y as Tensor),
  );
  if (!isFloating(dtype) || !needsTape([a, b])) return result;
  const needs = [a.requiresGradient, b.requiresGradient];
  const saves = [...(needs[1] === true ? [a] : []), ...(needs[0] === true ? [b] : [])];
  const [forA, forB] = [a, b].map(({ shape: of }) => of) as [readonly number[], readonly number[]];
  const [ofA, ofB] = [needs[1] === true ? a : null, needs[0] === true ? b : null];
  return record(
    "MmBackward0",
    result,
    [a, b],
    (gradient) => [
      ofB === null ? null : sumTo(matmul(gradient, transpose(ofB, -2, -1)), forA),
      ofA === null ? null : sumTo(matmul(transpose(ofA, -2, -1), gradient), forB),
    ],
    saves,
  );

  function onHost(left: Tensor, right: Tensor): Tensor {
    const [x, y] = [left.values(), right.values()];
    const values = newValues(dtype, count * m * n);
    for (let s = 0; s < count; s++) multiply(values, x, y, { m, n, k }, [s * m * n, s * m * k, s * k * n]);
    return fromValues(values, shape, dtype, left.place);
  }
}

/** Null: not on a device, or not of a kind that a kernel multiplies. */
function onDevice(
  a: Tensor,
  b: Tensor,
  [count, m, n, k]: readonly [number, number, number, number],
  shape: readonly number[],
): Tensor | null {
  const own = a.place === null ? undefined : products.get(a.place);
  if (own === undefined || !ON_DEVICES.has(a.dtype) || count * m * n * k === 0) return null;
  if (a.rank === 2 && b.rank === 2) return own(a, b, shape);
  return withoutTape(() => own(reshape(a, [count, m, k]), reshape(b, [count, k, n]), shape));
}
