/**
 * Memory: allocation, symbols, attributes; copies are in copies.ts (runtime API reference, "Memory Management",
 * "Unified Addressing", "Stream Ordered Memory Allocator").
 */
import { unsigned } from "../../../base/unsigned.ts";
import { EXTENT, PITCHED_POINTER, POINTER_ATTRIBUTES } from "../structs.ts";
import { HeddleError } from "../../../base/diagnostics.ts";
import type { ApiGroup } from "./api-table.ts";
import type { CudaContext } from "../context.ts";
import { allocateDeviceMemory, freeDeviceMemory, refuseLostSize } from "../allocations/allocation.ts";
import { CudaErrorCode, fail, hex } from "../errors.ts";
import { ownGraphMemory } from "../graph/graph-memory.ts";
import { streamState } from "../work/stream-store.ts";
import type { MirroredAllocation } from "../allocations/mirrored-memory.ts";
import { largestSize } from "../../../base/data-model.ts";
import { copyCalls } from "./copies.ts";
import { submit } from "./streams.ts";
import { waitForDevice } from "../work/waiting.ts";

/** Rows of cudaMallocPitch begin at multiples of this many bytes, as on current GPUs. */
export const PITCH_ALIGNMENT = 512;
const HOST_ALLOC_MAPPED = 2;
const HOST_ALIGNMENT = 4096;
/** Smaller managed allocations share pages, and take the bus no time. */
const WORTH_PINNING = 65536;

function store(cuda: CudaContext, out: number, value: number): void {
  if (out === 0) fail(CudaErrorCode.invalidValue);
  cuda.memory.setPointer(out, value);
}

function allocateInto(cuda: CudaContext, out: number, bytes: number): void {
  if (out === 0) fail(CudaErrorCode.invalidValue);
  store(cuda, out, allocateDeviceMemory(cuda, unsigned(bytes)));
}

function allocatePitched(cuda: CudaContext, widthBytes: number, rows: number): { pointer: number; pitch: number } {
  const pitch = Math.ceil(unsigned(widthBytes) / PITCH_ALIGNMENT) * PITCH_ALIGNMENT;
  if (pitch * rows > largestSize(cuda.memory.model))
    fail(CudaErrorCode.memoryAllocation, `${widthBytes} x ${rows} bytes are more than a size_t holds`);
  return { pointer: allocateDeviceMemory(cuda, pitch * rows, PITCH_ALIGNMENT), pitch };
}

function allocateHost(cuda: CudaContext, out: number, size: number, flags: number): void {
  if (out === 0 || (flags & ~7) !== 0) fail(CudaErrorCode.invalidValue);
  const bytes = unsigned(size);
  if (bytes === 0) return store(cuda, out, 0);
  refuseLostSize(cuda, bytes);
  const shared = (flags & HOST_ALLOC_MAPPED) !== 0 ? cuda.mirrored.allocate(bytes, "pinned", flags) : null;
  if (shared !== null) return store(cuda, out, shared.hostAddress);
  const block = unsigned(cuda.host.malloc(bytes + HOST_ALIGNMENT));
  if (block === 0)
    fail(CudaErrorCode.memoryAllocation, `the host program has no room for ${bytes} more bytes of pinned memory`);
  const address = Math.ceil(block / HOST_ALIGNMENT) * HOST_ALIGNMENT;
  cuda.mirrored.adopt("pinned", address, bytes, flags, block);
  pinForQueue(cuda, address, bytes);
  return store(cuda, out, address);
}

/**
 * Makes copies from and to the memory faster and asynchronous, where the system allows memory to be pinned.
 */
function pinForQueue(cuda: CudaContext, address: number, bytes: number): void {
  try {
    cuda.current.device.queue?.pin(cuda.memory.slice(address, bytes));
  } catch (error) {
    if (!(error instanceof HeddleError)) throw error;
  }
}

function unpinForQueue(cuda: CudaContext, { hostAddress, bytes, owner, isShared }: MirroredAllocation): void {
  const { queue } = owner.device;
  if (queue === null || owner.fault !== null) return;
  // Kernels of any device may use memory that is shared.
  for (const state of isShared === true ? cuda.devices : [owner])
    if (state.fault === null && (state.active || state === owner)) waitForDevice(cuda, state);
  queue.unpin(cuda.memory.slice(hostAddress, bytes));
}

function allocateManaged(cuda: CudaContext, out: number, size: number, flags: number): void {
  if (out === 0 || (flags !== 1 && flags !== 2) || size === 0) fail(CudaErrorCode.invalidValue);
  refuseLostSize(cuda, unsigned(size));
  const allocation =
    cuda.mirrored.allocate(unsigned(size), "managed", flags) ??
    fail(CudaErrorCode.memoryAllocation, `no ${unsigned(size)} bytes are free at one address on host and device`);
  if (allocation.bytes >= WORTH_PINNING) pinForQueue(cuda, allocation.hostAddress, allocation.bytes);
  store(cuda, out, allocation.hostAddress);
}

function freeHost(cuda: CudaContext, pointer: number): void {
  if (pointer === 0) return;
  const allocation = cuda.mirrored.at(unsigned(pointer));
  if (allocation?.kind !== "pinned")
    fail(
      CudaErrorCode.invalidValue,
      `${hex(pointer)} was not allocated by cudaMallocHost or cudaHostAlloc, or is freed already`,
      { kind: "bad-free", address: unsigned(pointer) },
    );
  unpinForQueue(cuda, allocation);
  cuda.mirrored.release(unsigned(pointer));
}

function pointerAttributes(cuda: CudaContext, out: number, pointer: number): void {
  const address = unsigned(pointer);
  const write = (type: number, device: number, devicePointer: number, hostPointer: number): void =>
    POINTER_ATTRIBUTES.write(cuda.memory, out, { type, device, devicePointer, hostPointer });
  const mirrored = cuda.mirrored.find(address) ?? cuda.mirrored.findDevice(address);
  if (mirrored !== null) {
    const offset = address - (cuda.mirrored.find(address) === mirrored ? mirrored.hostAddress : mirrored.deviceAddress);
    const isManaged = mirrored.kind === "managed" || mirrored.kind === "variable";
    write(
      isManaged ? 3 : 1,
      mirrored.owner.ordinal,
      cuda.mirrored.mapToDevice(mirrored) + offset,
      mirrored.hostAddress + offset,
    );
    return;
  }
  const owner = cuda.ownerOf(address);
  if (owner !== null) write(2, owner.state.ordinal, address, 0);
  else write(0, -2, 0, address);
}

function prefetch(cuda: CudaContext, pointer: number): void {
  const mirrored = cuda.mirrored.find(unsigned(pointer));
  if (mirrored === null || (mirrored.kind !== "managed" && mirrored.kind !== "variable"))
    fail(CudaErrorCode.invalidValue, `${hex(pointer)} is not managed memory`);
}

/** In order with a stream; a stream that is captured gets a node that allocates. */
function allocateOn(cuda: CudaContext, out: number, bytes: number, streamHandle: number): void {
  const stream = streamState(cuda, streamHandle);
  allocateInto(cuda, out, bytes);
  const pointer = cuda.memory.pointer(out);
  if (stream.capture === null || pointer === 0) return;
  ownGraphMemory(cuda, pointer);
  submit(cuda, streamHandle, { kind: "alloc", pointer });
}

export const memoryApi: ApiGroup = {
  name: "Memory",
  checked: {
    cudaMalloc: allocateInto,
    cudaFree: freeDeviceMemory,
    cudaMallocAsync: allocateOn,
    cudaMallocFromPoolAsync: (cuda, out: number, bytes: number, _pool: number, stream: number) =>
      allocateOn(cuda, out, bytes, stream),
    cudaFreeAsync(cuda, pointer: number, stream: number) {
      if (pointer === 0) fail(CudaErrorCode.invalidValue);
      submit(cuda, stream, { kind: "free", pointer });
    },
    cudaMallocPitch(cuda, out: number, pitchOut: number, widthBytes: number, height: number) {
      if (out === 0 || pitchOut === 0) fail(CudaErrorCode.invalidValue);
      const { pointer, pitch } = allocatePitched(cuda, widthBytes, unsigned(height));
      store(cuda, out, pointer);
      store(cuda, pitchOut, pitch);
    },
    /** cudaMalloc3D(struct cudaPitchedPtr *, struct cudaExtent) */
    cudaMalloc3D(cuda, out: number, extent: number) {
      if (out === 0) fail(CudaErrorCode.invalidValue);
      const { width, height, depth } = EXTENT.read(cuda.memory, extent);
      const { pointer, pitch } = allocatePitched(cuda, width, height * depth);
      PITCHED_POINTER.write(cuda.memory, out, { ptr: pointer, pitch, xsize: width, ysize: height });
    },
    cudaMallocHost: (cuda, out: number, bytes: number) => allocateHost(cuda, out, bytes, 0),
    cudaHostAlloc: allocateHost,
    cudaFreeHost: freeHost,
    cudaHostRegister(cuda, pointer: number, size: number, flags: number) {
      const bytes = unsigned(size);
      if (pointer === 0 || bytes === 0 || unsigned(pointer) + bytes > cuda.memory.size)
        fail(CudaErrorCode.invalidValue);
      if (cuda.mirrored.find(unsigned(pointer)) !== null) fail(CudaErrorCode.hostMemoryAlreadyRegistered);
      cuda.mirrored.adopt("registered", unsigned(pointer), bytes, flags, 0);
      pinForQueue(cuda, unsigned(pointer), bytes);
    },
    cudaHostUnregister(cuda, pointer: number) {
      const allocation = cuda.mirrored.at(unsigned(pointer));
      if (allocation?.kind !== "registered") fail(CudaErrorCode.hostMemoryNotRegistered);
      unpinForQueue(cuda, allocation);
      cuda.mirrored.release(unsigned(pointer));
    },
    cudaHostGetDevicePointer(cuda, out: number, pointer: number) {
      const mirrored =
        cuda.mirrored.find(unsigned(pointer)) ??
        fail(CudaErrorCode.invalidValue, `${hex(pointer)} is neither pinned nor registered host memory`);
      store(cuda, out, cuda.mirrored.mapToDevice(mirrored) + (unsigned(pointer) - mirrored.hostAddress));
    },
    cudaHostGetFlags(cuda, out: number, pointer: number) {
      const { flags } = cuda.mirrored.find(unsigned(pointer)) ?? fail(CudaErrorCode.invalidValue);
      if (out === 0) fail(CudaErrorCode.invalidValue);
      cuda.memory.setU32(out, flags);
    },
    cudaMallocManaged: allocateManaged,
    cudaGetSymbolAddress(cuda, out: number, symbol: number) {
      const { pointer } = cuda.registry.symbol(symbol, cuda.current);
      cuda.current.device.exposeConstant?.(pointer);
      store(cuda, out, pointer);
    },
    cudaGetSymbolSize: (cuda, out: number, symbol: number) =>
      store(cuda, out, cuda.registry.symbol(symbol, cuda.current).bytes),
    ...copyCalls,
    cudaMemGetInfo(cuda, freeOut: number, totalOut: number) {
      const { freeBytes, totalBytes } = cuda.current.device.memoryInfo();
      store(cuda, freeOut, Math.min(freeBytes, largestSize(cuda.memory.model)));
      store(cuda, totalOut, Math.min(totalBytes, largestSize(cuda.memory.model)));
    },
    cudaPointerGetAttributes: pointerAttributes,
    cudaMemPrefetchAsync: (cuda, pointer: number) => prefetch(cuda, pointer),
    cudaMemAdvise: (cuda, pointer: number) => prefetch(cuda, pointer),
    cudaMemRangeGetAttribute(cuda, out: number, size: number, _attribute: number, pointer: number) {
      prefetch(cuda, pointer);
      cuda.memory.slice(out, size).fill(0);
    },
  },
  notes: {
    cudaMallocAsync: "allocates at the call; in a capture, the memory is the graph's",
    cudaFreeAsync: "frees at the call (in a graph: when the graph runs)",
    cudaMallocHost:
      "kernels reach it through parameters; pointers to it stored in device memory are not translated " +
      "(cudaHostAllocMapped memory has one address on both sides)",
    cudaHostRegister: "kernels reach it through parameters; pointers to it stored in device memory are not translated",
    cudaMemcpyAsync: "complete when the call returns",
    cudaMemPrefetchAsync: "no effect",
    cudaMemAdvise: "no effect",
    cudaMemRangeGetAttribute: "always zero",
    cudaMallocManaged: "copied around launches: host and kernel cannot use it at the same time",
  },
};
