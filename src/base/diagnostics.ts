/**
 * What Heddle says when something goes wrong.
 *
 * Their mistake or ours: what the user did wrong is a `HeddleError` with a code, a place and a way out;
 * what we did wrong throws through `bug()`, whose message begins with `BUG:`.
 */

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
  readonly location: SourceLocation | undefined;
  readonly notes: readonly string[];
  constructor(code: ErrorCode, message: string, options: HeddleErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HeddleError";
    this.code = code;
    this.location = options.location;
    this.notes = options.notes ?? [];
  }
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
