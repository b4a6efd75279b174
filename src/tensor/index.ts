/** What `heddle/tensor` has wherever it runs: Node.js and pages add how a device is opened, and what needs files. */
import "./api/absent.ts";
import "./api/element-methods.ts";
import "./api/controls.ts";
import "./api/functions.ts";
import "./api/order-methods.ts";
import "./api/part-methods.ts";
import "./api/random-methods.ts";
import "./api/reduction-methods.ts";
import "./api/shape-methods.ts";
import "./compile/compile.ts";
import "./compile/cuda-graph.ts";

export { gradcheck, gradgradcheck, type GradcheckOptions } from "./autograd/gradcheck.ts";
export type { BackwardOptions, GradientHook } from "./autograd/backward.ts";
export type { TensorDtype } from "./dtypes.ts";
export { Tensor, type Shape } from "./tensor.ts";
export { functional } from "./nn/functional.ts";
export type {
  ConvOptions,
  ConvTransposeOptions,
  EmbeddingBagOptions,
  PadOptions,
  Sizes,
  UnfoldOptions,
} from "./api/layers.ts";
export type {
  ClassLossOptions,
  CrossEntropyOptions,
  CtcLossOptions,
  DistanceOptions,
  LossOptions,
  TripletOptions,
  WeightedLossOptions,
} from "./api/losses.ts";
export type {
  AffineOptions,
  BatchNormOptions,
  DropoutOptions,
  InstanceNormOptions,
  NormalizeOptions,
} from "./api/norms.ts";
export type { AvgPoolOptions, MaxPoolOptions, UnpoolOptions } from "./api/pooling.ts";
export type { GridSampleOptions, InterpolateOptions } from "./api/resampling.ts";
export { defineOp, OpContext, type AsyncOpDefinition, type OpDefinition } from "./api/define-op.ts";
export type { MemoryStatistics } from "./device-memory.ts";
export { memoryTrace, type MemoryEvent } from "./memory-history.ts";
export { checkpoint } from "./api/checkpoint.ts";
export type { Controls } from "./api/controls.ts";
export type { Timing, TimingOptions } from "./api/timing.ts";
export type { Backends } from "./api/backends.ts";
export { Tensors, type LaunchArgument, type TensorOptions, type TritonLaunchArgument } from "./api/tensors.ts";
export type { TensorGraph, TensorGraphOptions } from "./api/tensor-graph.ts";
export type { PackedPart, PackedTensors } from "./api/packed-tensors.ts";
export type { ClampOptions, ElementMethods } from "./api/element-methods.ts";
export type { SearchOptions, TorchFunctions, TrapezoidOptions } from "./api/functions.ts";
export type { EighOptions, Linalg, MatrixNorm, NormOptions, TriangularOptions } from "./api/linalg.ts";
export type { QrMode, Svd } from "./operations/decompositions.ts";
export type { LeastSquares, Tolerance } from "./operations/pseudo-inverse.ts";
export type { ClosenessOptions, KeepOption, OrderMethods, QuantileOptions, ScaleOptions } from "./api/order-methods.ts";
export type { PartMethods, ScatterReduceOptions, UniqueOptions, UniqueValues } from "./api/part-methods.ts";
export type { RandomFunctions, RandomMethods } from "./api/random-methods.ts";
export type { ReductionMethods, ReductionOptions, VarianceOptions } from "./api/reduction-methods.ts";
export type { IndexLike, ShapeMethods, Slice } from "./api/shape-methods.ts";
export type {
  Compiled,
  CompiledKernels,
  CompiledSource,
  CompileFunctions,
  CompileOptions,
  Explanation,
} from "./compile/compile.ts";
export { CUDAGraph, type Cuda } from "./compile/cuda-graph.ts";
export type { Nested, TensorMethods } from "./api/tensor-methods.ts";
export type { Dims, TensorLike, ValuesAndIndices } from "./api/operands.ts";
export * as nn from "./nn/index.ts";
export * as optim from "./optim/index.ts";
export * as data from "./data/index.ts";
export { decodeSafetensors, encodeSafetensors, type SafetensorsFile } from "./data/safetensors.ts";
