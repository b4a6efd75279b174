/**
 * What the stopwatch and the ceilings need of the device that they time. The library's Gpu, GpuProgram and Kernel have
 * these members; they are named here because `measure` lies below the library.
 */
import type { Device, DevicePointer, DeviceProperties } from "../device/device.ts";

export interface TimedArray extends Disposable {
  readonly pointer: DevicePointer;
  readonly byteLength: number;
}

export interface TimedDevice {
  readonly raw: Device;
  readonly properties: DeviceProperties;
  /** So many elements, whose content is undefined. */
  array(length: number, dtype: "float32" | "uint32"): TimedArray;
  /** Resolves when all launches have ended. @throws HeddleError "device-fault". */
  synchronize(): Promise<void>;
}

export interface TimedKernel {
  /** A launch with arguments of its own each time, put on the default stream. */
  configure(launch: TimedLaunch): (...args: bigint[]) => void;
  /** One launch, ready to be made again and again. */
  prepare(launch: TimedLaunch, args: readonly unknown[]): () => void;
}

export interface TimedLaunch {
  readonly grid: number;
  readonly block: number;
}

export interface TimedProgram {
  kernel(name: string): Promise<TimedKernel>;
}

/** Compiles CUDA C++ for a device. */
export type CompileFor<D extends TimedDevice> = (
  source: string,
  options: { readonly device: D; readonly path: string },
) => Promise<TimedProgram>;

/** Sets every element of an array; asynchronous where the device is. */
export function fillArray(
  { raw }: { readonly raw: Device },
  { pointer, byteLength }: Pick<TimedArray, "pointer" | "byteLength">,
  value: number,
  elementBytes: 1 | 2 | 4,
): void {
  const count = byteLength / elementBytes;
  if (raw.queue === null) raw.fill(pointer, value, elementBytes, count);
  else raw.queue.fill(pointer, value, elementBytes, count, 0);
}
