/**
 * A device: everything the layers above (runtime, library, bench, tensor) need of a GPU, emulated or real.
 *
 * Contract
 * - Operations take effect in the order they are issued on a stream; stream 0 is the default stream.
 * - Methods that end in `Blocking` may block the calling thread (host programs run in a thread of their own);
 *   the others return promises and never block an event loop.
 * - Pointers are numbers, exact up to 2^53: 32 bits on the emulated device, 64-bit virtual addresses on a real one.
 * - Mistakes of the caller throw HeddleError; a kernel's fault is a value in LaunchOutcome, and poisons the device
 *   (as a CUDA context is) until `reset()`.
 */
import type { DeviceFault } from "../machine/faults.ts";
import type { KernelParam, LaunchConfig, LaunchOutcome } from "../machine/launch.ts";

export type DevicePointer = number;
export type StreamId = number;

export interface AllocationInfo { readonly pointer: DevicePointer; readonly bytes: number }

export interface AllocateOptions {
  /** Alignment in bytes, a power of two; default 256 as cudaMalloc promises. */
  readonly align?: number;
  /** Place the allocation at or above this address (managed memory that a 32-bit host must also map). */
  readonly minAddress?: number;
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

/** A compiled device program, as a front end delivers it. */
export interface DeviceProgram {
  /** LLVM IR text of the device side. */
  readonly ir: string;
  /** Names the program in messages. */
  readonly name: string;
  /** -fmad=false, --use_fast_math and the like that code generation must know. */
  readonly options: { readonly fmad: boolean };
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

export interface GpuSymbol { readonly name: string; readonly pointer: DevicePointer; readonly bytes: number }

export interface GpuModule {
  /** By its name in the IR (mangled). Throws HeddleError("unknown-kernel") with the nearest names. */
  kernel(name: string): GpuKernel;
  kernelNames(): string[];
  /** A __device__, __constant__ or __managed__ variable by its mangled name, or null. */
  symbol(name: string): GpuSymbol | null;
  unload(): void;
}

export interface Device {
  readonly kind: "emulated" | "cuda";
  readonly properties: DeviceProperties;

  memoryInfo(): { freeBytes: number; totalBytes: number };
  /** Throws HeddleError("out-of-memory") that names the size asked and the size free. */
  allocate(bytes: number, options?: AllocateOptions): DevicePointer;
  free(pointer: DevicePointer): void;
  /** What device malloc may divide (cudaLimitMallocHeapSize). To be set before a program that calls malloc is launched. */
  heapBytes: number;
  /** The live allocation that holds `address`, or null. */
  findAllocation(address: number): AllocationInfo | null;
  /** Live allocation nearest to `address`, for reports. */
  nearestAllocation(address: number): AllocationInfo | null;

  /** Copies between host bytes and device memory. Both count as writes/reads for launch reuse. */
  write(destination: DevicePointer, source: Uint8Array): void;
  read(source: DevicePointer, destination: Uint8Array): void;
  copy(destination: DevicePointer, source: DevicePointer, bytes: number): void;
  /** Repeats a little-endian element of 1, 2 or 4 bytes. */
  fill(destination: DevicePointer, value: number, elementBytes: 1 | 2 | 4, count: number): void;

  /** Several programs are linked into one module (whole programs compiled with -rdc). */
  loadModule(program: DeviceProgram | readonly DeviceProgram[]): GpuModule;

  /** Runs to completion on the calling thread. Limits are the caller's to check (launch limits of `properties`). */
  launchBlocking(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): LaunchOutcome;
  launch(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): Promise<LaunchOutcome>;

  /** Resolves when every launch that was issued has ended. Copies and the like may not be called while one is in flight. */
  synchronize(): Promise<void>;

  /** The fault that poisoned the device, if any. */
  readonly fault: DeviceFault | null;
  /** Frees everything and clears a fault (cudaDeviceReset). */
  reset(): void;
  close(): void;
}
