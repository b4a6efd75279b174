/**
 * Device code in the form that nvcc gives it. Where LLVM has become another compiler than the one that NVIDIA's is made
 * of, its passes do what that one does. Found by reading the PTX of nvcc 13.0.
 *
 * For profiles, whose counters are those of nvcc's code, and for a GPU. The emulated device does not gain by it.
 */
import type { CompileOptions } from "../../program/compiled-program.ts";

const AS_NVIDIA: readonly string[] = [
  // A computation stays in front of the branch, also where one side alone uses it.
  "-instcombine-code-sinking=false",
  // Loops of a constant number of iterations are unrolled up to this size.
  "-unroll-threshold=600",
];

export function nvccFormFlags({ nvccForm }: CompileOptions): string[] {
  return nvccForm ? AS_NVIDIA.flatMap((flag) => ["-mllvm", flag]) : [];
}

/** Whether a flag is one of these, which only the passes after the front end read: headers are precompiled without. */
export function isNvccForm(flag: string, before: string | undefined, after: string | undefined): boolean {
  const [own, next] = [AS_NVIDIA.includes(flag), AS_NVIDIA.includes(after ?? "")];
  return (own && before === "-mllvm") || (next && flag === "-mllvm");
}
