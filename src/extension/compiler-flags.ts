/** Flags that extensions give their compilers: extra_cuda_cflags, extra_compile_args. */
import type { CompileOptions } from "../program/compiled-program.ts";

/** Flags whose value may be the next one. */
const SEPARATE = /^-(?:D|U|I|isystem|include)$/;

/**
 * What of nvcc's and g++'s flags has a meaning here. All others are accepted: they are about registers, warnings, code
 * for several GPUs, host compilers.
 */
export function compilerOptions(flags: readonly string[]): Partial<CompileOptions> {
  const defines: string[] = [];
  const undefines: string[] = [];
  const includePaths: string[] = [];
  const options: { -readonly [K in keyof CompileOptions]?: CompileOptions[K] } = {};
  for (let i = 0; i < flags.length; i++) {
    let flag = flags[i] as string;
    if (SEPARATE.test(flag)) flag += flags[++i] ?? "";
    const [, letter, value = ""] = /^-(isystem|include-path=|D|U|I|O|std=)(.*)$/.exec(flag.replace(/^--/, "-")) ?? [];
    // Ours has operators and conversions of half in any case; and reserved names would keep headers from being shared.
    if (letter === "D" && !value.startsWith("__")) defines.push(value);
    else if (letter === "U" && !value.startsWith("__")) undefines.push(value);
    else if (letter === "I" || letter === "isystem" || letter === "include-path=") includePaths.push(value);
    // PyTorch's headers need C++17: what asks for less was written for older ones.
    else if (letter === "std=" && !/\+\+(?:98|03|0x|11|1y|14|17|1z)$/.test(value))
      options.standard = value.replace(/^gnu\+\+/, "c++");
    else if (letter === "O" && value === "0") options.optimize = 0;
    else if (/^--?use_fast_math$/.test(flag)) options.fastMath = true;
    else if (/^--?fmad=false$/.test(flag)) options.fmad = false;
    else if (/^--?ftz=true$/.test(flag)) options.ftz = true;
    else if (flag === "-G") options.debug = true;
  }
  return {
    ...options,
    ...(defines.length > 0 ? { defines } : {}),
    ...(undefines.length > 0 ? { undefines } : {}),
    ...(includePaths.length > 0 ? { includePaths } : {}),
  };
}

/** Options of one compilation from several lists of flags. */
export function mergeOptions(...all: readonly Partial<CompileOptions>[]): Partial<CompileOptions> {
  const merged: Partial<CompileOptions> = Object.assign({}, ...all);
  const join = (name: "defines" | "undefines" | "includePaths"): readonly string[] =>
    all.flatMap((options) => options[name] ?? []);
  return { ...merged, defines: join("defines"), undefines: join("undefines"), includePaths: join("includePaths") };
}
