/** Errors as plain data, which crosses from thread to thread and from machine to machine. */
import { HeddleError, formatLocation, type ErrorCode } from "../base/diagnostics.ts";

export interface ErrorReport {
  readonly code: ErrorCode | "bug";
  readonly message: string;
  readonly place: string | null;
  readonly notes: readonly string[];
  /** Only for our own mistakes. */
  readonly stack: string | null;
}

/** An error that was thrown in another thread or on another machine. */
export class ReportedError extends Error {
  readonly report: ErrorReport;

  constructor(report: ErrorReport) {
    super(report.message);
    this.report = report;
  }
}

export function reportOf(error: unknown): ErrorReport {
  if (error instanceof ReportedError) return error.report;
  if (error instanceof HeddleError) {
    return {
      code: error.code,
      message: error.summary,
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

/** The error of a report, as callers of the library know it: a HeddleError, or a plain one for our own mistakes. */
export function errorOf({ code, message, place, notes, stack }: ErrorReport): Error {
  if (code === "bug") return new Error(message, { cause: stack ?? "" });
  return new HeddleError(code, place === null ? message : `${place}: ${message}`, { notes });
}
