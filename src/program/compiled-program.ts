/** What the CUDA front end makes of a program: device IR and, for programs with main(), a host module. */
import type { DataModel } from "../base/data-model.ts";
import type { TextProgram } from "./device-program.ts";

/** A source file given as text; `path` is what diagnostics show. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface CompileOptions {
  /** -D, name or name=value. */
  readonly defines: readonly string[];
  /** -U */
  readonly undefines: readonly string[];
  /** -I, host file system paths searched through `readFile`. */
  readonly includePaths: readonly string[];
  /** -include */
  readonly forcedIncludes: readonly string[];
  /** "c++17" by default, as nvcc 12. */
  readonly standard: string;
  readonly optimize: 0 | 1 | 2 | 3;
  /** --use_fast_math */
  readonly fastMath: boolean;
  /** a*b+c fused; nvcc's default true. -fmad=false */
  readonly fmad: boolean;
  /** Float results that are too small for a normal number become 0 on a GPU. -ftz=true; --use_fast_math has it. */
  readonly ftz: boolean;
  /** sm_80 and the like; default sm_80. */
  readonly arch: string;
  /** -w, -Wall … as clang understands them */
  readonly warnings: readonly string[];
  readonly debug: boolean;
  /**
   * Device code as it is written: not optimized, with its variables in memory and debug information of them. For
   * recordings (recording/).
   */
  readonly keepsVariables: boolean;
  /**
   * For checks of the host side: its code has line tables, and reports what it allocates and accesses
   * (docs/host-abi.md, "Observed programs").
   */
  readonly observed: boolean;
  /**
   * Device code has the form that nvcc gives it (frontend/clang/nvcc-form.ts): for counters that are those of nvcc's
   * code, and for speed on a GPU. What is compiled for a GPU or a profile has it.
   */
  readonly nvccForm: boolean;
  /**
   * Device code that a program loads while it runs, and whose variables it names: static ones stay, too, also where
   * nothing sets them.
   */
  readonly loadedByName: boolean;
  /** Without device code, also where the language is CUDA: .cpp files of extensions share headers with .cu files. */
  readonly hostOnly: boolean;
  /** -x: the language of the sources. Null: each source's name says it. */
  readonly language: "cuda" | "c++" | "c" | null;
  /**
   * Sizes of pointers, size_t and long: 4 bytes ("ilp32"), or 8 as with nvcc ("lp64"), which needs the C
   * library of 64-bit programs (frontend/clang/lp64/).
   */
  readonly model: DataModel["name"];
  /** Coloured diagnostics. */
  readonly color: boolean;
}

export type SourceLanguage = NonNullable<CompileOptions["language"]>;

/**
 * The host side: a wasm32-wasip1 or wasm64-wasip1 command module that imports the CUDA runtime API from module "env".
 */
export interface HostModule {
  readonly wasm: Uint8Array;
}

export interface CompiledProgram {
  /**
   * One for each translation unit with device code; `name` is the source path. Whole-program (-rdc) units are linked by
   * the loader.
   */
  readonly device: readonly TextProgram[];
  /** null when only device code was asked for. */
  readonly host: HostModule | null;
  /** Clang's warnings, as text ready to print. */
  readonly warnings: string;
}
