/** Device allocations of the API. */
import { unsigned } from "../../../base/unsigned.ts";
import { HeddleError } from "../../../base/diagnostics.ts";
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, fail, hex } from "../errors.ts";
import { leaveGraphMemory } from "../graph/graph-memory.ts";

/** Zero bytes give a null pointer, as cudaMalloc does. Throws HeddleError out-of-memory. */
export function allocateDeviceMemory(cuda: CudaContext, bytes: number, align = 256): number {
  const state = cuda.current;
  if (bytes === 0) return 0;
  refuseLostSize(cuda, bytes);
  // Above a large host heap, so that a device pointer is not also a valid host address; the heap may grow.
  const gap = cuda.host.gap();
  const hostEnd = gap?.start ?? cuda.memory.size;
  const above = gap === null ? [hostEnd + HEAP_GROWTH, hostEnd] : [hostEnd];
  for (const minAddress of hostEnd > LARGE_HEAP ? above : []) {
    try {
      return state.device.allocate(bytes, { align, minAddress });
    } catch (error) {
      if (!(error instanceof HeddleError) || error.code !== "out-of-memory") throw error;
    }
  }
  return state.device.allocate(bytes, { align });
}

/** An allocation whose size has lost bits is smaller than the program believes: it fails. */
export function refuseLostSize(cuda: CudaContext, bytes: number): void {
  const lost = cuda.options.guard.lostSize(bytes);
  if (lost !== null) fail(CudaErrorCode.memoryAllocation, `${bytes} bytes are not allocated: ${lost}`);
}

const LARGE_HEAP = 256 * 1024 * 1024;
const HEAP_GROWTH = 512 * 1024 * 1024;

/** cudaFree: also takes managed memory. */
export function freeDeviceMemory(cuda: CudaContext, pointer: number): void {
  const address = unsigned(pointer);
  if (address === 0 || leaveGraphMemory(cuda, address)) return;
  const mirrored = cuda.mirrored.at(address);
  if (mirrored !== undefined) {
    if (mirrored.kind !== "managed")
      fail(CudaErrorCode.invalidValue, `${hex(address)} is host memory: cudaFreeHost or cudaHostUnregister frees it`, {
        kind: "bad-free",
        address,
      });
    const { owner } = mirrored;
    if (owner.fault === null) owner.device.queue?.unpin(cuda.memory.slice(address, mirrored.bytes));
    cuda.mirrored.release(address);
    return;
  }
  const owner = cuda.ownerOf(address);
  if (owner === null) {
    const guess = address < cuda.memory.size ? "; it looks like a host pointer" : "";
    fail(CudaErrorCode.invalidValue, `${hex(address)} is not an allocation, or is freed already${guess}`, {
      kind: "bad-free",
      address,
    });
  }
  if (owner.pointer !== address)
    fail(
      CudaErrorCode.invalidValue,
      `${hex(address)} lies ${address - owner.pointer} bytes inside the allocation at ${hex(owner.pointer)}; ` +
        "only its start can be freed",
      { kind: "bad-free", address },
    );
  owner.state.device.free(address);
}
