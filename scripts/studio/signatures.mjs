// The functions of the runtime API with their C signatures, from the headers that programs are compiled with: what the
// editor shows of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cudaApi } from "../../dist/runtime/cuda/api-functions/functions.js";

/** Templates over the C functions come last: a function that is in both has its C signature. */
const HEADERS = ["cuda_runtime_api.h", "heddle/runtime_templates.h"];
const DECLARATION =
  /^[ \t]*(?:static |inline |extern "C" |__host__ )*((?:\w+[ *]+)+?)(cuda[A-Z]\w*)\(([^;{]*?)\)\s*[;{]/gm;

/** By name, as `cudaError_t cudaFree(void* p)`; a function that no header declares, by its name alone. */
export function runtimeSignatures(root) {
  const declared = new Map();
  for (const header of HEADERS) {
    const text = readFileSync(join(root, "include", header), "utf8").replaceAll(/\/\/.*$|\/\*[^]*?\*\//gm, "");
    for (const [, result, name, parameters] of text.matchAll(DECLARATION))
      if (!declared.has(name))
        declared.set(
          name,
          `${result.trim()} ${name}(${parameters
            .replaceAll(/\s+/g, " ")
            .replace(/^void$/, "")
            .trim()})`,
        );
  }
  const known = cudaApi.flatMap(({ checked = {}, plain = {} }) => [...Object.keys(checked), ...Object.keys(plain)]);
  const names = [...new Set([...known.filter((name) => /^cuda[A-Z]\w*$/.test(name)), ...declared.keys()])].sort();
  return Object.fromEntries(names.map((name) => [name, declared.get(name) ?? `${name}(…)`]));
}
