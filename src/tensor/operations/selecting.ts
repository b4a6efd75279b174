/** Whole rows (or what a dimension holds) by a tensor of indices: selecting, and adding, which is its transpose. */
import { HeddleError } from "../../base/diagnostics.ts";
import { record } from "../autograd/tape.ts";
import { newValues, type Values } from "../dtypes.ts";
import { launchIndexAdd, launchIndexReplace, launchIndexSelect } from "../kernels/indexing.ts";
import { kernelsFor } from "../kernels/tensor-device.ts";
import { eagerKernelsFor, traceable } from "../tracing.ts";
import { aliasOf, elementCount, empty, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import { full } from "./creation.ts";
import { binary, cast, where } from "./elementwise.ts";
import { float, int } from "./operands.ts";
import { clone, dimension, reshape } from "./shapes.ts";

/** The indices, which are checked. @throws HeddleError "bad-arguments" */
export function checkedIndices(index: Tensor, dim: number, size: number, what: string): Values {
  if (index.dtype !== "int64" && index.dtype !== "int32")
    failShape(`${what}(): Expected dtype int32 or int64 for index, but got ${index.dtype}`);
  const values = index.values();
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < 0 || value >= size)
      throw new HeddleError("bad-arguments", `index ${value} is out of bounds for dimension ${dim} with size ${size}`, {
        notes: [`${what} was given it as element ${i} of its index`],
      });
  }
  return values;
}

/** Indices from 0 on; negative ones count from the end. What is out of range stays so, and is found by a kernel. */
export function countedFromEnd(index: Tensor, dim: number, size: number): Tensor {
  const own = cast(index, "int64");
  if (kernelsFor(index.place, index.length) !== null) {
    const isBelow = binary("lt", own, int(0));
    const counted = where(isBelow, binary("add", own, int(size)), own);
    // One that is out of range in this dimension must not lead to another row.
    const isInside = binary("logical_and", binary("ge", counted, int(0)), binary("lt", counted, int(size)));
    return cast(where(isInside, counted, int(FAR)), "int64");
  }
  const values = own.values();
  for (const [i, value] of values.entries()) {
    if (value < -size || value >= size)
      throw new HeddleError("bad-arguments", `index ${value} is out of bounds for dimension ${dim} with size ${size}`);
    if (value < 0) values[i] = value + size;
  }
  return fromValues(values, index.shape, "int64", index.place);
}

/** An index that is out of range in every sum of places. */
const FAR = -(2 ** 46);

function rowsOf(shape: Shape, at: number): [outer: number, size: number, inner: number] {
  return [elementCount(shape.slice(0, at)), shape[at] ?? 1, elementCount(shape.slice(at + 1))];
}

function checkIndex(index: Tensor, what: string): void {
  if (index.rank > 1) failShape(`${what}(): Index is supposed to be a vector, not [${index.shape.join(", ")}]`);
}

/** What a dimension holds at the indices, a vector or a single one. */
export function indexSelect(tensor: Tensor, dim: number, index: Tensor): Tensor {
  checkIndex(index, "index_select");
  const at = dimension(tensor, dim);
  const { shape, dtype, place } = tensor;
  const to = tensor.rank === 0 ? [] : shape.with(at, index.length);
  const result = traceable(
    "index_select",
    [tensor, index],
    () => empty(to, dtype, place),
    ([from, own]) => launchIndexSelect(from as Tensor, at, own as Tensor, to) ?? onHost(from as Tensor, own as Tensor),
  );
  return record(
    "IndexSelectBackward0",
    result,
    [tensor],
    (gradient) => [indexAdd(full(shape, 0, dtype, place), at, index, gradient, 1)],
    [index],
  );

  function onHost(given: Tensor, own: Tensor): Tensor {
    const [outer, size, inner] = rowsOf(shape, at);
    const indices = checkedIndices(own, at, size, "index_select");
    const from = given.values();
    const values = newValues(dtype, outer * indices.length * inner);
    let next = 0;
    for (let o = 0; o < outer; o++)
      for (const i of indices) {
        const begin = (o * size + i) * inner;
        for (let k = 0; k < inner; k++) values[next++] = from[begin + k] as number;
      }
    return fromValues(values, to, dtype, given.place);
  }
}

/** A copy of `tensor` with alpha times the rows of `source` added at the indices, in their order. */
export function indexAdd(tensor: Tensor, dim: number, index: Tensor, source: Tensor, alpha: number): Tensor {
  checkIndex(index, "index_add");
  const at = dimension(tensor, dim);
  const { shape, dtype, place } = tensor;
  if (source.dtype !== dtype)
    failShape(`index_add_(): self (${dtype}) and source (${source.dtype}) must have the same scalar type`);
  const expected = tensor.rank === 0 ? [] : shape.with(at, index.length);
  if (source.rank !== expected.length || source.shape.some((size, d) => size !== expected[d]))
    failShape(
      `index_add_(): the source has the shape [${source.shape.join(", ")}], where self of shape ` +
        `[${shape.join(", ")}] ` +
        `and ${index.length} indices ask for [${expected.join(", ")}]`,
    );
  const result = traceable(
    "index_add",
    [tensor, index, source],
    () => empty(shape, dtype, place),
    (given) => {
      const [sums, own, added] = given as [Tensor, Tensor, Tensor];
      return launchIndexAdd(sums, at, own, added, alpha) ?? onHost(sums, own, added);
    },
  );
  return record(
    "IndexAddBackward0",
    result,
    [tensor, source],
    (gradient) => [gradient, scaled(indexSelect(gradient, at, index), alpha)],
    [index],
  );

  function onHost(to: Tensor, own: Tensor, added: Tensor): Tensor {
    const [outer, size, inner] = rowsOf(shape, at);
    const indices = checkedIndices(own, at, size, "index_add");
    const sums = Float64Array.from(to.values());
    const from = added.values();
    let next = 0;
    for (let o = 0; o < outer; o++)
      for (const i of indices) {
        const begin = (o * size + i) * inner;
        for (let k = 0; k < inner; k++)
          sums[begin + k] = (sums[begin + k] as number) + alpha * (from[next++] as number);
      }
    return fromValues(sums, shape, dtype, to.place);
  }
}

function scaled(tensor: Tensor, alpha: number): Tensor {
  return alpha === 1 ? tensor : binary("mul", tensor, float(alpha));
}

/** A copy with the rows at the indices replaced by those of `source`; null: by `value`. */
export function indexReplace(tensor: Tensor, dim: number, index: Tensor, source: Tensor | null, value = 0): Tensor {
  checkIndex(index, source === null ? "index_fill" : "index_copy");
  const at = dimension(tensor, dim);
  const { shape, dtype, place } = tensor;
  if (source !== null) {
    const expected = tensor.rank === 0 ? [] : shape.with(at, index.length);
    if (source.dtype !== dtype)
      failShape(
        `index_copy_(): self and source expected to have the same dtype, but got (self) ${dtype} and ` +
          `(source) ${source.dtype}`,
      );
    if (source.length !== elementCount(expected) || source.shape.some((own, d) => own !== (expected[d] ?? 1)))
      failShape(
        `index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: ` +
          `[${expected.join(", ")}] at dimension ${at} and source slice shape: [${source.shape.join(", ")}]`,
      );
  }
  const expected = tensor.rank === 0 ? [] : shape.with(at, index.length);
  const given = (): Tensor =>
    source === null ? full(expected, Number(value), dtype, place) : reshapeTo(aliasOf(source), expected);
  const isOnDevice = eagerKernelsFor(place, elementCount(expected)) !== null;
  const result = (isOnDevice ? launchIndexReplace(tensor, at, index, given()) : null) ?? onHost();
  return record(
    "IndexReplaceBackward0",
    result,
    source === null ? [tensor] : [tensor, source],
    (gradient) => [
      indexReplace(gradient, at, index, null, 0),
      ...(source === null ? [] : [reshapeTo(indexSelect(gradient, at, index), source.shape)]),
    ],
    [index],
  );

  function onHost(): Tensor {
    const [outer, size, inner] = rowsOf(shape, at);
    const indices = checkedIndices(index, at, size, source === null ? "index_fill" : "index_copy");
    const values = tensor.values();
    const from = source?.values() ?? null;
    let next = 0;
    for (let o = 0; o < outer; o++)
      for (const i of indices) {
        const begin = (o * size + i) * inner;
        for (let k = 0; k < inner; k++, next++) values[begin + k] = from === null ? value : (from[next] as number);
      }
    return fromValues(values, shape, dtype, place);
  }
}

const reshapeTo = (tensor: Tensor, shape: Shape): Tensor =>
  tensor.rank === shape.length ? tensor : reshape(clone(tensor), shape);
