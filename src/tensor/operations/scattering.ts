/** Elements put where a tensor of indices says, along one dimension: replaced, or combined with what is there. */
import { record } from "../autograd/tape.ts";
import { isFloating } from "../dtypes.ts";
import { launchScatter } from "../kernels/indexing.ts";
import { eagerKernelsFor } from "../tracing.ts";
import { requireOnePlace } from "../places.ts";
import { aliasOf, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import { full } from "./creation.ts";
import { binary, cast, where } from "./elementwise.ts";
import { float } from "./operands.ts";
import { gatherElements, marginTo, partOf, placesOf, scatterAdd } from "./gathering.ts";
import { expandAs } from "./broadcasting.ts";
import { constantPad } from "./padding.ts";
import { indexSelect } from "./selecting.ts";
import { broadcastShapes, clone, contiguous, dimension, reshape } from "./shapes.ts";

/** A copy of `tensor` with the elements of `source` (or a number) at their indices; of several the last one stays. */
export function scatterElements(tensor: Tensor, dim: number, index: Tensor, source: Tensor | number): Tensor {
  const at = dimension(tensor, dim);
  if (typeof source !== "number" && source.dtype !== tensor.dtype)
    failShape(`scatter(): Expected self.dtype to be equal to src.dtype`);
  requireOnePlace(typeof source === "number" ? [tensor, index] : [tensor, index, source]);
  const result = onDevice() ?? onHost();
  const from = typeof source === "number" ? null : source.shape;
  return record(
    "ScatterBackward0",
    result,
    typeof source === "number" ? [tensor] : [tensor, source],
    (gradient) => [
      scatterElements(gradient, at, index, 0),
      ...(from === null ? [] : [widened(gatherElements(gradient, at, index), from)]),
    ],
    [index],
  );

  function onDevice(): Tensor | null {
    if (eagerKernelsFor(tensor.place, index.length) === null) return null;
    const { dtype, place } = tensor;
    return launchScatter(
      tensor,
      at,
      index,
      typeof source === "number" ? full(index.shape, source, dtype, place) : partOf(source, index.shape),
    );
  }

  function onHost(): Tensor {
    const places = placesOf(tensor.shape, at, index, "scatter");
    const values = tensor.values();
    const given = typeof source === "number" ? null : partOf(source, index.shape).values();
    for (let i = 0; i < places.length; i++)
      values[places[i] as number] = given === null ? (source as number) : (given[i] as number);
    return fromValues(values, tensor.shape, tensor.dtype, tensor.place);
  }
}

/** The gradient of a source whose first elements alone were used. */
const widened = (gradient: Tensor, shape: Shape): Tensor => constantPad(gradient, marginTo(gradient.shape, shape), 0);

export type ScatterReduction = "sum" | "prod" | "mean" | "amax" | "amin";

const COMBINE: Readonly<Record<ScatterReduction, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  mean: (a, b) => a + b,
  prod: (a, b) => a * b,
  amax: (a, b) => (a !== a || a > b ? a : b),
  amin: (a, b) => (a !== a || a < b ? a : b),
};
const START: Readonly<Record<ScatterReduction, number>> = { sum: 0, mean: 0, prod: 1, amax: -Infinity, amin: Infinity };

/** @param includesSelf the elements of `tensor` are combined with those of `source`; else those that are hit are not */
export function scatterReduce(
  tensor: Tensor,
  dim: number,
  index: Tensor,
  source: Tensor,
  reduction: ScatterReduction,
  includesSelf: boolean,
): Tensor {
  if (source.dtype !== tensor.dtype) failShape(`scatter(): Expected self.dtype to be equal to src.dtype`);
  requireOnePlace([tensor, index, source]);
  const at = dimension(tensor, dim);
  const counts = countsOf(tensor, at, index, includesSelf);
  if (reduction === "sum" || reduction === "mean") {
    const own = includesSelf ? tensor : scatterElements(tensor, at, index, 0);
    const sum = scatterAdd(own, at, index, source);
    if (reduction === "sum") return sum;
    const divisor = binary("maximum", counts, float(1));
    return isFloating(tensor.dtype)
      ? binary("div", sum, cast(divisor, tensor.dtype))
      : cast(binary("floor_divide", sum, cast(divisor, "int64")), tensor.dtype);
  }
  const places = placesOf(tensor.shape, at, index, "scatter_reduce");
  const values = Float64Array.from(tensor.values());
  const given = partOf(source, index.shape).values();
  if (!includesSelf) for (const place of places) values[place] = START[reduction];
  const combine = COMBINE[reduction];
  for (let i = 0; i < places.length; i++)
    values[places[i] as number] = combine(values[places[i] as number] as number, given[i] as number);
  const result = fromValues(values, tensor.shape, tensor.dtype, tensor.place);
  if (!isFloating(tensor.dtype)) return result;
  const alias = aliasOf(result);
  const part = (of: Tensor): Tensor => gatherElements(of, at, index);
  return record(
    "ScatterReduceBackward0",
    result,
    [tensor, source],
    (gradient) => {
      const src = partOf(source, index.shape);
      if (reduction === "prod") {
        const { self, source: ofSource } = othersOf(tensor, src, alias, at, index, includesSelf);
        const forSelf = binary("mul", gradient, self);
        const forSource = binary("mul", part(gradient), ofSource);
        return [includesSelf ? forSelf : scatterElements(forSelf, at, index, 0), widened(forSource, source.shape)];
      }
      const isSelf = cast(binary("eq", tensor, alias), tensor.dtype);
      const isSource = cast(binary("eq", src, part(alias)), tensor.dtype);
      const start = includesSelf ? isSelf : scatterElements(isSelf, at, index, 0);
      const ties = scatterAdd(start, at, index, isSource);
      const shared = binary("div", gradient, ties);
      return [binary("mul", shared, start), widened(binary("mul", part(shared), isSource), source.shape)];
    },
    [tensor, source, alias, index],
  );
}

/**
 * For each factor of a product the product of the others: beside one zero it is that of the factors that are not zero,
 * beside several it is 0.
 */
function othersOf(
  tensor: Tensor,
  source: Tensor,
  product: Tensor,
  at: number,
  index: Tensor,
  includesSelf: boolean,
): { self: Tensor; source: Tensor } {
  const isZero = (of: Tensor): Tensor => cast(binary("eq", of, float(0)), tensor.dtype);
  const own = isZero(tensor);
  const start = includesSelf ? own : scatterElements(own, at, index, 0);
  const zeros = scatterAdd(start, at, index, isZero(source));
  const without = (of: Tensor): Tensor => where(binary("eq", of, float(0)), float(1), of);
  const nonzero = scatterReduce(
    without(tensor),
    at,
    index,
    widened(without(source), source.shape),
    "prod",
    includesSelf,
  );
  const other = (of: Tensor, all: Tensor, rest: Tensor, count: Tensor): Tensor =>
    where(
      binary("eq", of, float(0)),
      where(binary("eq", count, float(1)), rest, float(0)),
      where(binary("eq", count, float(0)), divided(all, of), float(0)),
    );
  const part = (of: Tensor): Tensor => gatherElements(of, at, index);
  return {
    self: other(tensor, product, nonzero, zeros),
    source: other(source, part(product), part(nonzero), part(zeros)),
  };
}

/** a / b, and 0 where b is 0. */
function divided(a: Tensor, b: Tensor): Tensor {
  const isZero = binary("eq", b, float(0));
  return where(isZero, float(0), binary("div", a, where(isZero, float(1), b)));
}

/** How many elements are combined at each place. */
function countsOf(tensor: Tensor, at: number, index: Tensor, includesSelf: boolean): Tensor {
  const wide = tensor.dtype === "float64" ? "float64" : "float32";
  const one = isFloating(tensor.dtype) ? wide : "int64";
  const start = full(tensor.shape, Number(includesSelf), one, tensor.place);
  return scatterAdd(start, at, index, full(index.shape, 1, one, tensor.place));
}

/** Elements where the mask holds replaced by those of `source`, in its order. */
export function maskedScatter(tensor: Tensor, mask: Tensor, source: Tensor): Tensor {
  if (mask.dtype !== "bool")
    failShape(`masked_scatter_ only supports boolean masks, but got mask with dtype ${mask.dtype}`);
  if (source.dtype !== tensor.dtype)
    failShape(
      `masked_scatter_: expected self and source to have same dtypes but got ${tensor.dtype} and ${source.dtype}`,
    );
  requireOnePlace([tensor, mask, source]);
  const shape = broadcastShapes(tensor.shape, mask.shape);
  const wide = expandAs(tensor, shape);
  const holds = expandAs(mask, shape).values();
  let count = 0;
  const order = Float64Array.from(holds, (value) => (value === 0 ? 0 : count++));
  if (count > source.length)
    failShape("masked_scatter: expected self and source to have same number of elements as ones in mask");
  if (count === 0) return clone(wide);
  const places = fromValues(order, [order.length], "int64", tensor.place);
  const given = reshape(indexSelect(reshape(contiguous(source), [-1]), 0, places), shape);
  return where(expandAs(mask, shape), given, wide);
}
