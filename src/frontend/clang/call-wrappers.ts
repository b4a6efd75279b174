/**
 * Calls of CUDA and of NVTX by a program that uses CUPTI: wrappers that tell CUPTI of each (libraries/cupti). The
 * linker puts them around the functions (--wrap), by the types with which objects import them.
 */
import { libraryOfSymbol } from "../../libraries/libraries.ts";
import { importedFunctions, type ImportedFunction } from "../../wasm/import-types.ts";
import type { ValueType } from "../../wasm/types.ts";
import type { LibraryWrappers } from "./library-wrappers.ts";

const C_TYPES: Readonly<Partial<Record<ValueType, string>>> = {
  i32: "int",
  i64: "long long",
  f32: "float",
  f64: "double",
};

/** Libraries whose calls CUPTI tells of. */
const TOLD: ReadonlySet<string> = new Set(["cudart", "cuda", "nvToolsExt"]);

/** Parameters that are structs, by position: WebAssembly's C ABI passes their addresses. */
const BY_VALUE: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  cudaConfigureCall: { 0: "dim3", 1: "dim3" },
  cudaLaunchKernel: { 1: "dim3", 2: "dim3" },
  cudaLaunchCooperativeKernel: { 1: "dim3", 2: "dim3" },
  cudaMalloc3D: { 1: "extent" },
  cudaMalloc3DArray: { 2: "extent" },
  cudaMallocMipmappedArray: { 2: "extent" },
  cudaMemset3D: { 0: "pitched", 2: "extent" },
  cudaMemset3DAsync: { 0: "pitched", 2: "extent" },
};

const HEAD = `typedef __SIZE_TYPE__ size;
typedef struct { unsigned x, y, z; } dim3;
typedef struct { size width, height, depth; } extent;
typedef struct { void *ptr; size pitch, xsize, ysize; } pitched;
struct function { const char *name; int domain; unsigned cbid; const char *fullName; };
void __heddle_cupti_enter(void *call, struct function *function, const void *params);
void __heddle_cupti_exit(void *call, void *result);
`;

function isTold({ name, type: { parameters, results } }: ImportedFunction): boolean {
  return (
    !name.startsWith("__") &&
    TOLD.has(libraryOfSymbol(name)?.name ?? "") &&
    results.length <= 1 &&
    [...parameters, ...results].every((type) => C_TYPES[type] !== undefined)
  );
}

/** @param objects of the program and of libraries, without archives. @returns null: the program does not use CUPTI */
export function callWrappers(objects: readonly Uint8Array[]): LibraryWrappers | null {
  const imports = objects.flatMap(importedFunctions);
  if (!imports.some(({ name }) => /^cupti[A-Z]/.test(name))) return null;
  const functions = new Map(imports.filter(isTold).map((one) => [one.name, one]));
  return {
    source: `${HEAD}${[...functions.values()].map(wrapper).join("")}`,
    linkFlags: [...functions.keys()].map((name) => `--wrap=${name}`),
  };
}

function wrapper({ name, type: { parameters, results } }: ImportedFunction): string {
  const result = results[0] === undefined ? "void" : C_TYPES[results[0]];
  const declared = parameters.map((type, i) => `${C_TYPES[type]} v${i}`).join(", ") || "void";
  const given = parameters.map((_, i) => `v${i}`).join(", ");
  const structs = BY_VALUE[name] ?? {};
  const fields = parameters.map((type, i) => `${structs[i] ?? C_TYPES[type]} v${i};`).join(" ") || "int none;";
  const values = parameters.map((_, i) => (structs[i] === undefined ? `v${i}` : `*(${structs[i]} *)(size)v${i}`));
  const called = `__real_${name}(${given});`;
  return (
    `${result} __real_${name}(${declared});\n` +
    `${result} __wrap_${name}(${declared}) {\n` +
    `  static struct function function = {"${name}"};\n  struct { ${fields} } params = {${values.join(", ")}};\n` +
    `  long long call[16];\n  __heddle_cupti_enter(call, &function, &params);\n` +
    (result === "void"
      ? `  ${called}\n  __heddle_cupti_exit(call, 0);\n}\n`
      : `  ${result} result = ${called}\n  __heddle_cupti_exit(call, &result);\n  return result;\n}\n`)
  );
}
