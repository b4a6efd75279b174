/** What goes wrong on another machine. It is reported with the machine's name, and with its own exit code. */
import { HeddleError } from "../../base/diagnostics.ts";
import { ReportedError, type ErrorReport } from "../../session/error-report.ts";
import type { Machine } from "./machine.ts";

/** An error that was thrown on another machine. */
export class RemoteError extends ReportedError {
  constructor(machine: string, report: ErrorReport) {
    super({ ...report, message: `on ${machine}: ${report.message}` });
  }
}

/** @param lastWords what the process that measured printed at its end. */
export function workerEnded(machine: Machine, lastWords: string): RemoteError {
  return new RemoteError(machine.name, {
    code: "io-error",
    message: "the process that measures has ended before its work was done",
    place: null,
    notes: [
      ...(lastWords === "" ? [`it has printed nothing; is there room in ${machine.folder}?`] : lastWords.split("\n")),
      "the machine stores what it has finished: the same command measures only what is missing",
    ],
    stack: null,
  });
}

/** @param isItsOwn whether its own Node.js was tried, and not one that was uploaded. */
export function nodeCannotStart(machine: Machine, stderr: string, isItsOwn: boolean): HeddleError {
  return new HeddleError(
    "unsupported",
    `Node.js cannot be started on ${machine.name} (${isItsOwn ? "its own" : "the one of this machine"})`,
    {
      notes: [
        ...stderr.split("\n"),
        machine.kind === "slurm"
          ? "the nodes must see the working directory, in which .heddle/remote has what they need"
          : "install Node.js 20.19 or newer there, so that a command by ssh finds it",
      ],
    },
  );
}
