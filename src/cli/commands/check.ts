/** `heddle check`: runs a program as `heddle run` does, with checkers that look at what its kernels do. */
import { namesLaunch, pythonFileOf } from "../python-files.ts";
import { DEFAULT_CHECKERS } from "../../check/checkers.ts";
import { refuseWrongCheckers } from "../checker-names.ts";
import { readSuppressions } from "../check-report.ts";
import { runParsed } from "./run.ts";
import { parseRunCommand } from "../options/run-options.ts";

export async function checkCommand(args: readonly string[]): Promise<number> {
  if (pythonFileOf(args) !== null) {
    if (namesLaunch(args)) return (await import("./triton.ts")).tritonCommand("check", args);
    return (await import("./python-script.ts")).scriptCommand("check", args);
  }
  const command = parseRunCommand(args, { check: DEFAULT_CHECKERS });
  // A mistake in it is reported before the program runs.
  if (command.options.suppressions !== null) readSuppressions(command.options.suppressions);
  refuseWrongCheckers(command.options.check ?? []);
  return runParsed(command);
}
