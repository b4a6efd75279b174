/**
 * Passes of Clang over one source: looked up in the store, else run, on this thread or on one beside it.
 *
 * A pass may begin on another thread, even before the source is there (tool-thread.ts). Its result is used if this
 * thread would have had the same; else the pass runs here:
 * - the other thread reads the user's files itself; they are compared with those of the caller's reader;
 * - a source that comes later is padded with empty lines to the size that Clang expects. If Clang then reports
 *   anything of these lines, such as a brace that is missing at the end, the pass runs again on the source as it is.
 */
import { describeLibrary, libraryOfHeader } from "../../libraries/libraries.ts";
import { HeddleError, bug } from "../../base/diagnostics.ts";
import type { Clang, ClangResources, ToolResult } from "./clang.ts";
import { hostIrFlags, userFlags } from "./flags.ts";
import { nameFunclets } from "./funclets.ts";
import { isForOneThread, withThreadLocals } from "./thread-locals.ts";
import { LP64_FOLDER } from "./targets.ts";
import { SYSTEM_ROOT } from "./virtual-files.ts";
import { REFERENCE_TO_NOTHING } from "../../program/fat-binary.ts";
import type { CompileCache } from "./compile-cache.ts";
import { PrecompiledHeaders } from "./precompiled-headers.ts";
import type { CompileOptions, SourceFile } from "../../program/compiled-program.ts";
import { acceptDialect } from "./source-dialect.ts";
import { holdSharedObjects } from "./shared-objects.ts";
import { rewritten, plainNames, refusesDeviceLaunches, registerAlone, relocatableFlags } from "./device-launches.ts";
import { onlyErrors, readableReport, warningFlags } from "./warnings.ts";
import { toolkitOverlay } from "./toolkit-headers.ts";
import { ToolThread } from "./tool-thread.ts";
import type { ToolOrder, ToolRun } from "./tool-thread.ts";
import type { Dependencies, SourceReader } from "../../store/source-reader.ts";

/** The device code that a host pass embeds: none yet. See fat-binary.ts. */
export const REFERENCE = "/heddle/out/reference";
/** Where a tool writes. */
export const OUTPUT = "/heddle/out/output";

export interface Pass {
  /** The kind of result, for the key. */
  readonly what: "device" | "object" | "preprocess";
  readonly flags: readonly string[];
  readonly source: SourceFile;
  readonly options: CompileOptions;
  readonly reader: SourceReader | null;
  /** The second step of a pass in two; null: there is none. Its result is cached, too, under what the step does. */
  readonly finish: { readonly what: string; readonly run: (output: Uint8Array, clang: Clang) => ToolResult } | null;
}

export interface PassResult {
  readonly output: Uint8Array;
  readonly warnings: string;
}

/** A tool's arguments and files, except for the source itself. */
interface Prepared {
  readonly args: readonly string[];
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A pass that runs on another thread. */
export interface BegunPass {
  readonly prepared: Prepared;
  readonly run: ToolRun;
  /** Bytes that Clang expects of the source; null if the source was there from the beginning. */
  readonly padded: number | null;
}

export class Passes {
  readonly #cache: CompileCache;
  readonly #resources: ClangResources;
  readonly #load: () => Promise<Clang>;
  readonly #headers: PrecompiledHeaders;
  /** By kind of pass: the device pass and the host pass of one program run at the same time. */
  readonly #threads: Map<Pass["what"], Promise<ToolThread | null>> = new Map();
  /** Passes that wait for their source. */
  readonly #ready: Map<Pass["what"], BegunPass> = new Map();

  constructor(cache: CompileCache, resources: ClangResources, load: () => Promise<Clang>) {
    this.#cache = cache;
    this.#resources = resources;
    this.#load = load;
    this.#headers = new PrecompiledHeaders(
      cache,
      async (args, files) => (await load()).run(args, { files }),
      () => resources.ownFiles(),
    );
  }

  /**
   * @param meanwhile called before the pass runs; not called if its result is cached.
   * @param next called when the thread of this kind of pass is free, before work that only this thread does; not called
   * if the result is cached.
   * @param begun this pass, on another thread.
   */
  async run(
    pass: Pass,
    {
      meanwhile,
      next,
      begun = null,
    }: {
      readonly meanwhile?: (() => Promise<void>) | undefined;
      readonly next?: (() => Promise<void>) | undefined;
      readonly begun?: BegunPass | null;
    } = {},
  ): Promise<PassResult> {
    const { what, reader } = pass;
    const parts = await this.#cache.cached(await this.#keyOf(pass), reader, async () => {
      await meanwhile?.();
      if (begun === null) await next?.();
      let result = await this.#accepted(pass, await this.#result(pass, begun));
      if (begun !== null) await next?.();
      const launches = refusesDeviceLaunches(result.stderr);
      if (launches) {
        const relocatable = { ...pass, flags: relocatableFlags(pass.flags) };
        result = await this.#accepted(relocatable, await this.#result(relocatable, null));
      }
      if (result.exitCode !== 0) throw compileError(pass.source.path, onlyErrors(result.stderr, pass.options));
      let written = result.output(OUTPUT) ?? bug("Clang wrote nothing");
      let finish = pass.finish ?? (launches && what === "object" ? toObject(pass.options) : null);
      if (finish === null && what === "object" && isForOneThread(written)) {
        const flags = pass.flags.map((flag) => (flag === "-emit-obj" ? "-emit-llvm" : flag));
        result = await this.#accepted({ ...pass, flags }, await this.#result({ ...pass, flags }, null));
        written = result.output(OUTPUT) ?? bug("Clang wrote nothing");
        finish = toObject(pass.options);
      }
      const first = launches ? rewritten(written, what === "device" ? plainNames : registerAlone) : written;
      const output = finish === null ? first : await this.#finished(pass, finish, first);
      return {
        parts: new Map([
          ["output", output],
          ["warnings", new TextEncoder().encode(readableReport(result.stderr, pass.options))],
        ]),
        dependencies: result.dependencies,
      };
    });
    return {
      output: parts.get("output") ?? bug("a cache entry without its part"),
      warnings: new TextDecoder().decode(parts.get("warnings")),
    };
  }

  /** The key of the result in the cache. */
  #keyOf(pass: Pass): Promise<string> {
    const { what, source } = pass;
    return this.#cache.key(
      source.path.startsWith("/heddle/") ? ["include", "libraries"] : ["include"],
      what,
      this.#argumentsOf(pass).join("\n"),
      source.path,
      source.text,
      pass.finish?.what ?? "landing pads, catches, variables of threads",
    );
  }

  /** The second step's output. An edit of a kernel mostly leaves the host code as it was: then it is stored. */
  async #finished(pass: Pass, { what, run }: NonNullable<Pass["finish"]>, first: Uint8Array): Promise<Uint8Array> {
    const key = await this.#cache.key(["include"], "finish", what, this.#argumentsOf(pass).join("\n"), first);
    const parts = await this.#cache.cached(key, null, async () => ({
      parts: new Map([["output", finished(run(first, await this.#load()), pass.source.path)]]),
      dependencies: null,
    }));
    return parts.get("output") ?? bug("a cache entry without its part");
  }

  /** The result, or that of the source with what Clang refuses and nvcc takes written in another way. */
  async #accepted(pass: Pass, first: ToolResult): Promise<ToolResult> {
    let { source } = pass;
    let result = first;
    // Clang names twenty at a time.
    while (result.exitCode !== 0) {
      const text = holdSharedObjects(source.path, acceptDialect(source.text), result.stderr);
      if (text === null) break;
      source = { ...source, text };
      result = await this.#result({ ...pass, source }, null);
    }
    return result;
  }

  async #result(pass: Pass, begun: BegunPass | null): Promise<ToolResult> {
    const prepared = begun === null ? await this.#prepare(pass) : begun.prepared;
    const elsewhere = begun ?? this.#takeReady(pass, prepared);
    if (elsewhere !== null) {
      const result = await elsewhere.run.result.catch(() => null);
      const isExact = result !== null && (elsewhere.padded === null || !namesLinesAfter(pass.source, result));
      if (isExact && stillTrue(result.dependencies, pass.reader)) return result;
    }
    return (await this.#load()).run(prepared.args, {
      files: new Map(prepared.files).set(pass.source.path, sourceBytes(pass.source)),
      reader: pass.reader,
    });
  }

  /** Starts a pass on another thread, if its result is not cached. */
  async beginUncached(pass: Pass): Promise<BegunPass | null> {
    return (await this.#cache.has(await this.#keyOf(pass), pass.reader)) ? null : this.begin(pass);
  }

  /** Starts a pass on another thread. Null where there is no thread for it. */
  async begin(pass: Pass): Promise<BegunPass | null> {
    if (!mayReadElsewhere(pass)) return null;
    const thread = await this.#thread(pass.what);
    if (thread === null) return null;
    const prepared = await this.#prepare(pass);
    const ready = this.#takeReady(pass, prepared);
    if (ready !== null) return ready;
    const run = await thread.start({
      args: prepared.args,
      files: new Map(prepared.files).set(pass.source.path, sourceBytes(pass.source)),
      later: [],
      reads: readsOf(pass),
      output: OUTPUT,
    });
    return run === null ? null : { prepared, run, padded: null };
  }

  /** Starts another tool on the thread of the device pass, if there is one and it has nothing to do. */
  async beginTool(order: ToolOrder): Promise<ToolRun | null> {
    return (await (await this.#threads.get("device"))?.start(order)) ?? null;
  }

  /** Starts a pass that will wait for its source. The headers that the source begins with are precompiled first. */
  async getReady(pass: Pass): Promise<void> {
    if (!mayReadElsewhere(pass)) return;
    const thread = await this.#thread(pass.what);
    if (thread === null) return;
    this.#ready.get(pass.what)?.run.abandon();
    this.#ready.delete(pass.what);
    const prepared = await this.#prepare(pass, thread);
    // Without a precompiled header there is nothing to do before the source is there.
    if (!prepared.args.includes("-include-pch")) return;
    // Twice its size and a little: sources grow while they are edited.
    const size = 2 * sourceBytes(pass.source).length + 4096;
    const run = await thread.start({
      args: prepared.args,
      files: prepared.files,
      later: [{ path: pass.source.path, size }],
      reads: readsOf(pass),
      output: OUTPUT,
    });
    if (run !== null) this.#ready.set(pass.what, { prepared, run, padded: size });
  }

  /**
   * The pass that waits for exactly this source, which is delivered. A pass that waits for another source is abandoned.
   */
  #takeReady(pass: Pass, prepared: Prepared): BegunPass | null {
    const ready = this.#ready.get(pass.what);
    if (ready === undefined) return null;
    this.#ready.delete(pass.what);
    const bytes = sourceBytes(pass.source);
    if (ready.padded === null || bytes.length > ready.padded || !same(ready.prepared, prepared)) {
      ready.run.abandon();
      return null;
    }
    const padded = new Uint8Array(ready.padded).fill(0x0a);
    padded.set(bytes);
    ready.run.deliver(pass.source.path, padded);
    return ready;
  }

  /**
   * @param thread precompiles the headers before the source now. If absent, they are precompiled here, when it is
   * worthwhile.
   */
  async #prepare(pass: Pass, thread: ToolThread | null = null): Promise<Prepared> {
    const { flags, source, options, reader } = pass;
    if (options.model === "lp64") requireWideLibrary(await this.#load());
    const prelude = await this.#headers.prelude(flags, source, options, reader, thread);
    const own = this.#argumentsOf(pass);
    const overlay = toolkitOverlay(own);
    return {
      args: [...own, ...overlay.args, ...prelude.args, "-main-file-name", source.path, "-o", OUTPUT, source.path],
      files: new Map([...prelude.files, ...overlay.files]).set(REFERENCE, REFERENCE_TO_NOTHING),
    };
  }

  #argumentsOf({ what, flags, source, options, reader }: Pass): string[] {
    const warnings = warningFlags(options, what === "object" ? "host" : "device", source.path);
    // Code that comes with Heddle is written for the headers that come with it.
    const toolkits = source.path.startsWith("/heddle/") ? [] : (this.#resources.toolkitIncludeFolders?.() ?? []);
    return [...flags, ...warnings, ...userFlags(options, reader, toolkits)];
  }

  #thread(what: Pass["what"]): Promise<ToolThread | null> {
    let thread = this.#threads.get(what);
    if (thread === undefined) {
      const start = async (): Promise<ToolThread | null> => {
        const port = this.#resources.startToolThread?.();
        if (port === undefined) return null;
        const started = new ToolThread(port, () => this.#resources.running?.() ?? (() => {}));
        started.load((await this.#load()).parts);
        return started;
      };
      this.#threads.set(what, (thread = start()));
    }
    return thread;
  }
}

function sourceBytes(source: SourceFile): Uint8Array {
  return new TextEncoder().encode(acceptDialect(source.text));
}

/** Whether Clang reports anything behind the source's last line. */
function namesLinesAfter({ path, text }: SourceFile, { exitCode, stderr }: ToolResult): boolean {
  if (stderr === "") return exitCode !== 0;
  const lines = text.split("\n").length;
  return stderr.split(`${path}:`).some((rest, i) => i > 0 && Number.parseInt(rest, 10) >= lines);
}

/** Whether another thread can read what the pass reads. */
function mayReadElsewhere({ reader }: Pass): boolean {
  return reader === null || reader.readsFileSystem === true || reader.ownFiles !== undefined;
}

function readsOf({ reader }: Pass): ToolOrder["reads"] {
  if (reader === null) return "nothing";
  return reader.ownFiles ?? "file system";
}

function same(a: Prepared, b: Prepared): boolean {
  return (
    a.args.length === b.args.length &&
    a.args.every((argument, i) => argument === b.args[i]) &&
    a.files.size === b.files.size &&
    [...a.files].every(([path, bytes]) => equal(bytes, b.files.get(path) ?? null))
  );
}

function equal(a: Uint8Array, b: Uint8Array | null): boolean {
  return a === b || (b !== null && a.length === b.length && a.every((byte, i) => byte === b[i]));
}

/** Whether the reader has the same files as were read. */
function stillTrue({ read, missing }: Dependencies, reader: SourceReader | null): boolean {
  if (reader === null) return true;
  return (
    [...read].every(([path, bytes]) => equal(bytes, reader.readFile(path))) &&
    [...missing].every((path) => reader.readFile(path) === null && !reader.isDirectory(path))
  );
}

/** From IR to an object, for passes whose IR needs an edit that Clang has no option for. */
export function toObject(options: CompileOptions): NonNullable<Pass["finish"]> {
  const path = "/heddle/out/host.ll";
  return {
    what: "an object, its landing pads and catches, variables of threads",
    run: (ir, clang) =>
      withThreadLocals(nameFunclets(new TextDecoder().decode(ir)), (text) =>
        clang.run([...hostIrFlags(options), "-w", "-emit-obj", "-o", OUTPUT, path], {
          files: new Map([[path, new TextEncoder().encode(text)]]),
        }),
      ),
  };
}

/** Clang's report as an error: the first error line is the message, the whole report a note. */
function compileError(path: string, text: string): HeddleError {
  const report = text.trimEnd();
  // eslint-disable-next-line no-control-regex
  const plain = report.replaceAll(/\x1b\[[0-9;]*m/g, "");
  const first = /^(?:.*?): (?:fatal )?error: (.*)$/m.exec(plain);
  return new HeddleError("compile-error", `${path} does not compile${first ? `: ${first[1]}` : ""}`, {
    notes: [report, ...missingHeader(plain)],
  });
}

/** The output of a pass's second step, which finds what only code generation can find: errors in inline assembly. */
function finished(result: ToolResult, path: string): Uint8Array {
  if (result.exitCode === 0) return result.output(OUTPUT) ?? bug("Clang wrote nothing");
  if (/^.+: error: /m.test(result.stderr)) throw compileError(path, result.stderr);
  return bug(`the IR of a host program does not compile:\n${result.stderr}`);
}

/** Programs of 64 bits need a library that is not in the compiler's package. */
function requireWideLibrary({ system }: Clang): void {
  if (system.files.has(`${SYSTEM_ROOT}/usr/lib/${LP64_FOLDER}/libc.a`)) return;
  throw new HeddleError("file-not-found", "64-bit programs (--model lp64) need a C library that is not built yet", {
    notes: ["npx heddle setup builds it, once, in a few minutes; --model ilp32 needs none"],
  });
}

/** A note about the library that a missing header belongs to. */
function missingHeader(report: string): string[] {
  const [, header] = /fatal error: '([^'\n]+)' file not found/.exec(report) ?? [];
  const library = header === undefined ? null : libraryOfHeader(header);
  return library === null ? [] : [describeLibrary(library)];
}
