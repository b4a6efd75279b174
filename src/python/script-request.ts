/** What the thread of a script is told, and what it answers. */
import type { DeviceKind } from "../device/common/device-kind.ts";
import type { ErrorReport } from "../session/error-report.ts";

export interface ScriptRequest {
  /** As the user wrote it. */
  readonly file: string;
  /** For the script: `sys.argv[1:]`. */
  readonly args: readonly string[];
  readonly device: DeviceKind;
  /** The GPU that an emulated device follows. */
  readonly gpu: string;
  /** Folders of the host that the script may use. */
  readonly directories: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** From the beginning of the script; null: no limit. A kernel that runs then fails, and its line is known. */
  readonly timeoutMs: number | null;
  /** One word that threads share: 1 while a kernel runs. */
  readonly inKernel: Int32Array;
  /** What watches the kernels, on an emulated device. */
  readonly tool: ScriptTool | null;
  /** Our modules, as a folder. */
  readonly modules: string;
}

/** The GPU that kernel files find when they ask for its compute capability. */
export const SCRIPT_GPU = "h100";

/** How the thread ends when nobody reads the script's output any more: as SIGPIPE ends a program. */
export const BROKEN_PIPE = 141;

export type ScriptTool =
  /** The checkers; null: the default ones. */
  | { readonly kind: "check"; readonly checkers: readonly string[] | null }
  | { readonly kind: "profile"; readonly lines: boolean };

export interface ScriptEnd {
  /** Python's. */
  readonly exitCode: number;
  readonly launches: number;
  /** What the tool reports; empty if there is nothing. */
  readonly report: string;
}

export type ScriptAnswer =
  /** Python is there, and the script begins. */
  | { readonly kind: "begins" }
  | { readonly kind: "ended"; readonly end: ScriptEnd }
  | { readonly kind: "failed"; readonly report: ErrorReport };
