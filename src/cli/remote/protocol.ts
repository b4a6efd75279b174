/**
 * What the machines of `heddle bench --on` and of `heddle studio --on` say to each other. From there come lines that
 * begin with `MARK`, whatever a login shell prints before them; the rest of such a line is JSON. To there go a
 * `JobRequest` and then single words, or a `SessionJobRequest` and then orders, a line each.
 */
import type { ErrorReport } from "../../session/error-report.ts";
import type { ResultRecord, Surroundings } from "../../bench/results.ts";
import type { BenchSettings, ProgramRequest } from "../../session/request.ts";

/** A line of the file of events, which the measuring process adds to. */
export type BenchEvent =
  | { readonly begin: Surroundings }
  | { readonly progress: readonly [part: number, what: string] }
  | { readonly record: ResultRecord }
  | { readonly print: string }
  | { readonly error: ErrorReport }
  | { readonly end: "finished" | "interrupted" };

/**
 * What the process that measures reads: `heddle bench-job FILE`. Paths are relative to the folder that the ladders were
 * unpacked in.
 */
export interface BenchJob {
  readonly settings: BenchSettings;
  readonly ladders: readonly { readonly file: string; readonly commit: string | null; readonly dirty: boolean }[];
}

export interface JobRequest {
  /** SHA-256 of all that decides what is measured. */
  readonly run: string;
  /** By their SHA-256. */
  readonly packs: { readonly heddle: string; readonly compiler: string | null; readonly ladders: string };
  readonly job: BenchJob;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it goes on by itself when the connection is lost; under Slurm it may not outlive its allocation. */
  readonly detached: boolean;
}

/** Programs, one after another, while the connection lasts: the rest is between it and `heddle session-job` there. */
export interface SessionJobRequest {
  readonly session: true;
  readonly packs: { readonly heddle: string; readonly compiler: string | null };
  readonly environment: Readonly<Record<string, string>>;
}

/** What `heddle session-job` reads, a line each; it answers with the same messages as the page's server does. */
export type SessionOrder =
  | { readonly kind: "start"; readonly id: number; readonly request: ProgramRequest }
  | { readonly kind: "stop"; readonly id: number };

/** What the agent says. */
export type AgentMessage =
  | { readonly hello: string }
  | { readonly event: BenchEvent }
  /** The measuring process has ended without an "end". */
  | { readonly died: string }
  | { readonly failed: string };
