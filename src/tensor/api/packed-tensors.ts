/** Tensors beside one another in one block of memory. */
import { elementBytes, type TensorDtype } from "../dtypes.ts";
import type { Place } from "../storage.ts";
import { denseStrides, elementCount, empty, Tensor, type Shape } from "../tensor.ts";

export interface PackedPart {
  readonly shape: Shape;
  /** Default: float32. */
  readonly dtype?: TensorDtype;
}

export interface PackedTensors {
  /** The block, as bytes. */
  readonly memory: Tensor;
  readonly tensors: readonly Tensor[];
  /** Where each tensor begins in the block, in bytes. */
  readonly offsets: readonly number[];
}

/** Kernels load 16 bytes at once from where a tensor begins. */
const ALIGNMENT = 16;

export function packedTensors(place: Place, parts: readonly PackedPart[]): PackedTensors {
  const offsets: number[] = [];
  let bytes = 0;
  for (const { shape, dtype = "float32" } of parts) {
    offsets.push(bytes);
    bytes += Math.ceil((elementCount(shape) * elementBytes(dtype)) / ALIGNMENT) * ALIGNMENT;
  }
  const memory = empty([bytes], "uint8", place);
  const tensors = parts.map(({ shape, dtype = "float32" }, i) => {
    const offset = (offsets[i] as number) / elementBytes(dtype);
    return new Tensor(memory.storage, dtype, shape, denseStrides(shape), offset);
  });
  return { memory, tensors, offsets };
}
