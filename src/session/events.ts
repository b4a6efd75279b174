/** What a session reports while it works on a request, in the order in which it happens. */
import type { SourceLocation } from "../base/diagnostics.ts";
import type { ResultRecord, Surroundings } from "../bench/results.ts";
import type { Leak, SteppedAside } from "../check/checks.ts";
import type { Finding } from "../check/finding.ts";
import type { BlockRecording } from "../recording/recording.ts";
import type { ProgramRecording } from "../frontend/triton/record-program.ts";
import type { LaunchRecord } from "../runtime/cuda/context.ts";
import type { ProfiledLaunch, ProfileReport } from "../profile/profile-report.ts";
import type { MeasuredReport } from "../profile/timeline/measured-report.ts";
import type { Timeline } from "../profile/timeline/timeline.ts";
import type { ExitStatus } from "../runtime/host-program.ts";

export type SessionEvent =
  /** What the compiler warns of, ready to print. */
  | { readonly kind: "diagnostic"; readonly text: string }
  /** The program is compiled and begins to run. `compileMs` null: it is a script. */
  | { readonly kind: "started"; readonly compileMs: number | null }
  /**
   * What the program writes. Where it inherits the streams of the process (the command line), there are no such events.
   */
  | { readonly kind: "output"; readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }
  /** A file that the program has written, where files are in memory (browsers). They come when it has ended. */
  | { readonly kind: "file"; readonly path: string; readonly bytes: Uint8Array }
  /** A launch was made; only where the request asks for it. */
  | { readonly kind: "launch"; readonly launch: LaunchRecord }
  /** A checker has found something. They come when the program has ended. */
  | { readonly kind: "finding"; readonly finding: Finding }
  /** A launch that was profiled. They come when the program has ended. */
  | { readonly kind: "profiled"; readonly launch: ProfiledLaunch }
  /** A block was recorded. It comes as soon as that is so: the program goes on, and may never end. */
  | { readonly kind: "recorded"; readonly recording: BlockRecording }
  /** A program of a Triton launch was recorded. It comes before the launch: the script goes on. */
  | { readonly kind: "tiles"; readonly recording: ProgramRecording }
  /** On which device ladders are benched. */
  | { readonly kind: "device"; readonly about: Surroundings }
  /** @param part of all that was asked for, from 0 to 1. */
  | { readonly kind: "progress"; readonly part: number; readonly what: string }
  /** A ladder is checked and timed at a shape. */
  | { readonly kind: "result"; readonly record: ResultRecord }
  /** The last event of a program. */
  | { readonly kind: "exit"; readonly end: ProgramEnd };

export type Emit = (event: SessionEvent) => void;

/** Launches of one kernel. */
export interface KernelSummary {
  /** Mangled. */
  readonly kernel: string;
  launches: number;
  reused: number;
  milliseconds: number;
}

/** What the checkers have found in the end. */
export interface CheckResult {
  readonly findings: readonly Finding[];
  /** Allocations that were never freed. */
  readonly leaked: readonly Leak[];
  /** Checkers that stopped because the program needed their memory; null: none. */
  readonly steppedAside: SteppedAside | null;
}

/** A program that ended by itself. */
export interface ProgramExit {
  readonly how: "exited";
  readonly status: ExitStatus;
  /** Empty unless launches were to be timed. */
  readonly kernels: readonly KernelSummary[];
  readonly compileMs: number;
  /** From the request to run it until its devices were open. */
  readonly setupMs: number;
  readonly runMs: number;
  /** Whether blocks may run on several threads. */
  readonly parallel: boolean;
  /** null: nothing was checked. */
  readonly checked: CheckResult | null;
  /** null: nothing was profiled. */
  readonly profiled: ProfileReport | null;
  /** What a GPU took; null: nothing was profiled, or on an emulated device. */
  readonly measured: MeasuredReport | null;
  /** What happened when; null: nothing was profiled. */
  readonly timeline: Timeline | null;
}

/** What a program was doing when it was stopped. */
export interface Activity {
  /** Mangled name of the kernel that was running, or null. */
  readonly kernel: string | null;
  /** Seconds that it had been running. */
  readonly seconds: number;
  readonly launches: number;
  /** The loop that the kernel was in, where that is known. */
  readonly loop: SourceLocation | null;
}

export type ProgramEnd =
  | ProgramExit
  | { readonly how: "stopped"; readonly by: "caller" | "timeout"; readonly activity: Activity | null }
  /** Nobody reads what it writes any more. */
  | { readonly how: "output-closed" };
