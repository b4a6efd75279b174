/**
 * An error that was thrown on another machine: it is told as it would be here, with the machine's name in front, and
 * ends with the same exit code.
 */
import type { ErrorReport } from "../error-report.ts";

export class RemoteError extends Error {
  readonly report: ErrorReport;

  constructor(machine: string, report: ErrorReport) {
    super(report.message);
    this.report = { ...report, message: `on ${machine}: ${report.message}` };
  }
}
