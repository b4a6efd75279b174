/** Values in nested arrays. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import type { NumericArray } from "../../base/dtypes.ts";
import type { TensorDtype } from "../dtypes.ts";
import type { Nested } from "./tensor-methods.ts";

/** Appends all values. @throws HeddleError "bad-arguments" for rows of different lengths */
export function flatten(values: Nested | NumericArray, depth: number, shape: readonly number[], to: unknown[]): void {
  if (!Array.isArray(values)) {
    if (depth !== shape.length) throw ragged(depth, shape);
    if (!["number", "boolean", "bigint"].includes(typeof values))
      throw new HeddleError("bad-arguments", `a tensor's values are numbers or booleans, not ${describeValue(values)}`);
    to.push(values);
    return;
  }
  if (values.length !== shape[depth]) throw ragged(depth, shape, values.length);
  for (const value of values) flatten(value, depth + 1, shape, to);
}

function ragged(depth: number, shape: readonly number[], length?: number): HeddleError {
  const what = length === undefined ? "a number" : `a sequence of length ${length}`;
  return new HeddleError(
    "bad-arguments",
    `expected sequence of length ${shape[depth] ?? 0} at dim ${depth} (got ${what}): all rows must be of one length`,
  );
}

/** The type of a tensor of these values. */
export function kindOf(values: readonly unknown[]): TensorDtype {
  if (values.length > 0 && values.every((value) => typeof value === "boolean")) return "bool";
  if (values.length > 0 && values.every((value) => typeof value === "bigint")) return "int64";
  return "float32";
}
