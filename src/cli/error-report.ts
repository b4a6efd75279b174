/** Errors as plain data. */
import type { ErrorCode } from "../base/diagnostics.ts";
import { HeddleError, formatLocation } from "../base/diagnostics.ts";
import { RemoteError } from "./remote/remote-error.ts";

/** An error in a form that crosses from a worker thread. */
export interface ErrorReport {
  readonly code: ErrorCode | "bug";
  readonly message: string;
  readonly place: string | null;
  readonly notes: readonly string[];
  /** Only for our own mistakes. */
  readonly stack: string | null;
}

export function reportOf(error: unknown): ErrorReport {
  if (error instanceof RemoteError) return error.report;
  if (error instanceof HeddleError) {
    return {
      code: error.code,
      message: error.message,
      place: error.location === undefined ? null : formatLocation(error.location),
      notes: error.notes,
      stack: null,
    };
  }
  return {
    code: "bug",
    message: error instanceof Error ? error.message : String(error),
    place: null,
    notes: [],
    stack: error instanceof Error ? (error.stack ?? null) : null,
  };
}
