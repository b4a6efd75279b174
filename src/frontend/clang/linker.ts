/**
 * Links objects to a host module: with the host library, with the libraries that they call, and with adapters of calls
 * whose types do not fit.
 */
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { unitsLinkedAlways, unitsLinkedWhenCalled } from "../../libraries/libraries.ts";
import type { CompileOptions, CompiledProgram, SourceFile } from "../../program/compiled-program.ts";
import { FAT_BINARY_MAGIC } from "../../program/fat-binary.ts";
import type { Parts } from "../../store/store.ts";
import { adaptCalls, mismatches } from "./call-adapters.ts";
import type { Clang, ToolResult } from "./clang.ts";
import type { CompileCache } from "./compile-cache.ts";
import type { CompiledObject } from "./compiler.ts";
import { DEFAULT_OPTIONS, hostFlags, linkFlags, type LinkOptions } from "./flags.ts";
import { callWrappers } from "./call-wrappers.ts";
import { functionsByName } from "./functions-by-name.ts";
import { libraryWrappers, type LibraryWrappers } from "./library-wrappers.ts";
import { definesEnvironmentMain, definesMain, mentions, usesLongDouble } from "./object-files.ts";
import { OUTPUT, type Passes } from "./passes.ts";
import { isPlatformName } from "./platform-names.ts";
import { THREAD_LOCALS } from "./thread-locals.ts";
import type { ToolRun } from "./tool-thread.ts";
import { make32BitTable } from "../../wasm/table32.ts";

const ALLOWED = "/heddle/out/allowed-undefined";
/** A unit for programs whose main has the environment as its third parameter. */
const ENVIRONMENT_MAIN = "libraries/start/environment_main.cpp";
/** See call-adapters.ts. */
const ADAPTERS = "/heddle/out/call-adapters";
/** Units of hostlib/ with `thread_local` variables. */
const HAVE_THREAD_LOCALS = /\/(?:landing_pads|rounding)\.cpp$/;
const WRAPPERS = "/heddle/out/wrappers";
/** See functions-by-name.ts. */
const BY_NAME = "/heddle/out/functions-by-name";

/** What the linker works with. */
export interface LinkerParts {
  readonly cache: CompileCache;
  readonly passes: Passes;
  load(): Promise<Clang>;
  ownFiles(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** The object of a unit of a library. */
  compileUnit(source: SourceFile, model: CompileOptions["model"]): Promise<Uint8Array>;
}

export class Linker {
  readonly #parts: LinkerParts;

  constructor(parts: LinkerParts) {
    this.#parts = parts;
  }

  /** The objects of hostlib/, and of libraries that every program has: linked into every program. */
  #hostLibrary(model: CompileOptions["model"]): Promise<Parts> {
    const name = model === "ilp32" ? "host library" : `host library, ${model}`;
    return this.#parts.cache.shared(name, ["include", "hostlib", "libraries"], async () => {
      const clang = await this.#parts.load();
      const objects = new Map<string, Uint8Array>();
      const ownUnits = [...clang.ownFiles.keys()].filter((name) => /^hostlib\/.*\.cpp$/.test(name));
      for (const path of [...ownUnits, ...unitsLinkedAlways()]) {
        const result = clang.run([
          ...hostFlags({ ...DEFAULT_OPTIONS, model, optimize: 2 }, "c++"),
          ...(HAVE_THREAD_LOCALS.test(path) ? THREAD_LOCALS : []),
          "-w",
          "-emit-obj",
          "-o",
          OUTPUT,
          `/heddle/${path}`,
        ]);
        if (result.exitCode !== 0) bug(`${path} does not compile:\n${result.stderr}`);
        objects.set(`/heddle/out/${path}.o`, result.output(OUTPUT) ?? bug("Clang wrote nothing"));
      }
      return objects;
    });
  }

  /** The libraries of ours that these objects call, compiled like a user's sources. */
  async #libraryObjects(objects: readonly CompiledObject[], model: CompileOptions["model"]): Promise<Uint8Array[]> {
    const names = (prefix: string): boolean => objects.some(({ object }) => mentions(object, prefix));
    const isPlain = objects.some(({ object }) => definesMain(object));
    const withEnvironment = !isPlain && objects.some(({ object }) => definesEnvironmentMain(object));
    const units = [...unitsLinkedWhenCalled(names), ...(withEnvironment ? [ENVIRONMENT_MAIN] : [])];
    // To read all of our files takes longer than all else of a link that is in the cache.
    if (units.length === 0) return [];
    const own = await this.#parts.ownFiles();
    const compiled: Uint8Array[] = [];
    for (const unit of units) {
      const text = own.get(unit);
      // A package without the unit still links what does not call it.
      if (text === undefined) continue;
      const source = { path: `/heddle/${unit}`, text: new TextDecoder().decode(text) };
      compiled.push(await this.#parts.compileUnit(source, model));
    }
    return compiled;
  }

  /** The linker at work on all but the program's only object, if there is a thread for it. */
  async begin({ observed = false, model = DEFAULT_OPTIONS.model }: Partial<CompileOptions>): Promise<ToolRun | null> {
    const library = await this.#hostLibrary(model);
    const args = linkFlags([...library.keys()], OUTPUT, {
      model,
      allowed: null,
      longDouble: false,
      last: [objectPath(0, false)],
      observed,
    });
    return this.#parts.passes.beginTool({
      args,
      files: library,
      later: [{ path: objectPath(0, false), size: null }],
      reads: "nothing",
      output: OUTPUT,
    });
  }

  /** @param begun from `begin`. */
  async link(
    objects: readonly CompiledObject[],
    begun: ToolRun | null,
    { observed = false, model = DEFAULT_OPTIONS.model }: Partial<CompileOptions>,
  ): Promise<CompiledProgram> {
    const bytes = [...objects.map(({ object }) => object), ...(await this.#libraryObjects(objects, model))];
    const threads = bytes.some((file) => mentions(file, "pthread_create"));
    const own = bytes.map((file, i) => [objectPath(i, isArchive(file)), file] as const);
    const told = callWrappers(bytes.filter((file) => !isArchive(file)));
    const parts = await this.#parts.cache.cached(
      await this.#parts.cache.key(
        ["include", "hostlib", "libraries"],
        "link, archives of device code whole, calls adapted, with main, memories of 16 GiB, variables of threads",
        "functions by name, also those of the runtime",
        observed ? "observed, with calls of libraries by threads" : "",
        threads ? "threads" : "one thread",
        told === null ? "" : "calls told to CUPTI",
        ...bytes,
      ),
      null,
      async () => {
        if (!bytes.some(definesMain)) throw noMain(objects);
        const files = new Map([...own, ...(await this.#hostLibrary(model))]);
        const clang = await this.#parts.load();
        const inputs = inputsOf(files);
        const longDouble = bytes.some(usesLongDouble);
        const programs = objects.map(({ object }) => object).filter((file) => !isArchive(file));
        const tables = addFunctionsByName(clang, programs, model, files, inputs);
        const wrappers = [observed ? libraryWrappers([...programs, ...tables]) : null, told];
        const more = wrappers.flatMap((one, i) =>
          one === null ? [] : addWrappers(clang, one, model, files, inputs, i),
        );
        const options: LinkOptions = { model, allowed: null, longDouble, observed, threads, more };
        let result =
          (threads || tables.length > 0 || more.length > 0 ? null : await finishLink(begun, own, longDouble)) ??
          clang.run(linkFlags(inputs, OUTPUT, options), { files });
        const adapted = adaptCalls(mismatches(result.stderr), new Map(own.filter(([, file]) => !isArchive(file))));
        if (adapted !== null) {
          for (const [path, file] of [
            ...adapted.changed,
            [ADAPTERS, compileAdapters(clang, adapted.source, model)] as const,
          ])
            files.set(path, file);
          inputs.push(ADAPTERS);
          result = clang.run(linkFlags(inputs, OUTPUT, options), { files });
        }
        if (result.exitCode !== 0)
          throw linkError(
            objects,
            own.map(([path]) => path),
            result,
          );
        const wasm = result.output(OUTPUT) ?? bug("the linker wrote nothing");
        if (model === "lp64") make32BitTable(wasm);
        const imports = WebAssembly.Module.imports(await WebAssembly.compile(wasm as BufferSource))
          .filter(({ module, kind }) => module === "env" && kind === "function")
          .map((i) => i.name);
        if (!imports.every(isPlatformName)) {
          // Only the linker knows which object refers to a name: it says so where the name may not stay undefined.
          files.set(ALLOWED, new TextEncoder().encode(imports.filter(isPlatformName).join("\n")));
          throw linkError(
            objects,
            own.map(([path]) => path),
            clang.run(linkFlags(inputs, OUTPUT, { ...options, allowed: ALLOWED }), { files }),
          );
        }
        return {
          parts: new Map([
            ["wasm", wasm],
            ["warnings", new TextEncoder().encode(result.stderr)],
          ]),
          dependencies: null,
        };
      },
    );
    return {
      device: objects.flatMap((object) => object.device ?? []),
      host: { wasm: parts.get("wasm") ?? bug("a cache entry without its part") },
      warnings: objects.map((object) => object.warnings).join("") + new TextDecoder().decode(parts.get("warnings")),
    };
  }
}

const isArchive = (file: Uint8Array): boolean => new TextDecoder().decode(file.subarray(0, 8)) === "!<arch>\n";

/**
 * Device code of an archive may be wanted by other device code, which the linker cannot see: such archives are taken
 * whole.
 */
function inputsOf(files: ReadonlyMap<string, Uint8Array>): string[] {
  return [...files].flatMap(([path, file]) =>
    isArchive(file) && mentions(file, FAT_BINARY_MAGIC) ? ["--whole-archive", path, "--no-whole-archive"] : [path],
  );
}

/** Adds the tables of what the program finds by name. @returns their object, if there are any */
function addFunctionsByName(
  clang: Clang,
  programs: readonly Uint8Array[],
  model: CompileOptions["model"],
  files: Map<string, Uint8Array>,
  inputs: string[],
): readonly Uint8Array[] {
  const all = [...files.values()].filter((file) => !isArchive(file));
  const header = (name: string): string => new TextDecoder().decode(clang.ownFiles.get(`include/${name}`));
  const source = functionsByName(programs, all, header);
  if (source === null) return [];
  const table = compileAdapters(clang, source, model);
  files.set(BY_NAME, table);
  inputs.push(BY_NAME);
  return [table];
}

/** Adds what stands between the program's calls and the functions. @returns flags of the linker */
function addWrappers(
  clang: Clang,
  wrappers: LibraryWrappers,
  model: CompileOptions["model"],
  files: Map<string, Uint8Array>,
  inputs: string[],
  index: number,
): readonly string[] {
  const path = `${WRAPPERS}-${index}`;
  files.set(path, compileAdapters(clang, wrappers.source, model));
  inputs.push(path);
  return wrappers.linkFlags;
}

function noMain(objects: readonly CompiledObject[]): HeddleError {
  return new HeddleError("link-error", `there is no main() in ${objects.map(({ name }) => name).join(", ")}`, {
    notes: objects.some(({ device }) => device !== null)
      ? [
          "If another file of the program has it, name it, too: heddle run a.cu b.cu -- [arguments]",
          "Kernels run without a main(), too: TypeScript calls them (docs/typescript.md), also under the checkers " +
            "(docs/checking.md), and heddle bench compares versions of one (docs/ladders.md)",
        ]
      : ["If another file of the program has it, name it, too: heddle run a.cu b.cu -- [arguments]"],
  });
}

/** @param source C, of call-adapters.ts. */
function compileAdapters(clang: Clang, source: string, model: CompileOptions["model"]): Uint8Array {
  const path = `${ADAPTERS}.c`;
  const files = new Map([[path, new TextEncoder().encode(source)]]);
  const result = clang.run(
    [...hostFlags({ ...DEFAULT_OPTIONS, model, optimize: 2 }, "c"), "-w", "-emit-obj", "-o", OUTPUT, path],
    { files },
  );
  return (
    (result.exitCode === 0 ? result.output(OUTPUT) : null) ??
    bug(`adapters of calls do not compile:\n${source}${result.stderr}`)
  );
}

function objectPath(index: number, isArchive: boolean): string {
  return `/heddle/out/${index}.${isArchive ? "a" : "o"}`;
}

/**
 * What a link that has begun makes of the program's objects. Null if it was another one that began, or if it fails: the
 * object comes last in it, so that what a program defines in place of a library's function may be there twice.
 */
async function finishLink(
  begun: ToolRun | null,
  own: readonly (readonly [path: string, bytes: Uint8Array])[],
  longDouble: boolean,
): Promise<ToolResult | null> {
  const [first, second] = own;
  if (begun === null || first === undefined || second !== undefined || first[0] !== objectPath(0, false) || longDouble)
    return null;
  begun.deliver(...first);
  const result = await begun.result.catch(() => null);
  return result?.exitCode === 0 && result.stderr === "" ? result : null;
}

/** What the linker said, with the user's names of the objects, and undefined symbols as other linkers put them. */
function linkError(objects: readonly CompiledObject[], paths: readonly string[], result: ToolResult): HeddleError {
  let report = result.stderr.trimEnd();
  objects.forEach((object, i) => (report = report.replaceAll(paths[i] as string, object.name)));
  const undefinedSymbols = /^wasm-ld: error: (.*?): undefined symbol: (.*)$/gm;
  const [, file, symbol] = undefinedSymbols.exec(report) ?? [];
  if (symbol === undefined) return new HeddleError("link-error", "the program does not link", { notes: [report] });
  const notes = [
    report.replaceAll(undefinedSymbols, "$1: undefined reference to `$2'"),
    "Nothing that was named defines it. If another file of the program does, name it, too: " +
      "heddle run a.cu b.cu -- [arguments]",
  ];
  return new HeddleError("link-error", `the program does not link: undefined reference to \`${symbol}' (in ${file})`, {
    notes,
  });
}
