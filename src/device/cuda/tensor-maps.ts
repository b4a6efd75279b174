/** The driver writes a tensor map (CUDA Driver API, "Tensor Map Object Management"). */
import { TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES, type TensorMapDescription } from "../../machine/tensor-map.ts";
import { addressOf } from "./foreign-library.ts";

type Encoder = "cuTensorMapEncodeTiled" | "cuTensorMapEncodeIm2col";

/** Bytes of a list of the description, of 64-bit numbers: one for each dimension. */
const LIST_BYTES = 5 * 8;
const LISTS = 5;

/**
 * What the encoders write and read. Programs encode maps before each launch, so this memory is made once, and the
 * driver gets numbers: an array that is made for a call has to be moved out of the heap first.
 */
class Room {
  readonly #view: DataView;
  readonly #map: Uint8Array;
  /** Of the map, a multiple of 64, as the driver wants it. */
  readonly address: number;
  #used = 0;

  constructor() {
    const memory = new ArrayBuffer(TENSOR_MAP_BYTES + LISTS * LIST_BYTES + TENSOR_MAP_ALIGN);
    const start = addressOf(memory);
    const skipped = (TENSOR_MAP_ALIGN - (start % TENSOR_MAP_ALIGN)) % TENSOR_MAP_ALIGN;
    this.address = start + skipped;
    this.#map = new Uint8Array(memory, skipped, TENSOR_MAP_BYTES);
    this.#view = new DataView(memory, skipped + TENSOR_MAP_BYTES);
  }

  clear(): void {
    this.#used = 0;
  }
  /** The address of a copy. */
  words(values: readonly number[]): number {
    const at = this.#next();
    values.forEach((value, i) => this.#view.setInt32(at + 4 * i, value, true));
    return this.address + TENSOR_MAP_BYTES + at;
  }
  longWords(values: readonly number[]): number {
    const at = this.#next();
    values.forEach((value, i) => this.#view.setBigUint64(at + 8 * i, BigInt(value), true));
    return this.address + TENSOR_MAP_BYTES + at;
  }
  map(): Uint8Array {
    return this.#map.slice();
  }

  #next(): number {
    return LIST_BYTES * this.#used++;
  }
}

let made: Room | null = null;

/** @param call an encoder of the driver, checked. `description.address` is the GPU's. */
export function encodeTensorMap(
  { type, address, extents, strides, box, im2col, steps, ...options }: TensorMapDescription,
  call: (name: Encoder, ...values: number[]) => void,
): Uint8Array {
  const room = (made ??= new Room());
  room.clear();
  const { interleave, swizzle, promotion, fill } = options;
  // Of one dimension there are no strides, but the driver refuses a null pointer.
  const tensor = [room.address, type, extents.length, address, room.longWords(extents), room.longWords(strides)];
  const rest = [room.words(steps), interleave, swizzle, promotion, fill];
  if (im2col === null) call("cuTensorMapEncodeTiled", ...tensor, room.words(box), ...rest);
  else {
    const corners = [room.words(im2col.lower), room.words(im2col.upper)];
    call("cuTensorMapEncodeIm2col", ...tensor, ...corners, im2col.channels, im2col.pixels, ...rest);
  }
  return room.map();
}
