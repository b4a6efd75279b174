/** Running results along a dimension, and elements by their order in it. */
import { record } from "../autograd/tape.ts";
import { isFloating, newValues, type TensorDtype, type Values } from "../dtypes.ts";
import { aliasOf, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import { concatenate, narrow } from "./creation.ts";
import { binary, cast, unary, where } from "./elementwise.ts";
import { float, int } from "./operands.ts";
import { gatherElements } from "./gathering.ts";
import { cumulativeSum, mapRows, reduce, sortOrder } from "./reductions.ts";
import { orderOnDevice, runningOnDevice } from "./row-scans.ts";
import { indexSelect } from "./selecting.ts";
import { dimension, reshape, squeeze } from "./shapes.ts";

export interface Picked {
  readonly values: Tensor;
  readonly indices: Tensor;
}

/** The elements of a dimension from the last to the first. */
export function reversed(tensor: Tensor, dim: number): Tensor {
  if (tensor.rank === 0) return tensor;
  const at = dimension(tensor, dim);
  const size = tensor.shape[at] as number;
  const places = Float64Array.from({ length: size }, (_, i) => size - 1 - i);
  return indexSelect(tensor, at, fromValues(places, [size], "int64", tensor.place));
}

/** For each element the sum of it and all behind it. */
const sumBehind = (tensor: Tensor, dim: number): Tensor => reversed(cumulativeSum(reversed(tensor, dim), dim), dim);

export function cumulativeProduct(tensor: Tensor, dim: number): Tensor {
  const at = dimension(tensor, dim);
  const dtype: TensorDtype = isFloating(tensor.dtype) ? tensor.dtype : "int64";
  const result =
    runningOnDevice(tensor, at, "prod", dtype)?.values ??
    mapRows(aliasOf(tensor), at, dtype, (from, to, begin, end) => {
      let product = 1;
      for (let i = begin; i < end; i++) to[i] = product *= from[i] as number;
    });
  if (!isFloating(dtype)) return result;
  return record(
    "CumprodBackward0",
    result,
    [tensor],
    (gradient) => {
      if (!tensor.values().includes(0)) {
        const sums = sumBehind(binary("mul", gradient, cumulativeProduct(tensor, at)), at);
        return [binary("div", sums, tensor)];
      }
      // Beside a zero the product of the others is not a quotient: each element is left out in turn.
      const size = tensor.shape[at] as number;
      const parts = Array.from({ length: size }, (_, i) => {
        const mask = onePlace(tensor, at, i);
        const others = cumulativeProduct(where(mask, float(1), tensor), at);
        return reduce(
          "sum",
          binary("mul", narrow(gradient, at, i, size - i), narrow(others, at, i, size - i)),
          [at],
          true,
        );
      });
      return [tensor.rank === 0 ? gradient : concatenate(parts, at)];
    },
    [tensor],
  );
}

/** True at one index of a dimension. */
function onePlace(tensor: Tensor, dim: number, index: number): Tensor {
  const size = tensor.shape[dim] ?? 1;
  const values = Float64Array.from({ length: size }, (_, i) => Number(i === index));
  const shape = tensor.shape.map((_, d) => (d === dim ? size : 1));
  return fromValues(values, shape, "bool", tensor.place);
}

export function cumulativeExtreme(tensor: Tensor, dim: number, isGreatest: boolean): Picked {
  const found = runningOnDevice(tensor, dim, isGreatest ? "max" : "min", tensor.dtype)?.indices ?? onHost();
  return { values: gatherElements(tensor, dim, found), indices: found };

  function onHost(): Tensor {
    return mapRows(aliasOf(tensor), dim, "int64", (from, to, begin, end) => {
      let best = begin;
      for (let i = begin; i < end; i++) {
        const [value, most] = [from[i] as number, from[best] as number];
        const isBetter = value !== value || (most === most && (isGreatest ? value >= most : value <= most));
        if (isBetter) best = i;
        to[i] = best - begin;
      }
    });
  }
}

export function cumulativeLogSumExp(tensor: Tensor, dim: number): Tensor {
  const at = dimension(tensor, dim);
  if (!isFloating(tensor.dtype)) failShape(`"logcumsumexp_out_cpu" not implemented for '${tensor.dtype}'`);
  const result =
    runningOnDevice(tensor, at, "logsumexp", tensor.dtype)?.values ??
    mapRows(aliasOf(tensor), at, tensor.dtype, (from, to, begin, end) => {
      let [most, sum] = [-Infinity, 0];
      for (let i = begin; i < end; i++) {
        const x = from[i] as number;
        if (x > most) {
          sum = sum * Math.exp(most - x) + 1;
          most = x;
        } else if (x === most && Math.abs(x) === Infinity) sum = x > 0 ? Math.max(1, sum) : 0;
        else sum += Math.exp(x - most);
        to[i] = most === -Infinity && sum === 0 ? -Infinity : most + Math.log(sum);
      }
    });
  return record(
    "LogcumsumexpBackward0",
    result,
    [tensor],
    (gradient) => {
      // In double precision, with a shift, so that exponentials of both signs fit.
      const [x, g] = [cast(tensor, "float64"), cast(gradient, "float64")];
      const y = cumulativeLogSumExp(x, at);
      const top = tensor.rank === 0 ? aliasOf(y) : reduce("amax", aliasOf(y), [at], true);
      const sums = sumBehind(binary("mul", g, unary("exp", binary("sub", top, y))), at);
      return [cast(binary("mul", unary("exp", binary("sub", x, top)), sums), tensor.dtype)];
    },
    [tensor],
  );
}

/** Differences of neighbours, `n` times. */
export function differences(tensor: Tensor, n: number, dim: number): Tensor {
  if (tensor.rank === 0) failShape("diff expects input to be at least one-dimensional");
  if (n < 0) failShape(`order must be non-negative but got ${n}`);
  const at = dimension(tensor, dim);
  let result = tensor;
  for (let i = 0; i < n; i++) {
    const size = result.shape[at] as number;
    if (size === 0) break;
    const [later, earlier] = [narrow(result, at, 1, size - 1), narrow(result, at, 0, size - 1)];
    result = tensor.dtype === "bool" ? binary("logical_xor", later, earlier) : binary("sub", later, earlier);
  }
  return result;
}

/** The elements at `indices`, of which a dimension has one. */
function pickedAt(tensor: Tensor, dim: number, keep: boolean, found: Tensor): Picked {
  const indices = aliasOf(found);
  const values = gatherElements(tensor, dim, indices);
  if (keep || tensor.rank === 0) return { values, indices };
  const at = dimension(tensor, dim);
  return { values: squeeze(values, [at]), indices: squeeze(indices, [at]) };
}

type Pick = (values: Values, begin: number, end: number) => number;

/** One element of each row of a dimension, by what finds it. */
function pickFromRows(tensor: Tensor, dim: number, keep: boolean, pick: Pick): Picked {
  const at = dimension(tensor, dim);
  if (tensor.rank > 0 && tensor.shape[at] === 0) failShape(`Expected reduction dim ${at} to have non-zero size.`);
  const all = mapRows(aliasOf(tensor), at, "int64", (from, to, begin, end) => {
    to[begin] = pick(from, begin, end) - begin;
  });
  return pickedAt(tensor, at, keep, tensor.rank === 0 ? all : narrow(all, at, 0, 1));
}

/** Places of a row in the order of their elements; NaN is the greatest, equal ones keep their order. */
function ordered(values: Values, begin: number, end: number): Float64Array {
  const order = Float64Array.from({ length: end - begin }, (_, i) => begin + i);
  return order.sort((a, b) => {
    const [x, y] = [values[a] as number, values[b] as number];
    if (x !== x || y !== y) return Number(x !== x) - Number(y !== y) || a - b;
    return x - y || a - b;
  });
}

export function kthValue(tensor: Tensor, k: number, dim: number, keep: boolean): Picked {
  const size = tensor.shape[dimension(tensor, dim)] ?? 1;
  if (k < 1 || k > size)
    failShape("kthvalue(): selected number k out of range for dimension " + dimension(tensor, dim));
  const order = orderOnDevice(tensor, dim, false);
  if (order !== null) return pickedAt(tensor, dim, keep, tensor.rank === 0 ? order : narrow(order, dim, k - 1, 1));
  return pickFromRows(tensor, dim, keep, (values, begin, end) => ordered(values, begin, end)[k - 1] as number);
}

/** The lower one of two in the middle. @param skipsNaN else NaN is the median of a row that has one */
export function median(tensor: Tensor, dim: number, keep: boolean, skipsNaN: boolean): Picked {
  const size = tensor.shape[dimension(tensor, dim)] ?? 1;
  const sorted = size === 0 || tensor.rank === 0 ? null : orderOnDevice(tensor, dim, false);
  if (sorted !== null) return pickedAt(tensor, dim, keep, gatherElements(sorted, dim, middle(tensor, dim, skipsNaN)));
  return pickFromRows(tensor, dim, keep, (values, begin, end) => {
    const order = ordered(values, begin, end);
    const isNaN = (at: number): boolean => values[at] !== values[at];
    const numbers = order.findLastIndex((at) => !isNaN(at)) + 1;
    if (numbers === 0 || (!skipsNaN && numbers < order.length)) return order[numbers] as number;
    return order[(numbers - 1) >> 1] as number;
  });
}

/** In the order of each row, the place of the median: NaN are the last ones. */
function middle(tensor: Tensor, dim: number, skipsNaN: boolean): Tensor {
  const size = tensor.shape[dimension(tensor, dim)] as number;
  const nans = reduce("sum", cast(unary("isnan", aliasOf(tensor)), "int64"), [dim], true);
  const numbers = binary("sub", int(size), nans);
  const place = binary("maximum", binary("floor_divide", binary("sub", numbers, int(1)), int(2)), int(0));
  if (skipsNaN) return cast(place, "int64");
  return cast(where(binary("gt", nans, int(0)), numbers, place), "int64");
}

/** The median of all elements: its gradient is shared by those that are equal to it. */
export function medianOfAll(tensor: Tensor, skipsNaN: boolean): Tensor {
  if (tensor.length === 0) return fromValues(newValues("float64", 1).fill(NaN), [], tensor.dtype, tensor.place);
  const result = median(reshape(aliasOf(tensor), [-1]), 0, false, skipsNaN).values;
  if (!isFloating(tensor.dtype)) return result;
  const alias = aliasOf(result);
  return record(
    "MedianBackward0",
    result,
    [tensor],
    (gradient) => {
      const isOne = alias.values().some((value) => value !== value)
        ? unary("isnan", tensor)
        : binary("eq", tensor, alias);
      const ties = cast(isOne, tensor.dtype);
      return [binary("mul", binary("div", gradient, reduce("sum", ties, null)), ties)];
    },
    [tensor, alias],
  );
}

/** The least one of the elements that a row has most often, at its last place. */
export function mode(tensor: Tensor, dim: number, keep: boolean): Picked {
  return pickFromRows(tensor, dim, keep, (values, begin, end) => {
    const order = ordered(values, begin, end);
    let [best, most] = [order[0] as number, 0];
    for (let i = 0; i < order.length;) {
      let next = i + 1;
      while (next < order.length && values[order[next] as number] === values[order[i] as number]) next++;
      if (next - i > most) [most, best] = [next - i, order[next - 1] as number];
      i = next;
    }
    return best;
  });
}

export type Interpolation = "linear" | "lower" | "higher" | "nearest" | "midpoint";

/** @param dim null: of all elements. @param q in [0, 1], one number or a vector */
export function quantile(
  tensor: Tensor,
  q: Tensor,
  dim: number | null,
  { keep, how, skipsNaN }: { readonly keep: boolean; readonly how: Interpolation; readonly skipsNaN: boolean },
): Tensor {
  if (tensor.length === 0) failShape("quantile() input tensor must be non-empty");
  if (q.rank > 1) failShape("quantile() q must be a scalar or 1D tensor");
  if (q.dtype !== tensor.dtype) failShape("quantile() q tensor must be same dtype as the input tensor");
  if (tensor.dtype !== "float32" && tensor.dtype !== "float64")
    failShape("quantile() input tensor must be either float or double dtype");
  const parts = [...q.values()];
  const fractions = reshape(q, [-1]);
  if (parts.some((part) => !(part >= 0 && part <= 1))) failShape("quantile() q values must be in the range [0, 1]");
  const own = dim === null || tensor.rank === 0 ? reshape(tensor, [-1]) : tensor;
  const at = dim === null || tensor.rank === 0 ? 0 : dimension(tensor, dim);
  const size = own.shape[at] as number;
  const indices = sortOrder(own, at, false);
  const sorted = gatherElements(own, at, indices);
  const nans = reduce("sum", cast(unary("isnan", aliasOf(own)), "int64"), [at], true).values();
  const outer = own.shape.with(at, 1);
  const results = parts.map((part, k) => {
    const [low, weights] = [new Float64Array(nans.length), new Float64Array(nans.length)];
    const high = new Float64Array(nans.length);
    for (const [i, count] of nans.entries()) {
      const numbers = size - count;
      const isNaN = numbers === 0 || (!skipsNaN && count > 0);
      const place = isNaN ? size - 1 : part * (numbers - 1);
      const rounded = how === "nearest" ? Math.round(place) - Number(place % 2 === 0.5) : place;
      low[i] = how === "higher" ? Math.ceil(place) : Math.floor(rounded);
      high[i] = how === "lower" ? Math.floor(place) : Math.ceil(rounded);
      weights[i] = how === "midpoint" && low[i] !== high[i] ? 0.5 : rounded - (low[i] as number);
    }
    const lower = gatherElements(sorted, at, fromValues(low, outer, "int64", tensor.place));
    if (low.every((value, i) => value === high[i])) return lower;
    const upper = gatherElements(sorted, at, fromValues(high, outer, "int64", tensor.place));
    const weight =
      how === "linear" && q.requiresGradient ? slope(k, low) : fromValues(weights, outer, tensor.dtype, tensor.place);
    return binary("add", lower, binary("mul", weight, binary("sub", upper, lower)));
  });
  /** The weight as a function of q: (count - 1) · q - the place below. */
  function slope(index: number, low: Float64Array<ArrayBuffer>): Tensor {
    const counts = Float64Array.from(nans, (count) => size - count - 1);
    const [scale, below] = [counts, low].map((of) => fromValues(of, outer, tensor.dtype, tensor.place)) as [
      Tensor,
      Tensor,
    ];
    return binary("sub", binary("mul", reshape(narrow(fractions, 0, index, 1), []), scale), below);
  }
  const kept: Shape = dim === null || tensor.rank === 0 ? tensor.shape.map(() => 1) : outer;
  const shape = keep ? kept : outer.toSpliced(at, 1);
  const shaped = results.map((result) => reshape(result, q.rank === 0 ? shape : [1, ...shape]));
  return q.rank === 0 ? (shaped[0] as Tensor) : concatenate(shaped, 0);
}
