/**
 * Theoretical occupancy: how many warps of a kernel a multiprocessor holds at once, and what limits them.
 *
 * Source: CUDA programming guide, "Compute Capabilities" (limits); NVIDIA's occupancy calculator (granularity: a warp's
 * registers come in steps of 256, warps in steps of 4 for registers, a block's shared memory in steps of 128 bytes).
 */
import { dim3Volume, type Dim3 } from "../base/dim3.ts";
import type { DeviceProperties } from "../device/device.ts";

const REGISTER_UNIT = 256;
const WARP_UNIT = 4;
const SHARED_UNIT = 128;

export interface KernelResources {
  readonly registersPerThread: number;
  readonly staticSharedBytes: number;
  readonly dynamicSharedBytes: number;
}

export type OccupancyLimit = "blocks" | "warps" | "registers" | "shared memory";

export interface Occupancy {
  /** Blocks that a multiprocessor holds at once, and what each resource alone would allow. */
  readonly blocks: number;
  readonly blocksByLimit: Readonly<Record<OccupancyLimit, number>>;
  /** The resource that allows the fewest blocks; of several the first in the order of `blocksByLimit`. */
  readonly limit: OccupancyLimit;
  readonly warps: number;
  /** Of the warps that a multiprocessor can hold, from 0 to 1. */
  readonly part: number;
}

export function occupancyOf(block: Dim3, resources: KernelResources, gpu: DeviceProperties): Occupancy {
  const warpsOfBlock = Math.ceil(dim3Volume(block) / gpu.warpSize);
  const mostWarps = Math.floor(gpu.maxThreadsPerMultiProcessor / gpu.warpSize);
  const blocksByLimit = {
    blocks: gpu.maxBlocksPerMultiProcessor,
    warps: Math.floor(mostWarps / warpsOfBlock),
    registers: blocksByRegisters(warpsOfBlock, resources.registersPerThread, gpu),
    "shared memory": blocksByShared(resources, gpu),
  };
  const blocks = Math.min(...Object.values(blocksByLimit));
  const limit = (Object.keys(blocksByLimit) as OccupancyLimit[]).find((one) => blocksByLimit[one] === blocks);
  const warps = blocks * warpsOfBlock;
  return { blocks, blocksByLimit, limit: limit ?? "blocks", warps, part: warps / mostWarps };
}

function blocksByRegisters(warpsOfBlock: number, perThread: number, gpu: DeviceProperties): number {
  if (perThread === 0) return gpu.maxBlocksPerMultiProcessor;
  const perWarp = Math.ceil((perThread * gpu.warpSize) / REGISTER_UNIT) * REGISTER_UNIT;
  // Registers belong to the four parts of a multiprocessor, and a warp to one of them.
  const warps = Math.floor(gpu.regsPerMultiprocessor / perWarp / WARP_UNIT) * WARP_UNIT;
  return Math.floor(warps / warpsOfBlock);
}

function blocksByShared({ staticSharedBytes, dynamicSharedBytes }: KernelResources, gpu: DeviceProperties): number {
  const bytes = staticSharedBytes + dynamicSharedBytes + gpu.reservedSharedMemPerBlock;
  const taken = Math.ceil(bytes / SHARED_UNIT) * SHARED_UNIT;
  return taken === 0 ? gpu.maxBlocksPerMultiProcessor : Math.floor(gpu.sharedMemPerMultiprocessor / taken);
}

/** Occupancy against the size of a one-dimensional block, in steps of a warp. */
export function occupancyByBlockSize(
  resources: KernelResources,
  gpu: DeviceProperties,
): readonly { readonly threads: number; readonly part: number }[] {
  const rows: { threads: number; part: number }[] = [];
  for (let threads = gpu.warpSize; threads <= gpu.maxThreadsPerBlock; threads += gpu.warpSize)
    rows.push({ threads, part: occupancyOf({ x: threads, y: 1, z: 1 }, resources, gpu).part });
  return rows;
}

/** Times that the whole GPU is filled with blocks; the last may fill it in part. */
export function wavesOf(grid: Dim3, { blocks }: Occupancy, gpu: DeviceProperties): number {
  return blocks === 0 ? 0 : dim3Volume(grid) / (blocks * gpu.multiProcessorCount);
}
