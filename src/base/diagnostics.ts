/**
 * What Heddle says when something goes wrong.
 *
 * Their mistake or ours: what the user did wrong is a `HeddleError` with a code, a place and a way out;
 * what we did wrong throws through `bug()`, whose message begins with `BUG:`.
 */

import { demangle } from "./demangle.ts";

/** All error codes. A code is part of the public API; the sentence of a message is not. */
export type ErrorCode =
  | "bad-arguments" // the command line or an API call cannot be understood
  | "file-not-found"
  | "compile-error" // the compiler rejected the user's source; `detail` holds its report
  | "link-error" // undefined symbols and the like
  | "unsupported" // a feature that Heddle does not have yet; the message names it
  | "invalid-ir" // text that is not the LLVM IR we accept
  | "invalid-launch" // a launch configuration or argument outside the device's limits
  | "unknown-kernel"
  | "out-of-memory"
  | "device-fault" // a kernel did something illegal; carries a DeviceFault in `cause`
  | "unreachable" // another machine, by ssh or Slurm
  | "no-device" // no GPU, or no driver for it, where one was asked for
  | "driver-error" // the GPU's driver refused a call; the message names call and status
  | "timeout"
  | "host-trap" // the host program aborted (unreachable, null call, …)
  | "io-error";

/** A place in a source file. Lines and columns count from 1; 0 means unknown. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The function that the line belongs to, mangled, where known. */
  readonly functionName?: string;
  /** The place into which the code of this line was inlined; the outermost comes last. */
  readonly inlinedAt?: SourceLocation;
}

export interface HeddleErrorOptions {
  location?: SourceLocation;
  /** Further lines: what was tried, what limit was broken, what to do. */
  notes?: readonly string[];
  cause?: unknown;
}

/** An error in what the user passed. The terminal shows it without a stack trace. */
export class HeddleError extends Error {
  readonly code: ErrorCode;
  /** The first sentence of `message`: what is wrong. */
  readonly summary: string;
  readonly location: SourceLocation | undefined;
  /** The further lines of `message`: what was tried, what limit was broken, what to do. */
  readonly notes: readonly string[];

  /**
   * `message` has the summary, the place and the notes: test runners print nothing else of an error. Mangled names
   * become readable.
   */
  constructor(code: ErrorCode, summary: string, { location, notes = [], cause }: HeddleErrorOptions = {}) {
    const [readable, ...rest] = [summary, ...notes].map(withReadableNames) as [string, ...string[]];
    super(fullMessage(readable, rest, location), cause === undefined ? undefined : { cause });
    this.name = "HeddleError";
    this.code = code;
    this.summary = readable;
    this.location = location;
    this.notes = rest;
  }
}

function withReadableNames(text: string): string {
  return text.replace(/\b_Z\w+/g, demangle);
}

function fullMessage(summary: string, notes: readonly string[], location: SourceLocation | undefined): string {
  const place = location === undefined ? null : formatLocation(location);
  const isNamed = place === null || [summary, ...notes].some((line) => line.includes(place));
  return [summary, ...(isNamed ? [] : [`at ${place}`]), ...notes].join("\n").trimEnd().replaceAll("\n", "\n  ");
}

/** Whether an error is a kernel's fault: all kinds have the code "device-fault" but the end of a time limit. */
export function isFaultError(error: unknown): error is HeddleError {
  return error instanceof HeddleError && (error.code === "device-fault" || error.code === "timeout");
}

/** A feature that is not there says so by name. */
export function unsupported(feature: string, location?: SourceLocation): HeddleError {
  return new HeddleError("unsupported", `${feature} is not supported yet`, location ? { location } : {});
}

/** Our mistake: stops at once, with a message that asks to be reported. */
export function bug(message: string): never {
  throw new Error(`BUG: ${message}`);
}

/** For the default case of a switch over a closed union. */
export function unreachable(value: never, what = "value"): never {
  return bug(`unexpected ${what} ${JSON.stringify(value)}`);
}

export function formatLocation(location: SourceLocation): string {
  return location.line > 0
    ? `${location.file}:${location.line}${location.column > 0 ? `:${location.column}` : ""}`
    : location.file;
}
