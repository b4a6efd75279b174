/**
 * Hooks of Node.js's module loader (node:module, `register`) for ladder files: TypeScript's types are taken out, which
 * Node.js does by itself only from 22.18 on, and never below node_modules; and "heddle/ladder" is this package,
 * wherever the file lies. They run in a thread of the loader's own.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

type Resolve = (specifier: string, context: unknown) => Promise<unknown>;
type Load = (url: string, context: unknown) => Promise<unknown>;

let ladderUrl = "";
let transform: typeof import("@swc/wasm-typescript").transformSync | null = null;

/** Called by `register` with its `data`. */
export function initialize(data: { readonly ladderUrl: string }): void {
  ladderUrl = data.ladderUrl;
}

export async function resolve(specifier: string, context: unknown, next: Resolve): Promise<unknown> {
  return specifier === "heddle/ladder"
    ? { url: ladderUrl, format: "module", shortCircuit: true }
    : next(specifier, context);
}

export async function load(url: string, context: unknown, next: Load): Promise<unknown> {
  if (!/^file:.*\.m?ts(\?.*)?$/.test(url)) return next(url, context);
  transform ??= (createRequire(import.meta.url)("@swc/wasm-typescript") as typeof import("@swc/wasm-typescript"))
    .transformSync;
  const path = fileURLToPath(url);
  const { code } = transform(await readFile(path, "utf8"), { mode: "strip-only", module: true, filename: path });
  return { format: "module", source: code, shortCircuit: true };
}
