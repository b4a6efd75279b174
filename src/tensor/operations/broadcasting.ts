/** Sums over dimensions: what gradients of broadcast operands need. */
import { record } from "../autograd/tape.ts";
import { isFloating, type TensorDtype } from "../dtypes.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import type { Shape, Tensor } from "../tensor.ts";
import { IDENTITY, reduceElements } from "./reduce-elements.ts";
import { expand } from "./copies.ts";
import { reshape } from "./shapes.ts";

/** `expand`, on the tape. */
export function expandAs(tensor: Tensor, shape: Shape): Tensor {
  const { shape: from } = tensor;
  return record("ExpandBackward0", expand(tensor, shape), [tensor], (gradient) => [sumTo(gradient, from)]);
}

/** What elements are added up as. */
export function sumType(dtype: TensorDtype): ComputeType {
  if (!isFloating(dtype)) return "int64";
  return dtype === "float64" ? "float64" : "float32";
}

/** The sum over what was broadcast: the gradient of an operand that had this shape. */
export function sumTo(gradient: Tensor, shape: Shape): Tensor {
  if (gradient.rank === shape.length && shape.every((size, d) => size === gradient.shape[d])) return gradient;
  const missing = gradient.rank - shape.length;
  const dims = new Set<number>();
  for (const [d, size] of gradient.shape.entries())
    if (d < missing || (shape[d - missing] === 1 && size !== 1)) dims.add(d);
  const { dtype } = gradient;
  const sum = reduceElements(
    { name: "sum", combine: "sum", expression: IDENTITY, type: sumType(dtype), dtype },
    [gradient],
    dims,
  );
  const from = gradient.shape;
  const kept = sum.shape;
  const result = sum.asStrided(shape, sum.strides.slice(missing));
  return record("SumBackward1", result, [gradient], (of) => [expandAs(reshape(of, kept), from)]);
}
