/** What a page and the worker that runs its program say to each other. */
import type { ErrorCode } from "../base/diagnostics.ts";
import type { EngineChoice } from "../device/emulated/engines.ts";
import type { CompileOptions, SourceFile } from "../program/compiled-program.ts";
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";

export interface ProgramRequest {
  readonly locations: BrowserLocations;
  readonly sources: readonly SourceFile[];
  readonly compile: Partial<CompileOptions>;
  /** argv[0] first. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Files that sources include and that the program reads, by path. */
  readonly files: Readonly<Record<string, Uint8Array | string>>;
  readonly gpu: string | undefined;
  readonly engine: EngineChoice | undefined;
  readonly workers: number;
  readonly reuse: boolean;
}

/** How a program ended. */
export interface ProgramOutcome {
  /** What main returned or the program gave to exit; 134 after an abort. */
  readonly exitCode: number;
  /** The CUDA error of a kernel's fault, or 0. */
  readonly deviceError: number;
  readonly launches: number;
  readonly compileMs: number;
  readonly runMs: number;
  /** Whether blocks ran on several threads: it takes a cross-origin isolated page. */
  readonly parallel: boolean;
}

export type ProgramReply =
  | { readonly kind: "output"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly kind: "ended"; readonly outcome: ProgramOutcome }
  | {
      readonly kind: "failed";
      readonly code: ErrorCode | "bug";
      readonly message: string;
      readonly notes: readonly string[];
      readonly stack: string;
    };
