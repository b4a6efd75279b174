/** Where the package pyodide lies: CPython as WebAssembly. */
import { createRequire } from "node:module";
import { dirname } from "node:path";

/** null: it is not installed. */
export function pyodideFolder(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve("pyodide/package.json"));
  } catch {
    return null;
  }
}
