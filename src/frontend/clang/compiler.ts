/** What the rest of Heddle asks of the compiler for CUDA. */
import type { DataModel } from "../../base/data-model.ts";
import type { CompileOptions, CompiledProgram, SourceFile } from "../../program/compiled-program.ts";
import type { DeviceCompiler } from "../../program/device-compiler.ts";
import type { TextProgram } from "../../program/device-program.ts";
import type { SourceReader } from "../../store/source-reader.ts";
import type { BlobStore, Hash } from "../../store/store.ts";
import type { ClangResources } from "./clang.ts";

export interface CompilerEnvironment {
  readonly resources: ClangResources;
  /** Where results are cached; in memory if absent. */
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

/**
 * Device code, as every front end makes it, and what only Clang does: host programs, objects, archives, preprocessing.
 */
export interface Compiler extends DeviceCompiler {
  /**
   * Compiles and links. Throws HeddleError compile-error or link-error with the tool's own report in `notes`.
   *
   * @param onDevice is given the device code of a lone source while its host pass still runs on another thread.
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
   * The units of libdevice/, which kernels are linked with. @param model of the device's pointers: "lp64" for kernels
   * of 64-bit programs on a GPU
   */
  compileDeviceLibrary(model?: DataModel["name"]): Promise<readonly TextProgram[]>;
  /** Changes with these units: known without making them. */
  deviceLibraryKey(model?: DataModel["name"]): Promise<string>;
  /**
   * Changes with the headers and libraries that come with Heddle, which programs are made of; null: programs also
   * include headers of a toolkit.
   */
  headersKey(): Promise<string | null>;
  /**
   * Starts the work of compileObject that comes before it reads this source, where the platform has threads. For
   * callers that wait until the source is saved. Resolves when everything is set up; the compilation may begin earlier.
   */
  getReady(source: SourceFile, options: Partial<CompileOptions>, reader: SourceReader | null): Promise<void>;
  /** The preprocessed source (-E). */
  preprocess(source: SourceFile, options: Partial<CompileOptions>, reader: SourceReader | null): Promise<string>;
}
