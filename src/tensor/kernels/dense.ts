/** Operands of kernels that read rows without gaps. Nothing is put on the tape. */
import { copyInto } from "../operations/copies.ts";
import { empty, type Tensor } from "../tensor.ts";

/** The tensor itself, if its rows have no gaps, else a copy. */
export function dense(tensor: Tensor): Tensor {
  if (tensor.isContiguous) return tensor;
  const copy = empty(tensor.shape, tensor.dtype, tensor.place);
  copyInto(copy, tensor);
  return copy;
}
