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
import type { TensorMapDescription } from "../machine/tensor-map.ts";
import type { RegionAccess } from "../analysis/pointers/access-summary.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type { KernelParam, LaunchConfig, LaunchOutcome } from "../machine/launch.ts";
import type { PointerBits } from "../ir/model/ir.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import type { DeviceLibrary } from "./library-call.ts";

export type DevicePointer = number;
/** 0 is the default stream. It and all other streams, except for non-blocking ones, wait for each other. */
export type StreamId = number;
export type EventId = number;
export type GraphId = number;

/** What calls have put on a stream that recorded them. */
export interface RecordedCalls {
  /** null: nothing. */
  readonly graph: GraphId | null;
  /** False: a call cannot be recorded, and there is no graph. */
  readonly isValid: boolean;
}

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
   * The host has a copy of this memory. Bytes that the host has changed are transferred with the next launch.
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
  /** The publication of these numbers. */
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
  /** Registers of a thread, as the driver's compiler allocated them; absent on an emulated device. */
  readonly registers?: number;
  readonly usesGridSync: boolean;
  /** The memory outside of its blocks that a launch may touch. null: any. Absent, likewise. */
  readonly regions?: readonly RegionAccess[] | null;
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
  /** Of variables that have an address; absent where they are not listed. */
  variableNames?(): readonly string[];
  /**
   * The variables that kernels may write: one launch can pass data to a later one through them. null if unknown.
   */
  writableVariables(): readonly string[] | null;
  unload(): void;
}

/** The result of a wait. */
export interface QueueOutcome {
  readonly fault: DeviceFault | null;
  /** The output of kernels since the last wait. */
  readonly output: string;
}

/** The caller writes parameters into `params`; each call of `launch` then puts one launch on the stream. */
export interface PreparedLaunch {
  /** Launches of one kernel may share it, so the caller writes all of it before each launch. */
  readonly params: Uint8Array;
  launch(): void;
}

/** The caller writes parameters into `params`, which stay as they are; `launch` puts one launch on the stream. */
export interface BoundLaunch {
  readonly params: Uint8Array<ArrayBuffer>;
  launch(stream: StreamId): void;
}

/**
 * Work that proceeds beside the calling thread, on a device with threads of its own (a GPU). Methods return at once,
 * except for those whose names say that they wait. After a fault every method throws HeddleError("device-fault").
 */
export interface DeviceQueue {
  /**
   * @param nonBlocking its work does not wait for the default stream's. @param priority lower is more urgent, as in
   * CUDA.
   */
  createStream(options?: { readonly nonBlocking?: boolean; readonly priority?: number }): StreamId;
  destroyStream(stream: StreamId): void;
  launch(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array, stream: StreamId): void;
  /** For many launches with one configuration. The caller has checked the configuration. */
  prepareLaunch(kernel: GpuKernel, config: LaunchConfig, stream: StreamId): PreparedLaunch;
  /** The same with parameters of its own, and for any stream. */
  bindLaunch(kernel: GpuKernel, config: LaunchConfig): BoundLaunch;
  /** `source` may be changed when it returns. */
  write(destination: DevicePointer, source: Uint8Array, stream: StreamId): void;
  /**
   * `destination` is complete when this returns. In pinned memory it is complete when the stream has run the copy.
   */
  read(source: DevicePointer, destination: Uint8Array, stream: StreamId): void;
  copy(destination: DevicePointer, source: DevicePointer, bytes: number, stream: StreamId): void;
  fill(destination: DevicePointer, value: number, elementBytes: 1 | 2 | 4, count: number, stream: StreamId): void;
  /**
   * Makes copies from and to these bytes faster, and those of `read` asynchronous, until `unpin`. They must not move.
   */
  pin(bytes: Uint8Array): void;
  unpin(bytes: Uint8Array): void;
  /** Where kernels read the bytes, which were pinned as a whole; null: they cannot. Absent, likewise. */
  pinnedAddress?(bytes: Uint8Array): DevicePointer | null;

  createEvent(options?: { readonly timed?: boolean }): EventId;
  destroyEvent(event: EventId): void;
  record(event: EventId, stream: StreamId): void;
  /** Later operations on the stream wait until the event has been reached. */
  waitFor(event: EventId, stream: StreamId): void;
  /** The time between two timed events that have both been reached; the resolution is about half a microsecond. */
  elapsedMs(start: EventId, end: EventId): number;
  isEventDone(event: EventId): boolean;
  isStreamDone(stream: StreamId): boolean;

  /**
   * Until `endCapture`, operations on the stream, and on streams that wait for its events, are recorded instead of run.
   */
  beginCapture(stream: StreamId): void;
  endCapture(stream: StreamId): GraphId;
  /** Ends a capture in which something was refused. */
  dropCapture(stream: StreamId): void;
  launchGraph(graph: GraphId, stream: StreamId): void;
  destroyGraph(graph: GraphId): void;

  /**
   * Until `endCalls`, what a foreign library puts on the stream is recorded instead of run.
   * @param mode which of the library's calls may not be made meanwhile (cudaStreamCaptureMode)
   */
  beginCalls(stream: StreamId, mode: number): void;
  /** @param name for reports of faults */
  endCalls(stream: StreamId, name: string): RecordedCalls;
  /** The graph of recorded calls is not needed any more; it may be gone already. */
  releaseCalls(graph: GraphId): void;

  /** Receives the output of kernels at every wait. The outcome of the wait contains it as well. */
  onOutput: ((text: string) => void) | null;
  waitForEventBlocking(event: EventId): QueueOutcome;
  waitForStreamBlocking(stream: StreamId): QueueOutcome;
  /** Waits for all streams. */
  waitBlocking(): QueueOutcome;
}

/** Limits of launches with thread block clusters (`LaunchConfig.cluster`). */
export interface DeviceClusters {
  /** The largest cluster, in blocks, that this kernel can be launched with (cudaOccupancyMaxPotentialClusterSize). */
  maxBlocks(kernel: GpuKernel, config: LaunchConfig): number;
  /** Clusters of this launch that the device holds at once (cudaOccupancyMaxActiveClusters). */
  maxActive(kernel: GpuKernel, config: LaunchConfig): number;
}

/** Memory of a GPU that is the host program's own: what one side writes the other sees, and nothing is copied. */
export interface SharedHostMemory {
  /** Takes an address from `minAddress` on, or returns null if none is free. */
  place(bytes: number, minAddress: number): DevicePointer | null;
  /**
   * Makes `host`, the host program's bytes at the same address, the memory at `pointer`. Its contents are lost.
   * @returns false where the system or the driver refuses
   */
  share(pointer: DevicePointer, host: Uint8Array): boolean;
  /** After all kernels that use it. */
  release(pointer: DevicePointer): void;
}

/** Addresses apart from the memory behind them. Ranges are multiples of the granularity. */
export interface DeviceAddressSpace {
  readonly granularity: number;
  /** Whether the device has memory whose contents it may keep compressed. */
  readonly canCompress: boolean;
  /** Throws HeddleError "out-of-memory" where so many addresses are not free. */
  reserve(bytes: number, align: number): DevicePointer;
  /** Of a reservation all of whose parts are closed. */
  release(reservation: { readonly start: DevicePointer; readonly bytes: number }): void;
  /**
   * A part of a reservation becomes memory that kernels and copies may access. Its contents are undefined.
   * @param isCompressible the device may keep it compressed
   */
  open(
    part: { readonly start: DevicePointer; readonly bytes: number },
    reservation: { readonly start: DevicePointer; readonly bytes: number },
    isCompressible: boolean,
  ): void;
  /** It is no memory any more. */
  close(
    part: { readonly start: DevicePointer; readonly bytes: number },
    reservation: { readonly start: DevicePointer; readonly bytes: number },
  ): void;
}

/** Of kernels that launch kernels. */
export interface DeviceRuntimeLimits {
  /** Levels of grids whose threads may wait for what they have launched (cudaLimitDevRuntimeSyncDepth). */
  readonly syncDepth: number;
  /** Launches that a grid may queue (cudaLimitDevRuntimePendingLaunchCount); null: what the device has room for. */
  readonly pendingLaunches: number | null;
}

export interface Device {
  readonly kind: "emulated" | "cuda";
  readonly properties: DeviceProperties;

  /**
   * A hint that this program will probably be loaded next: a device may do the work of `loadModule` now. Throws the
   * errors that `loadModule` would throw.
   */
  preload?(programs: readonly DeviceProgram[]): void;

  memoryInfo(): { freeBytes: number; totalBytes: number };
  /** Throws HeddleError("out-of-memory"); its message has the requested and the free size. */
  allocate(bytes: number, options?: AllocateOptions): DevicePointer;
  free(pointer: DevicePointer): void;
  /**
   * The heap of device malloc (cudaLimitMallocHeapSize). Set it before the launch of a program that calls malloc.
   */
  heapBytes: number;
  /** Limits of kernels that launch kernels. On a GPU, `syncDepth` limits nothing. */
  limitDeviceRuntime?(limits: Partial<DeviceRuntimeLimits>): void;
  /** null: the device cannot use the host's memory. Absent, likewise. */
  readonly sharedHostMemory?: SharedHostMemory | null;
  /** The live allocation that holds `address`, or null. */
  findAllocation(address: number): AllocationInfo | null;
  /** null or absent: addresses always have memory. */
  readonly addressSpace?: DeviceAddressSpace | null;
  /** Live allocation nearest to `address`, for reports. */
  nearestAllocation(address: number): AllocationInfo | null;

  /** Copies between host bytes and device memory. Both count as writes/reads for launch reuse. */
  write(destination: DevicePointer, source: Uint8Array): void;
  read(source: DevicePointer, destination: Uint8Array): void;
  copy(destination: DevicePointer, source: DevicePointer, bytes: number): void;
  /**
   * Copies from another device's memory directly, not through the host. It waits for the work of both devices first.
   * Returns false if a direct copy is impossible; then nothing was copied.
   */
  copyFromPeer?(destination: DevicePointer, peer: Device, source: DevicePointer, bytes: number): boolean;
  /** Repeats a little-endian element of 1, 2 or 4 bytes. */
  fill(destination: DevicePointer, value: number, elementBytes: 1 | 2 | 4, count: number): void;

  /** null: a front end compiles CUDA C++ to IR for `loadModule`. Otherwise the device itself compiles it. */
  readonly sourceCompiler: SourceCompiler | null;
  /** The width of pointers in the IR that `loadModule` takes. */
  readonly irPointerBits: PointerBits;
  /** Several programs are linked into one module (whole programs compiled with -rdc). */
  loadModule(program: DeviceProgram | readonly DeviceProgram[]): GpuModule;

  /** Runs to completion on the calling thread. The caller has checked the launch limits of `properties`. */
  launchBlocking(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): LaunchOutcome;
  launch(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): Promise<LaunchOutcome>;

  /**
   * Resolves when every issued launch has ended, with the outcome since the last wait. Launches that the caller awaited
   * one by one have reported theirs already. On a device without a queue, no copy may be called before it resolves.
   */
  synchronize(): Promise<QueueOutcome>;

  /** null: every operation is complete when its call returns, so streams have nothing to order. */
  readonly queue: DeviceQueue | null;

  /**
   * A library by its name without prefix and suffix ("cublas"), or the reason why it is missing. Absent on devices that
   * have no libraries.
   */
  library?(
    name: string,
  ): { readonly library: DeviceLibrary; readonly missing: null } | { readonly library: null; readonly missing: string };
  /**
   * Called when the program takes the address of a __constant__ variable, and may pass it to kernels. Absent on devices
   * where kernels can always use such an address.
   */
  exposeConstant?(pointer: DevicePointer): void;
  /** The device's own address of a pointer, where they differ. */
  nativeAddress?(pointer: DevicePointer): number;

  /** A program's own PTX is loaded as it is, not by its IR. */
  readonly loadsPtx?: boolean;

  /** The 128 bytes of a tensor map, which a kernel gets by value. The caller has asked for problems (tensor-map.ts). */
  encodeTensorMap?(description: TensorMapDescription): Uint8Array;

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
