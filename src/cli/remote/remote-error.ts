/** An error that was thrown on another machine. It is reported with the machine's name, and with its own exit code. */
import { ReportedError, type ErrorReport } from "../../session/error-report.ts";

export class RemoteError extends ReportedError {
  constructor(machine: string, report: ErrorReport) {
    super({ ...report, message: `on ${machine}: ${report.message}` });
  }
}
