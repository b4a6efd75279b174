/** The driver writes a tensor map (CUDA Driver API, "Tensor Map Object Management"). */
import { TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES, type TensorMapDescription } from "../../machine/tensor-map.ts";
import { addressOf } from "./foreign-library.ts";

/** @param call cuTensorMapEncodeTiled, checked. `description.address` is the GPU's. */
export function encodeTensorMap(
  { type, address, extents, strides, box, steps, interleave, swizzle, promotion, fill }: TensorMapDescription,
  call: (...values: (number | ArrayBufferView)[]) => void,
): Uint8Array {
  // The driver wants the map at a multiple of 64, and an array's own bytes may lie anywhere.
  const room = new Uint8Array(TENSOR_MAP_BYTES + TENSOR_MAP_ALIGN);
  const skipped = (TENSOR_MAP_ALIGN - (addressOf(room) % TENSOR_MAP_ALIGN)) % TENSOR_MAP_ALIGN;
  const map = room.subarray(skipped, skipped + TENSOR_MAP_BYTES);
  call(
    map,
    type,
    extents.length,
    address,
    BigUint64Array.from(extents, BigInt),
    BigUint64Array.from(strides, BigInt),
    Uint32Array.from(box),
    Uint32Array.from(steps),
    interleave,
    swizzle,
    promotion,
    fill,
  );
  return map.slice();
}
