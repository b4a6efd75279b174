/** Parts of tensors: slices as views, elements by masks and by tensors of indices. */
import { HeddleError } from "../../base/diagnostics.ts";
import { isGradEnabled, needsTape, record, withoutTape } from "../autograd/tape.ts";
import { binary, cast } from "./elementwise.ts";
import type { Operand, Scalar } from "./operands.ts";
import { expandAs, sumTo } from "./broadcasting.ts";
import { fill, full, move } from "./creation.ts";
import { coordinates, flatNonzero, nonzero } from "./searching.ts";
import { countedFromEnd, indexReplace, indexSelect } from "./selecting.ts";
import { broadcastShapes, contiguous, permute, reshape } from "./shapes.ts";
import { checkView, rebaseOrigin } from "./in-place.ts";
import { copyInto, expand } from "./copies.ts";
import { aliasOf, elementCount, empty, failShape, scoped, type Tensor } from "../tensor.ts";

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

function checkMask(mask: Tensor, dim: number, view: Tensor): void {
  if (mask.shape.some((size, d) => size !== view.shape[dim + d]))
    failShape(
      `The shape of the mask [${mask.shape.join(", ")}] at index 0 does not match the shape of the indexed tensor ` +
        `[${view.shape.join(", ")}] at index ${dim}`,
    );
}

export function getItem(tensor: Tensor, indices: readonly Index[]): Tensor {
  const part = viewOf(tensor, indices);
  const { shape: from } = tensor;
  if (part.tensors.length === 0)
    return record("SliceBackward0", part.view, [tensor], (gradient) => [placed(gradient, from, indices)]);
  const rows = rowsAt(getItem(tensor, withoutTensors(indices)), part.tensors);
  return rows.restored(indexSelect(rows.rows, 1, rows.index));
}

/** Slices of all in the place of tensors: a mask stands for several dimensions. */
function withoutTensors(indices: readonly Index[]): Index[] {
  const whole: Index = { kind: "slice", start: null, stop: null, step: 1 };
  return indices.flatMap((index) =>
    index.kind === "tensor" ? Array.from({ length: dimensionsOf(index) }, () => whole) : [index],
  );
}

/** What indices and masks choose of a view, as rows of one dimension: [outer, rows, inner]. */
interface RowsAt {
  readonly rows: Tensor;
  /** A vector: which rows. */
  readonly index: Tensor;
  /** Dimensions of the view in the order in which `rows` has them, and their sizes. */
  readonly order: readonly number[];
  readonly sizes: readonly number[];
  /** The shape of what is chosen. */
  readonly shape: readonly number[];
  /** [outer, chosen rows, inner] in that shape. */
  restored(chosen: Tensor): Tensor;
}

function rowsAt(view: Tensor, tensors: Part["tensors"]): RowsAt {
  const columns = tensors.flatMap(({ tensor: given, dim }) => {
    // Indices of the host are taken for a tensor of a device, too, as in PyTorch.
    const tensor = move(given, view.place);
    if (tensor.dtype !== "bool")
      return [{ dim, values: countedFromEnd(tensor, dim, view.shape[dim] as number), shape: tensor.shape }];
    checkMask(tensor, dim, view);
    const flat = flatPlacesOf(tensor);
    if (tensor.rank === 0) return [{ dim: -1, values: flat, shape: flat.shape }];
    return coordinates(flat, tensor.shape).map((values, d) => ({ dim: dim + d, values, shape: flat.shape }));
  });
  const dims = columns.flatMap(({ dim }) => (dim < 0 ? [] : [dim]));
  const shape = columns.map((column) => column.shape).reduce(broadcastShapes, [] as readonly number[]);
  const isAdjacent = dims.every((dim, i) => i === 0 || dim === (dims[i - 1] as number) + 1);
  const begin = isAdjacent ? (dims[0] ?? 0) : 0;
  const free = view.shape.map((_, d) => d).filter((d) => !dims.includes(d));
  const [outer, inner] = [free.filter((d) => d < begin), free.filter((d) => d >= begin)];
  const sizesOf = (of: readonly number[]): number[] => of.map((d) => view.shape[d] as number);
  const order = [...outer, ...dims, ...inner];
  let places: Tensor = cast(columns[0]?.values ?? full([], 0, "int64", view.place), "int64");
  for (const { dim, values } of columns.slice(1)) {
    const size: Scalar = { value: dim < 0 ? 1 : (view.shape[dim] as number), kind: "int" };
    places = binary("add", binary("mul", places, size), values);
  }
  const index = reshape(contiguous(expandAs(places, shape)), [-1]);
  const [before, count, after] = [sizesOf(outer), sizesOf(dims), sizesOf(inner)];
  const moved = order.every((d, i) => d === i) ? view : permute(view, order);
  return {
    rows: reshape(contiguous(moved), [elementCount(before), elementCount(count), elementCount(after)]),
    index,
    order,
    sizes: [...before, ...count, ...after],
    shape: [...before, ...shape, ...after],
    restored: (chosen) => reshape(chosen, [...before, ...shape, ...after]),
  };
}

/** The places of what is true, among the elements in their order. */
function flatPlacesOf(mask: Tensor): Tensor {
  const own = reshape(mask, [-1]);
  return flatNonzero(own) ?? reshape(nonzero(own), [-1]);
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

/** Sets elements in place. What is on the tape stays right: the tensor's old elements have no gradient there. */
export function setItem(tensor: Tensor, indices: readonly Index[], value: Operand): void {
  if (isGradEnabled() && tensor.isLeafWithGradient)
    failShape("a leaf Variable that requires grad is being used in an in-place operation.");
  const given = "value" in value ? null : value;
  const before = aliasOf(tensor);
  before.node = tensor.node?.retain() ?? null;
  if (needsTape(given === null ? [before] : [before, given])) checkView(tensor);
  const part = viewOf(tensor, indices);
  withoutTape(() =>
    scoped(() => {
      if (part.tensors.length === 0) assign(part.view, value);
      else setRows(part, value);
    }),
  );
  const inputs = given === null ? [before] : [before, given];
  if (!needsTape(inputs)) return;
  const backward = (gradient: Tensor): (Tensor | null)[] => {
    const copy = empty(gradient.shape, gradient.dtype, gradient.place);
    copyInto(copy, gradient);
    setItem(copy, indices, { value: 0, kind: "float" });
    if (given === null) return [copy];
    return [copy, cast(sumTo(getItem(gradient, indices), given.shape), given.dtype)];
  };
  const changed = aliasOf(tensor);
  rebaseOrigin(tensor, record("SetItemBackward0", changed, inputs, backward, tensorsOf(indices)));
}

/** Sets what indices and masks choose. */
function setRows({ view, tensors }: Part, value: Operand): void {
  const own = rowsAt(view, tensors);
  const { dtype, place } = view;
  const [outer, , inner] = own.rows.shape as [number, number, number];
  const chosen = [outer, own.index.length, inner];
  const given =
    "value" in value
      ? full(chosen, value.value, dtype, place)
      : reshape(contiguous(expand(cast(value.place === place ? value : move(value, place), dtype), own.shape)), chosen);
  const changed = reshape(indexReplace(own.rows, 1, own.index, given), own.sizes);
  const back = own.order.map((_, d) => own.order.indexOf(d));
  copyInto(view, permute(changed, back));
}

function assign(view: Tensor, value: Operand): void {
  if ("value" in value) fill(view, value.value);
  else copyInto(view, value);
}
