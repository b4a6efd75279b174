/** Arrays in device memory. */
import { HeddleError } from "../base/diagnostics.ts";
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

/**
 * Values to put into an array: a typed array whose type fits is copied as it is, anything else is converted element by
 * element.
 */
export type ArrayValues = NumericArray | readonly number[] | readonly bigint[];

/**
 * `length` elements of one dtype in device memory. Made by `device.array`.
 *
 * Frees itself with `using`, else call `free()`.
 */
export class DeviceArray<D extends Dtype = Dtype> {
  readonly dtype: D;
  /** Elements. */
  readonly length: number;
  /** Address of the first element in device memory. */
  readonly pointer: DevicePointer;
  /** The device it lies on. */
  readonly device: Device;
  /** The array whose memory this is a part of. */
  readonly #owner: DeviceArray<D> | null;
  readonly #ownsMemory: boolean;
  #freed = false;

  /** @internal Use `device.array`. */
  constructor(
    device: Device,
    dtype: D,
    length: number,
    part: { owner: DeviceArray<D> | null; pointer: DevicePointer } | null = null,
  ) {
    if (!Number.isSafeInteger(length) || length < 0)
      throw new HeddleError("bad-arguments", `an array's length must be a whole number of elements, not ${length}`);
    this.device = device;
    this.dtype = dtype;
    this.length = length;
    this.#owner = part?.owner ?? null;
    this.#ownsMemory = part === null;
    this.pointer = part === null ? device.allocate(length * dtypeBytes(dtype)) : part.pointer;
  }

  /** Memory that something else owns, as an array. */
  static at<D extends Dtype>(device: Device, dtype: D, length: number, pointer: DevicePointer): DeviceArray<D> {
    return new DeviceArray(device, dtype, length, { owner: null, pointer });
  }

  get byteLength(): number {
    return this.length * dtypeBytes(this.dtype);
  }

  /** Whether its memory is given back. */
  get freed(): boolean {
    return this.#owner?.freed ?? this.#freed;
  }

  /**
   * Copies values to the device, beginning at element `offset`, after all launches before it.
   * @throws HeddleError "bad-arguments" when they do not fit.
   */
  async write(values: ArrayValues, offset = 0): Promise<void> {
    await this.device.synchronize();
    this.writeNow(values, offset);
  }

  /** As `write`, at once; throws while a launch is in flight. */
  writeNow(values: ArrayValues, offset = 0): void {
    this.#requireLive();
    if (offset < 0 || offset + values.length > this.length)
      throw new HeddleError(
        "bad-arguments",
        `${values.length} values at element ${offset} do not fit into an array of ${this.length}`,
      );
    this.device.write(this.pointer + offset * dtypeBytes(this.dtype), viewValues(values, this.dtype));
  }

  /** Copies elements [begin, end) back, after all launches before it. float16 and bfloat16 come as Float32Array. */
  async read(begin = 0, end: number = this.length): Promise<DtypeValues[D]> {
    await this.device.synchronize();
    this.#requireLive();
    if (begin < 0 || end > this.length || begin > end)
      throw new HeddleError("bad-arguments", `elements ${begin} to ${end} are not in an array of ${this.length}`);
    const bytes = new Uint8Array((end - begin) * dtypeBytes(this.dtype));
    this.device.read(this.pointer + begin * dtypeBytes(this.dtype), bytes);
    return decodeValues(bytes, this.dtype);
  }

  /**
   * Copies elements from `begin` on into a typed array that is there already, as many as it holds, after all launches
   * before it. The fastest way when the array's memory is pinned (`gpu.pin`).
   * @throws HeddleError "bad-arguments" when its elements have another size, or the array has fewer.
   */
  async readInto(target: NumericArray, begin = 0): Promise<void> {
    await this.device.synchronize();
    this.#requireLive();
    if (target.BYTES_PER_ELEMENT !== dtypeBytes(this.dtype))
      throw new HeddleError(
        "bad-arguments",
        `an array of ${this.dtype} has elements of ${dtypeBytes(this.dtype)} bytes, the target of ${target.BYTES_PER_ELEMENT}`,
      );
    if (begin < 0 || begin + target.length > this.length)
      throw new HeddleError(
        "bad-arguments",
        `elements ${begin} to ${begin + target.length} are not in an array of ${this.length}`,
      );
    this.device.read(
      this.pointer + begin * dtypeBytes(this.dtype),
      new Uint8Array(target.buffer, target.byteOffset, target.byteLength),
    );
  }

  /** Sets every element, after all launches before it. */
  async fill(value: number | bigint): Promise<void> {
    await this.device.synchronize();
    this.#requireLive();
    const element = encodeValues([value] as readonly number[] | readonly bigint[], this.dtype);
    if (element.length === 8) {
      const all = new Uint8Array(this.byteLength);
      for (let i = 0; i < all.length; i += 8) all.set(element, i);
      this.device.write(this.pointer, all);
      return;
    }
    const bits = element.reduceRight((sum, byte) => sum * 256 + byte, 0);
    this.device.fill(this.pointer, bits, element.length as 1 | 2 | 4, this.length);
  }

  /** Elements [begin, end) as an array that shares this one's memory. */
  subarray(begin: number, end: number = this.length): DeviceArray<D> {
    if (!(begin >= 0 && begin <= end && end <= this.length))
      throw new HeddleError("bad-arguments", `elements ${begin} to ${end} are not in an array of ${this.length}`);
    return new DeviceArray(this.device, this.dtype, end - begin, {
      owner: this.#owner ?? this,
      pointer: this.pointer + begin * dtypeBytes(this.dtype),
    });
  }

  /** Gives the memory back. Twice is allowed. A part made by `subarray` has nothing to give back. */
  free(): void {
    if (!this.#ownsMemory || this.#freed) return;
    this.#freed = true;
    // After a reset of the device it is gone already.
    if (this.device.findAllocation(this.pointer)?.pointer === this.pointer || this.length === 0)
      this.device.free(this.pointer);
  }

  [Symbol.dispose](): void {
    this.free();
  }

  #requireLive(): void {
    if (this.freed) throw new HeddleError("bad-arguments", "the array was freed");
  }
}
