/** Sums, maxima and their kin over some dimensions, and what is built on them. */
import { record } from "../autograd/tape.ts";
import { isFloating, newValues, type TensorDtype, type Values } from "../dtypes.ts";
import { binary, cast, float } from "./elementwise.ts";
import { dimension, expand, reshape, transpose } from "./shapes.ts";
import { elementCount, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";

/** The reduced dimensions come last: rows to be reduced one by one. */
interface Rows {
  readonly values: Values;
  readonly count: number;
  readonly length: number;
  /** Of the result. */
  readonly shape: Shape;
  /** With the reduced dimensions as 1. */
  readonly kept: Shape;
}

function rowsOf(tensor: Tensor, dims: Shape | null): Rows {
  const reduced = new Set((dims ?? tensor.shape.map((_, d) => d)).map((dim) => dimension(tensor, dim)));
  const all = tensor.shape.map((_, d) => d);
  const outer = all.filter((d) => !reduced.has(d));
  const inner = all.filter((d) => reduced.has(d));
  const values = tensor
    .view(
      [...outer, ...inner].map((d) => tensor.shape[d] as number),
      [...outer, ...inner].map((d) => tensor.strides[d] as number),
    )
    .values();
  const shape = outer.map((d) => tensor.shape[d] as number);
  return {
    values,
    count: elementCount(shape),
    length: elementCount(inner.map((d) => tensor.shape[d] as number)),
    shape,
    kept: tensor.shape.map((size, d) => (reduced.has(d) ? 1 : size)),
  };
}

type Row = (values: Values, begin: number, end: number) => number;

const sumRow: Row = (values, begin, end) => {
  let sum = 0;
  for (let i = begin; i < end; i++) sum += values[i] as number;
  return sum;
};

function indexOfBest(values: Values, begin: number, end: number, isBetter: (x: number, y: number) => boolean): number {
  let best = begin;
  for (let i = begin; i < end; i++) {
    const x = values[i] as number;
    if (x !== x) return i - begin;
    if (isBetter(x, values[best] as number)) best = i;
  }
  return best - begin;
}
const argmaxRow: Row = (values, begin, end) => indexOfBest(values, begin, end, (x, y) => x > y);
const argminRow: Row = (values, begin, end) => indexOfBest(values, begin, end, (x, y) => x < y);

const varianceRow =
  (correction: number): Row =>
  (values, begin, end) => {
    const mean = sumRow(values, begin, end) / (end - begin);
    let squares = 0;
    for (let i = begin; i < end; i++) squares += ((values[i] as number) - mean) ** 2;
    return squares / Math.max(0, end - begin - correction);
  };

export type ReductionName = "sum" | "mean" | "prod" | "amax" | "amin" | "argmax" | "argmin" | "any" | "all";

const ROWS: Readonly<Record<ReductionName, Row>> = {
  sum: sumRow,
  mean: (values, begin, end) => sumRow(values, begin, end) / (end - begin),
  prod: (values, begin, end) => {
    let product = 1;
    for (let i = begin; i < end; i++) product *= values[i] as number;
    return product;
  },
  amax: (values, begin, end) => values[begin + argmaxRow(values, begin, end)] as number,
  amin: (values, begin, end) => values[begin + argminRow(values, begin, end)] as number,
  argmax: argmaxRow,
  argmin: argminRow,
  any: (values, begin, end) => Number(values.subarray(begin, end).some((x) => x !== 0)),
  all: (values, begin, end) => Number(values.subarray(begin, end).every((x) => x !== 0)),
};

function dtypeOf(name: ReductionName, dtype: TensorDtype): TensorDtype {
  if (name === "any" || name === "all") return "bool";
  if (name === "argmax" || name === "argmin") return "int64";
  if (name === "mean" && !isFloating(dtype))
    return failShape(
      "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. " +
        `Got: ${dtype}`,
    );
  return (name === "sum" || name === "prod") && !isFloating(dtype) ? "int64" : dtype;
}

function reduceRows(tensor: Tensor, dims: Shape | null, keep: boolean, dtype: TensorDtype, row: Row): Tensor {
  const { values, count, length, shape, kept } = rowsOf(tensor, dims);
  const results = new Float64Array(count);
  for (let r = 0; r < count; r++) results[r] = row(values, r * length, (r + 1) * length);
  return fromValues(results, keep ? kept : shape, dtype, tensor.place);
}

const EMPTY_ROWS: ReadonlySet<ReductionName> = new Set<ReductionName>(["amax", "amin", "argmax", "argmin"]);

/** @param dims null: all. */
export function reduce(name: ReductionName, tensor: Tensor, dims: Shape | null, keep = false): Tensor {
  if (tensor.length === 0 && EMPTY_ROWS.has(name))
    failShape(`${name}(): Expected reduction over a dimension with elements`);
  const result = reduceRows(tensor, dims, keep, dtypeOf(name, tensor.dtype), ROWS[name]);
  if (!isFloating(result.dtype)) return result;
  return record(`${name.charAt(0).toUpperCase()}${name.slice(1)}Backward0`, result, [tensor], (gradient) => {
    const { kept, length } = keptShape(tensor, dims);
    const all = expand(reshape(gradient, kept), tensor.shape);
    if (name === "sum") return [all];
    if (name === "mean") return [binary("mul", all, float(1 / length))];
    if (name !== "amax" && name !== "amin")
      return failShape(`the derivative of ${name} is not supported yet by heddle`);
    const best = cast(binary("eq", tensor, expand(reshape(result, kept), tensor.shape)), tensor.dtype);
    const ties = expand(reduce("sum", best, dims, true), tensor.shape);
    return [binary("mul", all, binary("div", best, ties))];
  });
}

function keptShape(tensor: Tensor, dims: Shape | null): { kept: Shape; length: number } {
  const reduced = new Set((dims ?? tensor.shape.map((_, d) => d)).map((dim) => dimension(tensor, dim)));
  const kept = tensor.shape.map((size, d) => (reduced.has(d) ? 1 : size));
  return { kept, length: tensor.length / Math.max(1, elementCount(kept)) };
}

export function variance(tensor: Tensor, dims: Shape | null, correction: number, keep: boolean): Tensor {
  const result = reduceRows(tensor, dims, keep, tensor.dtype, varianceRow(correction));
  return record("VarBackward0", result, [tensor], (gradient) => {
    const { kept, length } = keptShape(tensor, dims);
    const centred = binary("sub", tensor, reduce("mean", tensor, dims, true));
    const scaled = binary("mul", centred, float(2 / Math.max(0, length - correction)));
    return [binary("mul", scaled, expand(reshape(gradient, kept), tensor.shape))];
  });
}

/** Rows of one dimension, each as a whole: softmax, running sums, sorting. */
function mapRows(
  tensor: Tensor,
  dim: number,
  dtype: TensorDtype,
  row: (from: Values, to: Values, begin: number, end: number) => void,
): Tensor {
  const last = tensor.rank - 1;
  const at = dimension(tensor, dim);
  const moved = tensor.rank === 0 ? tensor : transpose(tensor, at, last);
  const from = moved.values();
  const to = newValues(dtype, from.length);
  const length = moved.shape.at(-1) ?? 1;
  for (let begin = 0; begin < from.length; begin += length) row(from, to, begin, begin + length);
  const result = fromValues(to, moved.shape, dtype, tensor.place);
  if (tensor.rank === 0 || at === last) return result;
  const back = transpose(result, at, last);
  return fromValues(back.values(), back.shape, dtype, tensor.place);
}

export function softmax(tensor: Tensor, dim: number, isLog = false): Tensor {
  const result = withoutDerivative(tensor, (own) =>
    mapRows(own, dim, own.dtype, (from, to, begin, end) => {
      let max = -Infinity;
      for (let i = begin; i < end; i++) max = Math.max(max, from[i] as number);
      let sum = 0;
      for (let i = begin; i < end; i++) sum += to[i] = Math.exp((from[i] as number) - max);
      const log = Math.log(sum);
      if (isLog) for (let i = begin; i < end; i++) to[i] = (from[i] as number) - max - log;
      else for (let i = begin; i < end; i++) to[i] = (to[i] as number) / sum;
    }),
  );
  return record(isLog ? "LogSoftmaxBackward0" : "SoftmaxBackward0", result, [tensor], (gradient) => {
    if (isLog) {
      const sum = reduce("sum", gradient, [dim], true);
      return [binary("sub", gradient, binary("mul", exponential(result), sum))];
    }
    const product = binary("mul", gradient, result);
    return [binary("sub", product, binary("mul", result, reduce("sum", product, [dim], true)))];
  });
}

function exponential(tensor: Tensor): Tensor {
  return binary("pow", float(Math.E), tensor);
}

/** The same memory, off the tape. */
function withoutDerivative(tensor: Tensor, work: (own: Tensor) => Tensor): Tensor {
  return work(tensor.view(tensor.shape, tensor.strides));
}

export function cumulativeSum(tensor: Tensor, dim: number): Tensor {
  const dtype = isFloating(tensor.dtype) ? tensor.dtype : "int64";
  return withoutDerivative(tensor, (own) =>
    mapRows(own, dim, dtype, (from, to, begin, end) => {
      let sum = 0;
      for (let i = begin; i < end; i++) to[i] = sum += from[i] as number;
    }),
  );
}

/** The sorted rows and where each element was. */
export function sort(tensor: Tensor, dim: number, descending: boolean): [Tensor, Tensor] {
  const order = (values: Values, begin: number, end: number): number[] => {
    const sign = descending ? -1 : 1;
    // NaN counts as the largest.
    const compare = (a: number, b: number): number => {
      const [x, y] = [values[begin + a] as number, values[begin + b] as number];
      if (x !== x || y !== y) return sign * (Number(x !== x) - Number(y !== y)) || a - b;
      return sign * (x - y) || a - b;
    };
    return Array.from({ length: end - begin }, (_, i) => i).sort(compare);
  };
  const own = tensor.view(tensor.shape, tensor.strides);
  return [
    mapRows(own, dim, tensor.dtype, (from, to, begin, end) => {
      for (const [i, at] of order(from, begin, end).entries()) to[begin + i] = from[begin + at] as number;
    }),
    mapRows(own, dim, "int64", (from, to, begin, end) => {
      for (const [i, at] of order(from, begin, end).entries()) to[begin + i] = at;
    }),
  ];
}

/** Over the last dimensions, which `normalized` names; weight and bias are of that shape. */
export function layerNorm(
  tensor: Tensor,
  normalized: Shape,
  weight: Tensor | null,
  bias: Tensor | null,
  epsilon: number,
): Tensor {
  const first = tensor.rank - normalized.length;
  if (normalized.some((size, d) => size !== tensor.shape[first + d]))
    failShape(
      `Given normalized_shape=[${normalized.join(", ")}], expected input with shape ` +
        `[*, ${normalized.join(", ")}], but got input of size[${tensor.shape.join(", ")}]`,
    );
  const wide = cast(tensor, tensor.dtype === "float64" ? "float64" : "float32");
  const dims = normalized.map((_, d) => first + d);
  const centred = binary("sub", wide, reduce("mean", wide, dims, true));
  const scale = binary("pow", binary("add", variance(wide, dims, 0, true), float(epsilon)), float(-0.5));
  let result = binary("mul", centred, scale);
  if (weight !== null) result = binary("mul", result, weight);
  if (bias !== null) result = binary("add", result, bias);
  return cast(result, tensor.dtype);
}
