/** Arguments of tensor methods, as operations take them. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import { TENSOR_DTYPES } from "../dtypes.ts";
import type { Operand, Scalar } from "../operations/operands.ts";
import { Tensor, type Shape } from "../tensor.ts";

/** A tensor, or a number that stands for a tensor of equal elements. */
export type TensorLike = Tensor | number | boolean;

/** Whole numbers of JavaScript count as integers: beside a tensor of integers they leave its type as it is. */
export function operand(value: TensorLike, what = "the operand"): Operand {
  if (value instanceof Tensor) return value;
  if (typeof value === "boolean") return { value: Number(value), kind: "bool" };
  if (typeof value === "number") return { value, kind: Number.isInteger(value) ? "int" : "float" };
  throw new HeddleError("bad-arguments", `${what} is a tensor or a number, not ${describeValue(value)}`);
}

/** The error for an element type that does not exist. */
export function noDtype(dtype: unknown): HeddleError {
  const text = typeof dtype === "string" ? JSON.stringify(dtype) : describeValue(dtype);
  const isComplex = /^"(?:complex(?:32|64|128)|c(?:float|double))"$/.test(text);
  const why = isComplex ? ": Heddle's tensors have no complex numbers yet" : "";
  return new HeddleError("bad-arguments", `there is no dtype ${text}${why}`, {
    notes: [`types are ${TENSOR_DTYPES.join(", ")}`],
  });
}

export function scalar(value: number): Scalar {
  return { value, kind: "float" };
}

/** `f([2, 3])` and `f(2, 3)`. */
export function shapeOf(sizes: readonly (number | Shape)[]): Shape {
  const shape = sizes.flatMap((size) => size);
  for (const size of shape)
    if (!Number.isInteger(size))
      throw new HeddleError("bad-arguments", `a shape has whole numbers, not ${describeValue(size)}`);
  return shape;
}

/** One dimension, several, or undefined for all. */
export type Dims = number | Shape | undefined;

export function dimsOf(dims: Dims): Shape | null {
  if (dims === undefined) return null;
  return typeof dims === "number" ? [dims] : dims;
}

/** How `max(dim)` and its kin answer: the elements, and where they are. */
export interface ValuesAndIndices {
  readonly values: Tensor;
  readonly indices: Tensor;
}
