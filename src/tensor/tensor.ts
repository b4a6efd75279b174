/**
 * Tensors: a shape and strides over memory that views share.
 *
 * Memory on a device has to be given back, so tensors are counted: whoever makes one owns it until `release`. What an
 * operation makes on its way is released at the end of the `scoped` call around it.
 */
import { HeddleError } from "../base/diagnostics.ts";
import { decode, elementBytes, encode, type TensorDtype, type Values } from "./dtypes.ts";
import { allocate, type Place, type Storage } from "./storage.ts";
import type { GradientNode } from "./autograd/tape.ts";
import { currentTracer } from "./follower.ts";

export type Shape = readonly number[];

export function elementCount(shape: Shape): number {
  let product = 1;
  for (let d = 0; d < shape.length; d++) product *= shape[d] as number;
  return product;
}

/** Strides of rows without gaps. */
export function denseStrides(shape: Shape): number[] {
  const strides = shape.map(() => 1);
  for (let d = shape.length - 2; d >= 0; d--)
    strides[d] = (strides[d + 1] as number) * Math.max(1, shape[d + 1] as number);
  return strides;
}

export function failShape(message: string): never {
  throw new HeddleError("bad-arguments", message);
}

let scope: Tensor[] | null = null;

let originAgain: (view: Tensor, base: Tensor) => void = () => {};

/** @internal What gives a view its origin again, after a change in place of its base or of another view. */
export function setOriginOfViews(work: (view: Tensor, base: Tensor) => void): void {
  originAgain = work;
}

export class Tensor {
  readonly storage: Storage;
  readonly dtype: TensorDtype;
  readonly shape: Shape;
  /** In elements. */
  readonly strides: Shape;
  /** Of the first element, in elements. */
  readonly offset: number;
  /**
   * Of a view that the tape knows of: the tensor that it is a part of. A change in place of one changes the origin of
   * both.
   */
  base: Tensor | null = null;
  /** How often a change in place gave this tensor another origin. */
  rebased = 0;
  /** `rebased` of the base when `node` was set. */
  #seen = 0;
  #node: GradientNode | null = null;
  /** A leaf whose gradient is asked for. */
  isLeafWithGradient = false;
  grad: Tensor | null = null;
  #references = 1;

  constructor(storage: Storage, dtype: TensorDtype, shape: Shape, strides: Shape, offset: number) {
    this.storage = storage;
    this.dtype = dtype;
    this.shape = shape;
    this.strides = strides;
    this.offset = offset;
    storage.retain();
    scope?.push(this);
  }

  /** What the tape says of its origin; null: nothing asks for its gradient, or it is a leaf. */
  get node(): GradientNode | null {
    const { base } = this;
    if (base !== null && base.rebased !== this.#seen) {
      const before = this.#node;
      this.#node = null;
      this.#seen = base.rebased;
      originAgain(this, base);
      before?.release();
    }
    return this.#node;
  }

  set node(node: GradientNode | null) {
    this.#node = node;
    if (this.base !== null) this.#seen = this.base.rebased;
  }

  get place(): Place {
    return this.storage.place;
  }

  get length(): number {
    return elementCount(this.shape);
  }

  get rank(): number {
    return this.shape.length;
  }

  /** The address of the first element. */
  get pointer(): number {
    return this.storage.pointer + this.offset * elementBytes(this.dtype);
  }

  get isContiguous(): boolean {
    const { shape, strides } = this;
    let [dense, isDense] = [1, true];
    for (let d = shape.length - 1; d >= 0; d--) {
      const size = shape[d] as number;
      if (size === 0) return true;
      if (size !== 1 && strides[d] !== dense) isDense = false;
      dense *= size;
    }
    return isDense;
  }

  get requiresGradient(): boolean {
    return this.isLeafWithGradient || this.node !== null;
  }

  retain(): this {
    this.#references++;
    return this;
  }

  release(): void {
    if (--this.#references > 0) return;
    this.storage.release();
    this.#node?.release();
    this.base?.release();
    this.setGradient(null);
  }

  setGradient(grad: Tensor | null): void {
    currentTracer()?.gradientChanges(this);
    const previous = this.grad;
    this.grad = grad?.retain() ?? null;
    previous?.release();
  }

  /** The same memory, seen in another way. */
  asStrided(shape: Shape, strides: Shape, offset: number = this.offset): Tensor {
    currentTracer()?.sees(this);
    return new Tensor(this.storage, this.dtype, shape, strides, offset);
  }

  /** All elements, row by row. They are a copy. */
  values(): Values {
    return gather(this);
  }

  /** Replaces all elements: values row by row, which are converted. */
  setValues(values: Values): void {
    this.storage.version++;
    scatter(this, values);
  }
}

/** The same elements, off the tape. */
export function aliasOf(tensor: Tensor): Tensor {
  return tensor.asStrided(tensor.shape, tensor.strides);
}

/** Releases all tensors that `work` makes, except for those that it returns: they belong to the scope around it. */
export function scoped<T>(work: () => T): T {
  const outer = scope;
  const made: Tensor[] = [];
  scope = made;
  try {
    const result = work();
    const kept = new Set<unknown>(Array.isArray(result) ? result : [result]);
    scope = outer;
    for (const tensor of made) {
      if (kept.has(tensor)) outer?.push(tensor);
      else tensor.release();
    }
    return result;
  } catch (error) {
    scope = outer;
    for (const tensor of made) tensor.release();
    throw error;
  }
}

/** The scope around releases a tensor that somebody has retained for it. */
export function giveToScope(tensor: Tensor): void {
  scope?.push(tensor);
}

/** A tensor with undefined elements. @throws HeddleError "out-of-memory" */
export function empty(shape: Shape, dtype: TensorDtype, place: Place): Tensor {
  for (const size of shape)
    if (!Number.isSafeInteger(size) || size < 0)
      failShape(`Trying to create tensor with negative dimension ${size}: [${shape.join(", ")}]`);
  const storage = allocate(place, elementCount(shape) * elementBytes(dtype));
  return new Tensor(storage, dtype, shape, denseStrides(shape), 0);
}

/** Likewise, where elements lie in another order, without gaps. The caller has checked the shape. */
export function denseBlock(shape: Shape, strides: Shape, dtype: TensorDtype, place: Place): Tensor {
  return new Tensor(allocate(place, elementCount(shape) * elementBytes(dtype)), dtype, shape, strides, 0);
}

export function fromValues(values: Values, shape: Shape, dtype: TensorDtype, place: Place): Tensor {
  const tensor = empty(shape, dtype, place);
  tensor.storage.write(0, encode(values, dtype));
  return tensor;
}

/** The first and the last element of the memory that a tensor's elements lie in. */
function extent({ shape, strides, offset }: Tensor): { first: number; last: number } {
  let [first, last] = [offset, offset];
  for (const [d, size] of shape.entries()) {
    const reach = (size - 1) * (strides[d] as number);
    if (reach < 0) first += reach;
    else last += reach;
  }
  return { first, last };
}

/** The memory of all elements, row by row, as a copy. */
export function elementMemory(tensor: Tensor): Uint8Array<ArrayBuffer> {
  const { dtype, shape, strides, storage, length } = tensor;
  const size = elementBytes(dtype);
  if (length === 0) return new Uint8Array(0);
  if (tensor.isContiguous) return storage.read(tensor.offset * size, length * size);
  const { first, last } = extent(tensor);
  const memory = storage.read(first * size, (last - first + 1) * size);
  const bytes = new Uint8Array(length * size);
  forEachRow(shape, strides, tensor.offset - first, (from, to, count, stride) => {
    for (let i = 0; i < count; i++) {
      const begin = (from + i * stride) * size;
      bytes.set(memory.subarray(begin, begin + size), (to + i) * size);
    }
  });
  return bytes;
}

/** The same elements, bit by bit, in memory of their own. */
export function copyOf(tensor: Tensor, place: Place): Tensor {
  const copy = empty(tensor.shape, tensor.dtype, place);
  copy.storage.write(0, elementMemory(tensor));
  return copy;
}

function gather(tensor: Tensor): Values {
  const { dtype, shape, strides, storage, length } = tensor;
  const size = elementBytes(dtype);
  if (length === 0) return decode(new Uint8Array(0), dtype);
  const { first, last } = extent(tensor);
  const memory = decode(storage.read(first * size, (last - first + 1) * size), dtype);
  if (tensor.isContiguous) return memory;
  const values = new (memory.constructor as new (length: number) => Values)(length);
  forEachRow(shape, strides, tensor.offset - first, (from, to, count, stride) => {
    for (let i = 0; i < count; i++) values[to + i] = memory[from + i * stride] as number;
  });
  return values;
}

function scatter(tensor: Tensor, values: Values): void {
  const { dtype, length } = tensor;
  if (values.length !== length) failShape(`${values.length} values do not fill a tensor of ${length} elements`);
  scatterMemory(tensor, encode(values, dtype));
}

/** Replaces all elements by those of this memory, row by row, bit by bit. */
export function setElementMemory(tensor: Tensor, memory: Uint8Array): void {
  tensor.storage.version++;
  scatterMemory(tensor, memory);
}

function scatterMemory(tensor: Tensor, encoded: Uint8Array): void {
  const { dtype, shape, strides, storage, length } = tensor;
  const size = elementBytes(dtype);
  if (length === 0) return;
  if (tensor.isContiguous) {
    storage.write(tensor.offset * size, encoded);
    return;
  }
  const { first, last } = extent(tensor);
  const bytes = storage.read(first * size, (last - first + 1) * size);
  forEachRow(shape, strides, tensor.offset - first, (to, from, count, stride) => {
    for (let i = 0; i < count; i++)
      for (let b = 0; b < size; b++) bytes[(to + i * stride) * size + b] = encoded[(from + i) * size + b] as number;
  });
  storage.write(first * size, bytes);
}

/** Calls `row` for each row of the last dimension: where it begins in memory, and in the order of the elements. */
function forEachRow(
  shape: Shape,
  strides: Shape,
  start: number,
  row: (from: number, dense: number, count: number, stride: number) => void,
): void {
  const count = shape.at(-1) ?? 1;
  const stride = strides.at(-1) ?? 1;
  const outer = shape.slice(0, -1);
  const index = outer.map(() => 0);
  let from = start;
  const total = elementCount(shape);
  for (let dense = 0; dense < total; dense += count) {
    row(from, dense, count, stride);
    for (let d = outer.length - 1; d >= 0; d--) {
      from += strides[d] as number;
      const next = (index[d] as number) + 1;
      index[d] = next;
      if (next < (outer[d] as number)) break;
      index[d] = 0;
      from -= (outer[d] as number) * (strides[d] as number);
    }
  }
}
