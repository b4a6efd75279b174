/**
 * A GPU as a Device: memory, modules, launches, faults. Streams, events and graphs are its queue's.
 *
 * Two kinds of program, by the memory that the device is opened with: IR with 32-bit pointers, for host programs
 * (window-memory.ts, ptx-program.ts), and CUDA C++ with the GPU's own pointers, for TypeScript (flat-memory.ts,
 * source-program.ts).
 */
import type { PointerBits } from "../../ir/model/ir.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { LaunchConfig, LaunchOutcome } from "../../machine/launch.ts";
import type { DeviceObserver } from "../../machine/observer.ts";
import type {
  AllocateOptions,
  AllocationInfo,
  CompiledSource,
  Device,
  DeviceClusters,
  DeviceProperties,
  DeviceSource,
  GpuKernel,
  QueueOutcome,
  SourceCompiler,
} from "../device.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { GpuContext } from "./context.ts";
import { cudaKernel, type CudaKernel } from "./cuda-kernel.ts";
import type { CudaModule, RegionVariables } from "./cuda-module.ts";
import { CudaQueue } from "./cuda-queue.ts";
import { formatVersion } from "./driver.ts";
import { GpuLibraries } from "./gpu-library.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import { isFaultStatus } from "./launch-log.ts";
import { PrintfBuffer } from "./printf-buffer.ts";
import { WindowMemory } from "./window-memory.ts";

/** cudaLimitMallocHeapSize's default. */
const DEFAULT_HEAP_BYTES = 8 * 1024 * 1024;
const LIMIT_MALLOC_HEAP = 2;
/** The allocator's books need some, however small the limit is set. */
const MIN_HEAP_BYTES = 64 * 1024;
/** How often an event loop that waits looks, once a launch has taken longer than a few turns of it. */
const POLL_MS = 1;

/** Turns programs into modules; `forget` when the context is a fresh one. */
export interface ModuleLoader {
  load(programs: readonly DeviceProgram[], onUnload: (module: CudaModule) => void): CudaModule;
  forget(): void;
}

export interface SourceLoader {
  compile(
    source: DeviceSource,
    kernels: readonly string[],
    onUnload: (module: CudaModule) => void,
  ): CompiledSource & { readonly module: CudaModule };
}

export interface CudaDeviceParts {
  readonly context: GpuContext;
  readonly memory: GpuMemory;
  readonly properties: DeviceProperties;
  readonly modules: ModuleLoader;
  readonly sources: SourceLoader | null;
  readonly timeoutMs: number | null;
  readonly trace: boolean;
  /** A tool that needs launch events only. */
  readonly observer: DeviceObserver | null;
}

export class CudaDevice implements Device {
  readonly kind = "cuda";
  readonly properties: DeviceProperties;
  readonly queue: CudaQueue;
  readonly sourceCompiler: SourceCompiler | null;
  readonly clusters: DeviceClusters | null;
  readonly context: GpuContext;
  readonly memory: GpuMemory;
  readonly #parts: CudaDeviceParts;
  readonly #printf: PrintfBuffer;
  readonly #libraries: GpuLibraries;
  readonly #modules = new Set<CudaModule>();
  #heapBytes = DEFAULT_HEAP_BYTES;
  #heap: { pointer: number; bytes: number } | null = null;
  /** Some module's __constant__ variables are there twice (`exposeConstant`). */
  #hasConstantsCopies = false;
  #fault: DeviceFault | null = null;
  #closed = false;

  constructor(parts: CudaDeviceParts) {
    this.#parts = parts;
    this.context = parts.context;
    this.memory = parts.memory;
    this.properties = parts.properties;
    this.#printf = new PrintfBuffer(parts.context, parts.memory);
    this.#libraries = new GpuLibraries({
      driverMajor: parts.context.driver.version.major,
      makeCurrent: () => parts.context.makeCurrent(),
      address: (pointer) => this.nativeAddress(pointer),
      beforeCall: (name) => {
        this.#requireUsable();
        this.queue.noteForeignWork(name);
      },
    });
    this.clusters =
      parts.properties.computeCapability.major < 9
        ? null
        : {
            maxBlocks: (kernel, config) => {
              this.#requireUsable();
              return cudaKernel(kernel).maxClusterBlocks(config);
            },
            maxActive: (kernel, config) => {
              this.#requireUsable();
              return cudaKernel(kernel).maxActiveClusters(config);
            },
          };
    const { sources } = parts;
    this.sourceCompiler =
      sources === null
        ? null
        : {
            compileSource: (source, kernels) => {
              this.#requireUsable();
              const compiled = sources.compile(source, kernels, (gone) => void this.#modules.delete(gone));
              this.#modules.add(compiled.module);
              return compiled;
            },
          };
    this.queue = new CudaQueue({
      context: parts.context,
      timeoutMs: parts.timeoutMs,
      trace: parts.trace,
      observer: parts.observer,
      beforeLaunch: (kernel) => this.#beforeLaunch(kernel),
      range: (pointer, bytes, verb) => this.#range(pointer, bytes, verb),
      written: (pointer, bytes, stream) => this.#written(pointer, bytes, stream),
      drainPrintf: () => this.#printf.drain(),
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
    // Memory that kernels may still be using goes to the next who asks: as cudaFree, this waits.
    if (this.queue.log.pending > 0) this.#wait();
    this.memory.free(pointer);
  }

  get heapBytes(): number {
    return this.#heapBytes;
  }

  set heapBytes(bytes: number) {
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new HeddleError("bad-arguments", `a heap's size must be a whole number of bytes, not ${bytes}`);
    this.#heapBytes = bytes;
    // Code of NVRTC has the driver's own malloc.
    if (this.memory.kind === "flat") this.#call("cuCtxSetLimit", LIMIT_MALLOC_HEAP, bytes);
  }

  findAllocation(address: number): AllocationInfo | null {
    const block = this.memory.find(address) ?? this.#constantBlock(address);
    return block === null ? null : { pointer: block.start, bytes: block.bytes };
  }

  nearestAllocation(address: number): AllocationInfo | null {
    const block = this.memory.nearest(address);
    return block === null ? null : { pointer: block.start, bytes: block.bytes };
  }

  write(destination: number, source: Uint8Array): void {
    const address = this.#range(destination, source.byteLength, "write to");
    if (source.byteLength === 0) return;
    this.#call("cuMemcpyHtoD_v2", address, source, source.byteLength);
    this.#written(destination, source.byteLength, 0);
  }

  read(source: number, destination: Uint8Array): void {
    const address = this.#range(source, destination.byteLength, "read from");
    if (destination.byteLength > 0) this.#call("cuMemcpyDtoH_v2", destination, address, destination.byteLength);
  }

  copy(destination: number, source: number, bytes: number): void {
    const [from, to] = [this.#range(source, bytes, "read from"), this.#range(destination, bytes, "write to")];
    if (bytes === 0) return;
    if (from < to + bytes && to < from + bytes) {
      // The GPU copies in no order: what overlaps goes by way of other memory.
      const between = this.memory.allocate(bytes, {}, "user");
      try {
        this.#call("cuMemcpyDtoD_v2", this.memory.address(between.start), from, bytes);
        this.#call("cuMemcpyDtoD_v2", to, this.memory.address(between.start), bytes);
        this.#wait();
      } finally {
        this.memory.free(between.start);
      }
    } else this.#call("cuMemcpyDtoD_v2", to, from, bytes);
    this.#written(destination, bytes, 0);
  }

  copyFromPeer(destination: number, peer: Device, source: number, bytes: number): boolean {
    if (!(peer instanceof CudaDevice)) return false;
    const from = peer.#range(source, bytes, "read from");
    peer.#wait();
    const to = this.#range(destination, bytes, "write to");
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
    if (status === 0) this.#written(destination, bytes, 0);
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
    return this.#outcome(await this.#waitForAll(), started);
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

  /**
   * Constant memory has GPU addresses of its own, outside of the window that 32-bit pointers lie in. A pointer that a
   * kernel is given is one to the window, so that a copy of the module's __constant__ variables is kept there, as
   * current as what the host has written: kernels cannot write to them.
   */
  exposeConstant(pointer: number): void {
    const { memory } = this;
    const constants = this.#constantBlock(pointer);
    if (constants === null || constants.module.hasConstantsCopy || !(memory instanceof WindowMemory)) return;
    this.context.makeCurrent();
    memory.backConstants(constants.start, constants.bytes);
    constants.module.hasConstantsCopy = this.#hasConstantsCopies = true;
    this.#written(constants.start, constants.bytes, 0);
  }

  nativeAddress(pointer: number): number {
    const constant = this.#constantBlock(pointer);
    return constant === null ? this.memory.address(pointer) : constant.address + (pointer - constant.start);
  }

  residentBlocks(kernel: GpuKernel, threadsPerBlock: number, sharedBytes: number): number {
    this.#requireUsable();
    return cudaKernel(kernel).residentBlocks(threadsPerBlock, sharedBytes);
  }

  // ---------------------------------------------------------------- state

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
    this.#printf.forget();
    this.#heap = null;
    this.#hasConstantsCopies = false;
    const isFresh = this.context.renew();
    this.memory.reset();
    if (!isFresh) {
      throw new HeddleError(
        "device-fault",
        `the driver (CUDA ${formatVersion(this.context.driver.version)}) lets no process use a GPU again after a fault: start the program anew`,
        { cause: this.#fault },
      );
    }
    this.#fault = null;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#libraries.forget();
    // After a fault the driver takes nothing more from this process, and what it holds goes with the process.
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
    const { module } = kernel;
    if (module.isServed || !(kernel.usesHeap || kernel.usesPrintf || module.isWithoutServices)) return;
    module.isServed = true;
    const { heap, printf } = module.services;
    if (heap !== null) this.#announce(heap, this.#heapRegion());
    if (printf !== null) this.#announce(printf, this.#printf.region);
  }

  #announce(
    { base, bytes, width }: RegionVariables,
    region: { readonly pointer: number; readonly bytes: number },
  ): void {
    const words = (value: number): ArrayBufferView =>
      width === 8 ? BigUint64Array.of(BigInt(value)) : Uint32Array.of(value);
    this.#call("cuMemcpyHtoD_v2", base, words(region.pointer), width);
    this.#call("cuMemcpyHtoD_v2", bytes, words(region.bytes), width);
  }

  /** All modules of a device share one, so that what one allocates another may free. */
  #heapRegion(): { pointer: number; bytes: number } {
    if (this.#heap === null) {
      const bytes = Math.max(this.#heapBytes, MIN_HEAP_BYTES);
      this.#heap = { pointer: this.memory.allocate(bytes, { align: 4096 }, "module").start, bytes };
      this.#call("cuMemsetD8Async", this.memory.address(this.#heap.pointer), 0, bytes, 0);
    }
    return this.#heap;
  }

  /** A wait that does not block the event loop. */
  async #waitForAll(): Promise<QueueOutcome> {
    const started = performance.now();
    for (;;) {
      this.context.makeCurrent();
      const outcome = this.queue.poll();
      if (outcome !== null) return outcome;
      const elapsed = performance.now() - started;
      const { timeoutMs } = this.#parts;
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

  #call(name: `cu${string}`, ...values: (number | ArrayBufferView)[]): void {
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

  #range(pointer: number, bytes: number, verb: string): number {
    this.#requireUsable();
    const block = this.memory.find(pointer);
    if (block !== null && pointer + bytes <= block.start + block.bytes) return this.memory.address(pointer);
    const constant = this.#constantBlock(pointer);
    if (constant !== null && pointer + bytes <= constant.start + constant.bytes)
      return constant.address + (pointer - constant.start);
    if (bytes === 0) return 0;
    const nearest = this.nearestAllocation(pointer);
    throw new HeddleError(
      "bad-arguments",
      `cannot ${verb} ${bytes} bytes at device address 0x${pointer.toString(16)}: they are not inside one allocation`,
      {
        notes:
          nearest === null
            ? ["the device has no allocations"]
            : [`the nearest allocation is at 0x${nearest.pointer.toString(16)} and has ${nearest.bytes} bytes`],
      },
    );
  }

  /** After the host has put on a stream what writes there. */
  #written(pointer: number, bytes: number, stream: number): void {
    const constants = this.#hasConstantsCopies ? this.#constantBlock(pointer) : null;
    if (constants?.module.hasConstantsCopy === true)
      this.#call(
        "cuMemcpyDtoDAsync_v2",
        this.memory.address(pointer),
        constants.address + (pointer - constants.start),
        bytes,
        stream,
      );
  }

  /** The __constant__ variables of a module, which have program addresses of their own. */
  #constantBlock(pointer: number): { start: number; bytes: number; address: number; module: CudaModule } | null {
    for (const module of this.#modules) {
      if (module.constants === null) continue;
      const { base, bytes, address } = module.constants;
      if (pointer >= base && pointer < base + bytes) return { start: base, bytes, address, module };
    }
    return null;
  }
}
