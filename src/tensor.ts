/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Tensors with PyTorch's operations and gradients, on an emulated device or a GPU.
 *
 *     import { openTensors } from "heddle/tensor";
 *
 *     const torch = await openTensors();
 *     const x = torch.tensor([1, 2, 3], { requiresGrad: true });
 *     x.square().sum().backward();
 *     x.grad; // [2, 4, 6]
 *
 * docs/tensors.md says what there is.
 */
import { HeddleError } from "./base/diagnostics.ts";
import { checkOptions, describeValue } from "./base/options.ts";
import { nodeContentCache } from "./frontend/clang/content-cache-node.ts";
import type { DeviceOptions } from "./library/environment.ts";
import { nodeEnvironment } from "./library/environment-node.ts";
import { Gpu } from "./library/gpu.ts";
import "./tensor/api/absent.ts";
import "./tensor/api/element-methods.ts";
import "./tensor/api/controls.ts";
import "./tensor/api/functions.ts";
import "./tensor/api/order-methods.ts";
import "./tensor/api/part-methods.ts";
import "./tensor/api/random-methods.ts";
import "./tensor/api/reduction-methods.ts";
import "./tensor/api/shape-methods.ts";
import { Tensors } from "./tensor/api/tensors.ts";
import "./tensor/compile/compile.ts";
import "./tensor/compile/cuda-graph.ts";
import { useGarbageCollector } from "./tensor/device-memory.ts";
import { collectGarbage } from "./tensor/garbage-node.ts";
import { openTensorDevice } from "./tensor/kernels/tensor-device.ts";
import { openDeviceProducts } from "./tensor/operations/device-products.ts";
import { nodeExtensions } from "./extension/environment-node.ts";
import type { Extensions } from "./extension/extensions.ts";

/** Options of `openTensors`. */
export interface TensorsOptions {
  /** An open device, or the kind of one to open; default: HEDDLE_DEVICE, or an emulated device. */
  readonly device?: Gpu | DeviceOptions["device"];
}

const environment = nodeEnvironment();
useGarbageCollector(collectGarbage);

/**
 * Opens a device for tensors. What it returns makes tensors, as PyTorch's module `torch` does.
 * @throws HeddleError "no-device", "bad-arguments"
 */
export async function openTensors(options: TensorsOptions = {}): Promise<Tensors> {
  checkOptions<TensorsOptions>(
    "openTensors",
    options,
    { device: true },
    { example: 'openTensors({ device: "cuda" })' },
  );
  const { device } = options;
  if (device !== undefined && typeof device !== "string" && !(device instanceof Gpu))
    throw new HeddleError(
      "bad-arguments",
      `device is "emulated", "cuda", "auto" or an open device, not ${describeValue(device)}`,
    );
  const gpu =
    device instanceof Gpu
      ? device
      : new Gpu(await environment.openDevice(device === undefined ? {} : { device }), print);
  const own = openTensorDevice(gpu, nodeContentCache());
  openDeviceProducts(gpu);
  return new Tensors(own);
}

const extensions: Extensions = nodeExtensions(environment);

/**
 * Loads a PyTorch extension from strings, as `torch.utils.cpp_extension.load_inline` takes them.
 *
 *     const { square } = await loadInline({ name: "square", cppSources, cudaSources, functions: ["square"], device });
 *     square(x); // takes and gives tensors
 *
 * @throws HeddleError "compile-error" with the compiler's report
 */
export const loadInline: Extensions["loadInline"] = extensions.loadInline;
/**
 * Loads the extension of a folder: what `CUDAExtension` or `CppExtension` in its setup.py says.
 * @throws HeddleError "file-not-found", "compile-error"
 */
export const loadExtension: Extensions["loadExtension"] = extensions.loadExtension;

function print(text: string): void {
  console.log(text.replace(/\n$/, ""));
}

export type { Extension, LoadExtensionOptions } from "./extension/extensions.ts";
export type { LoadInlineOptions } from "./extension/load-inline.ts";
export { gradcheck, gradgradcheck, type GradcheckOptions } from "./tensor/autograd/gradcheck.ts";
export type { BackwardOptions, GradientHook } from "./tensor/autograd/tape.ts";
export type { TensorDtype } from "./tensor/dtypes.ts";
export { Tensor, type Shape } from "./tensor/tensor.ts";
export { functional } from "./tensor/nn/functional.ts";
export type {
  ConvOptions,
  ConvTransposeOptions,
  EmbeddingBagOptions,
  PadOptions,
  Sizes,
  UnfoldOptions,
} from "./tensor/api/layers.ts";
export type {
  ClassLossOptions,
  CrossEntropyOptions,
  CtcLossOptions,
  DistanceOptions,
  LossOptions,
  TripletOptions,
  WeightedLossOptions,
} from "./tensor/api/losses.ts";
export type {
  AffineOptions,
  BatchNormOptions,
  DropoutOptions,
  InstanceNormOptions,
  NormalizeOptions,
} from "./tensor/api/norms.ts";
export type { AvgPoolOptions, MaxPoolOptions, UnpoolOptions } from "./tensor/api/pooling.ts";
export type { GridSampleOptions, InterpolateOptions } from "./tensor/api/resampling.ts";
export { defineOp, OpContext, type AsyncOpDefinition, type OpDefinition } from "./tensor/api/define-op.ts";
export type { MemoryStatistics } from "./tensor/device-memory.ts";
export { memoryTrace, type MemoryEvent } from "./tensor/memory-history.ts";
export { checkpoint } from "./tensor/api/checkpoint.ts";
export type { Controls } from "./tensor/api/controls.ts";
export type { Timing, TimingOptions } from "./tensor/api/timing.ts";
export type { Backends } from "./tensor/api/backends.ts";
export { Tensors, type LaunchArgument, type TensorOptions, type TritonLaunchArgument } from "./tensor/api/tensors.ts";
export type { TensorGraph, TensorGraphOptions } from "./tensor/api/tensor-graph.ts";
export type { PackedPart, PackedTensors } from "./tensor/api/packed-tensors.ts";
export type { ClampOptions, ElementMethods } from "./tensor/api/element-methods.ts";
export type { SearchOptions, TorchFunctions, TrapezoidOptions } from "./tensor/api/functions.ts";
export type { EighOptions, Linalg, MatrixNorm, NormOptions, TriangularOptions } from "./tensor/api/linalg.ts";
export type { LeastSquares, QrMode, Svd, Tolerance } from "./tensor/operations/decompositions.ts";
export type {
  ClosenessOptions,
  KeepOption,
  OrderMethods,
  QuantileOptions,
  ScaleOptions,
} from "./tensor/api/order-methods.ts";
export type { PartMethods, ScatterReduceOptions, UniqueOptions, UniqueValues } from "./tensor/api/part-methods.ts";
export type { RandomFunctions, RandomMethods } from "./tensor/api/random-methods.ts";
export type { ReductionMethods, ReductionOptions, VarianceOptions } from "./tensor/api/reduction-methods.ts";
export type { IndexLike, ShapeMethods, Slice } from "./tensor/api/shape-methods.ts";
export type {
  Compiled,
  CompiledKernels,
  CompiledSource,
  CompileFunctions,
  CompileOptions,
  Explanation,
} from "./tensor/compile/compile.ts";
export { CUDAGraph, type Cuda } from "./tensor/compile/cuda-graph.ts";
export type { Nested, TensorMethods } from "./tensor/api/tensor-methods.ts";
export type { Dims, TensorLike, ValuesAndIndices } from "./tensor/api/operands.ts";
export * as nn from "./tensor/nn/index.ts";
export * as optim from "./tensor/optim/index.ts";
export * as data from "./tensor/data/index.ts";
export { workers, type WorkersOptions } from "./tensor/data/workers-node.ts";
export { load, loadSafetensors, save, saveSafetensors } from "./tensor/data/files-node.ts";
export { decodeSafetensors, encodeSafetensors, type SafetensorsFile } from "./tensor/data/safetensors.ts";
