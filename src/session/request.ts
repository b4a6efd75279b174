/**
 * What a session can be asked for. Requests are plain data: a page posts them to its worker as they are.
 */
import type { CheckerName } from "../check/finding.ts";
import type { DeviceKind } from "../device/common/device-kind.ts";
import type { EngineChoice } from "../device/emulated/engines.ts";
import type { CompiledObject } from "../frontend/clang/compiler.ts";
import type { RecordingChoice } from "../recording/recording-choice.ts";
import type { CompileOptions, SourceFile } from "../program/compiled-program.ts";

/** The devices that a program sees. */
export interface DeviceRequest {
  /** null: HEDDLE_DEVICE says, or it is emulated. */
  readonly device: DeviceKind | null;
  /** Wait for every launch, so that a fault names its launch; device cuda. */
  readonly trace: boolean;
  /** The real GPU that an emulated device follows; null: the default one. */
  readonly gpu: string | null;
  readonly devices: number;
  /** Threads that run blocks; null: as many as the machine has cores. */
  readonly workers: number | null;
  readonly engine: EngineChoice;
  /** What programs may allocate on an emulated device, in bytes; absent, null: what fits into 4 GiB. */
  readonly deviceMemory?: number | null;
  readonly reuse: boolean;
  /** Compiled kernels are kept in the cache directory, on Node.js; default false. */
  readonly keepsCode?: boolean;
  /** The checkers that watch the device; null: none. */
  readonly check: readonly CheckerName[] | null;
  /** Count what kernels do: the exit event has the profile. */
  readonly profile: boolean;
  /** Of a profile: model the caches, too. */
  readonly caches: boolean;
  /** Record a block: there is an event with the recording. Absent, null: none. */
  readonly record?: RecordingChoice | null;
}

export const DEFAULT_DEVICE: DeviceRequest = {
  device: null,
  trace: false,
  gpu: null,
  devices: 1,
  workers: null,
  engine: "auto",
  reuse: true,
  check: null,
  profile: false,
  caches: false,
};

/** A program of a stranger: it has copies of `files`, and no file of the machine. */
export interface Isolation {
  /** Files and directories that sources may include from, besides `files`; Node.js. */
  readonly includes: readonly string[];
  /** What all files of the program may hold, those included that it writes. */
  readonly fileBytes: number;
}

/** What is known of a run before its program is compiled: its thread gets ready meanwhile. */
export interface RunSettings extends DeviceRequest {
  /** Directories that the program may use besides its working directory; Node.js. */
  readonly directories: readonly string[];
  /** Files that sources include and that the program opens, by path; browsers, and isolated runs. */
  readonly files: Readonly<Record<string, Uint8Array | string>>;
  /** null: the program may use files as the user may, in its directories. Browsers have no other files than `files`. */
  readonly isolation: Isolation | null;
  /** null: that of the process. */
  readonly stdin: string | null;
  /** Time every launch, and add the times up by kernel. */
  readonly timeLaunches: boolean;
  /** Yield an event for each launch. */
  readonly launchEvents: boolean;
}

/** What a program is made of. */
export type ProgramSource =
  | {
      readonly sources: readonly SourceFile[];
      /** Linked with the sources: object files and libraries. */
      readonly objects: readonly CompiledObject[];
      readonly compile: Partial<CompileOptions>;
      /** What messages call the program. */
      readonly name: string;
    }
  /** Compiled already. */
  | { readonly wasm: Uint8Array };

/**
 * Compile a program and run it; with checkers (`settings.check`) it is a check, with `settings.profile` a profile.
 */
export interface ProgramRequest {
  readonly kind: "run" | "check" | "profile";
  readonly program: ProgramSource;
  readonly settings: RunSettings;
  /** argv[0] first. */
  readonly argv: readonly string[];
  /** null: that of the process. */
  readonly env: Readonly<Record<string, string>> | null;
  /** Seconds that the program may run; null: no limit. */
  readonly timeout: number | null;
}

/** A ladder as texts, for places without files. */
export interface LadderTexts {
  readonly name: string;
  /**
   * A JavaScript module whose default export is made by `defineLadder`, imported from "heddle/ladder". (Types are to be
   * taken out before.)
   */
  readonly declaration: string;
  /** CUDA sources by version name, each with its comment on top. */
  readonly versions: Readonly<Record<string, string>>;
  /** Versions that are kernels in Triton: Python sources by version name. */
  readonly triton?: Readonly<Record<string, string>>;
  /** Versions that the declaration does not have, each with the one whose parameters and launch it takes. */
  readonly like?: Readonly<Record<string, string>>;
  /** Headers that the versions include, by path relative to them. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A ladder's file (NAME.ladder.ts, on Node.js), or its texts. */
export type LadderSource = { readonly file: string } | LadderTexts;

/** How ladders are benched. */
export interface BenchSettings {
  readonly device: DeviceKind;
  readonly gpu: string | null;
  readonly workers: number | null;
  /** Sizes instead of the ladder's own; empty: the ladder's. */
  readonly shape: Readonly<Record<string, number>>;
  /** Versions whose names contain it; null: all. */
  readonly only: string | null;
  readonly rivals: boolean;
  readonly sweep: boolean;
  /** Do not use the results of earlier sweeps. */
  readonly sweepAgain: boolean;
  /** Only checks, no times. */
  readonly checkOnly: boolean;
  /** Count what each version makes a GPU do. */
  readonly profile: boolean;
  /** Of the inputs of timed launches; null: drawn. */
  readonly seed: number | null;
}

/** Check, sweep and time ladders. */
export interface BenchRequest {
  readonly kind: "bench";
  readonly ladders: readonly LadderSource[];
  readonly settings: BenchSettings;
  /** What was measured already: it is skipped. */
  readonly finished?: readonly { readonly ladder: string; readonly shape: Readonly<Record<string, number>> }[];
}

/** What the compiler makes of the device code of one source. */
export interface CodeRequest {
  readonly kind: "code";
  readonly source: SourceFile;
  readonly compile: Partial<CompileOptions>;
  /** Files that the source includes, by path; browsers. */
  readonly files: Readonly<Record<string, Uint8Array | string>>;
}

/** Device code as texts. Both name the lines of the source. */
export interface CodeTexts {
  /** LLVM IR. */
  readonly ir: string;
  /** What a GPU's driver is given. */
  readonly ptx: string;
}

export type SessionRequest = ProgramRequest | BenchRequest | CodeRequest;
