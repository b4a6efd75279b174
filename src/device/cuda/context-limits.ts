/** Limits of a context: cudaDeviceSetLimit as the driver has it (CUDA Driver API, cuCtxSetLimit). */
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceRuntimeLimits } from "../device.ts";
import type { DriverCall } from "./kernel-services.ts";

/** cudaLimitMallocHeapSize's default. */
export const DEFAULT_HEAP_BYTES: number = 8 * 1024 * 1024;
/** CUlimit */
const MALLOC_HEAP = 2;
const PENDING_LAUNCHES = 4;

/** @param isOwn the kernels' heap is Heddle's; else it is the driver's, which code of NVRTC has */
export function limitHeap(call: DriverCall, bytes: number, isOwn: boolean): void {
  if (!Number.isSafeInteger(bytes) || bytes < 0)
    throw new HeddleError("bad-arguments", `a heap's size must be a whole number of bytes, not ${bytes}`);
  if (!isOwn) call("cuCtxSetLimit", MALLOC_HEAP, bytes);
}

/** Kernels on a GPU do not wait for what they have launched: `syncDepth` has nothing to limit. */
export function limitLaunches(call: DriverCall, { pendingLaunches }: Partial<DeviceRuntimeLimits>): void {
  if (pendingLaunches !== undefined && pendingLaunches !== null)
    call("cuCtxSetLimit", PENDING_LAUNCHES, pendingLaunches);
}
