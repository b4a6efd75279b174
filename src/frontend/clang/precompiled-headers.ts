/**
 * Precompiled headers: cuda_runtime.h, which all CUDA sources begin with, and on top of it the headers of the C++ library that a source
 * begins with. Without them every pass reads a hundred thousand lines first.
 */
import { bug } from "../../base/diagnostics.ts";
import type { Clang } from "./clang.ts";
import type { KeptResults } from "./kept-results.ts";
import { leadingIncludes } from "./leading-includes.ts";
import type { CompileOptions, SourceFile } from "./program.ts";
import type { SourceReader } from "./virtual-files.ts";

const PRECOMPILED = "/heddle/out/header.pch";
const PRELUDE = "/heddle/include/cuda_runtime.h";
const STANDARD_HEADERS = "/heddle/out/standard.h";
const PRECOMPILED_STANDARD = "/heddle/out/standard.pch";
/** Precompiled C++ headers take 10 MB for each list and pass: more than a few are read from the store again. */
const STANDARD_LISTS_IN_MEMORY = 4;

/** Arguments and files for what comes before a source. */
export interface Prelude { readonly args: readonly string[]; readonly files: ReadonlyMap<string, Uint8Array> }

export class PrecompiledHeaders {
  readonly #kept: KeptResults;
  readonly #load: () => Promise<Clang>;
  /** The lists of C++ headers in memory, the one unused for longest first. */
  readonly #standardLists: Set<string> = new Set();

  constructor(kept: KeptResults, load: () => Promise<Clang>) {
    this.#kept = kept;
    this.#load = load;
  }

  async #precompiled(flags: readonly string[]): Promise<Uint8Array> {
    // Templates that the headers themselves use are instantiated here, once, and not at the end of every program: 20 ms for each pass.
    const all = [...flags, "-w", "-fpch-instantiate-templates", "-emit-pch"];
    const parts = await this.#kept.shared(`precompiled header\n${all.join("\n")}`, ["include"], async () => {
      const clang = await this.#load();
      const result = clang.run([...all, "-o", PRECOMPILED, PRELUDE]);
      if (result.exitCode !== 0) bug(`cuda_runtime.h does not compile:\n${result.stderr}`);
      return new Map([["pch", result.output(PRECOMPILED) ?? bug("Clang wrote no precompiled header")]]);
    });
    return parts.get("pch") ?? bug("a cache entry without its part");
  }

  /**
   * The C++ headers that a source begins with, precompiled on top of cuda_runtime.h; null for the first program that begins with these:
   * making them takes as long as compiling it, and pays from the third on.
   */
  async #precompiledStandard(flags: readonly string[], names: readonly string[]): Promise<Uint8Array | null> {
    const list = includeLines(names);
    const all = [...flags, "-w", "-fpch-instantiate-templates", "-emit-pch"];
    const what = `precompiled standard headers\n${list}${all.join("\n")}`;
    const seen = await this.#kept.key(["include"], "seen", what);
    if (!this.#standardLists.has(what) && (await this.#kept.store.get(seen)) === null) {
      await this.#kept.store.put(seen, new Uint8Array(0));
      return null;
    }
    this.#standardLists.delete(what);
    this.#standardLists.add(what);
    const [oldest] = this.#standardLists;
    if (this.#standardLists.size > STANDARD_LISTS_IN_MEMORY && oldest !== undefined) {
      this.#standardLists.delete(oldest);
      this.#kept.release(oldest);
    }
    const parts = await this.#kept.shared(what, ["include"], async () => {
      const clang = await this.#load();
      const files = new Map([[PRECOMPILED, await this.#precompiled(flags)], [STANDARD_HEADERS, new TextEncoder().encode(list)]]);
      const result = clang.run([...all, "-include-pch", PRECOMPILED, "-o", PRECOMPILED_STANDARD, STANDARD_HEADERS], { files });
      if (result.exitCode !== 0) bug(`the C++ library's headers do not compile:\n${list}${result.stderr}`);
      return new Map([["pch", result.output(PRECOMPILED_STANDARD) ?? bug("Clang wrote no precompiled header")]]);
    });
    return parts.get("pch") ?? bug("a cache entry without its part");
  }

  /** What comes before the source: cuda_runtime.h, precompiled if it may be, and the C++ headers that the source begins with. */
  async prelude(flags: readonly string[], source: SourceFile, options: CompileOptions, reader: SourceReader | null): Promise<Prelude> {
    if (!flags.includes("cuda")) {
      const headers = ["heddle/posix_extras.h", ...(flags.includes("c") ? undeclaredHeaders(source.text) : [])];
      return { args: headers.flatMap((header) => ["-include", header]), files: new Map() };
    }
    if (!precompilable(options)) return { args: ["-include", "cuda_runtime.h"], files: new Map() };
    // A precompiled header is made without what only the use may have.
    const common = precompiledFlags(flags);
    const files = new Map([[PRECOMPILED, await this.#precompiled(common)]]);
    const names = leadingIncludes(source.text);
    const hidden = (name: string): boolean => options.includePaths.some((directory) => (reader?.readFile(`${directory}/${name}`) ?? null) !== null);
    const standard = names.length === 0 || names.some(hidden) ? null : await this.#precompiledStandard(common, names);
    if (standard === null) return { args: ["-include-pch", PRECOMPILED], files };
    files.set(PRECOMPILED_STANDARD, standard).set(STANDARD_HEADERS, new TextEncoder().encode(includeLines(names)));
    return { args: ["-include-pch", PRECOMPILED_STANDARD], files };
  }
}

/**
 * Headers that a C source may have left out: what nobody declared is called as `int f()`, which is good enough for these on other
 * machines; a call in WebAssembly must have the very type of the function.
 */
function undeclaredHeaders(text: string): string[] {
  const calls: readonly (readonly [header: string, names: RegExp])[] = [
    ["time.h", /\b(?:time|clock)\s*\(/], ["stdlib.h", /\b(?:srand|srand48|qsort|atoll|strtoll|strtoull)\s*\(/],
  ];
  return calls.flatMap(([header, names]) => (names.test(text) ? [header] : []));
}

/**
 * Whether cuda_runtime.h may come precompiled: not if the user defines reserved names, which could change our headers, and
 * not if other files are to come before it.
 */
function precompilable(options: CompileOptions): boolean {
  return options.forcedIncludes.length === 0 && ![...options.defines, ...options.undefines].some((define) => define.startsWith("_"));
}

function includeLines(names: readonly string[]): string {
  return names.map((name) => `#include <${name}>\n`).join("");
}

function precompiledFlags(flags: readonly string[]): string[] {
  return flags.filter((flag, i) => !["-emit-llvm", "-emit-obj", "-E", "-fcuda-include-gpubinary"].includes(flag) && flags[i - 1] !== "-fcuda-include-gpubinary");
}
