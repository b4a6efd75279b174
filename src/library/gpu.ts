/** A device as library users see it. */
import { HeddleError } from "../base/diagnostics.ts";
import { DTYPES, dtypeOf, type Dtype, type NumericArray } from "../base/dtypes.ts";
import type { Device, DeviceProperties } from "../device/device.ts";
import { DeviceArray, type ArrayValues } from "./device-array.ts";

/** The dtype of the array that `device.array(values)` makes of a typed array. */
export type DtypeOf<V> = V extends Float32Array ? "float32" : V extends Float64Array ? "float64" : V extends Int8Array ? "int8" : V extends Uint8Array | Uint8ClampedArray ? "uint8"
  : V extends Int16Array ? "int16" : V extends Uint16Array ? "uint16" : V extends Int32Array ? "int32" : V extends Uint32Array ? "uint32" : V extends BigInt64Array ? "int64" : V extends BigUint64Array ? "uint64" : Dtype;

/** Made by `openDevice`. Closes itself with `using`. */
export class Gpu {
  /** The device beneath, for what this class does not offer. */
  readonly raw: Device;
  readonly onPrint: (text: string) => void;

  /** @internal Use `openDevice`. */
  constructor(raw: Device, onPrint: (text: string) => void) {
    this.raw = raw;
    this.onPrint = onPrint;
  }

  /** Name, compute capability and limits, as cudaGetDeviceProperties tells them. */
  get properties(): DeviceProperties {
    return this.raw.properties;
  }

  /**
   * An array in device memory.
   *
   *     device.array(new Float32Array([1, 2, 3]))      // float32, 3 elements, copied
   *     device.array([1, 2, 3], "bfloat16")            // converted
   *     device.array(1 << 20, "float32")               // 2^20 elements, content undefined
   *
   * @throws HeddleError "out-of-memory"; "bad-arguments" while a launch is in flight.
   */
  array<V extends NumericArray>(values: V): DeviceArray<DtypeOf<V>>;
  array<D extends Dtype>(values: ArrayValues, dtype: D): DeviceArray<D>;
  array<D extends Dtype>(length: number, dtype: D): DeviceArray<D>;
  array(valuesOrLength: ArrayValues | number, dtype?: Dtype): DeviceArray {
    if (dtype !== undefined && !DTYPES.includes(dtype)) throw new HeddleError("bad-arguments", `there is no dtype "${String(dtype)}"`, { notes: [`known: ${DTYPES.join(", ")}`] });
    if (typeof valuesOrLength === "number") {
      if (dtype === undefined) throw new HeddleError("bad-arguments", `an array of ${valuesOrLength} elements needs a dtype`, { notes: [`for example device.array(${valuesOrLength}, "float32")`] });
      return new DeviceArray(this.raw, dtype, valuesOrLength);
    }
    if (!ArrayBuffer.isView(valuesOrLength) && dtype === undefined) throw new HeddleError("bad-arguments", "an array of plain numbers needs a dtype", { notes: ['for example device.array([1, 2, 3], "float32")'] });
    const array = new DeviceArray(this.raw, dtype ?? dtypeOf(valuesOrLength as NumericArray), valuesOrLength.length);
    array.writeNow(valuesOrLength);
    return array;
  }

  /** Resolves when all launches have ended. */
  synchronize(): Promise<void> {
    return this.raw.synchronize();
  }

  /** Frees everything and clears a fault. Programs must be loaded again. */
  reset(): void {
    this.raw.reset();
  }

  /** Ends the device's threads. Its memory goes when nothing refers to it any more. */
  close(): void {
    this.raw.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
