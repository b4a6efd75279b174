/** Makes tensors on one device, and has the functions that take several tensors: what PyTorch's module `torch` has. */
import { HeddleError } from "../../base/diagnostics.ts";
import { checkOptions } from "../../base/options.ts";
import { dtypeOf, viewValues, type NumericArray } from "../../base/dtypes.ts";
import type { DeviceArray } from "../../library/device-array.ts";
import type { Gpu } from "../../library/gpu.ts";
import { faultError } from "../../library/fault-error.ts";
import { Kernel } from "../../library/kernel.ts";
import type { KernelArgument } from "../../library/kernel-arguments.ts";
import type { LaunchOptions } from "../../library/launch-options.ts";
import type { TritonArgument, TritonKeywords } from "../../library/triton-arguments.ts";
import type { TritonKernel } from "../../library/triton.ts";
import type { TritonLaunchOptions } from "../../library/triton-grid.ts";
import { type BackwardOptions } from "../autograd/backward.ts";
import { isGradEnabled, withTape } from "../autograd/tape.ts";
import { isFloating, TENSOR_DTYPES, type TensorDtype } from "../dtypes.ts";
import type { TensorDevice } from "../kernels/tensor-device.ts";
import * as creation from "../operations/creation.ts";
import { elementwise, where } from "../operations/elementwise.ts";
import { Generators, useGenerators } from "../operations/random.ts";
import type { Place } from "../storage.ts";
import { empty, scoped, Tensor, type Shape } from "../tensor.ts";
import { memoryOf, type MemoryStatistics } from "../device-memory.ts";
import { defineOp, type AsyncOpDefinition, type OpDefinition } from "./define-op.ts";
import { withAutocast, type AutocastDtype } from "../autograd/autocast.ts";
import { settings } from "../kernels/settings.ts";
import { setDefaultTensors } from "./default-tensors.ts";
import { beside, recordGraph, uploadTo, type TensorGraph, type TensorGraphOptions } from "./tensor-graph.ts";
import { packedTensors, type PackedPart, type PackedTensors } from "./packed-tensors.ts";
import { noDtype, operand, shapeOf, type TensorLike } from "./operands.ts";
import { flatten, kindOf } from "./nested-values.ts";
import { grad, type Nested } from "./tensor-methods.ts";

/** Options of new tensors. */
export interface TensorOptions {
  /** Default: float32, or the type of a typed array. */
  readonly dtype?: TensorDtype;
  readonly requiresGrad?: boolean;
  /** A device, or null for host memory; default: the device of `openTensors`. */
  readonly device?: Gpu | null;
}

/** What a kernel takes: tensors beside what `kernel.launch` takes. */
export type LaunchArgument = KernelArgument | Tensor;
export type TritonLaunchArgument = TritonArgument | TritonKeywords | Tensor;

const NAMES = { dtype: true, requiresGrad: true, device: true } as const;
const MEANT: Readonly<Record<string, string>> = { requires_grad: "requiresGrad", type: "dtype" };

/** Sizes, and options at the end. */
type SizesAndOptions = readonly (number | Shape | TensorOptions)[];

/** Tensors on one device. Made by `openTensors`. */
export class Tensors {
  readonly device: Gpu;
  readonly #device: TensorDevice;
  readonly #generators = new Generators(0n);

  /** @internal Use `openTensors`. */
  constructor(device: TensorDevice) {
    this.device = device.gpu;
    this.#device = device;
    useGenerators(device.raw, this.#generators);
    setDefaultTensors(this);
  }

  /**
   * A tensor of values: a number, nested arrays, or a typed array. Numbers are float32, booleans bool, bigints int64,
   * unless `dtype` says otherwise; typed arrays keep their type.
   *
   *     torch.tensor([[1, 2], [3, 4]], { requiresGrad: true })
   */
  tensor(values: Nested | NumericArray, options: TensorOptions = {}): Tensor {
    const { place, dtype } = this.#options("tensor", options);
    if (ArrayBuffer.isView(values)) {
      const own = dtypeOf(values as NumericArray);
      const made = empty([(values as NumericArray).length], own, place);
      made.storage.write(0, viewValues(values as NumericArray, own));
      return this.#finish(dtype === null ? made : made.to(dtype), options);
    }
    const shape: number[] = [];
    for (let at: Nested | undefined = values; Array.isArray(at); at = at[0]) shape.push(at.length);
    const flat: (number | boolean | bigint)[] = [];
    flatten(values, 0, shape, flat);
    const own = dtype ?? kindOf(flat);
    return this.#finish(creation.fromNumbers(flat.map(Number), shape, own, place), options);
  }

  zeros(...sizes: (number | Shape | TensorOptions)[]): Tensor {
    return this.#filled("zeros", sizes, 0);
  }

  ones(...sizes: (number | Shape | TensorOptions)[]): Tensor {
    return this.#filled("ones", sizes, 1);
  }

  full(shape: Shape, value: number, options: TensorOptions = {}): Tensor {
    const { place, dtype } = this.#options("full", options);
    return this.#finish(creation.full(shape, value, dtype ?? "float32", place), options);
  }

  /** Elements are whatever was in memory. */
  empty(...sizes: (number | Shape | TensorOptions)[]): Tensor {
    const { shape, options, place, dtype } = this.#sized("empty", sizes);
    return this.#finish(empty(shape, dtype, place), options);
  }

  zerosLike(like: Tensor, options: TensorOptions = {}): Tensor {
    return this.#like("zerosLike", like, options).zero_();
  }

  onesLike(like: Tensor, options: TensorOptions = {}): Tensor {
    return this.#like("onesLike", like, options).fill_(1);
  }

  fullLike(like: Tensor, value: number, options: TensorOptions = {}): Tensor {
    return this.#like("fullLike", like, options).fill_(value);
  }

  emptyLike(like: Tensor, options: TensorOptions = {}): Tensor {
    return this.#like("emptyLike", like, options);
  }

  /** From `start` up to `end`, without it. Whole numbers are int64, others float32. */
  arange(start: number, end?: number, step = 1, options: TensorOptions = {}): Tensor {
    const [first, last] = end === undefined ? [0, start] : [start, end];
    const { place, dtype } = this.#options("arange", options);
    const own = dtype ?? ([first, last, step].every(Number.isInteger) ? "int64" : "float32");
    return this.#finish(creation.arange(first, last, step, own, place), options);
  }

  linspace(start: number, end: number, steps: number, options: TensorOptions = {}): Tensor {
    const { place, dtype } = this.#options("linspace", options);
    return this.#finish(creation.linspace(start, end, steps, dtype ?? "float32", place), options);
  }

  eye(rows: number, columns: number = rows, options: TensorOptions = {}): Tensor {
    const { place, dtype } = this.#options("eye", options);
    return this.#finish(creation.eye(rows, columns, dtype ?? "float32", place), options);
  }

  /** Uniform in [0, 1): PyTorch's numbers for the same seed and GPU. */
  rand(...sizes: (number | Shape | TensorOptions)[]): Tensor {
    const { shape, options, place, dtype } = this.#sized("rand", sizes);
    return this.#finish(this.#generators.rand(shape, dtype, place), options);
  }

  /** Normal, with mean 0 and standard deviation 1: PyTorch's numbers for the same seed and GPU. */
  randn(...sizes: (number | Shape | TensorOptions)[]): Tensor {
    const { shape, options, place, dtype } = this.#sized("randn", sizes);
    return this.#finish(this.#generators.randn(shape, dtype, place), options);
  }

  /** Whole numbers from `low` up to `high`, without `high`. */
  randint(low: number, high: number, shape: Shape, options: TensorOptions = {}): Tensor {
    const { place, dtype } = this.#options("randint", options);
    return this.#finish(this.#generators.randint(low, high, shape, dtype ?? "int64", place), options);
  }

  /** The numbers from 0 to n - 1 in a random order. */
  randperm(n: number, options: TensorOptions = {}): Tensor {
    const { place, dtype } = this.#options("randperm", options);
    return this.#finish(this.#generators.randperm(n, dtype ?? "int64", place), options);
  }

  /** Random numbers begin again. */
  manualSeed(seed: number | bigint): void {
    this.#generators.seed(BigInt(seed));
  }

  /** @internal */
  get generators(): Generators {
    return this.#generators;
  }

  /** A tensor over the memory of an array, which stays its owner. */
  fromArray(array: DeviceArray, shape: Shape = [array.length]): Tensor {
    const made = creation.overArray(array);
    return made.view(shape);
  }

  /** Elements of `a` where the condition holds, else of `b`. */
  where(condition: Tensor, a: TensorLike, b: TensorLike): Tensor {
    return where(condition, operand(a), operand(b));
  }

  cat(tensors: readonly Tensor[], dim = 0): Tensor {
    return creation.concatenate(tensors, dim);
  }

  stack(tensors: readonly Tensor[], dim = 0): Tensor {
    return creation.stack(tensors, dim);
  }

  lerp(start: Tensor, end: TensorLike, weight: TensorLike): Tensor {
    return elementwise("lerp", start, operand(end), operand(weight));
  }

  /** Runs `work` off the tape: what it computes has no gradients. */
  noGrad<T>(work: () => T): T {
    return withTape(false, work);
  }

  enableGrad<T>(work: () => T): T {
    return withTape(true, work);
  }

  isGradEnabled(): boolean {
    return isGradEnabled();
  }

  /** Gradients of `outputs` by `inputs`; null for those that they do not depend on. `grad` of no tensor changes. */
  grad(
    outputs: Tensor | readonly Tensor[],
    inputs: Tensor | readonly Tensor[],
    options: BackwardOptions & { readonly gradOutputs?: readonly Tensor[] } = {},
  ): (Tensor | null)[] {
    return grad(outputs, inputs, options);
  }

  /**
   * Mixed precision: products and convolutions in `work` compute in bfloat16 or float16, losses and softmax in float32.
   * Call `backward` behind it.
   */
  autocast<T>(options: { readonly dtype?: AutocastDtype; readonly enabled?: boolean }, work: () => T): T {
    return withAutocast(options.enabled === false ? null : (options.dtype ?? "bfloat16"), work);
  }

  /**
   * How products of float32 compute on a GPU: "highest" exactly (the default), "high" with TF32, as
   * torch.set_float32_matmul_precision.
   */
  setFloat32MatmulPrecision(precision: "highest" | "high"): void {
    settings.tf32Products = precision === "high";
  }

  /**
   * Gives back the memory of all tensors that `work` makes, except for those that it returns (one, or an array).
   * Gradients of leaves stay.
   */
  tidy<T>(work: () => T): T {
    return scoped(work);
  }

  /**
   * @internal What `torch.cuda.graph` stands on, with a call of `body` before, for training and measurements.
   *
   * Records the launches of `body`, such as a whole training step, to make them again as one: nothing runs until
   * `launch`. Before that `body` runs once as usual, so that what it needs is compiled and the optimiser has its state.
   * Numbers, such as a learning rate, stay as they were.
   *
   *     const step = torch.graph(() => { optimizer.zeroGrad(); … return loss.detach(); });
   *
   * @throws HeddleError "unsupported" for an operation that the host computes
   */
  graph<T>(body: () => T, options: TensorGraphOptions = {}): TensorGraph<T> {
    return recordGraph(this.#device, body, options);
  }

  /**
   * In a graph that is recorded, `work` runs beside what follows, up to the graph's end: the copy of the next batch
   * beside the step of this one. Neither may change what the other uses. Elsewhere it is done as usual.
   *
   *     torch.cuda.graph(graph, () => { torch.beside(() => torch.upload(next, pinned)); … });
   */
  beside(work: () => void): void {
    beside(this.#device, work);
  }

  /**
   * Copies values into a tensor without gaps, in the order of the operations, also at each launch of a graph. An array
   * that `device.pin` has pinned must not change until then.
   */
  upload(target: Tensor, values: NumericArray): void {
    uploadTo(this.#device, target, values);
  }

  /**
   * Tensors beside one another in one block of memory, which one upload fills.
   *     const { memory, tensors, offsets } = torch.packed([{ shape: [64, 784] }, { shape: [64], dtype: "int64" }]);
   *     const batch = new Uint8Array(memory.numel());
   *     new BigInt64Array(batch.buffer, offsets[1], 64).set(digits);
   *     torch.upload(memory, batch);
   */
  packed(parts: readonly PackedPart[]): PackedTensors {
    return packedTensors(this.device.raw, parts);
  }

  /** An operation of your own: see OpDefinition. Its calls return a promise if its forward does. */
  defineOp<const Inputs extends readonly unknown[]>(
    definition: AsyncOpDefinition<Inputs>,
  ): (...inputs: Inputs) => Promise<Tensor>;
  defineOp<const Inputs extends readonly unknown[]>(definition: OpDefinition<Inputs>): (...inputs: Inputs) => Tensor;
  defineOp<const Inputs extends readonly unknown[]>(
    definition: OpDefinition<Inputs>,
  ): (...inputs: Inputs) => Tensor | Promise<Tensor> {
    return defineOp(definition);
  }

  /**
   * Puts one launch of a kernel behind the operations before it; tensors are passed by their memory. It is compiled
   * already (`program.kernel`), or is compiled now (Triton's).
   *
   *     torch.launch(kernel, { grid: Math.ceil(n / 256), block: 256 }, y, x, n);
   *
   * @throws HeddleError "bad-arguments" for a tensor with gaps; "device-fault" where the device has no queue
   */
  launch(kernel: Kernel, options: LaunchOptions, ...args: readonly LaunchArgument[]): void;
  launch(kernel: TritonKernel, options: TritonLaunchOptions, ...args: readonly TritonLaunchArgument[]): void;
  launch(
    kernel: Kernel | TritonKernel,
    options: LaunchOptions | TritonLaunchOptions,
    ...args: readonly (LaunchArgument | TritonLaunchArgument)[]
  ): void {
    const tensors = args.filter((arg): arg is Tensor => arg instanceof Tensor);
    const own = args.map((arg) => (arg instanceof Tensor ? arg.deviceArray() : arg));
    if (kernel instanceof Kernel) kernel.prepare(options as LaunchOptions, own as KernelArgument[])();
    else {
      const { grid, ...rest } = options as TritonLaunchOptions;
      if (typeof grid === "function")
        throw new HeddleError("bad-arguments", "launch takes a grid of numbers: the constants are known here");
      kernel.compileBlocking(rest, own as TritonArgument[]).launch([grid].flat());
    }
    // A kernel may write to any of them.
    for (const tensor of tensors) tensor.storage.version++;
  }

  /** Memory of tensors on the device. */
  memoryStatistics(): MemoryStatistics {
    return memoryOf(this.device.raw).statistics;
  }

  /** Gives back to the device the memory that is kept for later tensors. */
  emptyCache(): void {
    memoryOf(this.device.raw).emptyCache();
  }

  /** Waits for all work on the device. @throws HeddleError "device-fault" */
  synchronize(): void {
    const { raw } = this.device;
    const fault = raw.queue === null ? raw.fault : raw.queue.waitBlocking().fault;
    if (fault !== null) throw faultError(fault, raw, []);
  }

  #options(what: string, options: TensorOptions): { place: Place; dtype: TensorDtype | null } {
    checkOptions<TensorOptions>(what, options, NAMES, {
      meant: MEANT,
      example: `torch.${what}(…, { dtype: "float64" })`,
    });
    const { dtype, device = this.device } = options;
    if (dtype !== undefined && !TENSOR_DTYPES.includes(dtype)) throw noDtype(dtype);
    return { place: device === null ? null : device.raw, dtype: dtype ?? null };
  }

  #sized(
    what: string,
    args: SizesAndOptions,
  ): { shape: Shape; options: TensorOptions; place: Place; dtype: TensorDtype } {
    const last = args.at(-1);
    const hasOptions = typeof last === "object" && !Array.isArray(last);
    const options = hasOptions ? (last as TensorOptions) : {};
    const shape = shapeOf((hasOptions ? args.slice(0, -1) : args) as readonly (number | Shape)[]);
    const { place, dtype } = this.#options(what, options);
    return { shape, options, place, dtype: dtype ?? "float32" };
  }

  #filled(what: string, sizes: SizesAndOptions, value: number): Tensor {
    const { shape, options, place, dtype } = this.#sized(what, sizes);
    return this.#finish(creation.full(shape, value, dtype, place), options);
  }

  #like(what: string, like: Tensor, options: TensorOptions): Tensor {
    const { dtype } = this.#options(what, options);
    const place = options.device === undefined ? like.place : (options.device?.raw ?? null);
    return this.#finish(creation.emptyLike(like, dtype ?? like.dtype, place), options);
  }

  #finish(tensor: Tensor, { requiresGrad = false }: TensorOptions): Tensor {
    if (!requiresGrad) return tensor;
    if (!isFloating(tensor.dtype))
      throw new HeddleError("bad-arguments", "only Tensors of floating point dtype can require gradients");
    tensor.isLeafWithGradient = true;
    return tensor;
  }
}
