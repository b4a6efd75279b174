/** A device as library users see it. */
import { DATA_MODELS, LP64, type DataModel } from "../base/data-model.ts";
import { fromCallSite } from "../base/call-site.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions } from "../base/options.ts";
import { dtypeOf, type Dtype, type NumericArray } from "../base/dtypes.ts";
import type { Device, DeviceProperties } from "../device/device.ts";
import { DeviceArray, type ArrayValues } from "./device-array.ts";
import { checkDtype, checkValues } from "./array-values.ts";
import { countReset } from "./generation.ts";
import { isLongType, LongArray, type LongType } from "./long-array.ts";
import { faultError } from "./fault-error.ts";
import { unrecorded } from "./recording.ts";
import { tensorMap, type TensorMapOptions } from "./tensor-map.ts";
import type { WatchedStreams } from "./watched-streams.ts";
import { GpuEvent, GpuGraph, GpuStream, type GpuWork, type StreamOptions } from "./gpu-stream.ts";

/** The dtype of the array that `device.array(values)` makes of a typed array. */
export type DtypeOf<V> = V extends Float32Array
  ? "float32"
  : V extends Float64Array
    ? "float64"
    : V extends Int8Array
      ? "int8"
      : V extends Uint8Array | Uint8ClampedArray
        ? "uint8"
        : V extends Int16Array
          ? "int16"
          : V extends Uint16Array
            ? "uint16"
            : V extends Int32Array
              ? "int32"
              : V extends Uint32Array
                ? "uint32"
                : V extends BigInt64Array
                  ? "int64"
                  : V extends BigUint64Array
                    ? "uint64"
                    : Dtype;

/** An open device: it holds arrays and runs kernels. Made by `openDevice`. Closes itself with `using`. */
export class Gpu {
  /** The device's own interface, for functions that this class does not have. */
  readonly raw: Device;
  readonly onPrint: (text: string) => void;
  /** @internal Follows what is put on streams of a checked device. */
  readonly watched: WatchedStreams | null;
  /** @internal Triton kernels are compiled as for a GPU: a tool counts what one would do. */
  readonly followsGpu: boolean;
  /** The data model of its kernels: the width of `long`, `size_t` and pointers. A GPU has 64 bits. */
  readonly model: DataModel;
  /** Work that nobody awaits, until it has ended. */
  readonly #pending = new Set<Promise<void>>();
  /** The first failure of work that nobody awaited. */
  #failure: unknown = null;
  #recording: GpuWork[] | null = null;
  #closed = false;

  /** @internal Use `openDevice`. */
  constructor(
    raw: Device,
    onPrint: (text: string) => void,
    watched: WatchedStreams | null = null,
    followsGpu: boolean = raw.irPointerBits === 64,
    model: DataModel["name"] = "ilp32",
  ) {
    this.raw = raw;
    this.model = raw.irPointerBits === 64 ? LP64 : DATA_MODELS[model];
    this.followsGpu = followsGpu;
    this.onPrint = onPrint;
    this.watched = watched;
    if (raw.queue !== null) raw.queue.onOutput = onPrint;
  }

  /** Name, compute capability and limits, as cudaGetDeviceProperties returns them. */
  get properties(): DeviceProperties {
    return this.raw.properties;
  }

  /**
   * An array in device memory.
   *
   *     device.array(new Float32Array([1, 2, 3]))      // float32, 3 elements, copied
   *     device.array([1, 2, 3], "bfloat16")            // converted
   *     device.array(1 << 20, "float32")               // 2^20 elements, content undefined
   *     device.array([1n, 2n], "long")                 // as wide as the device's long; read as bigints
   *
   * @throws HeddleError "out-of-memory"; "bad-arguments" while a launch is in flight.
   */
  array<V extends NumericArray>(values: V): DeviceArray<DtypeOf<V>>;
  array(valuesOrLength: ArrayValues | number, dtype: LongType): LongArray;
  array<D extends Dtype>(values: ArrayValues, dtype: D): DeviceArray<D>;
  array<D extends Dtype>(length: number, dtype: D): DeviceArray<D>;
  array(valuesOrLength: ArrayValues | number, dtype?: Dtype | LongType): DeviceArray {
    if (isLongType(dtype)) return this.#longArray(valuesOrLength, dtype);
    if (dtype !== undefined) checkDtype(dtype);
    if (typeof valuesOrLength === "number") {
      if (dtype === undefined)
        throw new HeddleError("bad-arguments", `an array of ${valuesOrLength} elements needs a dtype`, {
          notes: [`for example device.array(${valuesOrLength}, "float32")`],
        });
      return new DeviceArray(this.raw, dtype, valuesOrLength);
    }
    checkValues(valuesOrLength);
    if (!ArrayBuffer.isView(valuesOrLength) && dtype === undefined)
      throw new HeddleError("bad-arguments", "an array of plain numbers needs a dtype", {
        notes: ['for example device.array([1, 2, 3], "float32")'],
      });
    const array = new DeviceArray(this.raw, dtype ?? dtypeOf(valuesOrLength as NumericArray), valuesOrLength.length);
    array.writeNow(valuesOrLength);
    return array;
  }

  /**
   * A tensor map: what the bulk tensor copies of a kernel (TMA) take for `const __grid_constant__ CUtensorMap`. It
   * stays valid for as long as the array.
   *
   *     device.tensorMap(a, { shape: [m, k], box: [128, 64], swizzle: 128 })
   */
  tensorMap(array: DeviceArray, options: TensorMapOptions): Uint8Array {
    return tensorMap(array, options);
  }

  #longArray(valuesOrLength: ArrayValues | number, type: LongType): LongArray {
    if (typeof valuesOrLength === "number") return new LongArray(this.raw, this.model, type, valuesOrLength);
    checkValues(valuesOrLength);
    const array = new LongArray(this.raw, this.model, type, valuesOrLength.length);
    array.writeNow(valuesOrLength);
    return array;
  }

  /**
   * Resolves when all launches have ended.
   * @throws HeddleError the first error of launches that nobody awaited (`kernel.configure`).
   */
  synchronize(): Promise<void> {
    return fromCallSite(this.synchronize, async () => {
      await this.idle();
      const failure = this.#failure;
      this.#failure = null;
      if (failure !== null) throw failure;
    });
  }

  /**
   * Pins the memory of a typed array, so that the GPU can access it directly: copies from and to it are several times
   * as fast. It stays pinned until `close` of the result, or the end of its `using`. Without effect on an emulated
   * device.
   */
  pin(values: NumericArray): Disposable & { close(): void } {
    const { queue } = this.raw;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    let pinned = queue !== null && bytes.length > 0;
    if (pinned) queue?.pin(bytes);
    const close = (): void => {
      if (pinned) queue?.unpin(bytes);
      pinned = false;
    };
    return { close, [Symbol.dispose]: close };
  }

  /** A new stream, for launches that need not wait for those of other streams. */
  stream(options: StreamOptions = {}): GpuStream {
    checkOptions<StreamOptions>("stream", options, { nonBlocking: true, priority: true });
    return new GpuStream(this, options);
  }

  /** A new event: it measures time and orders streams. */
  event(): GpuEvent {
    return new GpuEvent(this);
  }

  /**
   * Records the launches that `body` makes on `stream` with functions of `kernel.configure`, to launch them again as
   * one.
   *
   *     const stream = gpu.stream();
   *     const step = kernel.configure({ grid: 64, block: 256, stream: stream.id });
   *     const graph = gpu.graph(stream, () => { for (let i = 0; i < 100; i++) step(x, y, n); });
   *     graph.launch();
   */
  graph(stream: GpuStream, body: () => void): GpuGraph {
    const { queue } = this.raw;
    if (queue !== null) {
      queue.beginCapture(stream.id);
      try {
        unrecorded(body);
      } catch (error) {
        queue.destroyGraph(queue.endCapture(stream.id));
        throw error;
      }
      return new GpuGraph(this, queue.endCapture(stream.id), []);
    }
    const steps: GpuWork[] = [];
    this.#recording = steps;
    try {
      body();
    } finally {
      this.#recording = null;
    }
    return new GpuGraph(this, null, steps);
  }

  /**
   * @internal Starts work that nobody awaits, or records it in a graph. Its failure is reported by
   * `synchronize`.
   */
  submit(work: GpuWork): void {
    if (this.#recording !== null) {
      this.#recording.push(work);
      return;
    }
    this.watched?.submit(work.params, work.stream);
    const ended: Promise<void> = work
      .run()
      .catch((error: unknown) => void (this.#failure ??= error))
      .finally(() => void this.#pending.delete(ended));
    this.#pending.add(ended);
  }

  /** @internal Whether nothing runs that nobody awaits. */
  get isDrained(): boolean {
    return this.#pending.size === 0;
  }

  /** @internal Resolves when what nobody awaits has ended, whatever became of it. */
  async drained(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** @internal Resolves when all launches that were made so far have ended, whatever became of them. */
  async idle(): Promise<void> {
    await this.drained();
    const { fault } = await this.raw.synchronize();
    if (fault !== null) this.#failure ??= faultError(fault, this.raw, []);
  }

  /** Frees all memory and clears a fault. Programs must be compiled again, and arrays made again. */
  reset(): void {
    this.raw.reset();
    countReset(this.raw);
    this.#failure = null;
  }

  /** Ends the device's threads. Its memory is freed when nothing refers to it any more. */
  close(): void {
    this.#closed = true;
    this.raw.close();
  }

  /** @internal */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** @internal It runs no kernels any more: a kernel failed, or it was closed. */
  get isBroken(): boolean {
    return this.#closed || this.raw.fault !== null;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
