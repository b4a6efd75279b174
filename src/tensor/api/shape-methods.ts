/** Methods of tensors that see the same elements in another shape, or take parts of them. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import { expandAs } from "../operations/broadcasting.ts";
import { concatenate, narrow, triangle } from "../operations/creation.ts";
import { gatherElements, scatterAdd } from "../operations/gathering.ts";
import { getItem, setItem, type Index } from "../operations/indexing.ts";
import { indexSelect } from "../operations/selecting.ts";
import * as shapes from "../operations/shapes.ts";
import { failShape, Tensor, type Shape } from "../tensor.ts";
import { installMethods, installProperty } from "./install.ts";
import { operand, shapeOf, type TensorLike } from "./operands.ts";

/** `[start, stop, step]`, where null is the end of the dimension. */
export type Slice = readonly [start: number | null, stop: number | null, step?: number];
/**
 * What stands for one dimension in `index`: a number, a slice, null for a new dimension, "..." for all that are not
 * named, a tensor of indices or a mask.
 */
export type IndexLike = number | Slice | null | "..." | Tensor;

export interface ShapeMethods {
  /** The same memory in another shape; one size may be -1. @throws HeddleError where only a copy has this shape */
  view(...shape: (number | Shape)[]): Tensor;
  /** The same elements in another shape: a view if there is one, else a copy. */
  reshape(...shape: (number | Shape)[]): Tensor;
  flatten(start?: number, end?: number): Tensor;
  unflatten(dim: number, sizes: Shape): Tensor;
  permute(...dims: (number | Shape)[]): Tensor;
  transpose(a: number, b: number): Tensor;
  /** The transpose of a matrix. */
  t(): Tensor;
  readonly T: Tensor;
  /** The last two dimensions exchanged. */
  readonly mT: Tensor;
  movedim(from: number | Shape, to: number | Shape): Tensor;
  squeeze(dim?: number | Shape): Tensor;
  unsqueeze(dim: number): Tensor;
  /** Broadcast to a larger shape, without a copy; -1 keeps a size. */
  expand(...shape: (number | Shape)[]): Tensor;
  expandAs(other: Tensor): Tensor;
  repeat(...times: (number | Shape)[]): Tensor;
  contiguous(): Tensor;
  /** A copy with its own memory. */
  clone(): Tensor;
  /** `length` elements of a dimension, as a view. */
  narrow(dim: number, start: number | Tensor, length: number): Tensor;
  /** One index of a dimension, without the dimension. */
  select(dim: number, index: number): Tensor;
  /**
   * Parts, as Python's brackets take them: `x.index(0)`, `x.index([1, 3], null, "...")`, `x.index(mask)`.
   * Numbers and slices give views; masks and tensors of indices give copies.
   */
  index(...indices: IndexLike[]): Tensor;
  /** Sets the parts that `index` would give. */
  indexPut_(indices: readonly IndexLike[], value: TensorLike): this;
  /** Parts of at most `size` elements of a dimension, or of the sizes given. */
  split(size: number | Shape, dim?: number): Tensor[];
  chunk(chunks: number, dim?: number): Tensor[];
  unbind(dim?: number): Tensor[];
  flip(...dims: (number | Shape)[]): Tensor;
  /** Each dimension by its shift; of all elements in rows if no dimension is given. */
  roll(shifts: number | Shape, dims?: number | Shape): Tensor;
  tril(diagonal?: number): Tensor;
  triu(diagonal?: number): Tensor;
  /** Elements along a dimension at the indices, which have the result's shape. */
  gather(dim: number, index: Tensor): Tensor;
  scatterAdd(dim: number, index: Tensor, source: Tensor): Tensor;
  /** Rows (or what a dimension holds) by a tensor of indices. */
  indexSelect(dim: number, index: Tensor): Tensor;
  maskedSelect(mask: Tensor): Tensor;
}

declare module "../tensor.ts" {
  interface Tensor extends ShapeMethods {}
}

function indexOf(index: IndexLike): Index {
  if (index === null) return { kind: "new" };
  if (index === "...") return { kind: "rest" };
  if (index instanceof Tensor) return { kind: "tensor", tensor: index };
  if (typeof index === "number") return { kind: "at", index };
  if (Array.isArray(index)) {
    const [start, stop, step = 1] = index as Slice;
    return { kind: "slice", start, stop, step };
  }
  throw new HeddleError(
    "bad-arguments",
    `an index is a number, [start, stop, step], null, "..." or a tensor, not ${describeValue(index)}`,
  );
}

function splitSizes(length: number, size: number | Shape): Shape {
  if (typeof size !== "number") return size;
  return Array.from({ length: Math.max(1, Math.ceil(length / size)) }, (_, i) => Math.min(size, length - i * size));
}

function split(tensor: Tensor, size: number | Shape, dim: number): Tensor[] {
  const at = shapes.dimension(tensor, dim);
  let begin = 0;
  return splitSizes(tensor.shape[at] ?? 1, size).map((length) => {
    const part = narrow(tensor, at, begin, length);
    begin += length;
    return part;
  });
}

const all: Index = { kind: "slice", start: null, stop: null, step: 1 };

function select(tensor: Tensor, dim: number, index: number): Tensor {
  const at = shapes.dimension(tensor, dim);
  return getItem(tensor, [...Array.from({ length: at }, () => all), { kind: "at", index }]);
}

function flipped(tensor: Tensor, dim: number): Tensor {
  const parts = split(tensor, 1, dim).reverse();
  return (tensor.shape[dim] ?? 1) < 2 ? shapes.clone(tensor) : concatenate(parts, dim);
}

function rolled(tensor: Tensor, shift: number, dim: number): Tensor {
  const at = shapes.dimension(tensor, dim);
  const length = tensor.shape[at] ?? 1;
  const by = length === 0 ? 0 : ((shift % length) + length) % length;
  return by === 0
    ? shapes.clone(tensor)
    : concatenate([narrow(tensor, at, length - by, by), narrow(tensor, at, 0, length - by)], at);
}

installMethods({
  view(this: Tensor, ...shape: (number | Shape)[]) {
    return shapes.viewAs(this, shapeOf(shape));
  },
  reshape(this: Tensor, ...shape: (number | Shape)[]) {
    return shapes.reshape(this, shapeOf(shape));
  },
  flatten(this: Tensor, start = 0, end = -1) {
    if (this.rank === 0) return shapes.reshape(this, [1]);
    const [from, to] = [shapes.dimension(this, start), shapes.dimension(this, end)];
    const size = this.shape.slice(from, to + 1).reduce((product, own) => product * own, 1);
    return shapes.reshape(this, [...this.shape.slice(0, from), size, ...this.shape.slice(to + 1)]);
  },
  unflatten(this: Tensor, dim: number, sizes: Shape) {
    const at = shapes.dimension(this, dim);
    const known = sizes.reduce((product, size) => (size === -1 ? product : product * size), 1);
    const complete = sizes.map((size) => (size === -1 ? (this.shape[at] as number) / known : size));
    return shapes.reshape(this, this.shape.toSpliced(at, 1, ...complete));
  },
  permute(this: Tensor, ...dims: (number | Shape)[]) {
    return shapes.permute(this, shapeOf(dims));
  },
  transpose(this: Tensor, a: number, b: number) {
    return shapes.transpose(this, a, b);
  },
  t(this: Tensor) {
    if (this.rank > 2)
      throw new HeddleError("bad-arguments", `t() expects a tensor with <= 2 dimensions, but self is ${this.rank}D`);
    return this.rank < 2 ? this : shapes.transpose(this, 0, 1);
  },
  movedim(this: Tensor, from: number | Shape, to: number | Shape) {
    const [sources, targets] = [from, to].map((dims) =>
      (typeof dims === "number" ? [dims] : dims).map((dim) => shapes.dimension(this, dim)),
    ) as [number[], number[]];
    if (
      sources.length !== targets.length ||
      new Set(sources).size < sources.length ||
      new Set(targets).size < targets.length
    )
      failShape(`movedim: repeated or unequal dims in [${sources.join(", ")}] and [${targets.join(", ")}]`);
    const rest = this.shape.map((_, d) => d).filter((d) => !sources.includes(d));
    const order = this.shape.map((_, d) => {
      const at = targets.indexOf(d);
      return at < 0 ? (rest.shift() as number) : (sources[at] as number);
    });
    return shapes.permute(this, order);
  },
  squeeze(this: Tensor, dim?: number | Shape) {
    if (dim === undefined) return shapes.squeeze(this, null);
    return shapes.squeeze(this, typeof dim === "number" ? [dim] : dim);
  },
  unsqueeze(this: Tensor, dim: number) {
    return shapes.unsqueeze(this, dim);
  },
  expand(this: Tensor, ...shape: (number | Shape)[]) {
    return expandAs(this, shapeOf(shape));
  },
  expandAs(this: Tensor, other: Tensor) {
    return expandAs(this, other.shape);
  },
  repeat(this: Tensor, ...times: (number | Shape)[]) {
    const counts = shapeOf(times);
    const rank = counts.length;
    const own = shapes.reshape(this, [...Array.from({ length: rank - this.rank }, () => 1), ...this.shape]);
    const apart = shapes.reshape(
      own,
      own.shape.flatMap((size) => [1, size]),
    );
    const wide = expandAs(
      apart,
      own.shape.flatMap((size, d) => [counts[d] as number, size]),
    );
    return shapes.clone(
      shapes.reshape(
        wide,
        own.shape.map((size, d) => size * (counts[d] as number)),
      ),
    );
  },
  contiguous(this: Tensor) {
    return shapes.contiguous(this);
  },
  clone(this: Tensor) {
    return shapes.clone(this);
  },
  narrow(this: Tensor, dim: number, start: number | Tensor, length: number) {
    if (typeof start === "number") return narrow(this, dim, start, length);
    if (start.rank !== 0 || start.dtype === "bool" || start.isFloatingPoint)
      failShape("start must be an 0-dim integral Tensor.");
    return narrow(this, dim, Number(start.item()), length);
  },
  select(this: Tensor, dim: number, index: number) {
    return select(this, dim, index);
  },
  index(this: Tensor, ...indices: IndexLike[]) {
    return getItem(this, indices.map(indexOf));
  },
  indexPut_(this: Tensor, indices: readonly IndexLike[], value: TensorLike) {
    setItem(this, indices.map(indexOf), operand(value));
    return this;
  },
  split(this: Tensor, size: number | Shape, dim = 0) {
    return split(this, size, dim);
  },
  chunk(this: Tensor, chunks: number, dim = 0) {
    const length = this.shape[shapes.dimension(this, dim)] ?? 1;
    return split(this, Math.max(1, Math.ceil(length / chunks)), dim);
  },
  unbind(this: Tensor, dim = 0) {
    const length = this.shape[shapes.dimension(this, dim)] ?? 1;
    return Array.from({ length }, (_, index) => select(this, dim, index));
  },
  flip(this: Tensor, ...dims: (number | Shape)[]) {
    return shapeOf(dims).reduce((tensor: Tensor, dim) => flipped(tensor, shapes.dimension(tensor, dim)), this);
  },
  roll(this: Tensor, shifts: number | Shape, dims?: number | Shape) {
    const by = typeof shifts === "number" ? [shifts] : shifts;
    const over = typeof dims === "number" ? [dims] : (dims ?? []);
    if (by.length === 0) failShape("`shifts` required");
    if (over.length > 0 && this.rank === 0) failShape("Dimension specified as 0 but tensor has no dimensions");
    if (over.length === 0 && by.length === 1)
      return shapes.reshape(rolled(shapes.reshape(this, [-1]), by[0] as number, 0), this.shape);
    if (by.length !== over.length)
      failShape(`shifts and dimensions must align. shifts: ${by.length}, dims:${over.length}`);
    return over.reduce((tensor: Tensor, dim, i) => rolled(tensor, by[i] as number, dim), this);
  },
  tril(this: Tensor, diagonal = 0) {
    return triangle(this, diagonal, "lower");
  },
  triu(this: Tensor, diagonal = 0) {
    return triangle(this, diagonal, "upper");
  },
  gather(this: Tensor, dim: number, index: Tensor) {
    return gatherElements(this, dim, index);
  },
  scatterAdd(this: Tensor, dim: number, index: Tensor, source: Tensor) {
    return scatterAdd(this, dim, index, source);
  },
  indexSelect(this: Tensor, dim: number, index: Tensor) {
    return indexSelect(this, dim, index);
  },
  maskedSelect(this: Tensor, mask: Tensor) {
    if (mask.dtype !== "bool") failShape(`masked_select: expected BoolTensor for mask, but got ${mask.dtype}`);
    const shape = shapes.broadcastShapes(this.shape, mask.shape);
    const [own, holds] = [this, mask].map((of) => expandAs(of, shape).reshape(-1)) as [Tensor, Tensor];
    return getItem(own, [{ kind: "tensor", tensor: holds }]);
  },
});
installProperty("T", function own(this: Tensor) {
  return shapes.permute(this, this.shape.map((_, d) => d).reverse());
});
installProperty("mT", function own(this: Tensor) {
  return shapes.transpose(this, -2, -1);
});
