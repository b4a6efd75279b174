/** What Python's module `torch` calls: the operations of src/tensor, by names. */
import type { Device } from "../device/device.ts";
import { backward } from "../tensor/autograd/backward.ts";
import {
  GradientNode,
  type Backward,
  isGradEnabled,
  needsTape,
  recordMany,
  setGradEnabled,
} from "../tensor/autograd/tape.ts";
import { allClose, differenceOf, type Difference } from "../tensor/operations/compare.ts";
import * as creation from "../tensor/operations/creation.ts";
import { elementBytes, isFloating, TENSOR_DTYPES, type TensorDtype, type Values } from "../tensor/dtypes.ts";
import type { BinaryName, UnaryName } from "../tensor/operations/element-functions.ts";
import { binary, cast, where } from "../tensor/operations/elementwise.ts";
import type { Operand } from "../tensor/operations/operands.ts";
import { unary } from "../tensor/operations/elementwise.ts";
import { formatTensor } from "../tensor/format.ts";
import { gatherElements, scatterAdd } from "../tensor/operations/gathering.ts";
import { getItem, setItem, type Index } from "../tensor/operations/indexing.ts";
import { matmul } from "../tensor/operations/matmul.ts";
import { layerNorm } from "../tensor/operations/normalization.ts";
import { Generators } from "../tensor/operations/random.ts";
import * as reductions from "../tensor/operations/reductions.ts";
import { cumulativeProduct } from "../tensor/operations/scans.ts";
import { scatterElements } from "../tensor/operations/scattering.ts";
import { nonzero } from "../tensor/operations/searching.ts";
import { indexAdd, indexSelect } from "../tensor/operations/selecting.ts";
import { softmax } from "../tensor/operations/softmax.ts";
import * as shapes from "../tensor/operations/shapes.ts";
import type { Place } from "../tensor/storage.ts";
import { elementMemory } from "../tensor/element-memory.ts";
import { empty, Tensor, type Shape } from "../tensor/tensor.ts";
import { copyInto } from "../tensor/operations/copies.ts";
import { expandAs } from "../tensor/operations/broadcasting.ts";
import { bound, type Bound } from "./bound.ts";

/** The letters of `kinds` say what each operand is: t a tensor, b, i, f a Python number of that kind. */
function operand(value: Tensor | number | bigint | boolean, kind: string): Operand {
  if (kind === "t") return value as Tensor;
  const kinds = { b: "bool", i: "int", f: "float" } as const;
  return { value: Number(value), kind: kinds[kind as "b" | "i" | "f"] };
}

/** Of Python: None is undefined. */
type Call = (gradients: readonly (Tensor | undefined)[]) => readonly (Tensor | undefined)[];

function tapeFunctions(): Bound {
  const addGradients = (a: Tensor, b: Tensor): Tensor => binary("add", a, b);
  return bound({
    gradEnabled: () => isGradEnabled(),
    setGradEnabled: (enabled: boolean) => setGradEnabled(enabled),
    requiresGradient: (tensor: Tensor) => tensor.requiresGradient,
    isLeaf: (tensor: Tensor) => tensor.node === null,
    nodeName: (tensor: Tensor) => tensor.node?.name ?? null,
    setRequiresGradient: (tensor: Tensor, required: boolean) => void (tensor.isLeafWithGradient = required),
    gradient: (tensor: Tensor) => tensor.grad,
    setGradient: (tensor: Tensor, gradient: Tensor | null) => tensor.setGradient(gradient ?? null),
    backward: (root: Tensor, gradient: Tensor, retainGraph: boolean, createGraph: boolean) =>
      backward(root, gradient, addGradients, { retainGraph, createGraph }),
    needsTape: (inputs: readonly Tensor[]) => needsTape(inputs),
    /** Puts a function of the user's on the tape. */
    recordFunction: (
      name: string,
      inputs: readonly Tensor[],
      results: readonly Tensor[],
      call: Call,
      onRelease: () => void,
    ) => {
      // Python lends its results: the tape has views of its own.
      const own: Backward = (gradients) =>
        call(gradients.map((gradient) => gradient ?? undefined)).map((tensor) => {
          const view = tensor?.asStrided(tensor.shape, tensor.strides) ?? null;
          tensor?.release();
          return view;
        });
      recordMany(new GradientNode(name, inputs, own, { results: results.length, onRelease }), results);
    },
  });
}

function shapeFunctions(): Bound {
  return bound({
    view: (tensor: Tensor, shape: Shape) => shapes.viewAs(tensor, shape),
    reshape: (tensor: Tensor, shape: Shape) => shapes.reshape(tensor, shape),
    permute: (tensor: Tensor, dims: Shape) => shapes.permute(tensor, dims),
    asStrided: (tensor: Tensor, shape: Shape, strides: Shape, offset: number) =>
      tensor.asStrided(shape, strides, offset),
    rows: (tensor: Tensor) =>
      Array.from({ length: tensor.shape[0] ?? 0 }, (_, index) => getItem(tensor, [{ kind: "at", index }])),
    transpose: (tensor: Tensor, a: number, b: number) => shapes.transpose(tensor, a, b),
    expand: (tensor: Tensor, shape: Shape) => expandAs(tensor, shape),
    squeeze: (tensor: Tensor, dims: Shape | null) => shapes.squeeze(tensor, dims ?? null),
    unsqueeze: (tensor: Tensor, dim: number) => shapes.unsqueeze(tensor, dim),
    contiguous: (tensor: Tensor) => shapes.contiguous(tensor),
    clone: (tensor: Tensor) => shapes.clone(tensor),
    detach: (tensor: Tensor) => tensor.asStrided(tensor.shape, tensor.strides),
    cat: (tensors: readonly Tensor[], dim: number) => creation.concatenate(tensors, dim),
    stack: (tensors: readonly Tensor[], dim: number) => creation.stack(tensors, dim),
    triangle: (tensor: Tensor, diagonal: number, part: "lower" | "upper") => creation.triangle(tensor, diagonal, part),
    getItem: (tensor: Tensor, indices: readonly Index[]) => getItem(tensor, indices),
    setItem: (tensor: Tensor, indices: readonly Index[], value: Tensor | number, kind: string) =>
      setItem(tensor, indices, operand(value, kind)),
    gather: (tensor: Tensor, dim: number, index: Tensor) => gatherElements(tensor, dim, index),
    scatter: (tensor: Tensor, dim: number, index: Tensor, source: Tensor | number) =>
      scatterElements(tensor, dim, index, source),
    scatterAdd: (tensor: Tensor, dim: number, index: Tensor, source: Tensor) => scatterAdd(tensor, dim, index, source),
    indexSelect: (tensor: Tensor, dim: number, index: Tensor) => indexSelect(tensor, dim, index),
    indexAdd: (tensor: Tensor, dim: number, index: Tensor, source: Tensor, alpha: number) =>
      indexAdd(tensor, dim, index, source, alpha),
    nonzero: (tensor: Tensor) => nonzero(tensor),
  });
}

function computingFunctions(): Bound {
  return bound({
    binary: (name: BinaryName, a: Tensor | number, b: Tensor | number, kinds: string) =>
      binary(name, operand(a, kinds.charAt(0)), operand(b, kinds.charAt(1))),
    unary: (name: UnaryName, tensor: Tensor) => unary(name, tensor),
    where: (condition: Tensor, a: Tensor | number, b: Tensor | number, kinds: string) =>
      where(condition, operand(a, kinds.charAt(0)), operand(b, kinds.charAt(1))),
    cast: (tensor: Tensor, dtype: TensorDtype) => cast(tensor, dtype),
    reduce: (name: reductions.ReductionName, tensor: Tensor, dims: Shape | null, keep: boolean) =>
      reductions.reduce(name, tensor, dims ?? null, keep),
    variance: (tensor: Tensor, dims: Shape | null, correction: number, keep: boolean) =>
      reductions.variance(tensor, dims ?? null, correction, keep),
    softmax: (tensor: Tensor, dim: number, isLog: boolean) => softmax(tensor, dim, isLog),
    cumsum: (tensor: Tensor, dim: number) => reductions.cumulativeSum(tensor, dim),
    cumprod: (tensor: Tensor, dim: number) => cumulativeProduct(tensor, dim),
    sort: (tensor: Tensor, dim: number, descending: boolean) => {
      const order = reductions.sortOrder(tensor, dim, descending);
      return [gatherElements(tensor, dim, order), order];
    },
    layerNorm: (tensor: Tensor, shape: Shape, weight: Tensor | null, bias: Tensor | null, epsilon: number) =>
      layerNorm(tensor, shape, { weight: weight ?? null, bias: bias ?? null, epsilon }),
    matmul: (a: Tensor, b: Tensor) => matmul(a, b),
    allClose: (a: Tensor, b: Tensor, rtol: number, atol: number, equalNan: boolean) =>
      allClose(a, b, { rtol, atol, equalNan }),
    difference: (a: Tensor, b: Tensor, rtol: number, atol: number, equalNan: boolean): Difference =>
      differenceOf(a, b, { rtol, atol, equalNan }),
    /** Copies elements in place, and returns nothing: a result that is not there has no gradient. */
    assign: (tensor: Tensor, source: Tensor) => copyInto(tensor, source),
    fill: (tensor: Tensor, value: number) => void creation.fill(tensor, value),
  });
}

function creatingFunctions(placeOf: (device: string) => Place): Bound {
  // PyTorch's own default seed differs from run to run; equal runs are easier to compare.
  const generators = new Generators(0n);
  return bound({
    empty: (shape: Shape, dtype: TensorDtype, device: string) => empty(shape, dtype, placeOf(device)),
    emptyLike: (like: Tensor, dtype: TensorDtype, device: string) => creation.emptyLike(like, dtype, placeOf(device)),
    emptyStrided: (shape: Shape, strides: Shape, dtype: TensorDtype, device: string) => {
      const length = shape.reduce((reach, size, d) => reach + (size - 1) * (strides[d] as number), 1);
      return empty([length], dtype, placeOf(device)).asStrided(shape, strides);
    },
    full: (shape: Shape, value: number, dtype: TensorDtype, device: string) =>
      creation.full(shape, value, dtype, placeOf(device)),
    arange: (start: number, end: number, step: number, dtype: TensorDtype, device: string) =>
      creation.arange(start, end, step, dtype, placeOf(device)),
    linspace: (start: number, end: number, steps: number, dtype: TensorDtype, device: string) =>
      creation.linspace(start, end, steps, dtype, placeOf(device)),
    eye: (n: number, m: number, dtype: TensorDtype, device: string) => creation.eye(n, m, dtype, placeOf(device)),
    fromNumbers: (numbers: readonly number[], shape: Shape, dtype: TensorDtype, device: string) =>
      creation.fromNumbers(numbers, shape, dtype, placeOf(device)),
    /** Elements as they lie in memory, row by row. */
    fromBytes: (bytes: Uint8Array, shape: Shape, dtype: TensorDtype, device: string) => {
      const tensor = empty(shape, dtype, placeOf(device));
      tensor.storage.write(0, bytes);
      return tensor;
    },
    move: (tensor: Tensor, device: string) => creation.move(tensor, placeOf(device)),
    seed: (seed: number | bigint) => generators.seed(BigInt(seed)),
    initialSeed: () => generators.initialSeed,
    rand: (shape: Shape, dtype: TensorDtype, device: string) => generators.rand(shape, dtype, placeOf(device)),
    randn: (shape: Shape, dtype: TensorDtype, device: string) => generators.randn(shape, dtype, placeOf(device)),
    randint: (low: number, high: number, shape: Shape, dtype: TensorDtype, device: string) =>
      generators.randint(low, high, shape, dtype, placeOf(device)),
    randperm: (n: number, dtype: TensorDtype, device: string) => generators.randperm(n, dtype, placeOf(device)),
  });
}

/** What Python asks of a tensor itself. */
function tensorFunctions(): Bound {
  return bound({
    dtype: (tensor: Tensor) => tensor.dtype,
    shape: (tensor: Tensor) => [...tensor.shape],
    strides: (tensor: Tensor) => [...tensor.strides],
    device: (tensor: Tensor) => (tensor.place === null ? "cpu" : "cuda"),
    pointer: (tensor: Tensor) => tensor.pointer,
    offset: (tensor: Tensor) => tensor.offset,
    storageBytes: (tensor: Tensor) => tensor.storage.bytes,
    isContiguous: (tensor: Tensor) => tensor.isContiguous,
    release: (tensor: Tensor) => tensor.release(),
    retain: (tensor: Tensor) => void tensor.retain(),
    values: (tensor: Tensor): Values => tensor.values(),
    bytes: (tensor: Tensor) => elementMemory(tensor),
    /** The same memory as elements of another type. */
    viewAsType: (tensor: Tensor, dtype: TensorDtype) => shapes.viewAsType(tensor, dtype),
    item: (tensor: Tensor) => tensor.values()[0],
    format: (tensor: Tensor) => formatTensor(tensor, tensor.place === null ? null : "cuda:0"),
  });
}

/** @param device what "cuda" means. */
export function torchBinding(device: Device): Record<string, unknown> {
  const placeOf = (name: string): Place => (name === "cpu" ? null : device);
  const { properties } = device;
  return {
    ...tensorFunctions(),
    ...creatingFunctions(placeOf),
    ...shapeFunctions(),
    ...computingFunctions(),
    ...tapeFunctions(),
    ...bound({
      synchronize: () => {
        const fault = device.queue?.waitBlocking().fault ?? null;
        if (fault !== null) throw new Error(`device-fault\n${fault.message}`);
      },
      memoryInfo: () => {
        const { freeBytes, totalBytes } = device.memoryInfo();
        return [freeBytes, totalBytes];
      },
      now: () => performance.now(),
    }),
    isEmulated: device.kind === "emulated",
    properties: {
      name: properties.name,
      major: properties.computeCapability.major,
      minor: properties.computeCapability.minor,
      multi_processor_count: properties.multiProcessorCount,
      total_memory: properties.totalGlobalMem,
      max_threads_per_multi_processor: properties.maxThreadsPerMultiProcessor,
      regs_per_multiprocessor: properties.regsPerMultiprocessor,
      shared_memory_per_block_optin: properties.sharedMemPerBlockOptin,
      warp_size: properties.warpSize,
      clock_rate: properties.clockRateKHz,
      memory_clock_rate: properties.memoryClockRateKHz,
      memory_bus_width: properties.memoryBusWidthBits,
      L2_cache_size: properties.l2CacheBytes,
    },
    dtypes: TENSOR_DTYPES.map((name) => [name, elementBytes(name), isFloating(name)]),
  };
}
