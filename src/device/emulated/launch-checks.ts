/** What an emulated device checks before a launch or a copy, and its launches as the engine and tools see them. */
import { HeddleError, unsupported } from "../../base/diagnostics.ts";
import { dim3Volume, formatDim3, type Dim3 } from "../../base/dim3.ts";
import type { LaunchDescriptor, LoadedKernel } from "../../engine/executor.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { LaunchConfig } from "../../machine/launch.ts";
import type { ObservedLaunch } from "../../machine/observer.ts";
import type { AllocationInfo, Device, GpuKernel } from "../device.ts";
import type { Level } from "./child-grids.ts";
import { EmulatedKernel } from "./emulated-module.ts";
import type { GridLaunch } from "./grid-runner.ts";
import type { LaunchFootprint } from "./launch-reuse.ts";

/** A launch between its preparation and its end. */
export interface PendingLaunch {
  readonly kernel: LoadedKernel;
  readonly footprint: LaunchFootprint | null;
  /** The key under which its result is remembered; null: it is not remembered. */
  readonly key: string | null;
  readonly grid: GridLaunch;
  readonly observed: ObservedLaunch;
  readonly started: number;
  /** What it launches itself; null: nothing. */
  readonly level: Level | null;
}

export function ownKernel(kernel: GpuKernel): EmulatedKernel {
  if (kernel instanceof EmulatedKernel) return kernel;
  throw new HeddleError("bad-arguments", `the kernel ${kernel.name} belongs to another kind of device`);
}

export function notLoaded(kernel: EmulatedKernel): HeddleError {
  return new HeddleError(
    "bad-arguments",
    `the kernel ${kernel.name} belongs to a module that is not loaded on this device`,
    { notes: ["a reset or an unload removed it, or it is of another device: compile its program again"] },
  );
}

/** The error of a launch after a fault. */
export function stoppedBy(fault: DeviceFault): HeddleError {
  return new HeddleError("device-fault", `the device has stopped after a fault in ${fault.kernel} and must be reset`, {
    notes: ["device.reset() makes the device usable again; programs must then be compiled again"],
    cause: fault,
  });
}

/** Throws for launches that an emulated device cannot do, or that lack parameters. */
export function checkLaunch(
  kernel: EmulatedKernel,
  config: LaunchConfig,
  params: Uint8Array,
  { clusters, properties }: Device,
): void {
  const cluster = clusterOf(kernel, config);
  if (cluster !== null && clusters === null)
    throw unsupported(
      `the kernel ${kernel.name} with clusters of ${dim3Volume(cluster)} blocks on an emulated ${properties.name}`,
    );
  if (cluster !== null && (["x", "y", "z"] as const).some((axis) => config.grid[axis] % cluster[axis] !== 0))
    throw new HeddleError(
      "invalid-launch",
      `${kernel.name} has clusters of ${formatDim3(cluster)} blocks, which do not divide the grid ` +
        formatDim3(config.grid),
    );
  if (params.byteLength < kernel.paramBytes)
    throw new HeddleError(
      "invalid-launch",
      `${kernel.name} takes ${kernel.paramBytes} bytes of parameters, ${params.byteLength} were given`,
    );
}

/** Those of the launch, or of the kernel (`__cluster_dims__`); null: one block each. */
function clusterOf(kernel: EmulatedKernel, config: LaunchConfig): Dim3 | null {
  const cluster = config.cluster ?? kernel.cluster;
  return cluster === null || dim3Volume(cluster) === 1 ? null : cluster;
}

export function describeLaunch(
  kernel: EmulatedKernel,
  config: LaunchConfig,
  params: Uint8Array,
  memoryTop: number,
): LaunchDescriptor {
  return {
    grid: config.grid,
    block: config.block,
    dynamicSharedBytes: config.sharedBytes,
    params,
    cooperative: config.cooperative === true,
    cluster: clusterOf(kernel, config),
    memoryTop,
  };
}

export function describeForTools(
  ordinal: number,
  kernel: EmulatedKernel,
  config: LaunchConfig,
  params: Uint8Array,
): ObservedLaunch {
  return {
    ordinal,
    kernel: kernel.name,
    function: kernel.loaded.function,
    placed: kernel.module.current,
    params: kernel.params,
    grid: config.grid,
    block: config.block,
    sharedBytes: config.sharedBytes,
    cooperative: config.cooperative === true,
    cluster: clusterOf(kernel, config),
    arguments: params,
  };
}

/** The error for a copy or fill that leaves its allocation. */
export function outsideAllocation(
  address: number,
  bytes: number,
  verb: string,
  nearest: AllocationInfo | null,
): HeddleError {
  const note =
    nearest === null
      ? "the device has no allocations"
      : `the nearest allocation is at 0x${nearest.pointer.toString(16)} and has ${nearest.bytes} bytes`;
  return new HeddleError(
    "bad-arguments",
    `cannot ${verb} ${bytes} bytes at device address 0x${address.toString(16)}: they are not inside one allocation`,
    { notes: [note] },
  );
}

/** The error for a free of what is not the start of an allocation. @param block that holds it, if there is one */
export function notAnAllocation(
  pointer: number,
  block: { readonly start: number; readonly bytes: number } | null,
): HeddleError {
  return new HeddleError("bad-arguments", `0x${pointer.toString(16)} is not the start of an allocation`, {
    notes:
      block === null
        ? ["it was never allocated or is freed already"]
        : [`it lies in the allocation at 0x${block.start.toString(16)} of ${block.bytes} bytes`],
  });
}
