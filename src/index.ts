/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Heddle as a library, on Node.js.
 *
 *     import { compile } from "heddle";
 *
 * See `compile`, `load` and `openDevice`.
 */
import { checkOptions } from "./base/options.ts";
import { openPeers, type ProcessGroup } from "./gpu-libraries/peers.ts";
import { NodeProcessRooms } from "./session/process-rooms-node.ts";
import { Communicator } from "./gpu-libraries/communicator.ts";
import type { HeddleKernels } from "./kernel-library/heddle-kernels.ts";
import { kernelsOn, type Kernels, type KernelsOptions } from "./kernel-library/kernels-node.ts";
import type { Gpu } from "./library/gpu.ts";
import { createHeddle, type Heddle } from "./library/heddle.ts";
import { nodeEnvironment } from "./library/environment-node.ts";

const heddle: Heddle = createHeddle(nodeEnvironment());

/** See Heddle.compile. */
export const compile: Heddle["compile"] = heddle.compile;
/** See Heddle.load. */
export const load: Heddle["load"] = heddle.load;
/** See Heddle.openDevice. */
export const openDevice: Heddle["openDevice"] = heddle.openDevice;

/** See Heddle.openBlas. */
export const openBlas: Heddle["openBlas"] = heddle.openBlas;

/**
 * Kernels of ladders as functions. Each call uses the version and configuration that were the fastest on the device
 * (`heddle bench --promote`).
 *
 *     const kernels = openKernels(device);
 *     const y = await kernels.softmax(x, { columns: 1000 }); // rows follow from x.length
 *
 * See `Kernels` for parameters and results. For ladders in a folder of your own you declare the types, or call `run`:
 *
 *     interface Own { saxpy(x: DeviceArray, y: DeviceArray): Promise<DeviceArray> }
 *     const own = openKernels<Own>(device, { folder: "kernels" });
 *
 * @throws HeddleError "file-not-found" if the folder has no ladders.
 */
export function openKernels(device: Gpu): Kernels & HeddleKernels;
export function openKernels<Own extends object = object>(device: Gpu, options: KernelsOptions): Kernels & Own;
export function openKernels(device: Gpu, options: KernelsOptions = {}): Kernels {
  return kernelsOn(device, heddle.load, options);
}

/**
 * Collective operations over several devices of this process, or of several processes of this machine.
 *
 *     const all = communicator([d0, d1]);
 *     await all.allReduce([x0, x1]); // both arrays have the sums
 *
 *     using world = communicator([device], { processes: { name: "training", rank: 0, size: 2 } });
 *     await world.allReduce([x]); // process 1 makes the same call
 *
 * @throws HeddleError "bad-arguments" without a device, or if one is named twice.
 */
export function communicator(devices: readonly Gpu[], options: CommunicatorOptions = {}): Communicator {
  checkOptions<CommunicatorOptions>("communicator", options, { processes: true });
  const { processes } = options;
  if (processes === undefined) return new Communicator(devices, heddle.compile);
  return new Communicator(devices, heddle.compile, openPeers((rooms ??= new NodeProcessRooms()), processes));
}
/** Processes meet in files; all groups of this process share them. */
let rooms: NodeProcessRooms | null = null;

/** Options of `communicator`. */
export interface CommunicatorOptions {
  /** Default: this process alone. */
  readonly processes?: ProcessGroup;
}

export type { ProcessGroup } from "./gpu-libraries/peers.ts";

export type { BroadcastOptions, Communicator, ReduceOptions, Reduction } from "./gpu-libraries/communicator.ts";
export { fft, type Fft, type FftOptions } from "./gpu-libraries/fft.ts";
export {
  dnn,
  type ConvolutionGradientOptions,
  type ConvolutionOptions,
  type ConvolutionShape,
  type Dnn,
  type Pair,
  type SoftmaxOptions,
} from "./gpu-libraries/dnn.ts";
export type { HeddleKernels } from "./kernel-library/heddle-kernels.ts";
export { Kernels, type KernelChoice, type KernelsOptions } from "./kernel-library/kernels-node.ts";
export type { Winner } from "./kernel-library/winners.ts";
export { HeddleError, type ErrorCode, type SourceLocation } from "./base/diagnostics.ts";
export type { Dim3, Dim3Like } from "./base/dim3.ts";
export type { Dtype, DtypeValues, NumericArray } from "./base/dtypes.ts";
export type { Device, DeviceProperties } from "./device/device.ts";
export type { DeviceFault } from "./machine/faults.ts";
export { Blas } from "./library/blas.ts";
export type { MatmulOptions } from "./library/matmul-options.ts";
export { DeviceArray, type ArrayValues } from "./library/device-array.ts";
export { LongArray, type LongType } from "./library/long-array.ts";
export type { DeviceOptions } from "./library/environment.ts";
export { Gpu } from "./library/gpu.ts";
export { GpuEvent, GpuGraph, GpuStream, type StreamOptions } from "./library/gpu-stream.ts";
export { GpuProgram, type CompileOptions } from "./library/gpu-program.ts";
export type { Heddle } from "./library/heddle.ts";
export { Kernel, type LaunchResult } from "./library/kernel.ts";
export type { LaunchOptions } from "./library/launch-options.ts";
export type { TensorMapOptions, TensorMapPixels } from "./library/tensor-map.ts";
export type { KernelArgument } from "./library/kernel-arguments.ts";
