/**
 * Kernel launches: configuration checks with CUDA's errors, packing of arguments, and the handling of a fault.
 *
 * Limits and their errors: CUDA programming guide, "Compute Capabilities"; runtime API reference, cudaLaunchKernel.
 */
import type { Dim3 } from "../../../base/dim3.ts";
import { dim3Volume, formatDim3 } from "../../../base/dim3.ts";
import type { GpuKernel, StreamId } from "../../../device/device.ts";
import { checkLaunchLimits } from "../../../device/launch-limits.ts";
import type { LaunchViolation } from "../../../device/launch-limits.ts";
import type { KernelParam, LaunchConfig, LaunchOutcome } from "../../../machine/launch.ts";
import type { AroundLaunch, CudaContext, LaunchRecord } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { noteFault, waitForDevice } from "./waiting.ts";
import { demangle } from "../../../base/demangle.ts";
import type { RegisteredFunction } from "../registry.ts";
import type { KernelCall } from "./requests.ts";

/** cudaFuncAttributeMaxDynamicSharedMemorySize */
export const ATTRIBUTE_MAX_DYNAMIC_SHARED = 8;

const ATTRIBUTE_NON_PORTABLE_CLUSTER = 14;
/** "Thread Block Clusters" in the CUDA C++ Programming Guide; the second on an H100 and its like. */
const PORTABLE_CLUSTER_BLOCKS = 8;
const NON_PORTABLE_CLUSTER_BLOCKS = 16;

export function readDim3(cuda: CudaContext, address: number): Dim3 {
  return { x: cuda.memory.u32(address), y: cuda.memory.u32(address + 4), z: cuda.memory.u32(address + 8) };
}

export function writeDim3(cuda: CudaContext, address: number, { x, y, z }: Dim3): void {
  cuda.memory.setU32(address, x);
  cuda.memory.setU32(address + 4, y);
  cuda.memory.setU32(address + 8, z);
}

/** Bytes from which on a view of the memory costs less than a loop. */
const WORTH_A_VIEW = 32;

/** Copies the values that `args` (void**) points to into a parameter buffer. */
export function packArguments(cuda: CudaContext, kernel: GpuKernel, args: number): Uint8Array {
  const params = new Uint8Array(Math.max(kernel.paramBytes, 4));
  const { bytes } = cuda.memory;
  for (let index = 0; index < kernel.params.length; index++) {
    const { offset, size } = kernel.params[index] as KernelParam;
    const source = cuda.memory.pointerAt(args, index);
    if (size > WORTH_A_VIEW || source + size > bytes.length) params.set(cuda.memory.slice(source, size), offset);
    else for (let i = 0; i < size; i++) params[offset + i] = bytes[source + i] as number;
  }
  return params;
}

export interface LaunchRequest {
  readonly functionAddress: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  /** void**; null leaves the parameters to the caller. */
  readonly args: number | null;
  readonly sharedBytes: number;
  readonly cooperative: boolean;
  readonly cluster?: Dim3 | null;
}

/** Checks a launch as the driver does and reads its arguments. Throws CudaFailure; such errors are not sticky. */
export function prepareCall(cuda: CudaContext, request: LaunchRequest): KernelCall {
  const device = cuda.current;
  const registered = cuda.registry.function(request.functionAddress);
  const kernel = cuda.registry.kernel(registered, device);
  checkConfiguration(device, kernel, registered, request);
  return {
    functionAddress: request.functionAddress,
    device,
    kernel,
    grid: request.grid,
    block: request.block,
    sharedBytes: request.sharedBytes,
    cooperative: request.cooperative,
    cluster: request.cluster ?? null,
    params:
      request.args === null
        ? new Uint8Array(Math.max(kernel.paramBytes, 4))
        : packArguments(cuda, kernel, request.args),
  };
}

const VIOLATION_ERRORS: Readonly<Record<LaunchViolation["kind"], number>> = {
  "invalid-configuration": CudaErrorCode.invalidConfiguration,
  // More threads than __launch_bounds__ allow: seen on an H200 (driver 580).
  "out-of-resources": CudaErrorCode.invalidValue,
  "cooperative-too-large": CudaErrorCode.cooperativeLaunchTooLarge,
  "invalid-value": CudaErrorCode.invalidValue,
  "invalid-cluster": CudaErrorCode.invalidClusterSize,
};

function checkConfiguration(
  state: DeviceState,
  kernel: GpuKernel,
  registered: RegisteredFunction,
  { grid, block, sharedBytes, cooperative, cluster }: LaunchRequest,
): void {
  if (cluster && state.device.clusters === null)
    fail(
      CudaErrorCode.notSupported,
      `${demangle(kernel.name)} is launched with clusters of ${dim3Volume(cluster)} blocks, ` +
        `and ${state.device.properties.name} has none here`,
    );
  const clusterBlocks = cluster ? dim3Volume(cluster) : 1;
  const clusterLimit =
    (registered.attributes.get(ATTRIBUTE_NON_PORTABLE_CLUSTER) ?? 0) !== 0
      ? NON_PORTABLE_CLUSTER_BLOCKS
      : PORTABLE_CLUSTER_BLOCKS;
  if (clusterBlocks > clusterLimit) {
    fail(
      CudaErrorCode.invalidClusterSize,
      `${demangle(kernel.name)} is launched with clusters of ${clusterBlocks} blocks, of ${clusterLimit} at most ` +
        `(cudaFuncAttributeNonPortableClusterSizeAllowed: ${NON_PORTABLE_CLUSTER_BLOCKS})`,
    );
  }
  const violation = checkLaunchLimits(
    state.device.properties,
    kernel,
    configOf({ grid, block, sharedBytes, cooperative, cluster: cluster ?? null }),
    registered.attributes.get(ATTRIBUTE_MAX_DYNAMIC_SHARED),
  );
  if (violation === null) return;
  const name = demangle(kernel.name);
  const shared = sharedBytes > 0 ? `, ${sharedBytes}` : "";
  const launch = `${name}<<<${formatDim3(grid)}, ${formatDim3(block)}${shared}>>>`;
  const reason = violation.message.replaceAll(kernel.name, name);
  fail(VIOLATION_ERRORS[violation.kind], `${launch} cannot be launched: ${reason}`);
}

function configOf({
  grid,
  block,
  sharedBytes,
  cooperative,
  cluster,
}: Pick<KernelCall, "grid" | "block" | "sharedBytes" | "cooperative" | "cluster">): LaunchConfig {
  return cluster === null
    ? { grid, block, sharedBytes, cooperative }
    : { grid, block, sharedBytes, cooperative, cluster };
}

function recordOf({ kernel, grid, block }: KernelCall, elapsedMs: number | null, reused: boolean): LaunchRecord {
  return {
    kernel: kernel.name,
    grid: [grid.x, grid.y, grid.z],
    block: [block.x, block.y, block.z],
    elapsedMs,
    reused,
  };
}

/** Launches that kernels made are launches like others to those who count them. */
function noteChildren(cuda: CudaContext, { children = [] }: LaunchOutcome): void {
  for (const { kernel, config, outcome } of children) {
    cuda.launchCount++;
    cuda.options.onLaunch?.({
      kernel,
      grid: [config.grid.x, config.grid.y, config.grid.z],
      block: [config.block.x, config.block.y, config.block.z],
      elapsedMs: outcome.elapsedMs,
      reused: outcome.reused,
    });
    noteChildren(cuda, outcome);
  }
}

const plainly: AroundLaunch = (_kernel, _config, launch) => launch();

/**
 * Runs a launch: to its end on a device without a queue, else on a stream. A fault becomes the device's sticky error,
 * which the next call that could see it reports. Memory that is copied around launches makes a launch wait.
 */
export function runCall(cuda: CudaContext, call: KernelCall, stream: StreamId): void {
  const { device: state, kernel } = call;
  if (state.fault !== null) return; // a poisoned device runs nothing
  state.active = true;
  const { queue } = state.device;
  const { aroundLaunch = plainly } = cuda.options;
  cuda.mirrored.translateParameters(kernel.params, call.params);
  const uses = cuda.mirrored.usedBy(state, kernel, call.params);
  // Launches and copies that have not ended yet come first.
  if (uses.length > 0 && queue !== null) waitForDevice(cuda, state);
  cuda.mirrored.toDevice(uses);
  cuda.launchCount++;
  cuda.options.onLaunchStart?.(kernel.name);
  const config = configOf(call);
  if (queue !== null && cuda.options.timeLaunches !== true && uses.length === 0) {
    aroundLaunch(kernel, { ...config, stream }, () => queue.launch(kernel, config, call.params, stream));
    cuda.options.onLaunch?.(recordOf(call, null, false));
    return;
  }
  const outcome = aroundLaunch(kernel, { ...config, stream }, () =>
    state.device.launchBlocking(kernel, config, call.params),
  );
  if (outcome.output.length > 0) cuda.options.streams.write("stdout", new TextEncoder().encode(outcome.output));
  cuda.options.onLaunch?.(recordOf(call, outcome.elapsedMs, outcome.reused));
  noteChildren(cuda, outcome);
  if (outcome.fault !== null) {
    noteFault(cuda, state, outcome.fault, call);
    return;
  }
  if (!outcome.reused) cuda.mirrored.toHost(uses);
}
