/** The compiler's options by name, for what takes them from TypeScript. */
import type { OptionNames } from "../base/options.ts";
import type { CompileOptions } from "./compiled-program.ts";

export const COMPILER_OPTION_NAMES: OptionNames<CompileOptions> = {
  defines: true,
  undefines: true,
  includePaths: true,
  forcedIncludes: true,
  standard: true,
  optimize: true,
  fastMath: true,
  fmad: true,
  ftz: true,
  arch: true,
  warnings: true,
  debug: true,
  keepsVariables: true,
  observed: true,
  nvccForm: true,
  loadedByName: true,
  hostOnly: true,
  color: true,
  language: true,
  model: true,
};

/** nvcc's flags, and the options that they stand for. */
export const NVCC_MEANT: Readonly<Record<string, string>> = {
  define: "defines",
  D: "defines",
  include: "includePaths",
  includes: "includePaths",
  I: "includePaths",
  std: "standard",
  O: "optimize",
  optimization: "optimize",
  use_fast_math: "fastMath",
  useFastMath: "fastMath",
};
