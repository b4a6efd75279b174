/**
 * Compiles CUDA programs: source files in, device IR and a host module out. Everything that runs Clang for the rest of
 * Heddle goes through a Compiler.
 *
 * Results are kept in a BlobStore; on a hit Clang is not even loaded. Precompiled headers (one for each set of options
 * that matters) and the host library's objects are kept there too.
 */
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { isPlatformName } from "./platform-names.ts";
import type { TextProgram } from "../../program/device-program.ts";
import { adaptCalls, mismatchedNames } from "./call-adapters.ts";
import { Clang } from "./clang.ts";
import type { ClangResources, ToolResult } from "./clang.ts";
import { memoryStore } from "../../store/store.ts";
import type { BlobStore, Hash, Parts } from "../../store/store.ts";
import { FAT_BINARY_MAGIC, attachFatBinary, encodeFatBinary } from "../../program/fat-binary.ts";
import { DEFAULT_OPTIONS, deviceFlags, deviceLibraryFlags, hostAccessFlags, hostFlags, linkFlags } from "./flags.ts";
import type { SourceLanguage } from "./flags.ts";
import { CompileCache } from "./compile-cache.ts";
import { mentions, usesLongDouble } from "./object-files.ts";
import { unitsLinkedAlways, unitsLinkedWhenCalled } from "../../libraries/libraries.ts";
import { appendNameExpressions, takeNameExpressions } from "./name-expressions.ts";
import { OUTPUT, Passes, REFERENCE } from "./passes.ts";
import type { BegunPass, Pass } from "./passes.ts";
import type { CompileOptions, CompiledProgram, SourceFile } from "../../program/compiled-program.ts";
import { sha256 } from "../../store/sha256.ts";
import type { ToolRun } from "./tool-thread.ts";
import type { SourceReader } from "../../store/source-reader.ts";

const ALLOWED = "/heddle/out/allowed-undefined";
/** See call-adapters.ts. */
const ADAPTERS = "/heddle/out/call-adapters";

export interface CompilerEnvironment {
  readonly resources: ClangResources;
  /** Where results are kept; in memory if absent. */
  readonly store?: BlobStore;
  /** SHA-256 in hexadecimal, if the platform has a faster one. */
  readonly hash?: Hash;
}

/** A compiled translation unit: a wasm object file that carries its device code. */
export interface CompiledObject {
  readonly name: string;
  readonly object: Uint8Array;
  readonly device: TextProgram | null;
  readonly warnings: string;
}

export interface DeviceCompilation {
  readonly program: TextProgram;
  /** Name expression, as given, to the kernel's name in the IR. */
  readonly names: ReadonlyMap<string, string>;
  readonly warnings: string;
}

export interface Compiler {
  /**
   * Compiles and links. Throws HeddleError compile-error or link-error with the tool's own report in `notes`.
   *
   * @param onDevice hears of a lone source's device code when there is more to wait for: its host pass still runs, on
   * another thread.
   */
  compileProgram(
    sources: readonly SourceFile[],
    options: Partial<CompileOptions>,
    reader: SourceReader | null,
    onDevice?: (program: TextProgram) => void,
  ): Promise<CompiledProgram>;
  /** One translation unit (-c, -dc): CUDA, C++ or C by its file name. */
  compileObject(
    source: SourceFile,
    options: Partial<CompileOptions>,
    reader: SourceReader | null,
  ): Promise<CompiledObject>;
  /** Links objects of ours, as compileObject made them or as read back from files, and archives of them. */
  linkObjects(objects: readonly CompiledObject[], options?: Partial<CompileOptions>): Promise<CompiledProgram>;
  /** Bundles objects into a static library. */
  archive(objects: readonly CompiledObject[]): Promise<Uint8Array>;
  /**
   * Device code only. `nameExpressions` such as `reduce<float, 256>` are instantiated and resolved to names in the IR
   * (as nvrtcAddNameExpression does).
   */
  compileDevice(
    source: SourceFile,
    options: Partial<CompileOptions>,
    reader: SourceReader | null,
    nameExpressions?: readonly string[],
  ): Promise<DeviceCompilation>;
  /** The units of libdevice/, which kernels are linked with. */
  compileDeviceLibrary(): Promise<readonly TextProgram[]>;
  /**
   * Starts what compileObject will do for this source before it reads it, where the platform has threads: the caller
   * expects the source to be saved, and has nothing else to do. Resolves when all is set up; the compilation may begin
   * earlier.
   */
  getReady(source: SourceFile, options: Partial<CompileOptions>, reader: SourceReader | null): Promise<void>;
  /** The preprocessed source (-E). */
  preprocess(source: SourceFile, options: Partial<CompileOptions>, reader: SourceReader | null): Promise<string>;
}

export function createCompiler(environment: CompilerEnvironment): Promise<Compiler> {
  return Promise.resolve(new ClangCompiler(environment));
}

export function sourceLanguage(path: string): SourceLanguage {
  if (/\.(cu|cuh)$/i.test(path)) return "cuda";
  return /\.c$/.test(path) ? "c" : "c++";
}

class ClangCompiler implements Compiler {
  readonly #environment: CompilerEnvironment;
  readonly #kept: CompileCache;
  readonly #passes: Passes;
  #clang: Promise<Clang> | null = null;

  constructor(environment: CompilerEnvironment) {
    this.#environment = environment;
    this.#kept = new CompileCache(
      environment.resources,
      environment.store ?? memoryStore(),
      environment.hash ?? sha256,
    );
    this.#passes = new Passes(this.#kept, environment.resources, () => this.#load());
  }

  #load(): Promise<Clang> {
    return (this.#clang ??= Clang.load(this.#environment.resources));
  }

  /** @param meanwhile see Passes.run. */
  async #device(
    source: SourceFile,
    options: CompileOptions,
    reader: SourceReader | null,
    meanwhile?: () => Promise<void>,
  ): Promise<{ program: TextProgram; warnings: string }> {
    const { output, warnings } = await this.#passes.run(devicePass(source, options, reader), { meanwhile });
    return {
      program: { ir: new TextDecoder().decode(output), name: source.path, options: { fmad: options.fmad } },
      warnings,
    };
  }

  async compileDevice(
    source: SourceFile,
    partial: Partial<CompileOptions>,
    reader: SourceReader | null,
    nameExpressions: readonly string[] = [],
  ): Promise<DeviceCompilation> {
    const options = { ...DEFAULT_OPTIONS, ...partial };
    const { program, warnings } = await this.#device(appendNameExpressions(source, nameExpressions), options, reader);
    const { ir, names } = takeNameExpressions(program.ir, nameExpressions);
    return { program: { ...program, ir }, names, warnings };
  }

  compileObject(
    source: SourceFile,
    options: Partial<CompileOptions>,
    reader: SourceReader | null,
  ): Promise<CompiledObject> {
    return this.#object(source, options, reader, async () => {});
  }

  /** @param deviceDone called when only the host pass is left to wait for. */
  async #object(
    source: SourceFile,
    partial: Partial<CompileOptions>,
    reader: SourceReader | null,
    deviceDone: (program: TextProgram) => Promise<void>,
  ): Promise<CompiledObject> {
    const options = { ...DEFAULT_OPTIONS, ...partial };
    const language = sourceLanguage(source.path);
    const pass = hostPass(source, options, reader, language);
    if (language !== "cuda") {
      const { output, warnings } = await this.#passes.run(pass);
      return { name: source.path, object: output, device: null, warnings };
    }
    let begun: BegunPass | null = null;
    try {
      const device = await this.#device(source, options, reader, async () => {
        begun = await this.#passes.begin(pass);
      });
      if (begun !== null) await deviceDone(device.program);
      const host = await this.#passes.run(pass, { begun });
      const object = attachFatBinary(host.output, encodeFatBinary(device.program, this.#kept.hash));
      // Both passes see the same text: what the host pass says, the device pass has mostly said already.
      return {
        name: source.path,
        object,
        device: device.program,
        warnings: device.warnings === "" ? host.warnings : device.warnings,
      };
    } finally {
      (begun as BegunPass | null)?.run.abandon();
    }
  }

  async getReady(source: SourceFile, partial: Partial<CompileOptions>, reader: SourceReader | null): Promise<void> {
    if (sourceLanguage(source.path) !== "cuda") return;
    const options = { ...DEFAULT_OPTIONS, ...partial };
    await Promise.all(
      [devicePass(source, options, reader), hostPass(source, options, reader, "cuda")].map((pass) =>
        this.#passes.getReady(pass),
      ),
    );
  }

  /** The objects of hostlib/, and of libraries that every program has: linked into every program. */
  #hostLibrary(): Promise<Parts> {
    return this.#kept.shared("host library", ["include", "hostlib", "libraries"], async () => {
      const clang = await this.#load();
      const objects = new Map<string, Uint8Array>();
      const ownUnits = [...clang.ownFiles.keys()].filter((name) => /^hostlib\/.*\.cpp$/.test(name));
      for (const path of [...ownUnits, ...unitsLinkedAlways()]) {
        const result = clang.run([
          ...hostFlags({ ...DEFAULT_OPTIONS, optimize: 2 }, "c++"),
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
  async #libraryObjects(objects: readonly CompiledObject[]): Promise<Uint8Array[]> {
    const own = await this.#environment.resources.ownFiles();
    const compiled: Uint8Array[] = [];
    const names = (prefix: string): boolean => objects.some(({ object }) => mentions(object, prefix));
    for (const unit of unitsLinkedWhenCalled(names)) {
      const text = own.get(unit);
      // A package without the unit still links what does not call it.
      if (text === undefined) continue;
      const source = { path: `/heddle/${unit}`, text: new TextDecoder().decode(text) };
      compiled.push((await this.compileObject(source, {}, null)).object);
    }
    return compiled;
  }

  linkObjects(objects: readonly CompiledObject[], options: Partial<CompileOptions> = {}): Promise<CompiledProgram> {
    return this.#link(objects, null, options);
  }

  /** The linker at work on all but the program's only object, if there is a thread for it. */
  async #beginLink(observed: boolean): Promise<ToolRun | null> {
    const library = await this.#hostLibrary();
    const args = linkFlags([...library.keys()], OUTPUT, {
      allowed: null,
      longDouble: false,
      last: [objectPath(0, false)],
      observed,
    });
    return this.#passes.beginTool({
      args,
      files: library,
      later: [{ path: objectPath(0, false), size: null }],
      readsFileSystem: false,
      output: OUTPUT,
    });
  }

  /** @param begun from #beginLink. */
  async #link(
    objects: readonly CompiledObject[],
    begun: ToolRun | null,
    { observed = false }: Partial<CompileOptions>,
  ): Promise<CompiledProgram> {
    const bytes = [...objects.map(({ object }) => object), ...(await this.#libraryObjects(objects))];
    const isArchive = (file: Uint8Array): boolean => new TextDecoder().decode(file.subarray(0, 8)) === "!<arch>\n";
    const own = bytes.map((file, i) => [objectPath(i, isArchive(file)), file] as const);
    const parts = await this.#kept.cached(
      await this.#kept.key(
        ["include", "hostlib", "libraries"],
        `link, archives of device code whole, calls adapted${observed ? ", observed" : ""}`,
        ...bytes,
      ),
      null,
      async () => {
        const files = new Map([...own, ...(await this.#hostLibrary())]);
        const clang = await this.#load();
        // Device code of an archive may be wanted by other device code, which the linker cannot see: such archives are
        // taken whole.
        const inputs = [...files].flatMap(([path, file]) =>
          isArchive(file) && mentions(file, FAT_BINARY_MAGIC)
            ? ["--whole-archive", path, "--no-whole-archive"]
            : [path],
        );
        const longDouble = bytes.some(usesLongDouble);
        let result =
          (await finishLink(begun, own, longDouble)) ??
          clang.run(linkFlags(inputs, OUTPUT, { allowed: null, longDouble, observed }), { files });
        const adapted = adaptCalls(mismatchedNames(result.stderr), new Map(own.filter(([, file]) => !isArchive(file))));
        if (adapted !== null) {
          for (const [path, file] of [...adapted.changed, [ADAPTERS, compileAdapters(clang, adapted.source)] as const])
            files.set(path, file);
          inputs.push(ADAPTERS);
          result = clang.run(linkFlags(inputs, OUTPUT, { allowed: null, longDouble, observed }), { files });
        }
        if (result.exitCode !== 0)
          throw linkError(
            objects,
            own.map(([path]) => path),
            result,
          );
        const wasm = result.output(OUTPUT) ?? bug("the linker wrote nothing");
        const imports = WebAssembly.Module.imports(await WebAssembly.compile(wasm as BufferSource))
          .filter((i) => i.module === "env")
          .map((i) => i.name);
        if (!imports.every(isPlatformName)) {
          // Only the linker knows which object refers to a name: it says so where the name may not stay undefined.
          files.set(ALLOWED, new TextEncoder().encode(imports.filter(isPlatformName).join("\n")));
          throw linkError(
            objects,
            own.map(([path]) => path),
            clang.run(linkFlags(inputs, OUTPUT, { allowed: ALLOWED, longDouble, observed }), { files }),
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

  async compileProgram(
    sources: readonly SourceFile[],
    options: Partial<CompileOptions>,
    reader: SourceReader | null,
    onDevice?: (program: TextProgram) => void,
  ): Promise<CompiledProgram> {
    const objects: CompiledObject[] = [];
    let link: ToolRun | null = null;
    const deviceDone = async (program: TextProgram): Promise<void> => {
      if (sources.length !== 1) return;
      link = await this.#beginLink(options.observed ?? false);
      onDevice?.(program);
    };
    try {
      for (const source of sources) objects.push(await this.#object(source, options, reader, deviceDone));
      return await this.#link(objects, link, options);
    } finally {
      (link as ToolRun | null)?.abandon();
    }
  }

  async archive(objects: readonly CompiledObject[]): Promise<Uint8Array> {
    const clang = await this.#load();
    const members = new Map(
      objects.map((object, i) => [`/heddle/out/${i}-${object.name.split("/").at(-1)}.o`, object.object]),
    );
    const result = clang.run(["ar", "rcs", OUTPUT, ...members.keys()], { files: members });
    if (result.exitCode !== 0)
      throw new HeddleError("link-error", "the library cannot be made", { notes: [result.stderr] });
    return result.output(OUTPUT) ?? bug("the archiver wrote nothing");
  }

  async compileDeviceLibrary(): Promise<readonly TextProgram[]> {
    const units = await this.#kept.shared("device library", ["libdevice"], async () => {
      const clang = await this.#load();
      const parts = new Map<string, Uint8Array>();
      for (const path of [...clang.ownFiles.keys()].filter((name) => /^libdevice\/.*\.cu$/.test(name))) {
        const result = clang.run([...deviceLibraryFlags(), "-w", "-emit-llvm", "-o", OUTPUT, `/heddle/${path}`]);
        if (result.exitCode !== 0) bug(`${path} does not compile:\n${result.stderr}`);
        parts.set(path, result.output(OUTPUT) ?? bug("Clang wrote nothing"));
      }
      return parts;
    });
    return [...units].map(([name, bytes]) => ({ name, ir: new TextDecoder().decode(bytes), options: { fmad: false } }));
  }

  async preprocess(source: SourceFile, partial: Partial<CompileOptions>, reader: SourceReader | null): Promise<string> {
    const options = { ...DEFAULT_OPTIONS, ...partial };
    const flags = [...hostFlags(options, sourceLanguage(source.path)), "-E"];
    const { output } = await this.#passes.run({ what: "preprocess", flags, source, options, reader });
    return new TextDecoder().decode(output);
  }
}

/** @param source C, of call-adapters.ts. */
function compileAdapters(clang: Clang, source: string): Uint8Array {
  const path = `${ADAPTERS}.c`;
  const files = new Map([[path, new TextEncoder().encode(source)]]);
  const result = clang.run(
    [...hostFlags({ ...DEFAULT_OPTIONS, optimize: 2 }, "c"), "-w", "-emit-obj", "-o", OUTPUT, path],
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

function devicePass(source: SourceFile, options: CompileOptions, reader: SourceReader | null): Pass {
  return { what: "device", flags: [...deviceFlags(options), "-emit-llvm"], source, options, reader };
}

function hostPass(
  source: SourceFile,
  options: CompileOptions,
  reader: SourceReader | null,
  language: SourceLanguage,
): Pass {
  const embed = language === "cuda" ? ["-fcuda-include-gpubinary", REFERENCE] : [];
  return {
    what: "object",
    flags: [...hostFlags(options, language), ...hostAccessFlags(options, source.text), ...embed, "-emit-obj"],
    source,
    options,
    reader,
  };
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
