/**
 * Calls between a 64-bit program and the runtime. JavaScript sees an i64 as a bigint, which has to be allocated; but
 * pointers and sizes are below 2^53, so a small WebAssembly module between the two hands them over as numbers. Only
 * values that need all 64 bits stay bigints.
 */
import { ModuleBuilder } from "../../wasm/module-builder.ts";
import { importedFunctions, type FunctionType } from "../../wasm/import-types.ts";
import type { ValueType } from "../../wasm/types.ts";
import type { WasmFunction } from "../wasi/wasi-model.ts";

/** Parameters, by position, that are integers of 64 bits in every data model. */
const INTEGER_PARAMETERS: Readonly<Record<string, readonly number[]>> = {
  // WASI
  clock_time_get: [1],
  fd_advise: [1, 2],
  fd_allocate: [1, 2],
  fd_fdstat_set_rights: [1, 2],
  fd_filestat_set_size: [1],
  fd_filestat_set_times: [1, 2],
  fd_pread: [3],
  fd_pwrite: [3],
  fd_readdir: [3],
  fd_seek: [1],
  path_filestat_set_times: [4, 5],
  path_open: [5, 6],
  // CUDA: texture and surface objects
  cudaDestroyTextureObject: [0],
  cudaDestroySurfaceObject: [0],
  cudaGetTextureObjectResourceDesc: [1],
  cudaGetTextureObjectTextureDesc: [1],
  cudaGetTextureObjectResourceViewDesc: [1],
  cudaGetSurfaceObjectResourceDesc: [1],
  nvtxRangeEnd: [0],
  nvtxDomainRangeEnd: [1],
};
const INTEGER_RESULTS: ReadonlySet<string> = new Set(["__heddle_library_address"]);
const isIntegerResult = (name: string): boolean => INTEGER_RESULTS.has(name) || /^nvtx(Domain)?RangeStart/.test(name);

/** Names of the functions between begin so: they are no part of the program (source-places.ts). */
export const ADAPTED = "__heddle_adapted_";
type Imports = Readonly<Record<string, Readonly<Record<string, WebAssembly.ImportValue>>>>;

/** The imports of a 64-bit program: functions that call those given, with numbers. */
export function wideImports(wasm: Uint8Array, imports: Imports): WebAssembly.Imports {
  const builder = new ModuleBuilder();
  const wide = importedFunctions(wasm).filter(({ type }) => [...type.parameters, ...type.results].includes("i64"));
  const targets = wide.map(({ module, name, type }) => {
    const narrow = narrowType(name, type);
    return builder.importFunction(module, name, narrow.parameters, narrow.results);
  });
  wide.forEach(({ name, type }, i) => {
    const target = targets[i] as (typeof targets)[number];
    const f = builder.function(`${ADAPTED}${i}`, type.parameters, type.results);
    type.parameters.forEach((parameter, at) => {
      f.localGet(at);
      if (parameter === "i64" && target.params[at] === "f64") f.f64ConvertI64U();
    });
    f.call(target);
    if (type.results[0] === "i64" && !isIntegerResult(name)) f.i64TruncSatF64S();
    builder.exportFunction(`${ADAPTED}${i}`, f);
  });
  const instance = new WebAssembly.Instance(
    new WebAssembly.Module(builder.finish() as BufferSource),
    imports as WebAssembly.Imports,
  );
  const adapted: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const [module, functions] of Object.entries(imports)) adapted[module] = { ...functions };
  wide.forEach(({ module, name }, i) => {
    (adapted[module] as Record<string, WebAssembly.ImportValue>)[name] = instance.exports[
      `${ADAPTED}${i}`
    ] as WebAssembly.ImportValue;
  });
  return adapted;
}

function narrowType(name: string, { parameters, results }: FunctionType): FunctionType {
  const kept = INTEGER_PARAMETERS[name] ?? [];
  return {
    parameters: parameters.map((type, at): ValueType => (type === "i64" && !kept.includes(at) ? "f64" : type)),
    results: isIntegerResult(name) ? results : results.map((type): ValueType => (type === "i64" ? "f64" : type)),
  };
}

/** A function of a 64-bit program, whose parameters and result are pointers or sizes, called with numbers. */
export function wideFunction(call: WasmFunction): (...values: number[]) => number {
  return (...values) => {
    const result = call(...(values.map((value) => BigInt(value)) as never[]));
    return result === undefined ? 0 : Number(result);
  };
}
