/** New tensors, and tensors made of several. */
import { needsTape, record, withoutTape } from "../autograd/tape.ts";
import { computeTypeOf, copyInto } from "./copies.ts";
import { input } from "../expressions/expression.ts";
import { launchConcatenation, MOST_TOGETHER } from "../kernels/concatenation.ts";
import { launchIota } from "../kernels/iota.ts";
import { LaunchPlans } from "../kernels/launch-plans.ts";
import { launchPointwise } from "../kernels/pointwise.ts";
import { kernelsFor } from "../kernels/tensor-device.ts";
import { eagerKernelsFor, tracerOf } from "../tracing.ts";
import { isFloating, newValues, promote, type TensorDtype, type Values } from "../dtypes.ts";
import { binary, cast, where } from "./elementwise.ts";
import { dimension, unsqueeze } from "./shapes.ts";
import { requireOnePlace } from "../places.ts";
import { borrow, defer, type Place } from "../storage.ts";
import type { DeviceArray } from "../../library/device-array.ts";
import {
  copyOf,
  denseStrides,
  elementCount,
  empty,
  failShape,
  fromValues,
  scoped,
  type Shape,
  Tensor,
} from "../tensor.ts";

export function full(shape: Shape, value: number, dtype: TensorDtype, place: Place): Tensor {
  const tensor = empty(shape, dtype, place);
  return fill(tensor, value);
}

/** Ones that are written when somebody looks at them: what a backward begins with often is not. */
export function ones(shape: Shape, dtype: TensorDtype, place: Place): Tensor {
  const device = tracerOf(place) === null ? kernelsFor(place, elementCount(shape)) : null;
  if (device === null) return full(shape, 1, dtype, place);
  const tensor = empty(shape, dtype, place);
  const { storage, strides } = tensor;
  // Of the memory, not of the tensor: that may be gone by then.
  const run = (): void => scoped(() => void fill(new Tensor(storage, dtype, shape, strides, 0), 1));
  defer(storage, { run, drop: () => {}, value: 1 });
  return tensor;
}

const VALUE = input(0);

/** Sets all elements, and returns the tensor. */
export function fill(tensor: Tensor, given: number): Tensor {
  // Whole numbers have no fraction; whatever is not 0 is true.
  const whole = tensor.dtype === "bool" ? Number(given !== 0) : Math.trunc(given);
  const value = isFloating(tensor.dtype) ? given : whole;
  const tracer = tensor.length > 0 ? tracerOf(tensor.place) : null;
  if (tracer !== null) {
    tracer.pointwise({ name: "fill", expression: VALUE, type: computeTypeOf(tensor.dtype) }, [value], tensor);
    return tensor;
  }
  const device = kernelsFor(tensor.place, tensor.length);
  if (device !== null) {
    const type = computeTypeOf(tensor.dtype);
    launchPointwise(device, { name: "fill", expressions: [VALUE], type }, [value], [tensor]);
    tensor.storage.version++;
    return tensor;
  }
  const values = newValues(tensor.dtype, tensor.length);
  if (value !== 0) values.fill(value);
  tensor.setValues(values);
  return tensor;
}

export function arange(start: number, end: number, step: number, dtype: TensorDtype, place: Place): Tensor {
  if (step === 0) failShape("step must be nonzero");
  const length = Math.max(0, Math.ceil((end - start) / step));
  const device = eagerKernelsFor(place, length);
  if (device !== null && dtype !== "bool" && !dtype.startsWith("float8")) {
    const result = empty([length], dtype, place);
    launchIota(device, result, start, step);
    return result;
  }
  const values = newValues(dtype, length);
  for (let i = 0; i < length; i++) values[i] = start + i * step;
  return fromValues(values, [length], dtype, place);
}

export function linspace(start: number, end: number, steps: number, dtype: TensorDtype, place: Place): Tensor {
  const values = newValues(dtype, steps);
  const step = steps > 1 ? (end - start) / (steps - 1) : 0;
  // From both ends, as PyTorch does: the last one is `end` itself.
  for (let i = 0; i < steps; i++) values[i] = i < steps / 2 ? start + i * step : end - (steps - 1 - i) * step;
  return fromValues(values, [steps], dtype, place);
}

export function eye(n: number, m: number, dtype: TensorDtype, place: Place): Tensor {
  const values = newValues(dtype, n * m);
  for (let i = 0; i < Math.min(n, m); i++) values[i * m + i] = 1;
  return fromValues(values, [n, m], dtype, place);
}

/** A copy on another device; the tensor itself where it is there already. */
export function move(tensor: Tensor, place: Place): Tensor {
  if (tensor.place === place) return tensor;
  const result = copyOf(tensor, place);
  const { place: from } = tensor;
  return record("ToCopyBackward0", result, [tensor], (gradient) => [move(gradient, from)]);
}

/** Uninitialised, with the strides of `like` where it has no gaps, else dense. */
export function emptyLike(like: Tensor, dtype: TensorDtype, place: Place): Tensor {
  const tensor = empty(like.shape, dtype, place);
  const order = like.shape.map((_, d) => d).sort((a, b) => (like.strides[b] as number) - (like.strides[a] as number));
  const sorted = denseStrides(order.map((d) => like.shape[d] as number));
  const strides = like.shape.map((_, d) => sorted[order.indexOf(d)] as number);
  const isPermuted = like.shape.every((size, d) => size === 1 || like.strides[d] === strides[d]);
  return isPermuted ? tensor.asStrided(like.shape, strides) : tensor;
}

/** The part below a diagonal (or above it); the rest is 0. */
export function triangle(tensor: Tensor, diagonal: number, part: "lower" | "upper"): Tensor {
  if (tensor.rank < 2) failShape(`a triangle needs a matrix, not a tensor of ${tensor.rank} dimensions`);
  const result = withoutTape(() => scoped(() => (isOnDevice() ? onDevice() : onHost())));
  return record("TriangleBackward0", result, [tensor], (gradient) => [triangle(gradient, diagonal, part)]);

  function isOnDevice(): boolean {
    return kernelsFor(tensor.place, tensor.length) !== null;
  }

  function onDevice(): Tensor {
    const { place, dtype } = tensor;
    const [rows, columns] = tensor.shape.slice(-2) as [number, number];
    const row = unsqueeze(arange(diagonal, rows + diagonal, 1, "int64", place), 1);
    const column = unsqueeze(arange(0, columns, 1, "int64", place), 0);
    const holds = binary(part === "lower" ? "le" : "ge", column, row);
    return cast(where(holds, tensor.asStrided(tensor.shape, tensor.strides), { value: 0, kind: "bool" }), dtype);
  }

  function onHost(): Tensor {
    const values = tensor.values();
    const [rows, columns] = tensor.shape.slice(-2) as [number, number];
    for (let i = 0; i < values.length; i++) {
      const [row, column] = [Math.floor(i / columns) % rows, i % columns];
      if (part === "lower" ? column > row + diagonal : column < row + diagonal) values[i] = 0;
    }
    return fromValues(values, tensor.shape, tensor.dtype, tensor.place);
  }
}

const joined: LaunchPlans<null>[] = [];

/** All parts by one launch; null: they are to be copied one by one. */
function joinOnDevice(tensors: readonly Tensor[], at: number, result: Tensor): Tensor | null {
  const device = tracerOf(result.place) === null ? kernelsFor(result.place, result.length) : null;
  const { dtype, place, length } = result;
  const isOfKernel = ({ dtype: own, place: where, isContiguous, length: elements }: Tensor): boolean =>
    own === dtype && where === place && isContiguous && elements > 0;
  if (device === null || tensors.length > MOST_TOGETHER || length >= 2 ** 31 - 2 ** 12 || !tensors.every(isOfKernel))
    return null;
  const outer = elementCount(result.shape.slice(0, at));
  let begin = 0;
  const parts = tensors.map((tensor) => {
    const part = { tensor, inner: tensor.length / outer, begin };
    begin += part.inner;
    return part;
  });
  launchConcatenation(device, result, outer, begin, parts);
  return result;
}

export function concatenate(tensors: readonly Tensor[], dim: number): Tensor {
  const plans = (joined[dim + 64] ??= new LaunchPlans());
  if (!needsTape(tensors)) {
    const again = plans.run(tensors, null);
    if (again !== null) return again.result;
  }
  // PyTorch leaves out vectors without elements, whatever the others are.
  const some = tensors.filter(({ rank, length }) => rank !== 1 || length > 0);
  const [first] = tensors;
  if (some.length > 0 && some.length < tensors.length) {
    const wide = tensors.map((tensor) => tensor.dtype).reduce(promote);
    return cast(concatenate(some, dim), wide);
  }
  if (first === undefined) return failShape("expected a non-empty list of Tensors");
  requireOnePlace(tensors);
  const at = dimension(first, dim);
  const dtype = tensors.map((tensor) => tensor.dtype).reduce(promote);
  for (const tensor of tensors)
    if (tensor.rank !== first.rank || tensor.shape.some((size, d) => d !== at && size !== first.shape[d]))
      failShape(
        `Sizes of tensors must match except in dimension ${at}: [${first.shape.join(", ")}] and ` +
          `[${tensor.shape.join(", ")}]`,
      );
  const size = tensors.reduce((sum, tensor) => sum + (tensor.shape[at] as number), 0);
  let begin = 0;
  const begins: number[] = [];
  for (const tensor of tensors) {
    begins.push(begin);
    begin += tensor.shape[at] as number;
  }
  const result = plans.learn(tensors, null, null, () => {
    const made = empty(first.shape.with(at, size), dtype, first.place);
    if (joinOnDevice(tensors, at, made) !== null) return made;
    for (const [i, tensor] of tensors.entries())
      copyInto(narrow(made, at, begins[i] as number, tensor.shape[at] as number), tensor);
    return made;
  });
  const parts = tensors.map(({ shape, dtype: own }) => ({ length: shape[at] as number, dtype: own }));
  return record("CatBackward0", result, tensors, (gradient) =>
    parts.map(({ length, dtype: own }, i) => cast(narrow(gradient, at, begins[i] as number, length), own)),
  );
}

export function stack(tensors: readonly Tensor[], dim: number): Tensor {
  const [first] = tensors;
  const other = tensors.find((tensor) => tensor.shape.join() !== first?.shape.join());
  if (first !== undefined && other !== undefined)
    failShape("stack expects each tensor to be equal size", [first.shape, other.shape]);
  return concatenate(
    tensors.map((tensor) => unsqueeze(tensor, dim)),
    dim,
  );
}

/** `length` elements of a dimension, as a view. */
export function narrow(tensor: Tensor, dim: number, start: number, length: number): Tensor {
  const at = dimension(tensor, dim);
  const size = tensor.shape[at] ?? failShape("narrow() cannot be applied to a 0-dim tensor.");
  if (start < -size || start > size)
    failShape(`start out of range (expected to be in range of [${-size}, ${size}], but got ${start})`);
  const begin = start < 0 ? start + size : start;
  if (length < 0) failShape("narrow(): length must be non-negative.");
  if (begin + length > size) failShape(`start (${begin}) + length (${length}) exceeds dimension size (${size}).`);
  const view = tensor.asStrided(
    tensor.shape.with(at, length),
    tensor.strides,
    tensor.offset + begin * (tensor.strides[at] as number),
  );
  const { shape } = tensor;
  return record("SliceBackward0", view, [tensor], (gradient) => [padded(gradient, shape, at, begin)]);
}

/** Zeros of this shape with the elements of `part` from `start` on. */
function padded(part: Tensor, shape: Shape, dim: number, start: number): Tensor {
  const result = full(shape, 0, part.dtype, part.place);
  const length = part.shape[dim] as number;
  withoutTape(() => copyInto(narrow(result, dim, start, length), part));
  return record("PadBackward0", result, [part], (gradient) => [narrow(gradient, dim, start, length)]);
}

/** A tensor over the memory of an array, which stays its owner. */
export function overArray(array: DeviceArray): Tensor {
  const storage = borrow(array.device, array.pointer, array.byteLength);
  return new Tensor(storage, array.dtype, [array.length], [1], 0);
}

/** Numbers as a tensor. */
export function fromNumbers(numbers: readonly number[], shape: Shape, dtype: TensorDtype, place: Place): Tensor {
  if (numbers.length !== elementCount(shape)) failShape("expected sequences of equal length");
  const values: Values = newValues(dtype, numbers.length);
  values.set(numbers);
  return fromValues(values, shape, dtype, place);
}
