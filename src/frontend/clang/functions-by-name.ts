/**
 * Functions that a program finds by their names (dlopen, dlsym). Nothing can be loaded while a program runs. So the
 * linker links those functions of libraries whose names are among the program's strings, and makes a table of their
 * addresses (hostlib/loaded_libraries.cpp).
 */
import { LIBRARIES, libraryOfSymbol } from "../../libraries/libraries.ts";
import { importedFunctions } from "../../wasm/import-types.ts";
import { declaration, isOfC, readFunctions, type FunctionType } from "./call-adapters.ts";

const LOOK_UP: ReadonlySet<string> = new Set(["dlopen", "dlsym"]);

/** Libraries that are the runtime's: no object has the types of their functions, but for those that it imports. */
const HEADERS: Readonly<Record<string, string>> = { cudart: "cuda_runtime_api.h", nvrtc: "nvrtc.h" };

interface Row {
  readonly name: string;
  readonly library: string;
  /** The name in the C code. */
  readonly alias: string;
  /** Of C; empty where a header declares the function. */
  readonly declared: string;
}

/**
 * @param programs objects of the program, without archives. @param all those and the libraries' objects.
 * @param header the text of a header of CUDA.
 * @returns C code of the tables; null: the program looks for nothing by name
 */
export function functionsByName(
  programs: readonly Uint8Array[],
  all: readonly Uint8Array[],
  header: (name: string) => string,
): string | null {
  if (!programs.some((object) => importedFunctions(object).some(({ name }) => LOOK_UP.has(name)))) return null;
  const rows = rowsOf([...new Set(programs.flatMap(strings))], typesOf(all), header);
  const included = [...new Set(rows.flatMap((row) => (row.declared === "" ? [HEADERS[row.library]] : [])))];
  const libraries = LIBRARIES.filter(({ state, symbolPrefix }) => state !== "absent" && symbolPrefix !== null).flatMap(
    ({ name, linkNames }) =>
      linkNames.filter((one) => !one.endsWith("_static")).map((one) => `  {"lib${one}.so", "${name}"},\n`),
  );
  return (
    included.map((name) => `#include <${name}>\n`).join("") +
    rows.map(({ declared }) => declared).join("") +
    "struct function { const char *name, *library; void *address; };\nstruct library { const char *file, *name; };\n" +
    "static const struct function functions[] = {\n" +
    rows.map(({ name, library, alias }) => `  {"${name}", "${library}", (void *)${alias}},\n`).join("") +
    `  {0, 0, 0}};\nstatic const struct library libraries[] = {\n${libraries.join("")}  {0, 0}};\n` +
    "const struct function *__heddle_functions_by_name(void) { return functions; }\n" +
    "const struct library *__heddle_libraries_by_name(void) { return libraries; }\n"
  );
}

function rowsOf(
  names: readonly string[],
  types: ReadonlyMap<string, FunctionType>,
  header: (name: string) => string,
): Row[] {
  const texts = new Map<string, string>();
  return names.flatMap((name, i): Row[] => {
    const library = libraryOfSymbol(name)?.name;
    if (library === undefined) return [];
    const type = types.get(name);
    const alias = `function${i}`;
    if (type !== undefined)
      return isOfC(type) ? [{ name, library, alias, declared: declaration(alias, name, type) }] : [];
    const file = HEADERS[library];
    if (file === undefined) return [];
    if (!texts.has(file)) texts.set(file, header(file));
    return texts.get(file)?.includes(` ${name}(`) === true ? [{ name, library, alias: name, declared: "" }] : [];
  });
}

/** The types of functions that objects define, or else import: the runtime has those. */
function typesOf(objects: readonly Uint8Array[]): ReadonlyMap<string, FunctionType> {
  const functions = objects.map(readFunctions);
  return new Map([
    ...functions.flatMap(({ imported }) => imported.map(({ name, type }) => [name, type] as const)),
    ...functions.flatMap(({ defined }) => [...defined]),
  ]);
}

/** What may be a function's name in the constants of an object. The byte before a string may look like a letter. */
function strings(object: Uint8Array): string[] {
  const found = new TextDecoder("latin1").decode(object).matchAll(/([A-Za-z_]\w*)\0/g);
  return [...found].flatMap(([, text = ""]) => [text, text.slice(1)]);
}
