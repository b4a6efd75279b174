/**
 * Streams, events and graphs of a GPU. Waiting polls (poll-until-done.ts): a thread that blocks inside the driver could
 * not stop waiting after a timeout.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { LaunchConfig } from "../../machine/launch.ts";
import { launchRun, type DeviceObserver } from "../../machine/observer.ts";
import type {
  BoundLaunch,
  DeviceQueue,
  EventId,
  GpuKernel,
  GraphId,
  PreparedLaunch,
  QueueOutcome,
  RecordedCalls,
  StreamId,
} from "../device.ts";
import type { GpuContext } from "./context.ts";
import { cudaKernel, LaunchParameters, observedLaunch, type CudaKernel } from "./cuda-kernel.ts";
import { DriverStatus } from "./driver.ts";
import { addressOf, type ForeignFunction } from "./foreign-library.ts";
import { LaunchLog, isFaultStatus } from "./launch-log.ts";
import type { QueueSurroundings } from "./queue-surroundings.ts";
import { TIMED_OUT, pollUntilDone } from "./poll-until-done.ts";
import { QueueGraphs } from "./queue-graphs.ts";

const STREAM_NON_BLOCKING = 1;
const EVENT_NO_TIMING = 2;
/** By the bytes of an element. */
const FILLS = {
  1: { call: "cuMemsetD8Async", mask: 0xff },
  2: { call: "cuMemsetD16Async", mask: 0xffff },
  4: { call: "cuMemsetD32Async", mask: 0xffff_ffff },
} as const;

export class CudaQueue implements DeviceQueue {
  readonly log: LaunchLog = new LaunchLog();
  onOutput: ((text: string) => void) | null = null;
  readonly #around: QueueSurroundings;
  readonly #context: GpuContext;
  readonly #trace: boolean;
  readonly #query: ForeignFunction;
  /** True after a fault: the queue refuses every launch. */
  #isDown = false;
  readonly #streams = new Set<StreamId>();
  readonly #events = new Set<EventId>();
  readonly #graphs: QueueGraphs;
  /** Recorded before and after a launch that an observer times. */
  #timing: readonly [start: EventId, end: EventId] | null = null;
  readonly #pinned = new Map<number, Uint8Array>();

  constructor(around: QueueSurroundings) {
    this.#around = around;
    this.#context = around.context;
    this.#trace = around.trace;
    this.#query = around.context.driver.function("cuStreamQuery");
    this.#graphs = new QueueGraphs(around.context, (name, status) => this.refused(name, status));
  }

  createStream({
    nonBlocking = false,
    priority = 0,
  }: { readonly nonBlocking?: boolean; readonly priority?: number } = {}): StreamId {
    const stream = this.#get("cuStreamCreateWithPriority", nonBlocking ? STREAM_NON_BLOCKING : 0, priority);
    this.#streams.add(stream);
    return stream;
  }

  destroyStream(stream: StreamId): void {
    if (!this.#streams.delete(stream))
      throw new HeddleError("bad-arguments", "the stream does not exist, or is destroyed");
    // Later waits poll only the existing streams, so wait here: a fault on this stream must not get lost.
    this.#wait(this.#query, stream);
    this.#call("cuStreamDestroy_v2", stream);
  }

  launch(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array, stream: StreamId): void {
    const own = cudaKernel(kernel);
    own.paramBuffer.set(params.length > own.paramBuffer.length ? params.subarray(0, own.paramBytes) : params);
    this.#launchPacked(own, config, stream);
  }

  prepareLaunch(kernel: GpuKernel, config: LaunchConfig, stream: StreamId): PreparedLaunch {
    const own = cudaKernel(kernel);
    return {
      params: own.paramBuffer,
      launch: () => {
        if (!own.module.isLoaded) cudaKernel(own);
        this.#launchPacked(own, config, stream);
      },
    };
  }

  bindLaunch(kernel: GpuKernel, config: LaunchConfig): BoundLaunch {
    const own = cudaKernel(kernel);
    const parameters = new LaunchParameters(own);
    const { buffer: params } = parameters;
    return {
      params,
      launch: (stream) => {
        if (!own.module.isLoaded) cudaKernel(own);
        if (this.#around.observer === null || this.#graphs.captured !== null)
          this.#enqueue(own, config, stream, parameters);
        else this.launch(own, config, params, stream);
      },
    };
  }

  /** Like `launch`; the kernel's buffer holds the parameters already. */
  #launchPacked(kernel: CudaKernel, config: LaunchConfig, stream: StreamId): void {
    const { observer } = this.#around;
    if (observer === null || this.#graphs.captured !== null) this.#enqueue(kernel, config, stream);
    else this.#launchObserved(observer, kernel, config, stream);
  }

  #launchObserved(observer: DeviceObserver, kernel: CudaKernel, config: LaunchConfig, stream: StreamId): void {
    const launch = observedLaunch(kernel, config, this.log.count + 1);
    observer.launching?.(launch);
    const [start, end] = (this.#timing ??= [this.createEvent(), this.createEvent()]);
    this.record(start, stream);
    this.#enqueue(kernel, config, stream);
    this.record(end, stream);
    const { fault } = this.waitForEventBlocking(end);
    const elapsedMs = fault === null ? this.elapsedMs(start, end) : 0;
    observer.launched?.(launch, fault, launchRun(launch, "gpu", elapsedMs));
  }

  #enqueue(kernel: CudaKernel, config: LaunchConfig, stream: StreamId, parameters?: LaunchParameters): void {
    this.#context.makeCurrent();
    if (this.#isDown || !kernel.module.isServed) this.#around.beforeLaunch(kernel);
    this.log.add(kernel, config);
    if (this.#graphs.captured !== null) this.#graphs.captured.push(kernel);
    const status = kernel.enqueue(config, stream, this.#graphs.captured !== null, parameters);
    if (status !== DriverStatus.success) this.refused("cuLaunchKernel", status);
    if (this.#trace && this.#graphs.captured === null) this.#settle(this.#wait(this.#query, stream), true);
  }

  /** Records that a library has put its own kernels on a stream. */
  noteForeignWork(work: { readonly name: string }): void {
    this.log.add(work, UNKNOWN_CONFIG);
  }

  write(destination: number, source: Uint8Array, stream: StreamId): void {
    if (source.length === 0) return;
    this.#call(
      "cuMemcpyHtoDAsync_v2",
      this.#around.range(destination, source.length, "write to"),
      source,
      source.length,
      stream,
    );
    this.#around.written(destination, source.length, stream);
  }

  read(source: number, destination: Uint8Array, stream: StreamId): void {
    if (destination.length > 0)
      this.#call(
        "cuMemcpyDtoHAsync_v2",
        destination,
        this.#around.range(source, destination.length, "read from"),
        destination.length,
        stream,
      );
  }

  copy(destination: number, source: number, bytes: number, stream: StreamId): void {
    if (bytes === 0) return;
    this.#call(
      "cuMemcpyDtoDAsync_v2",
      this.#around.range(destination, bytes, "write to"),
      this.#around.range(source, bytes, "read from"),
      bytes,
      stream,
    );
    this.#around.written(destination, bytes, stream);
  }

  fill(destination: number, value: number, elementBytes: 1 | 2 | 4, count: number, stream: StreamId): void {
    if (count === 0) return;
    const { call, mask } = FILLS[elementBytes];
    const address = this.#around.range(destination, elementBytes * count, "write to");
    if (address % elementBytes === 0) this.#call(call, address, (value & mask) >>> 0, count, stream);
    else {
      // The driver requires aligned elements; CUDA's memset does not.
      const bytes = new Uint8Array(elementBytes * count);
      for (let i = 0; i < bytes.length; i++) bytes[i] = (value >>> (8 * (i % elementBytes))) & 0xff;
      this.#call("cuMemcpyHtoDAsync_v2", address, bytes, bytes.length, stream);
    }
    this.#around.written(destination, elementBytes * count, stream);
  }

  pin(bytes: Uint8Array): void {
    const address = addressOf(bytes);
    this.#call("cuMemHostRegister_v2", address, bytes.length, 0);
    this.#pinned.set(address, bytes);
  }

  unpin(bytes: Uint8Array): void {
    const address = addressOf(bytes);
    if (this.#pinned.delete(address)) this.#call("cuMemHostUnregister", address);
  }

  pinnedAddress(bytes: Uint8Array): number | null {
    const address = addressOf(bytes);
    return this.#pinned.get(address)?.length === bytes.length ? address : null;
  }

  createEvent({ timed = true }: { readonly timed?: boolean } = {}): EventId {
    const event = this.#get("cuEventCreate", timed ? 0 : EVENT_NO_TIMING);
    this.#events.add(event);
    return event;
  }

  destroyEvent(event: EventId): void {
    if (!this.#events.delete(event))
      throw new HeddleError("bad-arguments", "the event does not exist, or is destroyed");
    this.#call("cuEventDestroy_v2", event);
  }

  record(event: EventId, stream: StreamId): void {
    this.#call("cuEventRecord", event, stream);
  }

  waitFor(event: EventId, stream: StreamId): void {
    this.#call("cuStreamWaitEvent", stream, event, 0);
  }

  elapsedMs(start: EventId, end: EventId): number {
    const { context } = this.#around;
    context.makeCurrent();
    return context.driver.getFloat("cuEventElapsedTime", start, end);
  }

  isEventDone(event: EventId): boolean {
    return this.#isDone(this.#around.context.driver.function("cuEventQuery"), event);
  }

  isStreamDone(stream: StreamId): boolean {
    return this.#isDone(this.#query, stream);
  }

  beginCapture(stream: StreamId): void {
    this.#graphs.begin(stream);
  }

  endCapture(stream: StreamId): GraphId {
    return this.#graphs.end(stream);
  }

  dropCapture(stream: StreamId): void {
    this.#graphs.drop(stream);
  }

  beginCalls(stream: StreamId, mode: number): void {
    this.#graphs.beginCalls(stream, mode);
  }

  endCalls(stream: StreamId, name: string): RecordedCalls {
    return this.#graphs.endCalls(stream, name);
  }

  releaseCalls(graph: GraphId): void {
    this.#graphs.releaseCalls(graph);
  }

  launchGraph(graph: GraphId, stream: StreamId): void {
    const { kernels, calls } = this.#graphs.get(graph);
    this.#context.makeCurrent();
    for (const kernel of kernels) {
      if (this.#isDown || !kernel.module.isServed) this.#around.beforeLaunch(kernel);
      this.log.add(kernel, UNKNOWN_CONFIG);
    }
    if (calls !== null) this.noteForeignWork(calls);
    this.#graphs.launch(graph, stream);
  }

  destroyGraph(graph: GraphId): void {
    this.#graphs.destroy(graph);
  }

  waitForEventBlocking(event: EventId): QueueOutcome {
    return this.#settle(this.#wait(this.#around.context.driver.function("cuEventQuery"), event), false);
  }

  waitForStreamBlocking(stream: StreamId): QueueOutcome {
    return this.#settle(this.#wait(this.#query, stream), this.#streams.size === 0);
  }

  waitBlocking(): QueueOutcome {
    for (const stream of [...this.#streams, 0]) {
      const status = this.#wait(this.#query, stream);
      if (status !== DriverStatus.success) return this.#settle(status, true);
    }
    return this.#settle(DriverStatus.success, true);
  }

  /** The outcome once all streams are done; null before that. */
  poll(): QueueOutcome | null {
    for (const stream of [...this.#streams, 0]) {
      const status = this.#query(stream);
      if (status === DriverStatus.notReady) return null;
      if (status !== DriverStatus.success) return this.#settle(status, true);
    }
    return this.#settle(DriverStatus.success, true);
  }

  /** Called after the context was renewed: the driver's objects no longer exist. */
  forget(): void {
    this.#streams.clear();
    this.#events.clear();
    this.#graphs.forget();
    this.#timing = null;
    this.#pinned.clear();
    this.#isDown = false;
    this.log.settle();
  }

  /** @param everything true if all streams are done, not only this one. */
  #settle(status: number, everything: boolean): QueueOutcome {
    if (status === TIMED_OUT) return { fault: this.#fail(this.log.timeout(this.#around.timeoutMs ?? 0)), output: "" };
    if (status !== DriverStatus.success) {
      if (!isFaultStatus(status)) throw this.#around.context.driver.error("waiting", status);
      return { fault: this.#fail(this.log.fault(status, this.#around.trace)), output: "" };
    }
    const output = this.#around.drainPrintf();
    if (output !== "") this.onOutput?.(output);
    if (everything) this.log.settle();
    return { fault: null, output };
  }

  #wait(query: ForeignFunction, handle: number): number {
    this.#around.context.makeCurrent();
    return pollUntilDone(query, handle, this.#around.timeoutMs);
  }

  #isDone(query: ForeignFunction, handle: number): boolean {
    this.#around.context.makeCurrent();
    const status = query(handle);
    if (status === DriverStatus.success || status === DriverStatus.notReady) return status === DriverStatus.success;
    return this.refused("a query", status);
  }

  #call(name: `cu${string}`, ...values: (number | Uint8Array)[]): void {
    const { context } = this.#around;
    context.makeCurrent();
    const status = context.driver.status(name, ...values);
    if (status !== DriverStatus.success) this.refused(name, status);
  }

  #get(name: `cu${string}`, ...values: number[]): number {
    const out = new BigUint64Array(1);
    this.#around.context.makeCurrent();
    const status = this.#around.context.driver.status(name, out, ...values);
    return status === DriverStatus.success ? Number(out[0]) : this.refused(name, status);
  }

  /** Any driver call may report the fault of an earlier launch. */
  refused(name: string, status: number): never {
    if (isFaultStatus(status)) {
      const fault = this.#fail(this.log.fault(status, this.#around.trace));
      throw new HeddleError(
        "device-fault",
        `the device has stopped after a fault in ${fault.kernel} and must be reset`,
        { notes: fault.notes ?? [], cause: fault },
      );
    }
    const { driver } = this.#around.context;
    if (name === "cuLaunchKernel")
      throw new HeddleError(
        "invalid-launch",
        `the driver refuses the launch: ${driver.errorPhrase(status)} (${driver.errorName(status)}, ${status})`,
      );
    throw driver.error(name, status);
  }

  #fail(fault: DeviceFault): DeviceFault {
    this.#isDown = true;
    this.#around.onFault(fault);
    return fault;
  }
}

const UNKNOWN_CONFIG: LaunchConfig = { grid: { x: 1, y: 1, z: 1 }, block: { x: 1, y: 1, z: 1 }, sharedBytes: 0 };
