/** What the table of operations is made of: src/tensor's operations, in one place. */
import { float, type Operand, type Scalar } from "../tensor/operations/elementwise.ts";
import { contiguous } from "../tensor/operations/shapes.ts";
import { elementBytes } from "../tensor/dtypes.ts";
import { cast } from "../tensor/operations/elementwise.ts";
import { expand } from "../tensor/operations/copies.ts";
import { scoped, type Tensor } from "../tensor/tensor.ts";

export type { Operand };
export { float };

export function scalarOf(value: number, kind: Scalar["kind"]): Scalar {
  return { value, kind };
}

/** Writes the elements of `source` into those of `target`, as copy_ does. Returns the target. */
export function copyInto(target: Tensor, source: Tensor): Tensor {
  scoped(() => {
    const shaped = expand(source, target.shape);
    const typed = shaped.dtype === target.dtype ? shaped : cast(shaped, target.dtype);
    const { place } = target;
    if (place !== null && typed.place === place && target.isContiguous) {
      const dense = contiguous(typed);
      if (target.length > 0) place.copy(target.pointer, dense.pointer, target.length * elementBytes(target.dtype));
    } else target.setValues(typed.values());
    return null;
  });
  return target;
}
