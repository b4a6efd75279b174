/**
 * One step of an optimiser as expressions of elements: the host computes them, and devices run one kernel that has
 * them all, for as many parameters as a launch can name.
 */
import { evaluate } from "../expressions/evaluate.ts";
import { call, constant, input, type Expression } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import { newValues } from "../dtypes.ts";
import { lowPrecisionCopies, type LowPrecisionCopy } from "../autograd/low-precision.ts";
import { launchMany, type RowCopy } from "../kernels/many-tensors.ts";
import { kernelsFor, tensorDeviceOf } from "../kernels/tensor-device.ts";
import { launchPointwise } from "../kernels/pointwise.ts";
import { computeTypeOf } from "../operations/copies.ts";
import type { Tensor } from "../tensor.ts";

/** What a step computes. Inputs are the tensors of a parameter (itself, its gradient, its state), then numbers. */
export interface Update {
  /** For the names of kernels. */
  readonly name: string;
  /** How many tensors a parameter has. */
  readonly tensors: number;
  /** By the index of the tensor that gets it. */
  readonly results: ReadonlyMap<number, Expression>;
}

/** Expressions with operators for one's eyes. */
export const add = (x: Expression, y: Expression): Expression => call("add", x, y);
export const sub = (x: Expression, y: Expression): Expression => call("sub", x, y);
export const mul = (x: Expression, y: Expression): Expression => call("mul", x, y);
export const div = (x: Expression, y: Expression): Expression => call("div", x, y);
export const sqrt = (x: Expression): Expression => call("sqrt", x);
export const maximum = (x: Expression, y: Expression): Expression => call("maximum", x, y);
export { constant, input };

const plans = new Map<string, Update>();

/** The update of a key: the same object each time, as kernels are known by their expressions. */
export function updateOf(key: string, make: () => Update): Update {
  let known = plans.get(key);
  if (known === undefined) plans.set(key, (known = make()));
  return known;
}

/** One parameter: itself, its gradient and its state. */
export type Row = readonly Tensor[];

/** Changes the tensors of all rows, which are of one type and on one device. */
export function applyUpdate(update: Update, rows: readonly Row[], numbers: readonly number[]): void {
  const [first] = rows[0] ?? [];
  if (first === undefined) return;
  const device = tensorDeviceOf(first.place);
  const targets = [...update.results.keys()];
  const expressions = [...update.results.values()];
  let single = rows;
  if (device !== null && device.leastElements === 0) {
    const together = rows.filter(isPlain);
    single = rows.filter((row) => !isPlain(row));
    launchMany(
      device,
      { name: update.name, expressions, targets, type: computeTypeOf(first.dtype) },
      together,
      numbers,
      ([parameter]) => rowCopy(copyFor(parameter as Tensor)),
    );
    for (const row of together) for (const target of targets) (row[target] as Tensor).storage.version++;
    for (const [parameter] of together as [Tensor][]) {
      const copy = copyFor(parameter);
      if (copy !== null) copy.version = parameter.storage.version;
    }
  }
  for (const row of single) updateOne(update, row, numbers, computeTypeOf(first.dtype));
}

/** The copy that a step writes along with the parameter; others are made anew when they are needed. */
function copyFor(parameter: Tensor): LowPrecisionCopy | null {
  return lowPrecisionCopies(parameter).find(({ tensor }) => tensor.dtype === "bfloat16") ?? null;
}

function rowCopy(copy: LowPrecisionCopy | null): RowCopy | null {
  if (copy === null) return null;
  const { tensor, layout } = copy;
  if (layout === "same") return { tensor, taps: 1, channels: 1 };
  const channels = tensor.shape.at(-1) as number;
  return { tensor, channels, taps: tensor.length / channels / (tensor.shape[0] as number) };
}

/** Whether all tensors of a row lie one element after the other, and are of one type. */
function isPlain(row: Row): boolean {
  return row.every((tensor) => tensor.isContiguous && tensor.dtype === row[0]?.dtype);
}

function updateOne(update: Update, row: Row, numbers: readonly number[], type: ComputeType): void {
  const [parameter] = row as [Tensor];
  const device = kernelsFor(parameter.place, parameter.length);
  if (device !== null) {
    const outputs = [...update.results.keys()].map((target) => row[target] as Tensor);
    const expressions = [...update.results.values()];
    launchPointwise(device, { name: update.name, expressions, type }, [...row, ...numbers], outputs);
    for (const output of outputs) output.storage.version++;
    return;
  }
  const given = [...row.map((tensor) => tensor.values()), ...numbers];
  for (const [target, expression] of update.results) {
    const tensor = row[target] as Tensor;
    const values = newValues(tensor.dtype, tensor.length);
    evaluate(expression, given, values);
    tensor.setValues(values);
  }
}
