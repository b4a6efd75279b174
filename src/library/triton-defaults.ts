/** Arguments that a launch leaves out: what a decorator or the parameter's default gives. */
import { HeddleError } from "../base/diagnostics.ts";
import { defaultOf, kernelParameters, type KernelParameter } from "../frontend/triton/compile-kernel.ts";
import type { PythonModule } from "../frontend/triton/evaluate/module.ts";
import type { FunctionValue, Value } from "../frontend/triton/language/values.ts";
import { formatKernel, type SpecialisedArgument } from "./triton-arguments.ts";

/** @param given by a decorator; null: the default counts. */
export function constantArgument(
  module: PythonModule,
  fn: FunctionValue,
  param: KernelParameter,
  given: Value | null,
): SpecialisedArgument {
  const value = given ?? defaultOf(module, fn, param.name);
  if (value === null)
    throw new HeddleError("bad-arguments", `${fn.name}() missing the argument '${param.name}'`, {
      notes: [`its signature: ${formatKernel(fn.name, kernelParameters(module, fn))}`],
    });
  if (value.kind === "unknown")
    throw new HeddleError("bad-arguments", `the default of ${param.name} in ${fn.name} is ${value.what}: pass a value`);
  const key = JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));
  return { specialisation: { kind: "constant", value }, key: `=${key}`, passed: [] };
}
