/** Combines expressions of elements over some dimensions, on the host or by a kernel. Nothing is put on the tape. */
import { newValues, type TensorDtype, type Values } from "../dtypes.ts";
import { evaluate } from "../expressions/evaluate.ts";
import { input, partsOf, type Expression } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import { hasTritonText } from "../expressions/triton-text.ts";
import { launchReduction, type Combination } from "../kernels/reduction.ts";
import { kernelsFor } from "../kernels/tensor-device.ts";
import { tracerOf } from "../tracing.ts";
import { elementCount, empty, fromValues, type Shape, type Tensor } from "../tensor.ts";

export interface Finish {
  readonly expression: Expression;
  readonly numbers: readonly number[];
}

export interface Combining {
  /** For the names of kernels. */
  readonly name: string;
  readonly combine: Combination;
  /** What is combined: input k is operand k. */
  readonly expression: Expression;
  readonly type: ComputeType;
  /** Of the result. */
  readonly dtype: TensorDtype;
  /** What becomes of the combined value (input 0); the numbers are the inputs that follow. */
  readonly finish?: Finish | null;
}

export const IDENTITY: Expression = input(0);
/** Whether an element is not 0, as a number. */
export const IS_TRUE: Expression = { op: "from_bool", args: [input(0, true)], isBool: false };

/**
 * @param operands tensors of one shape, and numbers; the first one is a tensor
 * @param dims from 0 on, each once
 * @returns a tensor with size 1 in these dimensions
 */
export function reduceElements(
  combining: Combining,
  operands: readonly (Tensor | number)[],
  dims: ReadonlySet<number>,
): Tensor {
  const [own] = operands as [Tensor];
  const kept = own.shape.map((size, d) => (dims.has(d) ? 1 : size));
  const tracer = own.length > 0 && hasTritonText(combining.expression) ? tracerOf(own.place) : null;
  if (tracer !== null) {
    const result = empty(kept, combining.dtype, own.place);
    tracer.reduction(combining, operands, dims, result);
    return result;
  }
  const device = kernelsFor(own.place, own.length);
  const { name, combine, expression, type, dtype, finish = null } = combining;
  if (device !== null && hasTritonText(expression) && elementCount(kept) > 0) {
    const result = empty(kept, dtype, own.place);
    const fn = { name, combine, expression, type, finish: finish?.expression ?? null };
    launchReduction(device, fn, operands, result, finish?.numbers ?? []);
    return result;
  }
  return onHost(combining, operands, dims, kept);
}

function onHost(
  { combine, expression, type, dtype, finish = null }: Combining,
  operands: readonly (Tensor | number)[],
  dims: ReadonlySet<number>,
  kept: Shape,
): Tensor {
  const [own] = operands as [Tensor];
  const all = own.shape.map((_, d) => d);
  const order = [...all.filter((d) => !dims.has(d)), ...all.filter((d) => dims.has(d))];
  const rows = operands.map((operand) =>
    typeof operand === "number"
      ? operand
      : operand
          .asStrided(
            order.map((d) => operand.shape[d] as number),
            order.map((d) => operand.strides[d] as number),
          )
          .values(),
  );
  let values = rows[0] as Values;
  if (partsOf([expression]).length > 1) {
    values = new Float64Array(own.length);
    evaluate(expression, rows, values);
  }
  const count = elementCount(kept);
  const length = count === 0 ? 0 : own.length / count;
  const results = new Float64Array(count);
  const row = ROWS[combine];
  for (let r = 0; r < count; r++) results[r] = row(values, r * length, (r + 1) * length, type);
  if (finish === null) return fromValues(results, kept, dtype, own.place);
  const finished = newValues(dtype === "float64" ? "float64" : dtype, count);
  evaluate(finish.expression, [results, ...finish.numbers], finished);
  return fromValues(finished, kept, dtype, own.place);
}

type Row = (values: Values, begin: number, end: number, type: ComputeType) => number;

const better =
  (isBetter: (x: number, y: number) => boolean): Row =>
  (values, begin, end) => {
    let best = begin;
    for (let i = begin; i < end; i++) {
      const x = values[i] as number;
      if (x !== x) return i - begin;
      if (isBetter(x, values[best] as number)) best = i;
    }
    return best - begin;
  };
const argmax = better((x, y) => x > y);
const argmin = better((x, y) => x < y);

const ROWS: Readonly<Record<Combination, Row>> = {
  sum: (values, begin, end) => {
    let sum = 0;
    for (let i = begin; i < end; i++) sum += values[i] as number;
    return sum;
  },
  prod: (values, begin, end) => {
    let product = 1;
    for (let i = begin; i < end; i++) product *= values[i] as number;
    return product;
  },
  max: (values, begin, end, type) =>
    begin === end ? -Infinity : (values[begin + argmax(values, begin, end, type)] as number),
  min: (values, begin, end, type) =>
    begin === end ? Infinity : (values[begin + argmin(values, begin, end, type)] as number),
  argmax,
  argmin,
};
