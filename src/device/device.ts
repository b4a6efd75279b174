/**
 * A device: everything the layers above (runtime, library, bench, tensor) need of a GPU, emulated or real.
 *
 * Contract
 * - Operations take effect in the order they are issued; those of a device's `queue` in the order of their stream.
 * - Methods that end in `Blocking` may block the calling thread (host programs run in a thread of their own);
 *   the others return promises and do not keep an event loop waiting for more than some milliseconds.
 * - Pointers are numbers, exact up to 2^53: 32 bits on the emulated device, 64-bit virtual addresses on a real one.
 * - Mistakes of the caller throw HeddleError; a kernel's fault is a value in LaunchOutcome, and poisons the device
 *   (as a CUDA context is) until `reset()`.
 */
import type { DeviceFault } from "../machine/faults.ts";
import type { KernelParam, LaunchConfig, LaunchOutcome } from "../machine/launch.ts";
import type { PointerBits } from "../ir/model/ir.ts";
import type { DeviceProgram } from "../program/device-program.ts";

export type DevicePointer = number;
/** 0 is the default stream, which waits for all others that do not ask to be left out, and they for it. */
export type StreamId = number;
export type EventId = number;
export type GraphId = number;

export interface AllocationInfo {
  readonly pointer: DevicePointer;
  readonly bytes: number;
}

export interface AllocateOptions {
  /** Alignment in bytes, a power of two; default 256 as cudaMalloc promises. */
  readonly align?: number;
  /** Place the allocation at or above this address (managed memory that a 32-bit host must also map). */
  readonly minAddress?: number;
  /**
   * The host has a copy of its own: what it writes there comes only with the next launch, and only where it differs.
   */
  readonly isHostCopied?: boolean;
}

/** The properties that cudaGetDeviceProperties and deviceQuery report; names follow cudaDeviceProp. */
export interface DeviceProperties {
  readonly name: string;
  readonly computeCapability: { readonly major: number; readonly minor: number };
  readonly totalGlobalMem: number;
  readonly sharedMemPerBlock: number;
  readonly sharedMemPerBlockOptin: number;
  readonly sharedMemPerMultiprocessor: number;
  readonly reservedSharedMemPerBlock: number;
  readonly regsPerBlock: number;
  readonly regsPerMultiprocessor: number;
  readonly warpSize: number;
  readonly maxThreadsPerBlock: number;
  readonly maxThreadsPerMultiProcessor: number;
  readonly maxBlocksPerMultiProcessor: number;
  readonly maxThreadsDim: readonly [number, number, number];
  readonly maxGridSize: readonly [number, number, number];
  readonly totalConstMem: number;
  readonly multiProcessorCount: number;
  readonly clockRateKHz: number;
  readonly memoryClockRateKHz: number;
  readonly memoryBusWidthBits: number;
  readonly l2CacheBytes: number;
  /** Where these numbers are published. */
  readonly source: string;
}

/** A device that compiles CUDA C++ itself, and so needs no front end of ours. */
export interface SourceCompiler {
  /**
   * @param kernels name expressions (`reduce<float, 256>`) of kernels to instantiate.
   * @throws HeddleError "compile-error" whose `notes` hold the compiler's report.
   */
  compileSource(source: DeviceSource, kernels: readonly string[]): CompiledSource;
}

export interface DeviceSource {
  readonly path: string;
  readonly text: string;
  readonly options: DeviceSourceOptions;
}

/** Names follow nvcc's options. */
export interface DeviceSourceOptions {
  readonly defines?: readonly string[];
  readonly undefines?: readonly string[];
  readonly includePaths?: readonly string[];
  readonly forcedIncludes?: readonly string[];
  readonly standard?: string;
  readonly optimize?: 0 | 1 | 2 | 3;
  readonly fastMath?: boolean;
  readonly fmad?: boolean;
  readonly debug?: boolean;
}

export interface CompiledSource {
  readonly module: GpuModule;
  /** Name expressions to names in the module. */
  readonly names: ReadonlyMap<string, string>;
  readonly warnings: string;
}

export interface GpuKernel {
  readonly name: string;
  readonly params: readonly KernelParam[];
  readonly paramBytes: number;
  /** Static shared memory of a block, in bytes. */
  readonly staticSharedBytes: number;
  readonly localBytesPerThread: number;
  readonly maxThreadsPerBlock: number;
  readonly usesGridSync: boolean;
}

export interface GpuSymbol {
  readonly name: string;
  readonly pointer: DevicePointer;
  readonly bytes: number;
}

export interface GpuModule {
  /** By its name in the IR (mangled). Throws HeddleError("unknown-kernel") with the nearest names. */
  kernel(name: string): GpuKernel;
  kernelNames(): string[];
  /** A __device__, __constant__ or __managed__ variable by its mangled name, or null. */
  symbol(name: string): GpuSymbol | null;
  /**
   * Variables through which one launch can leave something for another: those that kernels may write. null where it is
   * not known.
   */
  writableVariables(): readonly string[] | null;
  unload(): void;
}

/** What a wait finds. */
export interface QueueOutcome {
  readonly fault: DeviceFault | null;
  /** What kernels have printed since the last wait. */
  readonly output: string;
}

/**
 * A launch whose parameters are written into `params`, and which `launch` then puts on its stream, as often as it is
 * called.
 */
export interface PreparedLaunch {
  /** Launches of one kernel may share it: all of it is to be written before each. */
  readonly params: Uint8Array;
  launch(): void;
}

/**
 * Work that goes on beside the calling thread, on a device that has threads of its own (a GPU). Everything here returns
 * at once, except for what waits by its name, and what runs into a fault that is already there throws
 * HeddleError("device-fault").
 */
export interface DeviceQueue {
  /**
   * @param nonBlocking its work does not wait for the default stream's. @param priority lower is more urgent, as in
   * CUDA.
   */
  createStream(options?: { readonly nonBlocking?: boolean; readonly priority?: number }): StreamId;
  destroyStream(stream: StreamId): void;
  launch(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array, stream: StreamId): void;
  /** For many launches with one configuration, which is the caller's to check. */
  prepareLaunch(kernel: GpuKernel, config: LaunchConfig, stream: StreamId): PreparedLaunch;
  /** `source` may be changed when it returns. */
  write(destination: DevicePointer, source: Uint8Array, stream: StreamId): void;
  /**
   * `destination` is complete when it returns, unless it lies in pinned memory: then when the stream has come so far.
   */
  read(source: DevicePointer, destination: Uint8Array, stream: StreamId): void;
  copy(destination: DevicePointer, source: DevicePointer, bytes: number, stream: StreamId): void;
  fill(destination: DevicePointer, value: number, elementBytes: 1 | 2 | 4, count: number, stream: StreamId): void;
  /**
   * Makes copies from and to these bytes faster, and those of `read` asynchronous, until `unpin`. They must not move.
   */
  pin(bytes: Uint8Array): void;
  unpin(bytes: Uint8Array): void;

  createEvent(options?: { readonly timed?: boolean }): EventId;
  destroyEvent(event: EventId): void;
  record(event: EventId, stream: StreamId): void;
  /** What is put on the stream from now on waits for what the event marks. */
  waitFor(event: EventId, stream: StreamId): void;
  /** Between two timed events that have come to pass. Milliseconds, with a resolution of about half a microsecond. */
  elapsedMs(start: EventId, end: EventId): number;
  isEventDone(event: EventId): boolean;
  isStreamDone(stream: StreamId): boolean;

  /** What is put on the stream, and on streams that wait for its events, is kept instead of run, until `endCapture`. */
  beginCapture(stream: StreamId): void;
  endCapture(stream: StreamId): GraphId;
  launchGraph(graph: GraphId, stream: StreamId): void;
  destroyGraph(graph: GraphId): void;

  /** Receives what kernels printed, whoever waited for it; beside the outcome of that wait. */
  onOutput: ((text: string) => void) | null;
  waitForEventBlocking(event: EventId): QueueOutcome;
  waitForStreamBlocking(stream: StreamId): QueueOutcome;
  /** For everything on all streams. */
  waitBlocking(): QueueOutcome;
}

/** A library of the device's maker, such as cuBLAS. */
export interface DeviceLibrary {
  /**
   * Calls a function of the library whose arguments are, letter by letter of `kinds`: h a handle of the library's that
   * belongs to `owner`, i an int, l 64 bits, p a device pointer (0 is null), a an address in `host`, s a stream.
   * Functions named …Destroy… of a handle end it.
   * @returns its status, or null where the library has no such function.
   */
  call(name: string, kinds: string, call: LibraryCall): number | null;
}

export interface LibraryCall {
  readonly owner: number;
  readonly values: readonly bigint[];
  readonly host: ArrayBuffer;
  /** That the work goes to, for reports. */
  readonly stream: StreamId;
}

/** What a device with thread block clusters knows of launches that ask for them (`LaunchConfig.cluster`). */
export interface DeviceClusters {
  /** Blocks of a cluster that this kernel can be launched with at most (cudaOccupancyMaxPotentialClusterSize). */
  maxBlocks(kernel: GpuKernel, config: LaunchConfig): number;
  /** Clusters of this launch that the device holds at once (cudaOccupancyMaxActiveClusters). */
  maxActive(kernel: GpuKernel, config: LaunchConfig): number;
}

export interface Device {
  readonly kind: "emulated" | "cuda";
  readonly properties: DeviceProperties;

  /**
   * What will probably be loaded next: a device that can use the time does now what `loadModule` would do. Throws what
   * that would throw.
   */
  expect?(programs: readonly DeviceProgram[]): void;

  memoryInfo(): { freeBytes: number; totalBytes: number };
  /** Throws HeddleError("out-of-memory") that names the size asked and the size free. */
  allocate(bytes: number, options?: AllocateOptions): DevicePointer;
  free(pointer: DevicePointer): void;
  /**
   * What device malloc may divide (cudaLimitMallocHeapSize). To be set before a program that calls malloc is launched.
   */
  heapBytes: number;
  /** The live allocation that holds `address`, or null. */
  findAllocation(address: number): AllocationInfo | null;
  /** Live allocation nearest to `address`, for reports. */
  nearestAllocation(address: number): AllocationInfo | null;

  /** Copies between host bytes and device memory. Both count as writes/reads for launch reuse. */
  write(destination: DevicePointer, source: Uint8Array): void;
  read(source: DevicePointer, destination: Uint8Array): void;
  copy(destination: DevicePointer, source: DevicePointer, bytes: number): void;
  /**
   * From the memory of another device without a way over the host, when what is on both has ended. false: it cannot,
   * and has done nothing.
   */
  copyFromPeer?(destination: DevicePointer, peer: Device, source: DevicePointer, bytes: number): boolean;
  /** Repeats a little-endian element of 1, 2 or 4 bytes. */
  fill(destination: DevicePointer, value: number, elementBytes: 1 | 2 | 4, count: number): void;

  /** null: CUDA C++ comes as IR, to `loadModule`. Otherwise the device compiles it. */
  readonly sourceCompiler: SourceCompiler | null;
  /** The width of pointers in the IR that `loadModule` takes. */
  readonly irPointerBits: PointerBits;
  /** Several programs are linked into one module (whole programs compiled with -rdc). */
  loadModule(program: DeviceProgram | readonly DeviceProgram[]): GpuModule;

  /** Runs to completion on the calling thread. Limits are the caller's to check (launch limits of `properties`). */
  launchBlocking(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): LaunchOutcome;
  launch(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): Promise<LaunchOutcome>;

  /**
   * Resolves when every launch that was issued has ended, with what was found since the last wait; launches that were
   * waited for by themselves have told it already. Without a queue, copies and the like may not be called while one is
   * in flight.
   */
  synchronize(): Promise<QueueOutcome>;

  /** null: everything is done when its call returns, and streams have nothing to order. */
  readonly queue: DeviceQueue | null;

  /**
   * A library by its name without prefix and suffix ("cublas"), or why it is not there; absent where devices have none.
   */
  library?(
    name: string,
  ): { readonly library: DeviceLibrary; readonly missing: null } | { readonly library: null; readonly missing: string };
  /**
   * The program has asked for a __constant__ variable's address, and may hand it to kernels. Absent where they can use
   * it anyway.
   */
  exposeConstant?(pointer: DevicePointer): void;
  /** The device's own address of a pointer, where they differ. */
  nativeAddress?(pointer: DevicePointer): number;

  /** Thread block clusters; null on a device that has none. */
  readonly clusters: DeviceClusters | null;

  /**
   * Blocks of this many threads that a multiprocessor holds at once (cudaOccupancyMaxActiveBlocksPerMultiprocessor).
   */
  residentBlocks(kernel: GpuKernel, threadsPerBlock: number, sharedBytes: number): number;

  /** The fault that poisoned the device, if any. */
  readonly fault: DeviceFault | null;
  /** Frees everything and clears a fault (cudaDeviceReset). */
  reset(): void;
  close(): void;
}
