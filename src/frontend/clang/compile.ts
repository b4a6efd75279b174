/**
 * Compiles CUDA programs: source files in, device IR and a host module out. Everything that runs Clang for the rest of
 * Heddle goes through a Compiler.
 *
 * Results are cached in a BlobStore, and a hit does not even load Clang. The store also caches precompiled headers (one
 * for each set of options that matters) and the host library's objects.
 */
import { Linker } from "./linker.ts";
import type { DataModel } from "../../base/data-model.ts";
import { HeddleError, bug } from "../../base/diagnostics.ts";
import type { DeviceCompilation } from "../../program/device-compiler.ts";
import type { TextProgram } from "../../program/device-program.ts";
import { Clang, type ToolResult } from "./clang.ts";
import { memoryStore } from "../../store/store.ts";
import { attachFatBinary, encodeFatBinary } from "../../program/fat-binary.ts";
import { DEFAULT_OPTIONS, deviceFlags, deviceLibraryFlags, hostFlags, hostIrFlags } from "./flags.ts";
import { keepChecksOutsideLoops } from "./overflow-checks.ts";
import { withThreadLocals } from "./thread-locals.ts";
import { keepVariablesOfJumps } from "./long-jumps.ts";
import { nameFunclets } from "./funclets.ts";
import { registersDeviceCode, seemsHostOnly } from "./host-only-sources.ts";
import { checkNullReads } from "./null-reads.ts";
import { observedFlags, overflowFlags } from "./observed-flags.ts";
import { CompileCache } from "./compile-cache.ts";
import { namedByHost, staticsWithConstants, withPlainNames } from "./static-variables.ts";
import { appendNameExpressions, takeNameExpressions } from "./name-expressions.ts";
import { OUTPUT, Passes, REFERENCE, toObject } from "./passes.ts";
import type { BegunPass, Pass } from "./passes.ts";
import type { CompileOptions, CompiledProgram, SourceFile, SourceLanguage } from "../../program/compiled-program.ts";
import { attachLostConstants } from "../../program/lost-constants.ts";
import { lostConstants } from "./constants/lost-constants.ts";
import { withLostConstants } from "./warnings.ts";
import { sha256 } from "../../store/sha256.ts";
import type { ToolRun } from "./tool-thread.ts";
import type { SourceReader } from "../../store/source-reader.ts";
import type { CompilerEnvironment, CompiledObject, Compiler } from "./compiler.ts";

export function createCompiler(environment: CompilerEnvironment): Promise<Compiler> {
  return Promise.resolve(new ClangCompiler(environment));
}

export function sourceLanguage(path: string, { language }: Pick<CompileOptions, "language">): SourceLanguage {
  if (language !== null) return language;
  if (/\.(cu|cuh)$/i.test(path)) return "cuda";
  return /\.c$/.test(path) ? "c" : "c++";
}

class ClangCompiler implements Compiler {
  readonly #environment: CompilerEnvironment;
  readonly #cache: CompileCache;
  readonly #passes: Passes;
  readonly #linker: Linker;
  #clang: Promise<Clang> | null = null;

  constructor(environment: CompilerEnvironment) {
    this.#environment = environment;
    this.#cache = new CompileCache(
      environment.resources,
      environment.store ?? memoryStore(),
      environment.hash ?? sha256,
    );
    this.#passes = new Passes(this.#cache, environment.resources, () => this.#load());
    this.#linker = new Linker({
      cache: this.#cache,
      passes: this.#passes,
      load: () => this.#load(),
      ownFiles: () => environment.resources.ownFiles(),
      compileUnit: async (source, model) => (await this.compileObject(source, { model }, null)).object,
    });
  }

  #load(): Promise<Clang> {
    return (this.#clang ??= Clang.load(this.#environment.resources));
  }

  #hasToolkits(): boolean {
    return (this.#environment.resources.toolkitIncludeFolders?.() ?? []).length > 0;
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
    const whole = appendNameExpressions(source, nameExpressions);
    let { program, warnings } = await this.#device(whole, options, reader);
    const statics = options.loadedByName ? staticsWithConstants(program.ir) : [];
    if (statics.length > 0)
      try {
        const again = namedByHost(whole, statics);
        ({ program, warnings } = await this.#device(again, { ...options, loadedByName: false }, reader));
      } catch (error) {
        // A name that means two variables: the program has its constants as they are written.
        if (!(error instanceof HeddleError)) throw error;
      }
    const text = options.loadedByName ? withPlainNames(program.ir) : program.ir;
    const { ir, names } = takeNameExpressions(text, nameExpressions);
    return { program: { ...program, ir }, names, warnings };
  }

  compileObject(
    source: SourceFile,
    options: Partial<CompileOptions>,
    reader: SourceReader | null,
  ): Promise<CompiledObject> {
    return this.#object(source, options, reader);
  }

  /**
   * @param deviceDone called when only the host pass is left to wait for.
   * @param next called when the thread for host passes is free, while this source still needs this thread.
   * @param ahead this source's host pass, which runs already.
   */
  async #object(
    source: SourceFile,
    partial: Partial<CompileOptions>,
    reader: SourceReader | null,
    {
      deviceDone,
      next,
      ahead = null,
    }: {
      readonly deviceDone?: (program: TextProgram) => Promise<void>;
      readonly next?: (() => Promise<void>) | undefined;
      readonly ahead?: BegunPass | null;
    } = {},
  ): Promise<CompiledObject> {
    const options = { ...DEFAULT_OPTIONS, ...partial };
    const pass = hostPass(source, options, reader);
    const lost = lostConstants(source, options, reader);
    const isHostOnly = sourceLanguage(source.path, options) !== "cuda" || options.hostOnly;
    if (isHostOnly || (!this.#hasToolkits() && seemsHostOnly(source, options, reader))) {
      const { output, warnings } = await this.#passes.run(pass, { begun: ahead, next });
      if (isHostOnly || !registersDeviceCode(output))
        return {
          name: source.path,
          object: attachLostConstants(output, lost),
          device: null,
          warnings: withLostConstants(warnings, lost, options),
        };
    }
    let begun = ahead;
    try {
      const device = await this.#device(source, options, reader, async () => {
        begun ??= await this.#passes.begin(pass);
      });
      if (begun !== null) await deviceDone?.(device.program);
      const host = await this.#passes.run(pass, { begun, next });
      const object = attachFatBinary(host.output, encodeFatBinary(device.program, this.#cache.hash));
      // Both passes see the same text, and mostly report the same warnings: those of the device pass are enough.
      const warnings = device.warnings === "" ? host.warnings : device.warnings;
      return {
        name: source.path,
        object: attachLostConstants(object, lost),
        device: device.program,
        warnings: withLostConstants(warnings, lost, options),
      };
    } finally {
      begun?.run.abandon();
    }
  }

  async getReady(source: SourceFile, partial: Partial<CompileOptions>, reader: SourceReader | null): Promise<void> {
    const options = { ...DEFAULT_OPTIONS, ...partial };
    if (sourceLanguage(source.path, options) !== "cuda") return;
    await Promise.all(
      [devicePass(source, options, reader), hostPass(source, options, reader)].map((pass) =>
        this.#passes.getReady(pass),
      ),
    );
  }

  linkObjects(objects: readonly CompiledObject[], options: Partial<CompileOptions> = {}): Promise<CompiledProgram> {
    return this.#linker.link(objects, null, options);
  }

  async compileProgram(
    sources: readonly SourceFile[],
    options: Partial<CompileOptions>,
    reader: SourceReader | null,
    onDevice?: (program: TextProgram) => void,
  ): Promise<CompiledProgram> {
    const objects: CompiledObject[] = [];
    let link: ToolRun | null = null;
    let ahead: BegunPass | null = null;
    const deviceDone = async (program: TextProgram): Promise<void> => {
      if (sources.length !== 1) return;
      link = await this.#linker.begin(options);
      onDevice?.(program);
    };
    try {
      for (const [i, source] of sources.entries()) {
        const after = sources[i + 1];
        const begun = ahead as BegunPass | null;
        ahead = null;
        const next = async (): Promise<void> => {
          if (after !== undefined)
            ahead = await this.#passes.beginUncached(hostPass(after, { ...DEFAULT_OPTIONS, ...options }, reader));
        };
        objects.push(await this.#object(source, options, reader, { deviceDone, next, ahead: begun }));
      }
      return await this.#linker.link(objects, link, options);
    } finally {
      (ahead as BegunPass | null)?.run.abandon();
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

  deviceLibraryKey(model: DataModel["name"] = "ilp32"): Promise<string> {
    return this.#cache.key(["libdevice"], "shared", libraryName(model));
  }

  async headersKey(): Promise<string | null> {
    return this.#hasToolkits() ? null : this.#cache.key(["include", "hostlib", "libraries"]);
  }

  async compileDeviceLibrary(model: DataModel["name"] = "ilp32"): Promise<readonly TextProgram[]> {
    const units = await this.#cache.shared(libraryName(model), ["libdevice"], async () => {
      const clang = await this.#load();
      const parts = new Map<string, Uint8Array>();
      for (const path of [...clang.ownFiles.keys()].filter((name) => /^libdevice\/.*\.cu$/.test(name))) {
        const result = clang.run([...deviceLibraryFlags(model), "-w", "-emit-llvm", "-o", OUTPUT, `/heddle/${path}`]);
        if (result.exitCode !== 0) bug(`${path} does not compile:\n${result.stderr}`);
        parts.set(path, result.output(OUTPUT) ?? bug("Clang wrote nothing"));
      }
      return parts;
    });
    return [...units].map(([name, bytes]) => ({ name, ir: new TextDecoder().decode(bytes), options: { fmad: false } }));
  }

  async preprocess(source: SourceFile, partial: Partial<CompileOptions>, reader: SourceReader | null): Promise<string> {
    const options = { ...DEFAULT_OPTIONS, ...partial };
    const flags = [...hostFlags(options, sourceLanguage(source.path, options)), "-E"];
    const { output } = await this.#passes.run({
      what: "preprocess",
      flags,
      source,
      options,
      reader,
      finish: null,
    });
    return new TextDecoder().decode(output);
  }
}

function libraryName(model: DataModel["name"]): string {
  return model === "ilp32" ? "device library" : "device library with pointers of 64 bits";
}

function devicePass(source: SourceFile, options: CompileOptions, reader: SourceReader | null): Pass {
  return { what: "device", flags: [...deviceFlags(options), "-emit-llvm"], source, options, reader, finish: null };
}

function hostPass(source: SourceFile, options: CompileOptions, reader: SourceReader | null): Pass {
  const language = sourceLanguage(source.path, options);
  const embed = language === "cuda" && !options.hostOnly ? ["-fcuda-include-gpubinary", REFERENCE] : [];
  const common = { what: "object", source, options, reader } as const;
  // Code that comes with Heddle is not checked. An observed program keeps all checks.
  const flags = [...hostFlags(options, language), ...observedFlags(options), ...embed];
  if (source.path.startsWith("/heddle/")) return { ...common, flags: [...flags, "-emit-obj"], finish: null };
  if (options.observed) return { ...common, flags: [...flags, "-emit-llvm"], finish: toObject(options) };
  const checks = options.model === "lp64" ? [] : overflowFlags();
  return {
    ...common,
    flags: [...hostFlags(options, language), ...checks, ...embed, "-emit-llvm", "-disable-llvm-passes"],
    finish: {
      what: "checks outside of loops, of null reads, in catches; variables of long jumps and of threads, landing pads",
      run: (ir, clang) => finishHost(ir, clang, options),
    },
  };
}

/** The second half of the host pass: a host program's IR without the checks that would take time, with others. */
function finishHost(ir: Uint8Array, clang: Clang, options: CompileOptions): ToolResult {
  const path = "/heddle/out/host.ll";
  const read = new TextDecoder().decode(ir);
  const checked = options.model === "lp64" ? read : keepChecksOutsideLoops(read);
  return withThreadLocals(keepVariablesOfJumps(nameFunclets(checkNullReads(checked))), (text) =>
    clang.run([...hostIrFlags(options), "-w", "-emit-obj", "-o", OUTPUT, path], {
      files: new Map([[path, new TextEncoder().encode(text)]]),
    }),
  );
}
