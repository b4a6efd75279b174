/**
 * The limits of a launch (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"), checked
 * before a device runs it. The CUDA runtime turns a violation into CUDA's error code, the library into a HeddleError.
 */
import { dim3Volume, formatDim3, type Dim3 } from "../base/dim3.ts";
import type { LaunchConfig } from "../machine/launch.ts";
import type { DeviceProperties, GpuKernel } from "./device.ts";

export interface LaunchViolation {
  /**
   * What CUDA calls it: cudaErrorInvalidConfiguration, cudaErrorLaunchOutOfResources,
   * cudaErrorCooperativeLaunchTooLarge, cudaErrorInvalidClusterSize, cudaErrorInvalidValue.
   */
  readonly kind:
    | "invalid-configuration"
    | "out-of-resources"
    | "cooperative-too-large"
    | "invalid-cluster"
    | "invalid-value";
  /** One sentence that names the limit and what was asked. */
  readonly message: string;
}

const AXES = ["x", "y", "z"] as const;

function isExtent(value: number, limit: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= limit;
}

/**
 * @param sharedLimit the kernel's limit of dynamic shared memory in bytes (cudaFuncSetAttribute). Default: the rest of
 *   `sharedMemPerBlock` after the static part.
 */
export function checkLaunchLimits(
  properties: DeviceProperties,
  kernel: GpuKernel,
  config: LaunchConfig,
  sharedLimit?: number,
): LaunchViolation | null {
  const { grid, block, sharedBytes } = config;
  const configuration = (message: string): LaunchViolation => ({ kind: "invalid-configuration", message });
  const isWithin = (extent: Dim3, limit: readonly [number, number, number]): boolean =>
    isExtent(extent.x, limit[0]) && isExtent(extent.y, limit[1]) && isExtent(extent.z, limit[2]);
  const areWithin = isWithin(grid, properties.maxGridSize) && isWithin(block, properties.maxThreadsDim);
  for (const [i, axis] of areWithin ? [] : AXES.entries()) {
    for (const [what, extent, limit] of [
      ["grid", grid[axis], properties.maxGridSize[i]],
      ["block", block[axis], properties.maxThreadsDim[i]],
    ] as const) {
      if (!Number.isInteger(extent) || extent < 1)
        return configuration(`${what}.${axis} must be a whole number of at least 1, not ${extent}`);
      if (extent > (limit as number))
        return configuration(
          `${what} ${formatDim3(what === "grid" ? grid : block)}: ${what}.${axis} is ${extent}, ` +
            `the limit of ${properties.name} is ${limit}`,
        );
    }
  }
  const threads = dim3Volume(block);
  if (threads > properties.maxThreadsPerBlock)
    return configuration(
      `block ${formatDim3(block)} has ${threads} threads, ` +
        `the limit of ${properties.name} is ${properties.maxThreadsPerBlock}`,
    );
  if (threads > kernel.maxThreadsPerBlock)
    return {
      kind: "out-of-resources",
      message:
        `block ${formatDim3(block)} has ${threads} threads, ` +
        `the __launch_bounds__ of ${kernel.name} are ${kernel.maxThreadsPerBlock}`,
    };
  if (!Number.isInteger(sharedBytes) || sharedBytes < 0)
    return { kind: "invalid-value", message: `sharedBytes must be a whole number of bytes, not ${sharedBytes}` };
  const dynamicLimit = sharedLimit ?? properties.sharedMemPerBlock - kernel.staticSharedBytes;
  if (sharedBytes > dynamicLimit || sharedBytes + kernel.staticSharedBytes > properties.sharedMemPerBlockOptin) {
    return {
      kind: "invalid-value",
      message:
        `${sharedBytes} bytes of dynamic shared memory asked for beside ${kernel.staticSharedBytes} static, ` +
        `the limit for ${kernel.name} is ${Math.max(0, dynamicLimit)} ` +
        `(up to ${properties.sharedMemPerBlockOptin} in all can be opted in to)`,
    };
  }
  if (config.cluster !== undefined) {
    for (const axis of AXES) {
      const blocks = config.cluster[axis];
      if (!Number.isInteger(blocks) || blocks < 1)
        return {
          kind: "invalid-cluster",
          message: `cluster.${axis} must be a whole number of at least 1, not ${blocks}`,
        };
      if (grid[axis] % blocks !== 0)
        return {
          kind: "invalid-cluster",
          message: `grid.${axis} is ${grid[axis]}, which clusters of ${blocks} blocks do not divide`,
        };
    }
  }
  if (config.cooperative === true) {
    const blocks = dim3Volume(grid);
    const resident =
      residentBlocksPerMultiprocessor(properties, threads, kernel.staticSharedBytes + sharedBytes) *
      properties.multiProcessorCount;
    if (blocks > resident)
      return {
        kind: "cooperative-too-large",
        message: `a cooperative launch of ${blocks} blocks, of which ${properties.name} holds ${resident} at once`,
      };
  }
  return null;
}

/**
 * Blocks of this shape that fit on a multiprocessor by threads, shared memory and number (registers are not modelled).
 */
export function residentBlocksPerMultiprocessor(
  properties: DeviceProperties,
  threadsPerBlock: number,
  sharedBytesPerBlock: number,
): number {
  const warps = Math.ceil(threadsPerBlock / properties.warpSize);
  const byThreads = Math.floor(properties.maxThreadsPerMultiProcessor / properties.warpSize / warps);
  const shared = sharedBytesPerBlock + properties.reservedSharedMemPerBlock;
  const byShared = shared === 0 ? Infinity : Math.floor(properties.sharedMemPerMultiprocessor / shared);
  return Math.max(0, Math.min(byThreads, byShared, properties.maxBlocksPerMultiProcessor));
}
