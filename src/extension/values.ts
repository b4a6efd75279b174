/**
 * Values as they cross between TypeScript and an extension: 16 bytes each in the extension's memory, a tag, a count and
 * a number or an address. The extension's side is include/heddle/torch/values.h.
 */
import type { HostMemory } from "../runtime/host/host-memory.ts";
import type { TensorDtype } from "../tensor/dtypes.ts";
import type { Tensor } from "../tensor/tensor.ts";

export const VALUE_BYTES = 16;

/** The same numbers are in values.h. */
export const TAG = {
  none: 0,
  bool: 1,
  int: 2,
  double: 3,
  tensor: 4,
  string: 5,
  ints: 6,
  doubles: 7,
  list: 8,
  dtype: 9,
  device: 10,
  /** An argument that is left out. */
  missing: 11,
} as const;

/** An element type that an extension names, apart from a string. */
export class DtypeName {
  readonly dtype: TensorDtype;
  constructor(dtype: TensorDtype) {
    this.dtype = dtype;
  }
}
/** A device that an extension names. */
export class DeviceName {
  readonly type: "cpu" | "cuda";
  constructor(type: "cpu" | "cuda") {
    this.type = type;
  }
}
/** A number that an extension gives as floating-point, so that 2.0 can be told from 2. */
export class Double {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** What an operation is called with. */
export type Value =
  | Tensor
  | Double
  | DtypeName
  | DeviceName
  | number
  | bigint
  | boolean
  | string
  | null
  | readonly Value[];

/** c10::ScalarType's numbers. */
const DTYPE_NUMBERS: Readonly<Record<TensorDtype, number>> = {
  uint8: 0,
  int8: 1,
  int16: 2,
  int32: 3,
  int64: 4,
  float16: 5,
  float32: 6,
  float64: 7,
  bool: 11,
  bfloat16: 15,
  float8_e5m2: 23,
  float8_e4m3fn: 24,
  uint16: 27,
  uint32: 28,
  uint64: 29,
};
const DTYPES = new Map<number, TensorDtype>(
  Object.entries(DTYPE_NUMBERS).map(([dtype, number]) => [number, dtype as TensorDtype]),
);
/** c10::DeviceType's. */
export const DEVICE_CPU = 0;
export const DEVICE_CUDA = 1;

export function numberOfDtype(dtype: TensorDtype): number {
  return DTYPE_NUMBERS[dtype];
}

/** Reads and writes what does not depend on which tensors there are. */
export class ValueMemory {
  readonly memory: HostMemory;
  /** Memory of the extension's own. */
  readonly allocate: (bytes: number) => number;

  constructor(memory: HostMemory, allocate: (bytes: number) => number) {
    this.memory = memory;
    this.allocate = allocate;
  }

  set(at: number, tag: number, count: number, payload: bigint): void {
    this.memory.setU32(at, tag);
    this.memory.setU32(at + 4, count);
    this.memory.setU64(at + 8, payload);
  }

  setNumber(at: number, value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.#setInteger(at, TAG.int, value);
    else this.setDouble(at, value);
  }

  #setInteger(at: number, tag: number, value: number): void {
    const { view } = this.memory;
    view.setUint32(at, tag, true);
    view.setUint32(at + 4, 0, true);
    view.setInt32(at + 8, value | 0, true);
    view.setInt32(at + 12, Math.floor(value / 2 ** 32), true);
  }

  setDouble(at: number, value: number): void {
    this.memory.setU32(at, TAG.double);
    this.memory.setU32(at + 4, 0);
    this.memory.setF64(at + 8, value);
  }

  setBool(at: number, value: boolean): void {
    this.#setInteger(at, TAG.bool, value ? 1 : 0);
  }

  setTensor(at: number, record: number): void {
    this.#setInteger(at, TAG.tensor, record);
  }

  setMissing(at: number): void {
    this.#setInteger(at, TAG.missing, 0);
  }

  setNone(at: number): void {
    this.#setInteger(at, TAG.none, 0);
  }

  setDtype(at: number, dtype: TensorDtype): void {
    this.#setInteger(at, TAG.dtype, DTYPE_NUMBERS[dtype]);
  }

  setString(at: number, text: string): void {
    const bytes = new TextEncoder().encode(text);
    const pointer = this.allocate(bytes.length + 1);
    this.memory.slice(pointer, bytes.length).set(bytes);
    this.set(at, TAG.string, bytes.length, BigInt(pointer));
  }

  /** The address of a string or list. */
  pointer(at: number): number {
    return this.memory.pointer(at + 8);
  }

  /** @returns where the elements begin. */
  setList(at: number, count: number): number {
    const pointer = this.allocate(Math.max(1, count) * VALUE_BYTES);
    this.set(at, TAG.list, count, BigInt(pointer));
    return pointer;
  }

  /** @param tensor the tensor of a record */
  read(at: number, tensor: (record: number) => Tensor): Value {
    const { memory } = this;
    const count = memory.u32(at + 4);
    const pointer = memory.u32(at + 8) + 2 ** 32 * memory.u32(at + 12);
    switch (memory.u32(at)) {
      case TAG.bool:
        return pointer !== 0;
      case TAG.int:
        return this.#integer(at + 8);
      case TAG.double:
        return new Double(memory.f64(at + 8));
      case TAG.tensor:
        return tensor(pointer);
      case TAG.string:
        return memory.text(pointer, count);
      case TAG.ints:
        return Array.from({ length: count }, (_, i) => Number(memory.view.getBigInt64(pointer + 8 * i, true)));
      case TAG.doubles:
        return Array.from({ length: count }, (_, i) => memory.f64(pointer + 8 * i));
      case TAG.list:
        return Array.from({ length: count }, (_, i) => this.read(pointer + VALUE_BYTES * i, tensor));
      case TAG.dtype:
        return new DtypeName(DTYPES.get(pointer) ?? "float32");
      case TAG.device:
        return new DeviceName(pointer >> 8 === DEVICE_CPU ? "cpu" : "cuda");
      default:
        return null;
    }
  }

  #integer(at: number): number | bigint {
    const value = this.memory.view.getBigInt64(at, true);
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
}
