/** Operands of kernels that read rows without gaps. */
import { withoutTape } from "../autograd/tape.ts";
import { copyInto } from "../operations/copies.ts";
import { empty, type Tensor } from "../tensor.ts";

/** The tensor itself, if its rows have no gaps, else a copy. */
export function copyOfDense(tensor: Tensor): Tensor {
  if (tensor.isContiguous) return tensor;
  const copy = empty(tensor.shape, tensor.dtype, tensor.place);
  withoutTape(() => copyInto(copy, tensor));
  return copy;
}
