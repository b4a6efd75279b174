/** Parts of tensors: slices as views, elements by masks and by tensors of indices. */
import { HeddleError } from "../../base/diagnostics.ts";
import { record } from "../autograd/tape.ts";
import { newValues, type Values } from "../dtypes.ts";
import { cast, type Operand } from "./elementwise.ts";
import { fill, full } from "./creation.ts";
import { copyInto, expand } from "./copies.ts";
import { elementCount, empty, failShape, fromValues, type Tensor } from "../tensor.ts";

/** What stands for a dimension: an index, a slice, a new dimension, the rest, or indices and masks. */
export type Index =
  | { readonly kind: "at"; readonly index: number }
  | { readonly kind: "slice"; readonly start: number | null; readonly stop: number | null; readonly step: number }
  | { readonly kind: "new" }
  | { readonly kind: "rest" }
  | { readonly kind: "tensor"; readonly tensor: Tensor };

const dimensionsOf = (index: Index): number => {
  if (index.kind === "new" || index.kind === "rest") return 0;
  return index.kind === "tensor" && index.tensor.dtype === "bool" ? index.tensor.rank : 1;
};

interface Part {
  readonly view: Tensor;
  /** Masks and indices, each with the first dimension of the view that it replaces. */
  readonly tensors: readonly { readonly tensor: Tensor; readonly dim: number }[];
}

function viewOf(tensor: Tensor, indices: readonly Index[]): Part {
  const used = indices.reduce((sum, index) => sum + dimensionsOf(index), 0);
  if (used > tensor.rank) failShape(`too many indices for tensor of dimension ${tensor.rank}`);
  const rest: Index[] = Array.from({ length: tensor.rank - used }, () => ({
    kind: "slice",
    start: null,
    stop: null,
    step: 1,
  }));
  const at = indices.findIndex(({ kind }) => kind === "rest");
  const complete = at < 0 ? [...indices, ...rest] : [...indices.slice(0, at), ...rest, ...indices.slice(at + 1)];
  const [shape, strides]: [number[], number[]] = [[], []];
  const tensors: { tensor: Tensor; dim: number }[] = [];
  let offset = tensor.offset;
  let d = 0;
  for (const index of complete) {
    const [size, stride] = [tensor.shape[d] ?? 1, tensor.strides[d] ?? 0];
    switch (index.kind) {
      case "new":
        shape.push(1);
        strides.push(0);
        break;
      case "at": {
        const own = index.index < 0 ? index.index + size : index.index;
        if (own < 0 || own >= size)
          throw new HeddleError(
            "bad-arguments",
            `index ${index.index} is out of bounds for dimension ${d} with size ${size}`,
          );
        offset += own * stride;
        d++;
        break;
      }
      case "slice": {
        if (index.step <= 0) failShape("step must be greater than zero");
        const clamp = (value: number): number => Math.max(0, Math.min(size, value < 0 ? value + size : value));
        const start = clamp(index.start ?? 0);
        const stop = Math.max(start, clamp(index.stop ?? size));
        offset += start * stride;
        shape.push(Math.ceil((stop - start) / index.step));
        strides.push(stride * index.step);
        d++;
        break;
      }
      case "tensor":
        tensors.push({ tensor: index.tensor, dim: shape.length });
        for (let i = 0; i < dimensionsOf(index); i++, d++) {
          shape.push(tensor.shape[d] as number);
          strides.push(tensor.strides[d] as number);
        }
        break;
      case "rest":
        break;
    }
  }
  return { view: tensor.asStrided(shape, strides, offset), tensors };
}

/** Where the chosen elements are among the view's, row by row, and the shape of what is chosen. */
function positions({ view, tensors }: Part): { at: Float64Array; shape: number[] } {
  const [first] = tensors;
  if (first === undefined) throw new RangeError("no indices");
  const columns = tensors.flatMap(({ tensor, dim }) => columnsOf(tensor, dim, view));
  const dims = columns.map(({ dim }) => dim);
  const length = Math.max(...columns.map(({ values }) => values.length));
  const shape = columns.find(({ values }) => values.length === length)?.shape ?? [];
  if (columns.some(({ values }) => values.length !== length && values.length !== 1))
    failShape("shape mismatch: indexing tensors could not be broadcast together");
  const isAdjacent = dims.every((dim, i) => i === 0 || dim === (dims[i - 1] as number) + 1);
  const begin = isAdjacent ? (dims[0] as number) : 0;
  const free = view.shape.map((_, d) => d).filter((d) => !dims.includes(d));
  const [outer, inner] = [free.filter((d) => d < begin), free.filter((d) => d >= begin)];
  const dense = view.shape.map((_, d) => elementCount(view.shape.slice(d + 1)));
  const offsets = (of: readonly number[]): number[] =>
    of.reduce<number[]>(
      (all, d) =>
        all.flatMap((base) =>
          Array.from({ length: view.shape[d] as number }, (_, i) => base + i * (dense[d] as number)),
        ),
      [0],
    );
  const [outerAt, innerAt] = [offsets(outer), offsets(inner)];
  const at = new Float64Array(outerAt.length * length * innerAt.length);
  let to = 0;
  for (const base of outerAt)
    for (let i = 0; i < length; i++) {
      let own = base;
      for (const { values, dim } of columns)
        own += (values[values.length === 1 ? 0 : i] as number) * (dense[dim] as number);
      for (const last of innerAt) at[to++] = own + last;
    }
  const sizes = (of: readonly number[]): number[] => of.map((d) => view.shape[d] as number);
  return { at, shape: [...sizes(outer), ...shape, ...sizes(inner)] };
}

interface Column {
  readonly values: Values;
  readonly dim: number;
  readonly shape: readonly number[];
}

/** The indices of each dimension that an index tensor stands for; a mask's are where it holds. */
function columnsOf(tensor: Tensor, dim: number, view: Tensor): Column[] {
  const values = tensor.values();
  if (tensor.dtype !== "bool") {
    const size = view.shape[dim] as number;
    for (const [i, value] of values.entries()) {
      if (value < -size || value >= size)
        throw new HeddleError(
          "bad-arguments",
          `index ${value} is out of bounds for dimension ${dim} with size ${size}`,
        );
      if (value < 0) values[i] = value + size;
    }
    return [{ values, dim, shape: tensor.shape }];
  }
  if (tensor.shape.some((size, d) => size !== view.shape[dim + d]))
    failShape(
      `The shape of the mask [${tensor.shape.join(", ")}] at index 0 does not match the shape of the indexed tensor ` +
        `[${view.shape.join(", ")}] at index ${dim}`,
    );
  const chosen: number[] = [];
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) chosen.push(i);
  return tensor.shape.map((size, d) => {
    const below = elementCount(tensor.shape.slice(d + 1));
    return {
      values: Float64Array.from(chosen, (i) => Math.floor(i / below) % size),
      dim: dim + d,
      shape: [chosen.length],
    };
  });
}

export function getItem(tensor: Tensor, indices: readonly Index[]): Tensor {
  const part = viewOf(tensor, indices);
  const { shape: from } = tensor;
  if (part.tensors.length === 0)
    return record("SliceBackward0", part.view, [tensor], (gradient) => [placed(gradient, from, indices)]);
  const { at, shape } = positions(part);
  const all = part.view.values();
  const values = newValues(tensor.dtype, at.length);
  for (let i = 0; i < at.length; i++) values[i] = all[at[i] as number] as number;
  const result = fromValues(values, shape, tensor.dtype, tensor.place);
  return record(
    "IndexBackward0",
    result,
    [tensor],
    (gradient) => [added(gradient, from, indices, at)],
    tensorsOf(indices),
  );
}

function tensorsOf(indices: readonly Index[]): Tensor[] {
  return indices.flatMap((index) => (index.kind === "tensor" ? [index.tensor] : []));
}

/** Zeros of this shape, with the elements of `part` where the indices say. */
function placed(part: Tensor, shape: readonly number[], indices: readonly Index[]): Tensor {
  const all = full(shape, 0, part.dtype, part.place);
  copyInto(viewOf(all, indices).view, part);
  return record("PlaceBackward0", all, [part], (gradient) => [getItem(gradient, indices)]);
}

/** Zeros of this shape, to which the elements of `part` are added where the indices say. */
function added(part: Tensor, shape: readonly number[], indices: readonly Index[], at: Float64Array): Tensor {
  const all = full(shape, 0, part.dtype, part.place);
  const { view } = viewOf(all, indices);
  const sums = Float64Array.from(view.values());
  const given = part.values();
  for (let i = 0; i < at.length; i++) sums[at[i] as number] = (sums[at[i] as number] as number) + (given[i] as number);
  view.setValues(sums);
  return record("IndexPutBackward0", all, [part], (gradient) => [getItem(gradient, indices)], tensorsOf(indices));
}

/** Sets elements in place. What is on the tape stays right: the tensor's old elements have no gradient there. */
export function setItem(tensor: Tensor, indices: readonly Index[], value: Operand): void {
  if (tensor.isLeafWithGradient)
    failShape("a leaf Variable that requires grad is being used in an in-place operation.");
  const before = tensor.node === null ? null : tensor.asStrided(tensor.shape, tensor.strides);
  if (before !== null) before.node = tensor.node?.retain() ?? null;
  if (!("value" in value) && value.requiresGradient)
    failShape("gradients of what is assigned to a part of a tensor are not supported yet by heddle");
  const part = viewOf(tensor, indices);
  if (part.tensors.length === 0) assign(part.view, value);
  else {
    const { at, shape } = positions(part);
    const values = part.view.values();
    const given = "value" in value ? null : expand(value, shape).values();
    for (let i = 0; i < at.length; i++)
      values[at[i] as number] = "value" in value ? value.value : ((given as Values)[i] as number);
    part.view.setValues(values);
  }
  if (before === null) return;
  tensor.node?.release();
  tensor.node = null;
  record(
    "SetItemBackward0",
    tensor,
    [before],
    (gradient) => {
      const copy = fromValues(gradient.values(), gradient.shape, gradient.dtype, gradient.place);
      setItem(copy, indices, { value: 0, kind: "float" });
      return [copy];
    },
    tensorsOf(indices),
  );
}

function assign(view: Tensor, value: Operand): void {
  if ("value" in value) fill(view, value.value);
  else view.setValues(expand(cast(value, view.dtype), view.shape).values());
}

/** Elements along a dimension at the indices, which have the result's shape. */
export function gather(tensor: Tensor, dim: number, index: Tensor): Tensor {
  const [from, at] = [tensor.values(), index.values()];
  const strides = tensor.shape.map((_, d) => elementCount(tensor.shape.slice(d + 1)));
  const own = index.shape.map((_, d) => elementCount(index.shape.slice(d + 1)));
  const result = empty(index.shape, tensor.dtype, tensor.place);
  const values = newValues(tensor.dtype, at.length);
  for (let i = 0; i < at.length; i++) {
    let place = (at[i] as number) * (strides[dim] as number);
    for (const [d, size] of index.shape.entries())
      if (d !== dim) place += (Math.floor(i / (own[d] as number)) % size) * (strides[d] as number);
    values[i] = from[place] as number;
  }
  result.setValues(values);
  return result;
}
