/**
 * Arrays of C's `long`, `unsigned long` and `size_t`: elements are as wide as the device's kernels have them, 64 bits
 * on a GPU, and values are bigints on all devices.
 */
import type { DataModel } from "../base/data-model.ts";
import { HeddleError } from "../base/diagnostics.ts";
import type { NumericArray } from "../base/dtypes.ts";
import type { Device, DevicePointer } from "../device/device.ts";
import { DeviceArray, type ArrayValues } from "./device-array.ts";

export const LONG_TYPES = ["long", "unsigned long", "size_t"] as const;
export type LongType = (typeof LONG_TYPES)[number];
type LongDtype = "int32" | "uint32" | "int64" | "uint64";

export function isLongType(type: unknown): type is LongType {
  return LONG_TYPES.some((known) => known === type);
}

/** `length` elements of `cType` in device memory. Made by `device.array(…, "long")`. */
export class LongArray extends DeviceArray<LongDtype> {
  /** As the kernel's parameter has it. */
  readonly cType: LongType;

  readonly #model: DataModel;

  /** @internal Use `device.array`. */
  constructor(
    device: Device,
    model: DataModel,
    cType: LongType,
    length: number,
    part: { owner: DeviceArray<LongDtype> | null; pointer: DevicePointer } | null = null,
  ) {
    super(device, `${cType === "long" ? "" : "u"}int${model.longBytes === 8 ? 64 : 32}`, length, part);
    this.#model = model;
    this.cType = cType;
  }

  /** @throws HeddleError "bad-arguments" for a value that the device's type cannot hold. */
  override writeNow(values: ArrayValues, offset = 0): void {
    super.writeNow(
      Array.from(values as Iterable<number | bigint>, (value, i) => this.#stored(value, `element ${offset + i}`)),
      offset,
    );
  }

  /** Sets every element, after all earlier launches. @throws as writeNow */
  override async fill(value: number | bigint): Promise<void> {
    await super.fill(this.#stored(value, "the value"));
  }

  /** Copies elements [begin, end) back, after all earlier launches. */
  override async read(begin = 0, end: number = this.length): Promise<BigInt64Array | BigUint64Array> {
    const values: NumericArray = await super.read(begin, end);
    const Wide = this.cType === "long" ? BigInt64Array : BigUint64Array;
    return values instanceof Int32Array || values instanceof Uint32Array
      ? Wide.from(Array.from(values, BigInt))
      : (values as BigInt64Array | BigUint64Array);
  }

  /** Fills an existing array of 64-bit elements from `begin` on, after all earlier launches. */
  override async readInto(target: NumericArray, begin = 0): Promise<void> {
    if (!(target instanceof BigInt64Array) && !(target instanceof BigUint64Array))
      throw new HeddleError("bad-arguments", `an array of ${this.cType} is read into 64-bit integers`);
    target.set(await this.read(begin, begin + target.length));
  }

  override subarray(begin: number, end: number = this.length): LongArray {
    const { pointer } = super.subarray(begin, end);
    return new LongArray(this.device, this.#model, this.cType, end - begin, { owner: this, pointer });
  }

  /** A bigint, in the range of the device's type. */
  #stored(value: number | bigint, what: string): bigint {
    const bits = BigInt(8 * this.#model.longBytes);
    const [low, high] =
      this.cType === "long" ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
    if (typeof value === "number" && !Number.isInteger(value))
      throw new HeddleError("bad-arguments", `an array of ${this.cType} has whole numbers, not ${value}`);
    if (value >= low && value <= high) return BigInt(value);
    throw new HeddleError(
      "bad-arguments",
      `${what} is ${value}: ${this.cType} is from ${low} to ${high} on this device`,
      { notes: bits === 32n ? ["long and size_t have 32 bits on this emulated device, long long has 64"] : [] },
    );
  }
}
