/**
 * Tensors: a shape and strides over memory that views share.
 *
 * Memory on a device has to be given back, so tensors are counted: whoever makes one owns it until `release`. What an
 * operation makes on its way is released at the end of the `scoped` call around it.
 */
import { HeddleError } from "../base/diagnostics.ts";
import { elementBytes, encode, type TensorDtype, type Values } from "./dtypes.ts";
import { elementMemory, gather, scatter } from "./element-memory.ts";
import { denseStrides, elementCount, type Shape } from "./shape.ts";
import { allocate, type Place, type Storage } from "./storage.ts";
import type { GradientNode } from "./autograd/tape.ts";
import { currentTracer } from "./follower.ts";

export { denseStrides, elementCount, type Shape } from "./shape.ts";

/** @param shapes those of the tensors that do not fit, where the message does not have them */
export function failShape(message: string, shapes: readonly Shape[] = []): never {
  const all = shapes.map((shape) => `[${shape.join(", ")}]`).join(" and ");
  const notes = shapes.length === 0 ? [] : [shapes.length === 1 ? `the shape is ${all}` : `the shapes are ${all}`];
  throw new HeddleError("bad-arguments", message, { notes });
}

function checkGradient(tensor: Tensor, grad: unknown): void {
  if (!(grad instanceof Tensor)) failShape(`assigned grad expected to be a Tensor or null but got ${typeof grad}`);
  if (grad === tensor) failShape("can't assign Tensor as its own grad");
  const [own, given] = [tensor.shape, grad.shape].map((shape) => `[${shape.join(", ")}]`) as [string, string];
  if (own !== given) failShape(`assigned grad has data of a different size: ${given}, and the tensor has ${own}`);
  if (grad.dtype !== tensor.dtype)
    failShape(`assigned grad has data of a different type: ${grad.dtype}, and the tensor has ${tensor.dtype}`);
  if (grad.place !== tensor.place) failShape("assigned grad has data located on a different device");
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
   * @internal Of a view that the tape knows of: the tensor that it is a part of. A change in place of one changes the
   * origin of both.
   */
  base: Tensor | null = null;
  /** @internal How often a change in place gave this tensor another origin. */
  rebased = 0;
  /** `rebased` of the base when `node` was set. */
  #seen = 0;
  #node: GradientNode | null = null;
  /** @internal A leaf whose gradient is asked for. */
  isLeafWithGradient = false;
  #grad: Tensor | null = null;
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

  /** @internal What the tape says of its origin; null: nothing asks for its gradient, or it is a leaf. */
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

  /** @internal */
  set node(node: GradientNode | null) {
    this.#node = node;
    if (this.base !== null) this.#seen = this.base.rebased;
  }

  /** @internal */
  get place(): Place {
    return this.storage.place;
  }

  get length(): number {
    return elementCount(this.shape);
  }

  get rank(): number {
    return this.shape.length;
  }

  /** @internal The address of the first element. */
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

  /** @internal */
  get requiresGradient(): boolean {
    return this.isLeafWithGradient || this.node !== null;
  }

  /** @internal */
  retain(): this {
    this.#references++;
    return this;
  }

  /** @internal */
  release(): void {
    // What was disposed inside of a scope is released once more at its end.
    if (--this.#references !== 0) return;
    this.storage.release();
    this.#node?.release();
    this.base?.release();
    this.setGradient(null);
  }

  get grad(): Tensor | null {
    return this.#grad;
  }

  /** What a user assigns. @throws HeddleError "bad-arguments" for what is no gradient of this tensor */
  set grad(grad: Tensor | null) {
    if (grad !== null) checkGradient(this, grad);
    this.setGradient(grad);
  }

  /** @internal */
  setGradient(grad: Tensor | null): void {
    currentTracer()?.gradientChanges(this);
    const previous = this.#grad;
    this.#grad = grad?.retain() ?? null;
    previous?.release();
  }

  /** The same memory, seen in another way. */
  asStrided(shape: Shape, strides: Shape, offset: number = this.offset): Tensor {
    currentTracer()?.sees(this);
    return new Tensor(this.storage, this.dtype, shape, strides, offset);
  }

  /** @internal All elements, row by row. They are a copy. */
  values(): Values {
    return gather(this);
  }

  /** @internal Replaces all elements: values row by row, which are converted. */
  setValues(values: Values): void {
    this.storage.version++;
    scatter(this, values);
  }
}

/** The same elements, off the tape. */
export function aliasOf(tensor: Tensor): Tensor {
  return tensor.asStrided(tensor.shape, tensor.strides);
}

/**
 * Releases all tensors that `work` makes, except for those that it returns: they belong to the scope around it. Of
 * asynchronous work these are the tensors from before its first `await`, and they are released when it has ended.
 */
export function scoped<T>(work: () => T): T {
  const outer = scope;
  const made: Tensor[] = [];
  scope = made;
  try {
    const result = work();
    scope = outer;
    if (result instanceof Promise) return releasedAfter(result, made) as T;
    releaseOthers(made, result, outer);
    return result;
  } catch (error) {
    scope = outer;
    for (const tensor of made) tensor.release();
    throw error;
  }
}

/** @param outer gets the tensors that are a result */
function releaseOthers(made: readonly Tensor[], result: unknown, outer: Tensor[] | null): void {
  const several = Array.isArray(result) ? new Set<unknown>(result) : null;
  for (const tensor of made) {
    if (several === null ? tensor === result : several.has(tensor)) outer?.push(tensor);
    else tensor.release();
  }
}

async function releasedAfter(waiting: Promise<unknown>, made: readonly Tensor[]): Promise<unknown> {
  let result: unknown;
  try {
    result = await waiting;
  } finally {
    releaseOthers(made, result, null);
  }
  return result;
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

/** The same elements, bit by bit, in memory of their own. */
export function copyOf(tensor: Tensor, place: Place): Tensor {
  const copy = empty(tensor.shape, tensor.dtype, place);
  copy.storage.write(0, elementMemory(tensor));
  return copy;
}
