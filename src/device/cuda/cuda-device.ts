/**
 * A GPU as a Device: memory, modules, launches, faults. Streams, events and graphs are its queue's.
 *
 * The memory that the device is opened with decides which programs it runs: IR with 32-bit pointers, for host programs
 * (window-memory.ts, ptx-program.ts), or CUDA C++ and IR with 64-bit pointers, for TypeScript (flat-memory.ts,
 * source-program.ts, native-program.ts).
 */
import type { PointerBits } from "../../ir/model/ir.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { LaunchConfig, LaunchOutcome } from "../../machine/launch.ts";
import type { TensorMapDescription } from "../../machine/tensor-map.ts";
import type {
  DeviceAddressSpace,
  AllocateOptions,
  AllocationInfo,
  Device,
  DeviceClusters,
  DeviceProperties,
  DeviceRuntimeLimits,
  GpuKernel,
  QueueOutcome,
  SharedHostMemory,
  SourceCompiler,
} from "../device.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { GpuContext } from "./context.ts";
import { DEFAULT_HEAP_BYTES, limitHeap, limitLaunches } from "./context-limits.ts";
import { sourceCompiler, type CudaDeviceParts } from "./cuda-device-parts.ts";
import { gpuClusters } from "./clusters.ts";
import { cudaKernel, type CudaKernel } from "./cuda-kernel.ts";
import type { CudaModule } from "./cuda-module.ts";
import { CudaQueue } from "./cuda-queue.ts";
import { formatVersion } from "./driver.ts";
import { GpuLibraries } from "./gpu-library.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import { isFaultStatus } from "./launch-log.ts";
import { KernelServices, type DriverCall } from "./kernel-services.ts";
import { ProgramAddresses } from "./program-addresses.ts";
import { encodeTensorMap } from "./tensor-maps.ts";

/** The polling interval of a waiting event loop, once a launch has taken longer than a few of its iterations. */
const POLL_MS = 1;

export class CudaDevice implements Device {
  readonly kind = "cuda";
  readonly properties: DeviceProperties;
  readonly queue: CudaQueue;
  readonly sourceCompiler: SourceCompiler | null;
  readonly clusters: DeviceClusters | null;
  readonly loadsPtx: boolean;
  readonly context: GpuContext;
  readonly memory: GpuMemory;
  readonly #parts: CudaDeviceParts;
  readonly #addresses: ProgramAddresses;
  readonly #services: KernelServices;
  readonly #libraries: GpuLibraries;
  readonly #modules = new Set<CudaModule>();
  #heapBytes = DEFAULT_HEAP_BYTES;
  #fault: DeviceFault | null = null;
  #closed = false;

  constructor(parts: CudaDeviceParts) {
    this.#parts = parts;
    this.context = parts.context;
    this.memory = parts.memory;
    this.properties = parts.properties;
    const call: DriverCall = (name, ...values) => this.#call(name, ...values);
    this.#addresses = new ProgramAddresses(parts.context, parts.memory, this.#modules, call);
    this.#services = new KernelServices(parts.context, parts.memory, call);
    this.#libraries = new GpuLibraries({
      driverMajor: parts.context.driver.version.major,
      address: (pointer) => this.#addresses.native(pointer),
      beforeCall: (work) => {
        this.#requireUsable();
        this.queue.noteForeignWork(work);
      },
    });
    this.clusters = gpuClusters(parts.properties, () => this.#requireUsable());
    this.loadsPtx = parts.modules.loadsPtx;
    this.sourceCompiler = sourceCompiler(parts.sources, this.#modules, () => this.#requireUsable());
    this.queue = new CudaQueue({
      context: parts.context,
      timeoutMs: parts.timeoutMs,
      trace: parts.trace,
      observer: parts.observer,
      beforeLaunch: (kernel) => this.#beforeLaunch(kernel),
      range: (pointer, bytes, verb) => this.#driverAddress(pointer, bytes, verb),
      written: (pointer, bytes, stream) => this.#addresses.written(pointer, bytes, stream),
      drainPrintf: () => this.#services.drainPrintf(),
      onFault: (fault) => void (this.#fault ??= fault),
    });
  }

  // ---------------------------------------------------------------- memory

  memoryInfo(): { freeBytes: number; totalBytes: number } {
    this.#requireUsable();
    return this.memory.info();
  }

  allocate(bytes: number, options: AllocateOptions = {}): number {
    this.#requireUsable();
    return this.memory.allocate(bytes, options, "user").start;
  }

  free(pointer: number): void {
    this.#requireUsable();
    const block = this.memory.at(pointer) ?? this.memory.find(pointer);
    if (block === null || block.start !== pointer || block.purpose !== "user") {
      throw new HeddleError("bad-arguments", `0x${pointer.toString(16)} is not the start of an allocation`, {
        notes:
          block === null
            ? ["it was never allocated or is freed already"]
            : [`it lies in the allocation at 0x${block.start.toString(16)} of ${block.bytes} bytes`],
      });
    }
    // Like cudaFree, this waits: pending kernels may use the memory, and the next allocation may get it.
    if (this.queue.log.pending > 0) this.#wait();
    this.memory.free(pointer);
  }

  get sharedHostMemory(): SharedHostMemory | null {
    this.#requireUsable();
    return this.memory.shared();
  }

  get addressSpace(): DeviceAddressSpace | null {
    const hasFault = (): boolean => this.#fault !== null;
    return this.memory.addressSpace({ enter: () => this.#requireUsable(), hasFault });
  }

  get heapBytes(): number {
    return this.#heapBytes;
  }

  set heapBytes(bytes: number) {
    limitHeap((...call) => this.#call(...call), bytes, this.memory.kind !== "flat");
    this.#heapBytes = bytes;
  }

  limitDeviceRuntime(limits: Partial<DeviceRuntimeLimits>): void {
    limitLaunches((...call) => this.#call(...call), limits);
  }

  findAllocation(address: number): AllocationInfo | null {
    const block = this.memory.find(address) ?? this.#addresses.constantBlock(address);
    return block === null ? null : { pointer: block.start, bytes: block.bytes };
  }

  nearestAllocation(address: number): AllocationInfo | null {
    const block = this.memory.nearest(address);
    return block === null ? null : { pointer: block.start, bytes: block.bytes };
  }

  write(destination: number, source: Uint8Array): void {
    const address = this.#driverAddress(destination, source.byteLength, "write to");
    if (source.byteLength === 0) return;
    this.#call("cuMemcpyHtoD_v2", address, source, source.byteLength);
    this.#addresses.written(destination, source.byteLength, 0);
  }

  read(source: number, destination: Uint8Array): void {
    const address = this.#driverAddress(source, destination.byteLength, "read from");
    if (destination.byteLength > 0) this.#call("cuMemcpyDtoH_v2", destination, address, destination.byteLength);
  }

  copy(destination: number, source: number, bytes: number): void {
    const from = this.#driverAddress(source, bytes, "read from");
    const to = this.#driverAddress(destination, bytes, "write to");
    if (bytes === 0) return;
    if (from < to + bytes && to < from + bytes) {
      // The GPU copies in no order, so overlapping ranges are copied through temporary memory.
      const between = this.memory.allocate(bytes, {}, "user");
      try {
        this.#call("cuMemcpyDtoD_v2", this.memory.address(between.start), from, bytes);
        this.#call("cuMemcpyDtoD_v2", to, this.memory.address(between.start), bytes);
        this.#wait();
      } finally {
        this.memory.free(between.start);
      }
    } else this.#call("cuMemcpyDtoD_v2", to, from, bytes);
    this.#addresses.written(destination, bytes, 0);
  }

  copyFromPeer(destination: number, peer: Device, source: number, bytes: number): boolean {
    if (!(peer instanceof CudaDevice)) return false;
    const from = peer.#driverAddress(source, bytes, "read from");
    peer.#wait();
    const to = this.#driverAddress(destination, bytes, "write to");
    this.#wait();
    if (bytes === 0) return true;
    const status = this.context.driver.status(
      "cuMemcpyPeer",
      to,
      this.context.handle,
      from,
      peer.context.handle,
      bytes,
    );
    if (isFaultStatus(status)) this.queue.refused("cuMemcpyPeer", status);
    if (status === 0) this.#addresses.written(destination, bytes, 0);
    return status === 0;
  }

  fill(destination: number, value: number, elementBytes: 1 | 2 | 4, count: number): void {
    this.#requireUsable();
    this.queue.fill(destination, value, elementBytes, count, 0);
  }

  // ---------------------------------------------------------------- programs

  get irPointerBits(): PointerBits {
    return this.#parts.memory.kind === "flat" ? 64 : 32;
  }

  loadModule(program: DeviceProgram | readonly DeviceProgram[]): CudaModule {
    this.#requireUsable();
    const { modules } = this.#parts;
    const module = modules.load(
      Array.isArray(program) ? (program as readonly DeviceProgram[]) : [program as DeviceProgram],
      (gone) => void this.#modules.delete(gone),
    );
    this.#modules.add(module);
    return module;
  }

  launchBlocking(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): LaunchOutcome {
    const started = this.#start(kernel, config, params);
    return this.#outcome(this.queue.waitBlocking(), started);
  }

  async launch(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): Promise<LaunchOutcome> {
    const started = this.#start(kernel, config, params);
    return this.#outcome(await this.#waitForAll(config.timeoutMs), started);
  }

  async synchronize(): Promise<QueueOutcome> {
    if (this.#fault !== null) return { fault: this.#fault, output: "" };
    const outcome = await this.#waitForAll();
    this.#parts.observer?.synchronized?.();
    return outcome;
  }

  library(name: string): ReturnType<GpuLibraries["find"]> {
    return this.#libraries.find(name);
  }

  exposeConstant(pointer: number): void {
    this.#addresses.exposeConstant(pointer);
  }

  nativeAddress(pointer: number): number {
    return this.#addresses.native(pointer);
  }

  encodeTensorMap(description: TensorMapDescription): Uint8Array {
    this.#requireUsable();
    const address = this.nativeAddress(description.address);
    return encodeTensorMap({ ...description, address }, (name, ...values) => this.#call(name, ...values));
  }

  residentBlocks(kernel: GpuKernel, threadsPerBlock: number, sharedBytes: number): number {
    this.#requireUsable();
    return cudaKernel(kernel).residentBlocks(threadsPerBlock, sharedBytes);
  }

  get fault(): DeviceFault | null {
    return this.#fault;
  }

  /**
   * @throws HeddleError "device-fault" after a fault, where the driver gives this process no new context: it has to be
   * started again.
   */
  reset(): void {
    this.#requireOpen();
    if (this.#fault?.kind === "timeout")
      throw new HeddleError(
        "device-fault",
        `the GPU still runs ${this.#fault.kernel}: only the end of this process ends it`,
        { cause: this.#fault },
      );
    for (const module of this.#modules) {
      if (this.#fault === null) module.unload();
      else module.forget();
    }
    this.#modules.clear();
    this.#parts.modules.forget();
    this.#libraries.forget();
    this.queue.forget();
    this.#services.forget();
    this.#addresses.forget();
    const isFresh = this.context.renew();
    this.memory.reset();
    if (!isFresh) {
      throw new HeddleError(
        "device-fault",
        `the driver (CUDA ${formatVersion(this.context.driver.version)}) lets no process use a GPU again after a ` +
          "fault: start the program anew",
        { cause: this.#fault },
      );
    }
    this.#fault = null;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#libraries.forget();
    // After a fault the driver refuses all calls of this process; the end of the process frees what it holds.
    if (this.#fault !== null) return;
    for (const module of this.#modules) module.unload();
    this.context.makeCurrent();
    this.memory.close();
    this.context.release();
  }

  // ---------------------------------------------------------------- the parts of a launch

  #start(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): number {
    this.#requireUsable();
    const own = cudaKernel(kernel);
    if (params.byteLength < own.paramBytes)
      throw new HeddleError(
        "invalid-launch",
        `${kernel.name} takes ${own.paramBytes} bytes of parameters, ${params.byteLength} were given`,
      );
    const started = performance.now();
    this.queue.launch(own, config, params, 0);
    return started;
  }

  #outcome({ fault, output }: QueueOutcome, started: number): LaunchOutcome {
    return { fault, output, reused: false, elapsedMs: performance.now() - started };
  }

  #beforeLaunch(kernel: CudaKernel): void {
    if (this.#fault !== null) this.#requireUsable();
    this.#services.prepare(kernel, this.#heapBytes);
  }

  /** A wait that does not block the event loop. */
  async #waitForAll(ownTimeoutMs?: number): Promise<QueueOutcome> {
    const started = performance.now();
    for (;;) {
      this.context.makeCurrent();
      const outcome = this.queue.poll();
      if (outcome !== null) return outcome;
      const elapsed = performance.now() - started;
      const timeoutMs = ownTimeoutMs ?? this.#parts.timeoutMs;
      if (timeoutMs !== null && elapsed > timeoutMs) {
        this.#fault ??= this.queue.log.timeout(timeoutMs);
        return { fault: this.#fault, output: "" };
      }
      await new Promise<void>(
        (resolve) => void (elapsed < 2 * POLL_MS ? setImmediate(resolve) : setTimeout(resolve, POLL_MS)),
      );
    }
  }

  #wait(): void {
    const { fault } = this.queue.waitBlocking();
    if (fault !== null) this.#requireUsable();
  }

  #call(...[name, ...values]: Parameters<DriverCall>): void {
    this.context.makeCurrent();
    const status = this.context.driver.status(name, ...values);
    if (status !== 0) this.queue.refused(name, status);
  }

  // ---------------------------------------------------------------- checks

  #requireOpen(): void {
    if (this.#closed) throw new HeddleError("bad-arguments", "the device is closed");
  }

  #requireUsable(): void {
    this.#requireOpen();
    if (this.#fault !== null)
      throw new HeddleError(
        "device-fault",
        `the device has stopped after a fault in ${this.#fault.kernel} and must be reset`,
        { notes: this.#fault.notes ?? [], cause: this.#fault },
      );
    this.context.makeCurrent();
  }

  /** The driver's address of a range. @throws HeddleError "bad-arguments" if the range is not inside one allocation. */
  #driverAddress(pointer: number, bytes: number, verb: string): number {
    this.#requireUsable();
    return this.#addresses.ofRange(pointer, bytes, verb);
  }
}
