/** Where a module's parameters are made, and of which type. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import type { Gpu } from "../../library/gpu.ts";
import { defaultTensors } from "../api/default-tensors.ts";
import { isFloating, type TensorDtype } from "../dtypes.ts";
import { empty, type Shape, type Tensor } from "../tensor.ts";
import { Parameter } from "./parameter.ts";

/** Options that all modules with parameters take. */
export interface ModuleOptions {
  /** A device, or null for host memory; default: the device that `openTensors` opened last. */
  readonly device?: Gpu | null;
  /** Default: float32. */
  readonly dtype?: TensorDtype;
}

/** A tensor whose elements are set by whoever asks. */
export function newTensor(shape: Shape, { device, dtype = "float32" }: ModuleOptions): Tensor {
  if (!isFloating(dtype)) throw new HeddleError("bad-arguments", `a module is of floats: ${dtype} is none`);
  const gpu = device === undefined ? defaultTensors().device : device;
  return empty(shape, dtype, gpu === null ? null : gpu.raw);
}

export function newParameter(shape: Shape, options: ModuleOptions): Parameter {
  return new Parameter(newTensor(shape, options));
}

/** @throws HeddleError "bad-arguments" */
export function requireCount(what: string, name: string, value: number, least = 1): void {
  if (!Number.isInteger(value) || value < least)
    throw new HeddleError(
      "bad-arguments",
      `${what}: ${name} is a whole number from ${least} on, not ${describeValue(value)}`,
    );
}

/** One number for all dimensions, or one for each. */
export function perDimension(
  what: string,
  name: string,
  value: number | readonly number[],
  count: number,
): readonly number[] {
  if (typeof value === "number") return Array.from({ length: count }, () => value);
  if (value.length !== count)
    throw new HeddleError("bad-arguments", `${what}: ${name} has ${value.length} numbers for ${count} dimensions`);
  return value;
}

/** As Python prints a tuple of numbers. */
export function tuple(values: readonly number[]): string {
  return values.length === 1 ? `(${values[0]},)` : `(${values.join(", ")})`;
}
