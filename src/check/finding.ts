/**
 * What a checker has found: one entry for each place in the code and kind of fault, however many threads it happened
 * to.
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import type { Dim3 } from "../base/dim3.ts";

/** The checkers, by the names of NVIDIA's compute-sanitizer where it has them. */
export type CheckerName = "memcheck" | "racecheck" | "synccheck" | "initcheck" | "asynccheck" | "numbers" | "api";

/** First byte and size of a stretch of device memory. */
export interface Extent {
  readonly start: number;
  readonly bytes: number;
}

/** A line under a report; with a place, the source stands below it. */
export interface Note {
  readonly text: string;
  readonly location?: SourceLocation | null;
}

/** A launch as reports name it. */
export interface LaunchName {
  readonly kernel: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly sharedBytes: number;
  /** Counts from 1. */
  readonly ordinal: number;
  /** The line of the host program; null where it is not known. */
  readonly location: SourceLocation | null;
}

export interface Finding {
  readonly checker: CheckerName;
  /** What is wrong, for machines: "out-of-bounds", "read-after-write", … */
  readonly kind: string;
  /** Set where programs get away with it on the machines that we know; else it is an error. */
  readonly level?: "warning";
  /** The same for people: "out of bounds". */
  readonly title: string;
  /** What was done: "read of 4 bytes". */
  readonly message: string;
  /** null: the place is not known, or no place in the code is to blame. */
  location: SourceLocation | null;
  /** The function that it is in, mangled; null: none. */
  readonly function: string | null;
  /** Threads (or calls, where no thread is to blame) that did it, over all launches. */
  count: number;
  /** The first of the threads; null: no thread did it. */
  readonly example: { readonly block: Dim3; readonly thread: Dim3 } | null;
  /** Against what, with whom, where from. */
  notes: readonly Note[];
  /** What usually fixes it. */
  readonly help: string;
  launch: LaunchName | null;
  /** What else is known, by checker: addresses, sizes, objects. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A finding of one place, before the parts that all findings get are filled in. */
export type FindingDraft = Pick<Finding, "kind" | "level" | "title" | "message" | "notes" | "help" | "details">;

export function describeExtent({ start, bytes }: Extent): string {
  return `[0x${start.toString(16)}, 0x${(start + bytes).toString(16)}) of ${bytes} bytes`;
}

export function countedBytes(bytes: number): string {
  return `${bytes} byte${bytes === 1 ? "" : "s"}`;
}
