/** Where elements are: nonzero, unique, counts, places in sorted rows. */
import { withoutTape } from "../autograd/tape.ts";
import { isFloating, newValues } from "../dtypes.ts";
import { launchPlaces, launchTileCounts } from "../kernels/compaction.ts";
import { eagerKernelsFor } from "../tracing.ts";
import { requireOnePlace } from "../places.ts";
import { aliasOf, elementCount, empty, failShape, fromValues, scoped, type Shape, type Tensor } from "../tensor.ts";
import { arange, concatenate, full, narrow } from "./creation.ts";
import { binary, cast } from "./elementwise.ts";
import { int } from "./operands.ts";
import { gatherElements, scatterAdd } from "./gathering.ts";
import { cumulativeSum, sortOrder } from "./reductions.ts";
import { scatterElements } from "./scattering.ts";
import { indexSelect } from "./selecting.ts";
import { contiguous, dimension, reshape, transpose } from "./shapes.ts";

/** The indices of the elements that are not 0, a row for each. */
export function nonzero(tensor: Tensor): Tensor {
  const onDevice = placesOnDevice(tensor, tensor.shape);
  if (onDevice !== null) return onDevice;
  const values = tensor.values();
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) found.push(i);
  const { rank, shape } = tensor;
  const below = shape.map((_, d) => elementCount(shape.slice(d + 1)));
  const indices = newValues("int64", found.length * rank);
  for (const [i, at] of found.entries())
    for (let d = 0; d < rank; d++) indices[i * rank + d] = Math.floor(at / (below[d] as number)) % (shape[d] as number);
  return fromValues(indices, [found.length, rank], "int64", tensor.place);
}

/** The places of the elements that are not 0, in their order, found on the device. Null: the host does it. */
export function flatNonzero(tensor: Tensor): Tensor | null {
  const found = placesOnDevice(tensor, [tensor.length]);
  return found === null ? null : reshape(found, [-1]);
}

/** Their indices as those of `shape`, a row for each: only their number is read from the device. */
function placesOnDevice(tensor: Tensor, shape: Shape): Tensor | null {
  const { length, place } = tensor;
  const device = eagerKernelsFor(place, length);
  if (tensor.rank === 0 || device === null) return null;
  return withoutTape(() =>
    scoped(() => {
      const flat = contiguous(reshape(aliasOf(tensor), [-1]));
      // Floats of 8 bits are not compared as they are.
      const counts = launchTileCounts(device, flat.dtype.startsWith("float8") ? binary("ne", flat, int(0)) : flat);
      const { running } = counts;
      const count = narrow(running, 0, running.length - 1, 1).values()[0] as number;
      const found = empty([count, shape.length], "int64", place);
      if (count > 0) launchPlaces(device, counts, shape, found);
      return found;
    }),
  );
}

/** For each dimension the indices of places among the rows of a shape. */
export function coordinates(flat: Tensor, shape: Shape): Tensor[] {
  if (shape.length === 1) return [flat];
  return shape.map((size, d) => {
    const below = elementCount(shape.slice(d + 1));
    return cast(binary("remainder", binary("floor_divide", flat, int(below)), int(size)), "int64");
  });
}

/** The distinct elements by sorting on the device; only their number is read. Null: the host does it. */
function uniqueOnDevice(tensor: Tensor, isConsecutive: boolean): Unique | null {
  const { length, place, shape } = tensor;
  if (length === 0 || eagerKernelsFor(place, length) === null) return null;
  const own = reshape(aliasOf(tensor), [-1]);
  const order = isConsecutive ? arange(0, length, 1, "int64", place) : sortOrder(own, 0, false);
  const sorted = isConsecutive ? own : gatherElements(own, 0, order);
  const isNew = concatenate(
    [
      full([1], 1, "bool", place),
      ...(length === 1 ? [] : [binary("ne", narrow(sorted, 0, 1, length - 1), narrow(sorted, 0, 0, length - 1))]),
    ],
    0,
  );
  const values = indexSelect(sorted, 0, flatNonzero(isNew) ?? reshape(nonzero(isNew), [-1]));
  const rank = binary("sub", cumulativeSum(cast(isNew, "int64"), 0), int(1));
  const inverse = scatterElements(full([length], 0, "int64", place), 0, order, rank);
  const ones = full([length], 1, "int64", place);
  const counts = scatterAdd(full([values.length], 0, "int64", place), 0, rank, ones);
  return { values, inverse: reshape(inverse, shape), counts };
}

export interface Unique {
  readonly values: Tensor;
  /** For each element (or what a dimension holds), which one of the values it is. */
  readonly inverse: Tensor;
  readonly counts: Tensor;
}

/** @param isConsecutive only neighbours are compared */
export function unique(tensor: Tensor, dim: number | null, isConsecutive: boolean): Unique {
  const { dtype, place } = tensor;
  const at = dim === null ? 0 : dimension(tensor, dim);
  const found = dim === null ? withoutTape(() => uniqueOnDevice(tensor, isConsecutive)) : null;
  if (found !== null) return found;
  const own = dim === null || tensor.rank === 0 ? reshape(tensor, [-1, 1]) : transpose(tensor, 0, at);
  const length = own.shape[0] as number;
  const width = elementCount(own.shape.slice(1));
  const values = own.values();
  const compare = (a: number, b: number): number => {
    for (let k = 0; k < width; k++) {
      const [x, y] = [values[a * width + k] as number, values[b * width + k] as number];
      // NaN is the greatest; several of them keep their order.
      if (x !== y && (x === x || y === y)) return x < y || y !== y ? -1 : 1;
    }
    return 0;
  };
  const order = Array.from({ length }, (_, i) => i);
  if (!isConsecutive) order.sort((a, b) => compare(a, b) || a - b);
  const firsts: number[] = [];
  const counts: number[] = [];
  const inverse = newValues("int64", length);
  for (const [i, row] of order.entries()) {
    if (i === 0 || compare(order[i - 1] as number, row) !== 0 || hasNaN(values, row, width)) {
      firsts.push(row);
      counts.push(0);
    }
    counts[counts.length - 1] = (counts.at(-1) as number) + 1;
    inverse[row] = firsts.length - 1;
  }
  const kept = newValues(dtype, firsts.length * width);
  for (const [i, row] of firsts.entries())
    for (let k = 0; k < width; k++) kept[i * width + k] = values[row * width + k] as number;
  const flat = fromValues(kept, [firsts.length, ...own.shape.slice(1)], dtype, place);
  const isFlat = dim === null || tensor.rank === 0;
  const result = isFlat ? reshape(flat, [-1]) : transpose(flat, 0, at);
  return {
    values: isFlat ? result : fromValues(result.values(), result.shape, dtype, place),
    inverse: fromValues(inverse, dim === null ? tensor.shape : [length], "int64", place),
    counts: fromValues(Float64Array.from(counts), [counts.length], "int64", place),
  };
}

function hasNaN(values: ArrayLike<number>, row: number, width: number): boolean {
  for (let k = 0; k < width; k++) if (values[row * width + k] !== values[row * width + k]) return true;
  return false;
}

/** How often each number from 0 on is there, or the sum of its weights. */
export function binCount(tensor: Tensor, weights: Tensor | null, least: number): Tensor {
  if (tensor.rank !== 1 || isFloating(tensor.dtype) || tensor.values().some((value) => value < 0))
    failShape("bincount only supports 1-d non-negative integral inputs.");
  if (least < 0) failShape("minlength should be >= 0");
  if (weights !== null) requireOnePlace([tensor, weights]);
  if (weights !== null && (weights.rank !== 1 || weights.length !== tensor.length))
    failShape("weights should be 1-d and have the same length as input");
  const values = tensor.values();
  const own = weights?.values() ?? null;
  let length = least;
  for (const value of values) length = Math.max(length, value + 1);
  const counts = new Float64Array(length);
  for (const [i, value] of values.entries())
    counts[value] = (counts[value] as number) + (own === null ? 1 : (own[i] as number));
  const wide = weights?.dtype === "float32" ? "float32" : "float64";
  return fromValues(counts, [length], weights === null ? "int64" : wide, tensor.place);
}

/** Counts of elements in equal parts of [least, greatest]; equal bounds: those of the elements. */
export function histogram(tensor: Tensor, bins: number, least: number, greatest: number): Tensor {
  if (bins <= 0) failShape("bins must be > 0");
  const values = tensor.values();
  let [low, high] = [least, greatest];
  if (low === high) [low, high] = [Math.min(...values), Math.max(...values)];
  if (values.length === 0) [low, high] = [0, 0];
  if (low === high) [low, high] = [low - 1, high + 1];
  if (!Number.isFinite(low) || !Number.isFinite(high)) failShape(`range of [${low}, ${high}] is not finite`);
  if (low > high) failShape("max must be larger than min");
  const counts = new Float64Array(bins);
  for (const value of values) {
    if (!(value >= low && value <= high)) continue;
    const bin = Math.min(bins - 1, Math.floor(((value - low) / (high - low)) * bins));
    counts[bin] = (counts[bin] as number) + 1;
  }
  return fromValues(counts, [bins], tensor.dtype, tensor.place);
}

/** For each value, before which element of its sorted row it belongs. @param isRight behind equal ones */
export function searchSorted(sorted: Tensor, values: Tensor, isRight: boolean): Tensor {
  requireOnePlace([sorted, values]);
  const isShared = sorted.rank === 1;
  const outer = (shape: Shape): string => shape.slice(0, -1).join();
  if (sorted.rank === 0)
    failShape("torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1");
  if (!isShared && (values.rank !== sorted.rank || outer(values.shape) !== outer(sorted.shape)))
    failShape(
      `torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of ` +
        `boundaries tensor ` +
        `and input value tensor must match, but we got boundaries tensor [${sorted.shape.join(", ")}] and ` +
        `input value ` +
        `tensor [${values.shape.join(", ")}]`,
    );
  const [rows, keys] = [sorted.values(), values.values()];
  const size = sorted.shape.at(-1) as number;
  const width = isShared ? keys.length : (values.shape.at(-1) as number);
  const places = newValues("int64", keys.length);
  for (let i = 0; i < keys.length; i++) {
    const begin = isShared ? 0 : Math.floor(i / width) * size;
    const key = keys[i] as number;
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >> 1;
      const own = rows[begin + middle] as number;
      const isBefore = isRight ? !(own > key) : !(own >= key);
      if (key !== key ? own === own || isRight : isBefore) low = middle + 1;
      else high = middle;
    }
    places[i] = low;
  }
  return fromValues(places, values.shape, "int64", values.place);
}

/** Whether each element is one of the others. */
export function isIn(tensor: Tensor, others: Tensor, isInverted: boolean): Tensor {
  const known = new Set(others.values());
  const found = Float64Array.from(
    tensor.values(),
    (value) => Number(known.has(value) && value === value) ^ Number(isInverted),
  );
  return cast(fromValues(found, tensor.shape, "bool", tensor.place), "bool");
}
