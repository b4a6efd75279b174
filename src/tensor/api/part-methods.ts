/** Methods of tensors that put elements where indices say, and that find where elements are. */
import { binary, cast } from "../operations/elementwise.ts";
import { afterChange, beforeChange } from "../operations/in-place.ts";
import { copyInto } from "../operations/copies.ts";
import * as diagonals from "../operations/diagonals.ts";
import { gatherElements, scatterAdd } from "../operations/gathering.ts";
import * as scattering from "../operations/scattering.ts";
import * as searching from "../operations/searching.ts";
import { countedFromEnd, indexAdd, indexReplace, indexSelect } from "../operations/selecting.ts";
import { expandAs } from "../operations/broadcasting.ts";
import { broadcastShapes, contiguous, dimension, reshape, transpose } from "../operations/shapes.ts";
import { triangle } from "../operations/creation.ts";
import { failShape, fromValues, Tensor, type Shape } from "../tensor.ts";
import { installMethods } from "./install.ts";

export interface UniqueOptions {
  /** Of what a dimension holds, instead of single elements. */
  readonly dim?: number;
}

export interface UniqueValues {
  readonly values: Tensor;
  /** For each element, which one of the values it is. */
  readonly inverse: Tensor;
  readonly counts: Tensor;
}

export interface ScatterReduceOptions {
  /** The elements of the tensor itself are combined, too; default true. */
  readonly includeSelf?: boolean;
}

export interface PartMethods {
  /** A copy with `alpha` times the rows of `source` added at the indices. */
  indexAdd(dim: number, index: Tensor, source: Tensor, options?: { readonly alpha?: number }): Tensor;
  indexAdd_(dim: number, index: Tensor, source: Tensor, options?: { readonly alpha?: number }): this;
  /** A copy with the rows at the indices replaced. */
  indexCopy(dim: number, index: Tensor, source: Tensor): Tensor;
  indexCopy_(dim: number, index: Tensor, source: Tensor): this;
  indexFill(dim: number, index: Tensor, value: number): Tensor;
  indexFill_(dim: number, index: Tensor, value: number): this;
  /** A copy with elements set (or, with `accumulate`, added) where tensors of indices say. */
  indexPut(indices: readonly Tensor[], values: Tensor, options?: { readonly accumulate?: boolean }): Tensor;
  /** A copy with the elements of `source` at their indices along a dimension. */
  scatter(dim: number, index: Tensor, source: Tensor | number): Tensor;
  scatter_(dim: number, index: Tensor, source: Tensor | number): this;
  scatterAdd_(dim: number, index: Tensor, source: Tensor): this;
  scatterReduce(
    dim: number,
    index: Tensor,
    source: Tensor,
    reduce: scattering.ScatterReduction,
    options?: ScatterReduceOptions,
  ): Tensor;
  /** Elements by their places in the tensor, row by row. */
  take(index: Tensor): Tensor;
  /** As gather, with shapes that broadcast; of all elements in rows if no dimension is given. */
  takeAlongDim(index: Tensor, dim?: number): Tensor;
  maskedScatter(mask: Tensor, source: Tensor): Tensor;
  maskedScatter_(mask: Tensor, source: Tensor): this;
  /** The indices of the elements that are not 0, a row for each. */
  nonzero(): Tensor;
  argwhere(): Tensor;
  /** The values in order, each once. */
  unique(options?: UniqueOptions): UniqueValues;
  uniqueConsecutive(options?: UniqueOptions): UniqueValues;
  /** How often each number from 0 on is there, or the sum of its weights. */
  bincount(options?: { readonly weights?: Tensor | null; readonly minlength?: number }): Tensor;
  histc(bins?: number, min?: number, max?: number): Tensor;
  isin(others: Tensor, options?: { readonly invert?: boolean }): Tensor;
  /** A matrix of a vector, or the diagonal of a matrix. */
  diag(offset?: number): Tensor;
  diagonal(offset?: number, dim1?: number, dim2?: number): Tensor;
  diagEmbed(offset?: number, dim1?: number, dim2?: number): Tensor;
  diagflat(offset?: number): Tensor;
  /** A view of windows of a dimension, in a new last dimension. */
  unfold(dim: number, size: number, step: number): Tensor;
  tril_(diagonal?: number): this;
  triu_(diagonal?: number): this;
  /** Each element (or what a dimension holds) several times in a row. */
  repeatInterleave(repeats: number | Tensor, dim?: number): Tensor;
  tile(...times: (number | Shape)[]): Tensor;
  /** Turned by 90° from the first dimension towards the second one, `k` times. */
  rot90(k?: number, dims?: readonly [number, number]): Tensor;
  fliplr(): Tensor;
  flipud(): Tensor;
  broadcastTo(...shape: (number | Shape)[]): Tensor;
}

declare module "../tensor.ts" {
  interface Tensor extends PartMethods {}
}

/** Makes the result, and puts it in the place of the tensor's elements. */
function inPlace(tensor: Tensor, others: readonly Tensor[], work: (before: Tensor) => Tensor): Tensor {
  const before = beforeChange(tensor, others);
  const result = cast(work(before ?? tensor.asStrided(tensor.shape, tensor.strides)), tensor.dtype);
  if (before === null) copyInto(tensor, result);
  else afterChange(tensor, result);
  return tensor;
}

/** The places that index tensors name, among the rows that they name them in; and the rows. */
function flatPlaces(tensor: Tensor, indices: readonly Tensor[]): { readonly index: Tensor; readonly shape: Shape } {
  const own = indices.flatMap((index) =>
    index.dtype === "bool"
      ? searching
          .nonzero(index)
          .unbind(1)
          .map((column) => column.contiguous())
      : [index],
  );
  const shape = own.map((index) => index.shape).reduce(broadcastShapes, []);
  let places: Tensor = fromValues(new Float64Array(1), [], "int64", tensor.place);
  for (const [d, index] of own.entries()) {
    const size = tensor.shape[d] ?? failShape(`too many indices for tensor of dimension ${tensor.rank}`);
    const positive = countedFromEnd(index, d, size);
    places = binary("add", binary("mul", places, { value: size, kind: "int" }), positive);
  }
  const index = reshape(contiguous(expandAs(places, shape)), [-1]);
  return { index, shape: [...shape, ...tensor.shape.slice(own.length)] };
}

function indexPut(tensor: Tensor, indices: readonly Tensor[], values: Tensor, accumulate: boolean): Tensor {
  const { index, shape } = flatPlaces(tensor, indices);
  const inner = shape.slice(shape.length - (tensor.rank - rankOf(indices)));
  const rows = reshape(tensor, [-1, ...inner]);
  const given = reshape(contiguous(expandAs(cast(values, tensor.dtype), shape)), [index.length, ...inner]);
  const result = accumulate ? indexAdd(rows, 0, index, given, 1) : indexReplace(rows, 0, index, given);
  return reshape(result, tensor.shape);
}

/** Dimensions that the indices stand for. */
const rankOf = (indices: readonly Tensor[]): number =>
  indices.reduce((sum, index) => sum + (index.dtype === "bool" ? index.rank : 1), 0);

function take(tensor: Tensor, index: Tensor): Tensor {
  const size = tensor.length;
  if (index.dtype !== "int64") failShape(`take(): Expected a long tensor for index, but got ${index.dtype}`);
  const flat = reshape(contiguous(countedFromEnd(index, 0, size)), [-1]);
  return reshape(indexSelect(reshape(tensor, [-1]), 0, flat), index.shape);
}

function takeAlong(tensor: Tensor, index: Tensor, dim: number | undefined): Tensor {
  if (dim === undefined) return gatherElements(reshape(tensor, [-1]), 0, reshape(index, [-1]));
  if (tensor.rank !== index.rank)
    failShape(
      `torch.take_along_dim(): input and indices should have the same number of dimensions, but got ` +
        `${tensor.rank} dimensions for input, and ${index.rank} dimensions for indices`,
    );
  const at = dimension(tensor, dim);
  const shape = broadcastShapes(tensor.shape.with(at, 1), index.shape.with(at, 1));
  const wide = (of: Tensor): Tensor => contiguous(expandAs(of, shape.with(at, of.shape[at] as number)));
  const size = tensor.shape[at] as number;
  return gatherElements(expandAs(tensor, shape.with(at, size)), at, countedFromEnd(wide(index), at, size));
}

function repeated(tensor: Tensor, repeats: number | Tensor, dim: number | undefined): Tensor {
  const own = dim === undefined ? reshape(tensor, [-1]) : tensor;
  const at = dimension(own, dim ?? 0);
  const size = own.shape[at] ?? 1;
  const counts = typeof repeats === "number" ? [repeats] : [...repeats.values()];
  if (counts.length !== 1 && counts.length !== size) failShape("repeats must have the same size as input along dim");
  if (counts.some((count) => count < 0)) failShape("repeats can not be negative");
  const places = Array.from({ length: size }, (_, i) => i).flatMap((i) =>
    Array.from({ length: (counts.length === 1 ? counts[0] : counts[i]) as number }, () => i),
  );
  return indexSelect(own, at, fromValues(Float64Array.from(places), [places.length], "int64", tensor.place));
}

function rotated(tensor: Tensor, k: number, [a, b]: readonly [number, number]): Tensor {
  if (tensor.rank < 2) failShape(`expected total dims >= 2, but got total dims = ${tensor.rank}`);
  const [p, q] = [dimension(tensor, a), dimension(tensor, b)];
  if (p === q) failShape(`expected rotation dims to be different, but got dim0 = ${a} and dim1 = ${b}`);
  const times = ((k % 4) + 4) % 4;
  if (times === 0) return tensor.clone();
  if (times === 2) return tensor.flip(p, q);
  return times === 1 ? transpose(tensor.flip(q), p, q).contiguous() : transpose(tensor.flip(p), p, q).contiguous();
}

function found({ values, inverse, counts }: searching.Unique): UniqueValues {
  return { values, inverse, counts };
}

installMethods({
  indexAdd(this: Tensor, dim: number, index: Tensor, source: Tensor, { alpha = 1 }: { alpha?: number } = {}) {
    return indexAdd(this, dim, index, source, alpha);
  },
  indexAdd_(this: Tensor, dim: number, index: Tensor, source: Tensor, { alpha = 1 }: { alpha?: number } = {}) {
    return inPlace(this, [source], (own) => indexAdd(own, dim, index, source, alpha));
  },
  indexCopy(this: Tensor, dim: number, index: Tensor, source: Tensor) {
    return indexReplace(this, dim, index, source);
  },
  indexCopy_(this: Tensor, dim: number, index: Tensor, source: Tensor) {
    return inPlace(this, [source], (own) => indexReplace(own, dim, index, source));
  },
  indexFill(this: Tensor, dim: number, index: Tensor, value: number) {
    return indexReplace(this, dim, index, null, value);
  },
  indexFill_(this: Tensor, dim: number, index: Tensor, value: number) {
    return inPlace(this, [], (own) => indexReplace(own, dim, index, null, value));
  },
  indexPut(
    this: Tensor,
    indices: readonly Tensor[],
    values: Tensor,
    { accumulate = false }: { accumulate?: boolean } = {},
  ) {
    return indexPut(this, indices, values, accumulate);
  },
  scatter(this: Tensor, dim: number, index: Tensor, source: Tensor | number) {
    return scattering.scatterElements(this, dim, index, source);
  },
  scatter_(this: Tensor, dim: number, index: Tensor, source: Tensor | number) {
    return inPlace(this, source instanceof Tensor ? [source] : [], (own) =>
      scattering.scatterElements(own, dim, index, source),
    );
  },
  scatterAdd_(this: Tensor, dim: number, index: Tensor, source: Tensor) {
    return inPlace(this, [source], (own) => scatterAdd(own, dim, index, source));
  },
  scatterReduce(
    this: Tensor,
    dim: number,
    index: Tensor,
    source: Tensor,
    reduce: scattering.ScatterReduction,
    { includeSelf = true }: ScatterReduceOptions = {},
  ) {
    return scattering.scatterReduce(this, dim, index, source, reduce, includeSelf);
  },
  take(this: Tensor, index: Tensor) {
    return take(this, index);
  },
  takeAlongDim(this: Tensor, index: Tensor, dim?: number) {
    return takeAlong(this, index, dim);
  },
  maskedScatter(this: Tensor, mask: Tensor, source: Tensor) {
    return scattering.maskedScatter(this, mask, source);
  },
  maskedScatter_(this: Tensor, mask: Tensor, source: Tensor) {
    return inPlace(this, [source], (own) => scattering.maskedScatter(own, mask, source));
  },
  nonzero(this: Tensor) {
    return searching.nonzero(this);
  },
  argwhere(this: Tensor) {
    return searching.nonzero(this);
  },
  unique(this: Tensor, { dim }: UniqueOptions = {}) {
    return found(searching.unique(this, dim ?? null, false));
  },
  uniqueConsecutive(this: Tensor, { dim }: UniqueOptions = {}) {
    return found(searching.unique(this, dim ?? null, true));
  },
  bincount(
    this: Tensor,
    { weights = null, minlength = 0 }: { readonly weights?: Tensor | null; readonly minlength?: number } = {},
  ) {
    return searching.binCount(this, weights, minlength);
  },
  histc(this: Tensor, bins = 100, min = 0, max = 0) {
    return searching.histogram(this, bins, min, max);
  },
  isin(this: Tensor, others: Tensor, { invert = false }: { invert?: boolean } = {}) {
    return searching.isIn(this, others, invert);
  },
  diag(this: Tensor, offset = 0) {
    return diagonals.diag(this, offset);
  },
  diagonal(this: Tensor, offset = 0, dim1 = 0, dim2 = 1) {
    return diagonals.diagonal(this, offset, dim1, dim2);
  },
  diagEmbed(this: Tensor, offset = 0, dim1 = -2, dim2 = -1) {
    return diagonals.diagEmbed(this, offset, dim1, dim2);
  },
  diagflat(this: Tensor, offset = 0) {
    return diagonals.diagEmbed(reshape(this, [-1]), offset, 0, 1);
  },
  unfold(this: Tensor, dim: number, size: number, step: number) {
    return diagonals.windows(this, dim, size, step);
  },
  tril_(this: Tensor, diagonal = 0) {
    return inPlace(this, [], (own) => triangle(own, diagonal, "lower"));
  },
  triu_(this: Tensor, diagonal = 0) {
    return inPlace(this, [], (own) => triangle(own, diagonal, "upper"));
  },
  repeatInterleave(this: Tensor, repeats: number | Tensor, dim?: number) {
    return repeated(this, repeats, dim);
  },
  tile(this: Tensor, ...times: (number | Shape)[]) {
    const counts = times.flatMap((own) => own);
    return this.repeat([...Array.from({ length: Math.max(0, this.rank - counts.length) }, () => 1), ...counts]);
  },
  rot90(this: Tensor, k = 1, dims: readonly [number, number] = [0, 1]) {
    return rotated(this, k, dims);
  },
  fliplr(this: Tensor) {
    if (this.rank < 2) failShape("Input must be >= 2-d.");
    return this.flip(1);
  },
  flipud(this: Tensor) {
    if (this.rank < 1) failShape("Input must be >= 1-d.");
    return this.flip(0);
  },
  broadcastTo(this: Tensor, ...shape: (number | Shape)[]) {
    return this.expand(...shape);
  },
});
