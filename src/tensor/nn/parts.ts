/** Parts of parameters that hold several matrices. */
import { narrow } from "../operations/creation.ts";
import type { Tensor } from "../tensor.ts";

/** One of `count` equal parts of the first dimension. */
export function chunkOf(tensor: Tensor, part: number, count = 3): Tensor {
  const size = (tensor.shape[0] as number) / count;
  return narrow(tensor, 0, part * size, size);
}
