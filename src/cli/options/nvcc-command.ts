/** What a command line for nvcc asks for. */
import type { CompileOptions, SourceLanguage } from "../../program/compiled-program.ts";

export type NvccMode = "link" | "compile" | "preprocess" | "dependencies" | "device-link" | "library" | "ptx";

export interface NvccCommand {
  readonly sources: readonly string[];
  /** Objects and archives, in order. */
  readonly objects: readonly string[];
  readonly libraries: readonly string[];
  readonly libraryPaths: readonly string[];
  readonly output: string | null;
  readonly mode: NvccMode;
  readonly compile: Partial<CompileOptions>;
  /** -MD, -MMD beside a compilation. */
  readonly writeDependencies: boolean;
  /** Without headers of the system (-MM, -MMD). */
  readonly ownHeadersOnly: boolean;
  readonly dependencyFile: string | null;
  readonly dependencyTargets: readonly string[];
  readonly phonyTargets: boolean;
  readonly runAfterwards: boolean;
  readonly verbose: boolean;
  readonly dryRun: boolean;
  /** What was accepted and has no effect, in words. */
  readonly ignored: readonly string[];
}

/** A command that is being read. */
export interface NvccDraft {
  sources: string[];
  objects: string[];
  libraries: string[];
  libraryPaths: string[];
  output: string | null;
  mode: NvccMode;
  language: SourceLanguage | null;
  defines: string[];
  undefines: string[];
  includePaths: string[];
  forcedIncludes: string[];
  warnings: string[];
  standard?: string;
  optimize?: 0 | 1 | 2 | 3;
  fastMath?: boolean;
  fmad?: boolean;
  ftz?: boolean;
  arch?: string;
  debug?: boolean;
  model?: CompileOptions["model"];
  writeDependencies: boolean;
  ownHeadersOnly: boolean;
  dependencyFile: string | null;
  dependencyTargets: string[];
  phonyTargets: boolean;
  runAfterwards: boolean;
  verbose: boolean;
  dryRun: boolean;
  ignored: string[];
}

export function newNvccDraft(): NvccDraft {
  return {
    sources: [],
    objects: [],
    libraries: [],
    libraryPaths: [],
    output: null,
    mode: "link",
    language: null,
    defines: [],
    undefines: [],
    includePaths: [],
    forcedIncludes: [],
    warnings: [],
    writeDependencies: false,
    ownHeadersOnly: false,
    dependencyFile: null,
    dependencyTargets: [],
    phonyTargets: false,
    runAfterwards: false,
    verbose: false,
    dryRun: false,
    ignored: [],
  };
}
