/** Elements by tensors of indices, by kernels. */
import type { Shape, Tensor } from "../tensor.ts";

/** Null: the host does it. */
export function launchIndexSelect(_tensor: Tensor, _dim: number, _index: Tensor, _shape: Shape): Tensor | null {
  return null;
}

export function launchIndexAdd(
  _tensor: Tensor,
  _dim: number,
  _index: Tensor,
  _source: Tensor,
  _alpha: number,
): Tensor | null {
  return null;
}
