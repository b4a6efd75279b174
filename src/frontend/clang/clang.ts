/**
 * Runs the tools of the Clang package (clang -cc1, wasm-ld, llvm-ar …) on a virtual file system, each run in a fresh instance
 * of its module. The package's own JavaScript is not used: it wants all files beforehand and resolves `..` wrongly.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { CompilerExit, CompilerWasi } from "./compiler-wasi.ts";
import { readTar } from "./tar.ts";
import { SYSTEM_ROOT, SystemTree, VirtualFiles } from "./virtual-files.ts";
import type { Dependencies, SourceReader } from "./virtual-files.ts";

export type OwnDirectory = "include" | "hostlib" | "libdevice" | "kernels";

/** Where the compiler and Heddle's own headers come from: files in Node.js, URLs in a browser. */
export interface ClangResources {
  /** Identifies the compiler and one of the directories of ownFiles: part of every cache key. Must be cheap. */
  fingerprint(directory: OwnDirectory): Promise<string>;
  /** The compiled llvm.core.wasm. */
  module(): Promise<WebAssembly.Module>;
  /** llvm-resources.tar: Clang's headers, libc, libc++ and their libraries. */
  systemArchive(): Promise<Uint8Array>;
  /** Heddle's own files, by path: include/…, hostlib/…, libdevice/… */
  ownFiles(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Called around every run of a tool, if the platform has something to arrange. */
  whileRunning?(run: () => void): void;
}

export interface ToolResult {
  readonly exitCode: number;
  readonly stderr: string;
  readonly stdout: Uint8Array;
  readonly dependencies: Dependencies;
  /** A file that the tool wrote, or null. */
  output(path: string): Uint8Array | null;
}

export interface ToolInputs {
  readonly files?: ReadonlyMap<string, Uint8Array>;
  readonly reader?: SourceReader | null;
}

export class Clang {
  readonly system: SystemTree;
  readonly ownFiles: ReadonlyMap<string, Uint8Array>;
  readonly #module: WebAssembly.Module;
  readonly #whileRunning: (run: () => void) => void;

  private constructor(module: WebAssembly.Module, system: SystemTree, ownFiles: ReadonlyMap<string, Uint8Array>, whileRunning: (run: () => void) => void) {
    this.#module = module;
    this.#whileRunning = whileRunning;
    this.system = system;
    this.ownFiles = ownFiles;
  }

  static async load(resources: ClangResources): Promise<Clang> {
    const [module, archive, own] = await Promise.all([resources.module(), resources.systemArchive(), resources.ownFiles()]);
    const system = new SystemTree();
    for (const { name, bytes } of readTar(archive)) system.add(`${SYSTEM_ROOT}/usr/${name}`, bytes);
    for (const [path, bytes] of own) system.add(`${SYSTEM_ROOT}/${path}`, bytes);
    return new Clang(module, system, own, resources.whileRunning ?? ((run) => run()));
  }

  /** `args[0]` is the tool: clang, wasm-ld, ar. A tool that crashes throws HeddleError("compile-error") with what it printed. */
  run(args: readonly string[], inputs: ToolInputs = {}): ToolResult {
    const files = new VirtualFiles(this.system, inputs.reader ?? null);
    for (const [path, bytes] of inputs.files ?? []) files.put(path, bytes);
    const wasi = new CompilerWasi(["llvm", ...args], files);
    const instance = new WebAssembly.Instance(this.#module, { wasi_snapshot_preview1: wasi.imports });
    wasi.memory = instance.exports["memory"] as WebAssembly.Memory;
    let exitCode = 0;
    try {
      this.#whileRunning(instance.exports["_start"] as () => void);
    } catch (error) {
      if (error instanceof RangeError) {
        throw new HeddleError("compile-error", `the compiler (${args[0]}) ran out of stack`, {
          notes: [wasi.stderr.trim(), "templates nested more than about 400 deep, or expressions nested as deeply, are too much for it here"].filter((note) => note !== ""),
          cause: error,
        });
      }
      if (!(error instanceof CompilerExit)) {
        throw new HeddleError("compile-error", `the compiler (${args[0]}) stopped with an internal error`, {
          notes: [wasi.stderr.trim(), String(error)].filter((note) => note !== ""),
          cause: error,
        });
      }
      exitCode = error.code;
    }
    wasi.finish();
    return { exitCode, stderr: wasi.stderr, stdout: wasi.stdout, dependencies: files.dependencies, output: (path) => files.take(path) };
  }
}
