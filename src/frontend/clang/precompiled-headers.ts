/**
 * Precompiled headers: cuda_runtime.h, which all CUDA sources begin with, and on top of it the headers of the C++
 * library that a source begins with. Without them every pass reads a hundred thousand lines first.
 *
 * On top of cuda_runtime.h lies a stack of lists of headers, each precompiled on top of those below it. First come the
 * layers of header-layers.ts, which many programs share; for the default options they come with the package. On top of
 * them lie half precision and bfloat16. The last list has the other headers that the source begins with.
 */
import { bug } from "../../base/diagnostics.ts";
import type { ToolResult } from "./clang.ts";
import type { Parts } from "../../store/store.ts";
import { KEEP_VARIABLES, languageStandard } from "./flags.ts";
import { isAboutCode } from "./observed-flags.ts";
import { layersOf } from "./header-layers.ts";
import { isNvccForm } from "./nvcc-form.ts";
import type { CompileCache } from "./compile-cache.ts";
import { HALF_HEADERS, leadingIncludes, TORCH_HEADER, type IncludedFile } from "./leading-includes.ts";
import { includeFolders } from "./toolkit-headers.ts";
import type { CompileOptions, SourceFile } from "../../program/compiled-program.ts";
import type { ToolThread } from "./tool-thread.ts";
import type { SourceReader } from "../../store/source-reader.ts";

/** NVRTC's own macro, which our headers do not ask for. */
export const RUNTIME_COMPILER = "__CUDACC_RTC__";
const PRECOMPILED = "/heddle/out/header.pch";
/** Where Clang writes a precompiled header. */
const MADE = "/heddle/out/made.pch";
const PRELUDE = "/heddle/include/cuda_runtime.h";
/**
 * Precompiled C++ headers take up to 10 MB for each list and pass: more than a few of a source's own are read from the
 * store again.
 */
const OWN_LISTS_IN_MEMORY = 4;

const HALVES: ReadonlySet<string> = new Set(HALF_HEADERS);

/** Arguments and files for what comes before a source. */
export interface Prelude {
  readonly args: readonly string[];
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Lists of headers, from the bottom up. */
type Stack = readonly (readonly string[])[];

/** Runs a tool, wherever. */
type RunTool = (args: readonly string[], files: ReadonlyMap<string, Uint8Array>) => Promise<ToolResult>;

export class PrecompiledHeaders {
  readonly #cache: CompileCache;
  readonly #run: RunTool;
  readonly #ownFiles: () => Promise<ReadonlyMap<string, Uint8Array>>;
  /** Stacks in memory whose topmost list is a source's own, the one unused for longest first. */
  readonly #own: Set<string> = new Set();

  constructor(cache: CompileCache, run: RunTool, ownFiles: () => Promise<ReadonlyMap<string, Uint8Array>>) {
    this.#cache = cache;
    this.#run = run;
    this.#ownFiles = ownFiles;
  }

  async #precompile(
    what: string,
    run: RunTool,
    args: readonly string[],
    files: ReadonlyMap<string, Uint8Array>,
  ): Promise<Parts> {
    // Templates that the headers themselves use are instantiated here, once, and not at the end of every program: 20 ms
    // for each pass.
    const result = await run(
      [...args.slice(0, -1), "-w", "-fpch-instantiate-templates", "-emit-pch", "-o", MADE, ...args.slice(-1)],
      files,
    );
    if (result.exitCode !== 0) bug(`${what} does not compile:\n${result.stderr}`);
    return new Map([["pch", result.output(MADE) ?? bug("Clang wrote no precompiled header")]]);
  }

  /** The stack's precompiled headers and what they were made of, by path; made if they are absent. */
  async #files(flags: readonly string[], stack: Stack, run: RunTool): Promise<Map<string, Uint8Array>> {
    const list = stack.at(-1);
    if (list === undefined) {
      const parts = await this.#cache.shared(nameOf(flags, stack), ["include"], () =>
        this.#precompile("cuda_runtime.h", run, [...flags, PRELUDE], new Map()),
      );
      return new Map([[PRECOMPILED, pchOf(parts)]]);
    }
    const files = await this.#files(flags, stack.slice(0, -1), run);
    const header = `/heddle/out/headers-${stack.length}.h`;
    files.set(header, new TextEncoder().encode(list.map((name) => `#include <${name}>\n`).join("")));
    const parts = await this.#cache.shared(nameOf(flags, stack), ["include"], () =>
      this.#precompile(
        `the C++ library's ${list.join(", ")}`,
        run,
        [...flags, "-include-pch", pathOf(stack.slice(0, -1)), header],
        files,
      ),
    );
    return files.set(pathOf(stack), pchOf(parts));
  }

  /**
   * As much of the stack as is there. The whole of it from the second program on that asks for it: making a list takes
   * as long as compiling a program that includes it, and pays from the third on.
   */
  async #worthwhile(flags: readonly string[], stack: Stack): Promise<Stack> {
    let found = 0;
    while (found < stack.length && (await this.#cache.found(nameOf(flags, stack.slice(0, found + 1)), ["include"])))
      found++;
    if (found === stack.length) return stack;
    const seen = await this.#cache.key(["include"], "seen", nameOf(flags, stack));
    if ((await this.#cache.store.get(seen)) !== null) return stack;
    await this.#cache.store.put(seen, new Uint8Array(0));
    return stack.slice(0, found);
  }

  /** Keeps this stack in memory, and drops the one unused for longest. */
  #keep(name: string): void {
    this.#own.delete(name);
    this.#own.add(name);
    const [oldest] = this.#own;
    if (this.#own.size > OWN_LISTS_IN_MEMORY && oldest !== undefined) {
      this.#own.delete(oldest);
      this.#cache.release(oldest);
    }
  }

  /**
   * What comes before the source: cuda_runtime.h, precompiled if it may be, and the C++ headers that the source begins
   * with.
   *
   * @param thread has time to precompile all of them; else that is done here, when it is worth while.
   */
  async prelude(
    flags: readonly string[],
    source: SourceFile,
    options: CompileOptions,
    reader: SourceReader | null,
    thread: ToolThread | null = null,
  ): Promise<Prelude> {
    if (!flags.includes("cuda")) {
      const headers = ["heddle/posix_extras.h", ...(flags.includes("c") ? undeclaredHeaders(source.text) : [])];
      return { args: headers.flatMap((header) => ["-include", header]), files: new Map() };
    }
    if (!precompilable(options)) return { args: ["-include", "cuda_runtime.h"], files: new Map() };
    // A precompiled header is made without what only the use may have.
    const common = precompiledFlags(flags);
    const { headers, names } = leadingIncludes(source, await this.#opener(source, options, reader));
    const { layers, rest } = layersOf(
      headers.filter((name) => !HALVES.has(name)),
      languageStandard(options.standard),
    );
    const hasHalves = !layers.includes(TORCH_HEADER) && !options.defines.some((one) => /^CUDA_NO_HALF\b/.test(one));
    const halves = HALF_HEADERS.filter((name) => hasHalves && headers.includes(name));
    // The folders that Clang searches: of a toolkit's only the open libraries.
    const folders = includeFolders(options.includePaths, [], reader);
    const hidden = (name: string): boolean =>
      folders.some((directory) => (reader?.readFile(`${directory}/${name}`) ?? null) !== null);
    const all = [...[...layers, ...halves].map((layer) => [layer]), ...(rest.length === 0 ? [] : [rest])];
    const asked = [...names, ...headers, ...layers, ...(headers.includes(TORCH_HEADER) ? ["torch/extension.h"] : [])];
    const wanted = asked.some(hidden) ? [] : all;
    const stack = thread === null ? await this.#worthwhile(common, wanted) : wanted;
    if (stack.length > layers.length + halves.length) this.#keep(nameOf(common, stack));
    return {
      args: ["-include-pch", pathOf(stack)],
      files: await this.#files(
        common,
        stack,
        thread === null ? this.#run : (args, files) => this.#runOn(thread, args, files),
      ),
    };
  }

  /** What opens the files that a source includes in quotes: the user's, or for code of ours, ours. */
  async #opener(
    { path: source }: SourceFile,
    { includePaths }: CompileOptions,
    reader: SourceReader | null,
  ): Promise<(name: string, from: string) => IncludedFile | null> {
    const own = source.startsWith("/heddle/") ? await this.#ownFiles() : null;
    const read = (path: string): Uint8Array | null =>
      (own === null ? reader?.readFile(path) : own.get(inFolders(path.slice("/heddle/".length)))) ?? null;
    return (name, from) => {
      const places = [from.replace(/[^/]*$/, ""), ...includePaths.map((folder) => `${folder}/`)];
      for (const path of name.startsWith("/") ? [name] : places.map((place) => place + name)) {
        const bytes = read(path);
        if (bytes !== null) return { path, text: new TextDecoder().decode(bytes) };
      }
      return null;
    };
  }

  async #runOn(
    thread: ToolThread,
    args: readonly string[],
    files: ReadonlyMap<string, Uint8Array>,
  ): Promise<ToolResult> {
    const run = await thread.start({ args, files, later: [], reads: "nothing", output: MADE });
    return (await run?.result.catch(() => null)) ?? this.#run(args, files);
  }
}

/** The path without `folder/../`. */
function inFolders(path: string): string {
  const shorter = path.replace(/[^/]+\/\.\.\//, "");
  return shorter === path ? path : inFolders(shorter);
}

/** The name of a stack's topmost list in the cache. */
function nameOf(flags: readonly string[], stack: Stack): string {
  return ["precompiled headers", ...stack.map((list) => list.join(" ")), ...flags].join("\n");
}

function pathOf(stack: Stack): string {
  return stack.length === 0 ? PRECOMPILED : `/heddle/out/headers-${stack.length}.pch`;
}

function pchOf(parts: Parts): Uint8Array {
  return parts.get("pch") ?? bug("a cache entry without its part");
}

/**
 * Headers that a C source may have left out. C calls an undeclared function as `int f()`, which works for these on
 * other machines. A call in WebAssembly must have exactly the function's type.
 */
function undeclaredHeaders(text: string): string[] {
  const calls: readonly (readonly [header: string, names: RegExp])[] = [
    ["time.h", /\b(?:time|clock)\s*\(/],
    ["stdlib.h", /\b(?:srand|srand48|qsort|atoll|strtoll|strtoull)\s*\(/],
  ];
  return calls.flatMap(([header, names]) => (names.test(text) ? [header] : []));
}

/**
 * Whether cuda_runtime.h may come precompiled: not if the user defines reserved names, which could change our headers,
 * or the name that says what stream 0 is, and not if other files are to come before it. NVRTC has the declarations of
 * the runtime before all files.
 */
function precompilable({ forcedIncludes, defines, undefines }: CompileOptions): boolean {
  const others = defines.filter((define) => define !== RUNTIME_COMPILER);
  return (
    (forcedIncludes.length === 0 || others.length < defines.length) &&
    ![...others, ...undefines].some((define) => /^(?:_|CUDA_API_PER_THREAD_DEFAULT_STREAM\b)/.test(define))
  );
}

const NOT_OF_HEADERS: readonly string[] = [
  "-emit-llvm",
  "-emit-obj",
  "-E",
  "-disable-llvm-passes",
  "-fcuda-include-gpubinary",
  KEEP_VARIABLES,
];

function precompiledFlags(flags: readonly string[]): string[] {
  return flags.filter(
    (flag, i) =>
      !isNvccForm(flag, flags[i - 1], flags[i + 1]) &&
      !NOT_OF_HEADERS.includes(flag) &&
      !isAboutCode(flag) &&
      flags[i - 1] !== "-fcuda-include-gpubinary",
  );
}
