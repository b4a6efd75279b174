/**
 * Calls of the libraries by an observed program: wrappers that say when each begins and what it returns
 * (docs/host-abi.md, "Observed programs"). The linker puts them between the program's objects and the library (--wrap);
 * their types are those by which the objects import the functions.
 */
import { libraryOfSymbol } from "../../libraries/libraries.ts";
import { importedFunctions, type ImportedFunction } from "../../wasm/import-types.ts";
import type { ValueType } from "../../wasm/types.ts";

export interface LibraryWrappers {
  /** C. */
  readonly source: string;
  readonly linkFlags: readonly string[];
}

const C_TYPES: Readonly<Partial<Record<ValueType, string>>> = {
  i32: "int",
  i64: "long long",
  f32: "float",
  f64: "double",
};

/**
 * How deep each host thread is inside of libraries: a thread has a place as long as it is inside of one. One thread
 * runs at a time (hostlib/threads.cpp), at most 512 exist.
 */
const DEPTHS = `void *pthread_self(void);
void __heddle_library_called(void);
void __heddle_library_returned(const char *, int);
static struct { void *thread; int depth; } places[513];
static int *own_depth(void) {
  void *self = pthread_self();
  int at = 0;
  for (int i = 0; i < 513; i++) {
    if (places[i].depth > 0 && places[i].thread == self) return &places[i].depth;
    if (places[at].depth > 0) at = i;
  }
  places[at].thread = self;
  return &places[at].depth;
}
`;

/** Functions of libraries whose wrong calls have statuses, where the status is what the function returns. */
function isWrapped({ name, type: { parameters, results } }: ImportedFunction): boolean {
  const library = libraryOfSymbol(name);
  return (
    Object.keys(library?.wrongCalls ?? {}).length > 0 &&
    library?.noStatus.includes(name) !== true &&
    results.length === 1 &&
    results[0] === "i32" &&
    parameters.every((type) => C_TYPES[type] !== undefined)
  );
}

/** @param objects of the program, without archives. @returns null: they call none */
export function libraryWrappers(objects: readonly Uint8Array[]): LibraryWrappers | null {
  const functions = new Map<string, ImportedFunction>();
  for (const object of objects)
    for (const one of importedFunctions(object)) if (isWrapped(one)) functions.set(one.name, one);
  if (functions.size === 0) return null;
  const wrappers = [...functions.values()].map(wrapper);
  return {
    source: `${DEPTHS}${wrappers.join("")}`,
    linkFlags: [...functions.keys()].map((name) => `--wrap=${name}`),
  };
}

/** What a library's function calls of its own library is not the program's call; another host thread's call is. */
function wrapper({ name, type: { parameters } }: ImportedFunction): string {
  const declared = parameters.map((type, i) => `${C_TYPES[type]} v${i}`).join(", ") || "void";
  const given = parameters.map((_, i) => `v${i}`).join(", ");
  return (
    `int __real_${name}(${declared});\n` +
    `int __wrap_${name}(${declared}) {\n  int *depth = own_depth();\n` +
    `  if ((*depth)++ == 0) __heddle_library_called();\n  int status = __real_${name}(${given});\n` +
    `  if (--*depth == 0) __heddle_library_returned("${name}", status);\n  return status;\n}\n`
  );
}
