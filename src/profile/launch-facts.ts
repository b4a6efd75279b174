/** What a launch takes of a GPU: resources, occupancy, waves. */
import { dim3Volume, type Dim3 } from "../base/dim3.ts";
import type { DeviceProperties } from "../device/device.ts";
import type { ObservedProgram } from "../machine/observer.ts";
import type { LaunchProfile } from "./launch-profile.ts";
import type { Metrics } from "./line-profile.ts";
import { occupancyByBlockSize, occupancyOf, wavesOf, type Occupancy } from "./occupancy.ts";

/** What a kernel takes, whatever the launch. */
export interface KernelFacts {
  readonly registersPerThread: number;
  /** "estimate": from the values that are live at once; what NVIDIA's compiler takes may differ. */
  readonly registersFrom: "estimate" | "ptxas" | "driver";
  readonly staticSharedBytes: number;
  /** Bytes of values that a thread stores and loads again because it has too few registers. null: not known. */
  readonly spillBytes: number | null;
}

/** What a compiler for GPUs has found. */
export type CompiledRegisters = Pick<KernelFacts, "registersPerThread" | "spillBytes">;

/** null: it cannot say. @param programs that the kernel is loaded with */
export type RegisterSource = (
  programs: readonly ObservedProgram[],
  kernel: string,
  capability: DeviceProperties["computeCapability"],
) => CompiledRegisters | null;

export interface LaunchFacts extends KernelFacts {
  readonly occupancy: Occupancy;
  /** The occupancy of one-dimensional blocks of each size. */
  readonly byBlockSize: readonly { readonly threads: number; readonly part: number }[];
  /** The grid over the blocks that the whole GPU holds at once. */
  readonly waves: number;
  /** Blocks of the last wave over the blocks that a wave has, from 0 to 1. */
  readonly lastWave: number;
  /** The same under NVIDIA's metric names. */
  readonly metrics: Metrics;
}

export function launchFacts(
  launch: Pick<LaunchProfile, "grid" | "block" | "dynamicSharedBytes">,
  kernel: KernelFacts,
  gpu: DeviceProperties,
): LaunchFacts {
  const { grid, block, dynamicSharedBytes } = launch;
  const resources = { ...kernel, dynamicSharedBytes, registersPerThread: registersOf(kernel, block, gpu) };
  const occupancy = occupancyOf(block, resources, gpu);
  const waves = wavesOf(grid, occupancy, gpu);
  const whole = Math.floor(waves);
  return {
    ...kernel,
    registersPerThread: resources.registersPerThread,
    occupancy,
    byBlockSize: occupancyByBlockSize(resources, gpu),
    waves,
    lastWave: waves === whole && waves > 0 ? 1 : waves - whole,
    metrics: {
      launch__grid_size: dim3Volume(grid),
      launch__block_size: dim3Volume(block),
      launch__thread_count: dim3Volume(grid) * dim3Volume(block),
      launch__registers_per_thread: resources.registersPerThread,
      launch__shared_mem_per_block_static: kernel.staticSharedBytes,
      launch__shared_mem_per_block_dynamic: dynamicSharedBytes,
      launch__shared_mem_per_block_driver: gpu.reservedSharedMemPerBlock,
      launch__occupancy_limit_blocks: occupancy.blocksByLimit.blocks,
      launch__occupancy_limit_warps: occupancy.blocksByLimit.warps,
      launch__occupancy_limit_registers: occupancy.blocksByLimit.registers,
      launch__occupancy_limit_shared_mem: occupancy.blocksByLimit["shared memory"],
      launch__waves_per_multiprocessor: waves,
      sm__maximum_warps_per_active_cycle_pct: 100 * occupancy.part,
    },
  };
}

/** What an estimate says, but no more than one block can have: the kernel was launched, so its registers are there. */
function registersOf({ registersPerThread, registersFrom }: KernelFacts, block: Dim3, gpu: DeviceProperties): number {
  if (registersFrom !== "estimate") return registersPerThread;
  const warps = Math.ceil(dim3Volume(block) / gpu.warpSize);
  const ofBlock = Math.floor(gpu.regsPerMultiprocessor / Math.max(1, warps) / gpu.warpSize);
  return Math.max(1, Math.min(registersPerThread, REGISTER_STEP * Math.floor(ofBlock / REGISTER_STEP)));
}

const REGISTER_STEP = 8;
