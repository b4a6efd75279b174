/** Arrays in device memory. */
import { HeddleError } from "../base/diagnostics.ts";
import { describeValue } from "../base/options.ts";
import {
  decodeValues,
  dtypeBytes,
  encodeValues,
  viewValues,
  type Dtype,
  type DtypeValues,
  type NumericArray,
} from "../base/dtypes.ts";
import type { Device, DevicePointer } from "../device/device.ts";
import { generationOf } from "./generation.ts";
import { record } from "./recording.ts";

/** Values for an array. A typed array of the same type is copied as it is; other values are converted one by one. */
export type ArrayValues = NumericArray | readonly number[] | readonly bigint[];

/**
 * `length` elements of one dtype in device memory. Made by `device.array`.
 *
 * Frees itself with `using`; otherwise call `free()`.
 */
export class DeviceArray<D extends Dtype = Dtype> {
  readonly dtype: D;
  /** Elements. */
  readonly length: number;
  /** Address of the first element in device memory. */
  readonly pointer: DevicePointer;
  /** The device that holds it. */
  readonly device: Device;
  /** The array whose memory this is a part of. */
  readonly #owner: DeviceArray<D> | null;
  readonly #ownsMemory: boolean;
  /** The device's resets when the array was made. */
  readonly #generation: number;
  #freed = false;

  /** @internal Use `device.array`. */
  constructor(
    device: Device,
    dtype: D,
    length: number,
    part: { owner: DeviceArray<D> | null; pointer: DevicePointer } | null = null,
  ) {
    if (!Number.isSafeInteger(length) || length < 0)
      throw new HeddleError(
        "bad-arguments",
        `an array's length must be a whole number of elements, not ${describeValue(length)}`,
      );
    this.device = device;
    this.#generation = generationOf(device);
    this.dtype = dtype;
    this.length = length;
    this.#owner = part?.owner ?? null;
    this.#ownsMemory = part === null;
    this.pointer = part === null ? device.allocate(length * dtypeBytes(dtype)) : part.pointer;
  }

  /** Returns an array over memory that something else owns. */
  static at<D extends Dtype>(device: Device, dtype: D, length: number, pointer: DevicePointer): DeviceArray<D> {
    return new DeviceArray(device, dtype, length, { owner: null, pointer });
  }

  get byteLength(): number {
    return this.length * dtypeBytes(this.dtype);
  }

  /** True after `free()`, and after a reset of the device. */
  get freed(): boolean {
    return this.isReset || (this.#owner?.freed ?? this.#freed);
  }

  /** @internal A reset of the device freed it. */
  get isReset(): boolean {
    return generationOf(this.device) !== this.#generation;
  }

  /**
   * Copies values to the device, from element `offset` on, after all earlier launches.
   * @throws HeddleError "bad-arguments" if they do not fit.
   */
  async write(values: ArrayValues, offset = 0): Promise<void> {
    await this.device.synchronize();
    this.writeNow(values, offset);
  }

  /** The same as `write`, at once. Throws while a launch is in flight. */
  writeNow(values: ArrayValues, offset = 0): void {
    this.#requireLive();
    if (offset < 0 || offset + values.length > this.length)
      throw new HeddleError(
        "bad-arguments",
        `${values.length} values at element ${offset} do not fit into an array of ${this.length}`,
      );
    const bytes = viewValues(values, this.dtype);
    const at = this.pointer + offset * dtypeBytes(this.dtype);
    record(this.device, { copied: "host to device", bytes: bytes.byteLength }, () => this.device.write(at, bytes));
  }

  /**
   * Copies elements [begin, end) back, after all earlier launches. float16 and bfloat16 are returned as Float32Array.
   */
  async read(begin = 0, end: number = this.length): Promise<DtypeValues[D]> {
    await this.device.synchronize();
    this.#requireLive();
    if (begin < 0 || end > this.length || begin > end)
      throw new HeddleError("bad-arguments", `elements ${begin} to ${end} are not in an array of ${this.length}`);
    const bytes = new Uint8Array((end - begin) * dtypeBytes(this.dtype));
    this.#readBytes(begin, bytes);
    return decodeValues(bytes, this.dtype);
  }

  /**
   * Fills an existing typed array with elements from `begin` on, after all earlier launches. This is the fastest copy
   * if the typed array is pinned (`gpu.pin`).
   * @throws HeddleError "bad-arguments" if its elements have another size, or this array has too few.
   */
  async readInto(target: NumericArray, begin = 0): Promise<void> {
    await this.device.synchronize();
    this.#requireLive();
    if (target.BYTES_PER_ELEMENT !== dtypeBytes(this.dtype))
      throw new HeddleError(
        "bad-arguments",
        `an array of ${this.dtype} has elements of ${dtypeBytes(this.dtype)} bytes, the target of ` +
          `${target.BYTES_PER_ELEMENT}`,
      );
    if (begin < 0 || begin + target.length > this.length)
      throw new HeddleError(
        "bad-arguments",
        `elements ${begin} to ${begin + target.length} are not in an array of ${this.length}`,
      );
    this.#readBytes(begin, new Uint8Array(target.buffer, target.byteOffset, target.byteLength));
  }

  /** Sets every element, after all earlier launches. */
  async fill(value: number | bigint): Promise<void> {
    await this.device.synchronize();
    this.#requireLive();
    const element = encodeValues([value] as readonly number[] | readonly bigint[], this.dtype);
    if (element.length === 8) {
      const all = new Uint8Array(this.byteLength);
      for (let i = 0; i < all.length; i += 8) all.set(element, i);
      record(this.device, { filled: all.length }, () => this.device.write(this.pointer, all));
      return;
    }
    const bits = element.reduceRight((sum, byte) => sum * 256 + byte, 0);
    record(this.device, { filled: this.byteLength }, () =>
      this.device.fill(this.pointer, bits, element.length as 1 | 2 | 4, this.length),
    );
  }

  /** Returns elements [begin, end) as an array that shares this array's memory. */
  subarray(begin: number, end: number = this.length): DeviceArray<D> {
    if (!(begin >= 0 && begin <= end && end <= this.length))
      throw new HeddleError("bad-arguments", `elements ${begin} to ${end} are not in an array of ${this.length}`);
    return new DeviceArray(this.device, this.dtype, end - begin, {
      owner: this.#owner ?? this,
      pointer: this.pointer + begin * dtypeBytes(this.dtype),
    });
  }

  /** Frees the memory. A second call has no effect, nor has a call on a part made by `subarray`. */
  free(): void {
    if (!this.#ownsMemory || this.#freed) return;
    const isGone = this.isReset;
    this.#freed = true;
    // After a reset of the device it is gone already.
    if (isGone) return;
    if (this.device.findAllocation(this.pointer)?.pointer === this.pointer || this.length === 0)
      this.device.free(this.pointer);
  }

  [Symbol.dispose](): void {
    this.free();
  }

  #readBytes(begin: number, target: Uint8Array): void {
    const from = this.pointer + begin * dtypeBytes(this.dtype);
    record(this.device, { copied: "device to host", bytes: target.byteLength }, () => this.device.read(from, target));
  }

  #requireLive(): void {
    if (!this.freed) return;
    throw new HeddleError(
      "bad-arguments",
      this.isReset ? "the array was freed by device.reset()" : "the array was freed",
      {
        notes: this.isReset ? ["a reset frees programs and arrays: make the array again"] : [],
      },
    );
  }
}
