/**
 * Runs the tools of the Clang package (clang -cc1, wasm-ld, llvm-ar …) on a virtual file system, each run in a fresh
 * instance of its module. The package's own JavaScript is not used: it wants all files beforehand and resolves `..`
 * wrongly.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { CompilerExit, CompilerWasi } from "./compiler-wasi.ts";
import { readTar } from "./tar.ts";
import type { ToolPort } from "./tool-thread.ts";
import { asBuilt } from "./platform-headers.ts";
import { SYSTEM_ROOT, SystemTree, VirtualFiles } from "./virtual-files.ts";
import type { Dependencies, SourceReader } from "../../store/source-reader.ts";

export type OwnDirectory = "include" | "hostlib" | "libdevice" | "libraries";

/** Where the compiler and Heddle's own headers come from: files in Node.js, URLs in a browser. */
export interface ClangResources {
  /** Identifies the compiler and one of the directories of ownFiles: part of every cache key. Must be cheap. */
  fingerprint(directory: OwnDirectory): Promise<string>;
  /** The compiled llvm.core.wasm. */
  module(): Promise<WebAssembly.Module>;
  /**
   * llvm-resources.tar: Clang's headers, libc, libc++ and their libraries; and the library of 64-bit programs, if it is
   * built (lp64/).
   */
  systemArchives(): Promise<readonly Uint8Array[]>;
  /** Heddle's own files, by path: include/…, hostlib/…, libdevice/…, libraries/… */
  ownFiles(): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Called when a tool begins to run, if the platform prepares anything. The function that it returns is called when
   * the tool has ended.
   */
  running?(): () => void;
  /** A thread for running tools beside this one, if the platform has any. */
  startToolThread?(): ToolPort;
  /** Folders with headers of NVIDIA's libraries that the environment names, to be searched after the user's. */
  toolkitIncludeFolders?(): readonly string[];
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
  /** Files whose contents are asked for when the tool reads them; see VirtualFiles.putLater. */
  readonly later?: readonly { readonly path: string; readonly size: number | null; contents(): Uint8Array }[];
}

/** The parts of a Clang, from which another thread makes its own. */
export interface ClangParts {
  readonly module: WebAssembly.Module;
  readonly archives: readonly Uint8Array[];
  readonly ownFiles: ReadonlyMap<string, Uint8Array>;
}

export class Clang {
  readonly system: SystemTree;
  readonly ownFiles: ReadonlyMap<string, Uint8Array>;
  readonly parts: ClangParts;
  readonly #running: () => () => void;

  /** @param running see ClangResources. */
  constructor(parts: ClangParts, running: () => () => void = () => () => {}) {
    this.parts = parts;
    this.ownFiles = parts.ownFiles;
    this.#running = running;
    this.system = new SystemTree();
    for (const archive of parts.archives)
      for (const { name, bytes } of readTar(archive))
        this.system.add(`${SYSTEM_ROOT}/usr/${name}`, asBuilt(name, bytes));
    for (const [path, bytes] of parts.ownFiles) this.system.add(`${SYSTEM_ROOT}/${path}`, bytes);
  }

  static async load(resources: ClangResources): Promise<Clang> {
    const [module, archives, ownFiles] = await Promise.all([
      resources.module(),
      resources.systemArchives(),
      resources.ownFiles(),
    ]);
    return new Clang({ module, archives, ownFiles }, () => resources.running?.() ?? (() => {}));
  }

  /**
   * `args[0]` is the tool: clang, wasm-ld, ar. A tool that crashes throws HeddleError("compile-error") with what it
   * printed.
   */
  run(args: readonly string[], inputs: ToolInputs = {}): ToolResult {
    const files = new VirtualFiles(this.system, inputs.reader ?? null);
    for (const [path, bytes] of inputs.files ?? []) files.put(path, bytes);
    for (const { path, size, contents } of inputs.later ?? []) files.putLater(path, size, contents);
    const wasi = new CompilerWasi(["llvm", ...args], files);
    const instance = new WebAssembly.Instance(this.parts.module, { wasi_snapshot_preview1: wasi.imports });
    wasi.memory = instance.exports["memory"] as WebAssembly.Memory;
    let exitCode = 0;
    const ended = this.#running();
    try {
      (instance.exports["_start"] as () => void)();
    } catch (error) {
      if (error instanceof RangeError) {
        throw new HeddleError("compile-error", `the compiler (${args[0]}) ran out of stack`, {
          notes: [
            wasi.stderr.trim(),
            "templates nested more than about 400 deep, or expressions nested as deeply, are too much for it here",
          ].filter((note) => note !== ""),
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
    } finally {
      ended();
    }
    wasi.finish();
    return {
      exitCode,
      stderr: wasi.stderr,
      stdout: wasi.stdout,
      dependencies: files.dependencies,
      output: (path) => files.take(path),
    };
  }
}
