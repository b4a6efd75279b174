/** What operations on elements take: tensors and numbers, and the type, shape and device that they have together. */
import { HeddleError } from "../../base/diagnostics.ts";
import { kindOf, promote, type TensorDtype } from "../dtypes.ts";
import { differentPlaces } from "../places.ts";
import { denseStrides, empty, type Shape, type Tensor } from "../tensor.ts";
import { isSameShape } from "./copies.ts";
import { broadcastShapes } from "./shapes.ts";

/** A number of the program's text: its kind counts where types combine, not its size. */
export interface Scalar {
  readonly value: number;
  readonly kind: "bool" | "int" | "float";
}
export type Operand = Tensor | Scalar;

export const isScalar = (operand: Operand): operand is Scalar => "value" in operand;
const SCALAR_DTYPES = { bool: "bool", int: "int64", float: "float32" } as const;

export const float = (value: number): Scalar => ({ value, kind: "float" });
export const int = (value: number): Scalar => ({ value, kind: "int" });

/** Scalars, and tensors of rank 0 beside others, count only where their kind is the higher one. */
export function resultDtype(operands: readonly Operand[]): TensorDtype {
  const ranked: (TensorDtype | null)[] = [null, null, null];
  for (const operand of operands) {
    const level = isScalar(operand) ? 2 : Number(operand.rank === 0);
    const dtype = isScalar(operand) ? SCALAR_DTYPES[operand.kind] : operand.dtype;
    const before = ranked[level] ?? null;
    ranked[level] = before === null ? dtype : promote(before, dtype);
  }
  let result: TensorDtype | null = null;
  for (const dtype of ranked) if (dtype !== null && (result === null || kindOf(dtype) > kindOf(result))) result = dtype;
  return result ?? "float32";
}

/** The tensor whose device the result is on. @throws HeddleError "bad-arguments" for two devices */
export function placeOf(operands: readonly Operand[]): Tensor {
  const tensors = operands.filter((operand): operand is Tensor => !isScalar(operand));
  const first = tensors.find(({ rank }) => rank > 0) ?? tensors[0];
  if (first === undefined) throw new HeddleError("bad-arguments", "an operation needs a tensor");
  for (const tensor of tensors)
    if (tensor.place !== first.place && !(tensor.rank === 0 && tensor.place === null)) throw differentPlaces();
  return first;
}

export function shapeOf(operands: readonly Operand[]): Shape {
  let shape: Shape | null = null;
  for (const operand of operands) {
    if (isScalar(operand)) continue;
    if (shape === null) shape = operand.shape;
    else if (!isSameShape(shape, operand.shape)) shape = broadcastShapes(shape, operand.shape);
  }
  return shape ?? [];
}

/** A result for operands of this shape: in the order in which the first of them lies in memory, if it has no gaps. */
export function resultFor(operands: readonly Operand[], shape: Shape, dtype: TensorDtype, own: Tensor): Tensor {
  for (const operand of operands) {
    if (isScalar(operand) || !isSameShape(operand.shape, shape)) continue;
    if (operand.isContiguous) break;
    const order = shape
      .map((_, d) => d)
      .sort((a, b) => (operand.strides[b] as number) - (operand.strides[a] as number));
    const sorted = denseStrides(order.map((d) => shape[d] as number));
    const strides = shape.map((_, d) => sorted[order.indexOf(d)] as number);
    if (!shape.every((size, d) => size === 1 || strides[d] === operand.strides[d])) continue;
    const dense = empty(shape, dtype, own.place);
    return dense.asStrided(shape, strides);
  }
  return empty(shape, dtype, own.place);
}
