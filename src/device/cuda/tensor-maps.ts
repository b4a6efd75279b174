/** The driver writes a tensor map (CUDA Driver API, "Tensor Map Object Management"). */
import { TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES, type TensorMapDescription } from "../../machine/tensor-map.ts";
import { addressOf } from "./foreign-library.ts";

type Encoder = "cuTensorMapEncodeTiled" | "cuTensorMapEncodeIm2col";

/** @param call an encoder of the driver, checked. `description.address` is the GPU's. */
export function encodeTensorMap(
  { type, address, extents, strides, box, im2col, steps, ...options }: TensorMapDescription,
  call: (name: Encoder, ...values: (number | ArrayBufferView)[]) => void,
): Uint8Array {
  // The driver wants the map at a multiple of 64, and an array's own bytes may lie anywhere.
  const room = new Uint8Array(TENSOR_MAP_BYTES + TENSOR_MAP_ALIGN);
  const skipped = (TENSOR_MAP_ALIGN - (addressOf(room) % TENSOR_MAP_ALIGN)) % TENSOR_MAP_ALIGN;
  const map = room.subarray(skipped, skipped + TENSOR_MAP_BYTES);
  const { interleave, swizzle, promotion, fill } = options;
  const tensor = [
    type,
    extents.length,
    address,
    BigUint64Array.from(extents, BigInt),
    // Of one dimension there are none, but the driver refuses a null pointer, which an empty array is.
    BigUint64Array.from([...strides, 0], BigInt),
  ];
  const rest = [Uint32Array.from(steps), interleave, swizzle, promotion, fill];
  if (im2col === null) call("cuTensorMapEncodeTiled", map, ...tensor, Uint32Array.from(box), ...rest);
  else {
    const corners = [Int32Array.from(im2col.lower), Int32Array.from(im2col.upper)];
    call("cuTensorMapEncodeIm2col", map, ...tensor, ...corners, im2col.channels, im2col.pixels, ...rest);
  }
  return map.slice();
}
