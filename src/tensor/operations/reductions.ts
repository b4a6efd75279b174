/** Sums, maxima and their kin over some dimensions, and what is built on them. */
import { needsTape, record } from "../autograd/tape.ts";
import { isFloating, newValues, type TensorDtype, type Values } from "../dtypes.ts";
import { call, constant, input, type Expression } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import { LaunchPlans } from "../kernels/launch-plans.ts";
import type { Combination } from "../kernels/reduction.ts";
import { aliasOf, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import { expandAs, sumType } from "./broadcasting.ts";
import { computeTypeOf, expand, isSameShape } from "./copies.ts";
import { binary, cast, where } from "./elementwise.ts";
import { float } from "./operands.ts";
import { IDENTITY, IS_TRUE, reduceElements, type Combining, type Finish } from "./reduce-elements.ts";
import { orderOnDevice, runningOnDevice } from "./row-scans.ts";
import { dimension, reshape, transpose } from "./shapes.ts";

/** From 0 on, each once; null: all. @throws HeddleError "bad-arguments" for one that is named twice */
export function dimensionsOf(tensor: Tensor, dims: Shape | null): ReadonlySet<number> {
  if (dims === null) return new Set(tensor.shape.keys());
  const found = new Set<number>();
  for (const dim of dims) {
    const own = dimension(tensor, dim);
    if (found.has(own)) failShape(`dim ${own} appears multiple times in the list of dims`);
    if (tensor.rank > 0) found.add(own);
  }
  return found;
}

/** A result with size 1 in the reduced dimensions, without them if they are not to be kept. */
export function shaped(result: Tensor, dims: ReadonlySet<number>, keep: boolean): Tensor {
  if (keep) return result;
  const own = result.shape.map((_, d) => d).filter((d) => !dims.has(d));
  return result.asStrided(
    own.map((d) => result.shape[d] as number),
    own.map((d) => result.strides[d] as number),
  );
}

export type ReductionName = "sum" | "mean" | "prod" | "amax" | "amin" | "argmax" | "argmin" | "any" | "all";

const COMBINATIONS: Readonly<Record<ReductionName, Combination>> = {
  sum: "sum",
  mean: "sum",
  prod: "prod",
  amax: "max",
  amin: "min",
  argmax: "argmax",
  argmin: "argmin",
  any: "max",
  all: "min",
};

function typesOf(name: ReductionName, dtype: TensorDtype): { type: ComputeType; dtype: TensorDtype } {
  if (name === "any" || name === "all") return { type: "int32", dtype: dtype === "uint8" ? "uint8" : "bool" };
  if (name === "argmax" || name === "argmin") return { type: computeTypeOf(dtype), dtype: "int64" };
  if (name === "mean" && !isFloating(dtype))
    return failShape(
      "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. " +
        `Got: ${dtype}`,
    );
  if (name === "amax" || name === "amin") return { type: computeTypeOf(dtype), dtype };
  return { type: sumType(dtype), dtype: isFloating(dtype) ? dtype : "int64" };
}

const NEEDS_ELEMENTS: ReadonlySet<ReductionName> = new Set<ReductionName>(["amax", "amin", "argmax", "argmin"]);
const MEAN = call("div", input(0), input(1));

/** The value of `any` and `all` where there are no elements. */
const emptyTruth: Expression = call("logical_not", call("eq", input(0), constant(0)));

function finishOf(name: ReductionName, count: number): Finish | null {
  if (name === "mean") return { expression: MEAN, numbers: [count] };
  if (count > 0 || (name !== "any" && name !== "all")) return null;
  return { expression: name === "all" ? emptyTruth : call("gt", input(0), constant(0)), numbers: [] };
}

/** By what is reduced, and over which dimensions. */
const launched = new Map<
  ReductionName,
  { readonly dims: Shape | null; readonly keep: boolean; plans: ReducedPlans }[]
>();
type ReducedPlans = LaunchPlans<Pick<Reduction, "over" | "count">>;
const MOST_PLANS = 64;

function launchedBy(name: ReductionName, dims: Shape | null, keep: boolean): ReducedPlans {
  let all = launched.get(name);
  if (all === undefined) launched.set(name, (all = []));
  for (const own of all)
    if (own.keep === keep && (own.dims === dims || (own.dims !== null && dims !== null && isSameShape(own.dims, dims))))
      return own.plans;
  const plans: ReducedPlans = new LaunchPlans();
  if (all.length < MOST_PLANS) all.push({ dims: dims === null ? null : [...dims], keep, plans });
  return plans;
}

/** @param dims null: all. */
export function reduce(name: ReductionName, tensor: Tensor, dims: Shape | null, keep = false): Tensor {
  const plans = launchedBy(name, dims, keep);
  const again = plans.run([tensor], null);
  if (again !== null) {
    const { result, known } = again;
    if (!isFloating(result.dtype) || !needsTape([tensor])) return result;
    return reductionOnTape({ name, tensor, dims, ...known }, result);
  }
  const over = dimensionsOf(tensor, dims);
  const count = [...over].reduce((product, d) => product * (tensor.shape[d] as number), 1);
  if (count === 0 && NEEDS_ELEMENTS.has(name))
    failShape(`${name}(): Expected reduction over a dimension with elements`);
  const { type, dtype } = typesOf(name, tensor.dtype);
  const isTruth = name === "any" || name === "all";
  const combining: Combining = {
    name,
    combine: COMBINATIONS[name],
    expression: isTruth ? IS_TRUE : IDENTITY,
    type,
    dtype,
    finish: finishOf(name, count),
  };
  const result = plans.learn([tensor], null, { over, count }, () =>
    shaped(reduceElements(combining, [tensor], over), over, keep),
  );
  if (!isFloating(result.dtype)) return result;
  return reductionOnTape({ name, tensor, dims, over, count }, result);
}

interface Reduction {
  readonly name: ReductionName;
  readonly tensor: Tensor;
  readonly dims: Shape | null;
  readonly over: ReadonlySet<number>;
  readonly count: number;
}

function reductionOnTape({ name, tensor, dims, over, count }: Reduction, result: Tensor): Tensor {
  const { shape } = tensor;
  const kept = shape.map((size, d) => (over.has(d) ? 1 : size));
  const spread = (of: Tensor): Tensor => expandAs(reshape(of, kept), shape);
  const node = `${name.charAt(0).toUpperCase()}${name.slice(1)}Backward0`;
  if (name === "sum") return record(node, result, [tensor], (gradient) => [spread(gradient)]);
  if (name === "mean")
    return record(node, result, [tensor], (gradient) => [binary("div", spread(gradient), float(count))]);
  if (name === "prod")
    return record(
      node,
      result,
      [tensor],
      (gradient) => [binary("mul", spread(gradient), othersProduct(tensor, over))],
      [tensor],
    );
  const alias = aliasOf(result);
  return record(
    node,
    result,
    [tensor],
    (gradient) => {
      const best = cast(binary("eq", tensor, spread(alias)), tensor.dtype);
      const ties = reduce("sum", best, dims, true);
      return [binary("mul", spread(gradient), binary("div", best, ties))];
    },
    [tensor, alias],
  );
}

/** For each element the product of all others that are multiplied with it. */
function othersProduct(tensor: Tensor, over: ReadonlySet<number>): Tensor {
  const zeros = cast(binary("eq", tensor, float(0)), tensor.dtype);
  const dims = [...over];
  const count = reduce("sum", zeros, dims, true);
  const isZero = binary("ne", zeros, float(0));
  const nonzero = reduce("prod", where(isZero, float(1), tensor), dims, true);
  const ofNonzero = binary(
    "mul",
    where(isZero, float(0), binary("div", nonzero, tensor)),
    binary("eq", count, float(0)),
  );
  const ofZero = binary("mul", binary("mul", zeros, nonzero), binary("eq", count, float(1)));
  return binary("add", ofNonzero, ofZero);
}

const SQUARED_DIFFERENCE = call("mul", call("sub", input(0), input(1)), call("sub", input(0), input(1)));

export function variance(tensor: Tensor, dims: Shape | null, correction: number, keep: boolean): Tensor {
  if (!isFloating(tensor.dtype)) failShape("std and var only support floating point and complex dtypes");
  const over = dimensionsOf(tensor, dims);
  const { shape, dtype } = tensor;
  const count = [...over].reduce((product, d) => product * (shape[d] as number), 1);
  const divisor = Math.max(0, count - correction);
  const type = sumType(dtype);
  const wide = type === "float64" ? "float64" : "float32";
  const mean = reduceElements(
    {
      name: "mean",
      combine: "sum",
      expression: IDENTITY,
      type,
      dtype: wide,
      finish: { expression: MEAN, numbers: [count] },
    },
    [tensor],
    over,
  );
  const finish = { expression: MEAN, numbers: [divisor] };
  const kept = reduceElements(
    { name: "variance", combine: "sum", expression: SQUARED_DIFFERENCE, type, dtype, finish },
    [tensor, expand(mean, shape)],
    over,
  );
  const keptSizes = shape.map((size, d) => (over.has(d) ? 1 : size));
  return record(
    "VarBackward0",
    shaped(kept, over, keep),
    [tensor],
    (gradient) => {
      const centred = binary("sub", tensor, reduce("mean", tensor, [...over], true));
      const scaled = binary("mul", centred, float(2 / divisor));
      return [binary("mul", scaled, expandAs(reshape(gradient, keptSizes), shape))];
    },
    [tensor],
  );
}

/** Rows of one dimension on the host, each as a whole: running sums, sorting. */
export function mapRows(
  tensor: Tensor,
  dim: number,
  dtype: TensorDtype,
  row: (from: Values, to: Values, begin: number, end: number) => void,
): Tensor {
  const last = tensor.rank - 1;
  const at = dimension(tensor, dim);
  const own = aliasOf(tensor);
  const moved = tensor.rank === 0 ? own : transpose(own, at, last);
  const from = moved.values();
  const to = newValues(dtype, from.length);
  const length = moved.shape.at(-1) ?? 1;
  for (let begin = 0; begin < from.length; begin += length) row(from, to, begin, begin + length);
  const result = fromValues(to, moved.shape, dtype, tensor.place);
  if (tensor.rank === 0 || at === last) return result;
  const back = transpose(result, at, last);
  return fromValues(back.values(), back.shape, dtype, tensor.place);
}

export function cumulativeSum(tensor: Tensor, dim: number): Tensor {
  const dtype = isFloating(tensor.dtype) ? tensor.dtype : "int64";
  const result =
    runningOnDevice(tensor, dim, "sum", dtype)?.values ??
    mapRows(tensor, dim, dtype, (from, to, begin, end) => {
      let sum = 0;
      for (let i = begin; i < end; i++) to[i] = sum += from[i] as number;
    });
  if (!isFloating(dtype)) return result;
  return record("CumsumBackward0", result, [tensor], (gradient) => {
    // The sum of what comes later: all less what comes before.
    const total = reduce("sum", gradient, tensor.rank === 0 ? [] : [dim], true);
    return [binary("add", binary("sub", total, cumulativeSum(gradient, dim)), gradient)];
  });
}

/** Where the elements of a dimension are in its order: equal ones keep theirs, NaN counts as the greatest. */
export function sortOrder(tensor: Tensor, dim: number, descending: boolean): Tensor {
  const sign = descending ? -1 : 1;
  const order = (values: Values, begin: number, end: number): number[] => {
    const compare = (a: number, b: number): number => {
      const [x, y] = [values[begin + a] as number, values[begin + b] as number];
      if (x !== x || y !== y) return sign * (Number(x !== x) - Number(y !== y)) || a - b;
      return sign * (x - y) || a - b;
    };
    return Array.from({ length: end - begin }, (_, i) => i).sort(compare);
  };
  const own = aliasOf(tensor);
  return (
    orderOnDevice(own, dim, descending) ??
    mapRows(own, dim, "int64", (from, to, begin, end) => {
      for (const [i, at] of order(from, begin, end).entries()) to[begin + i] = at;
    })
  );
}
