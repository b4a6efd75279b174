/** `heddle check`: runs a program as `heddle run` does, with checkers that look at what its kernels do. */
import { HeddleError } from "../../base/diagnostics.ts";
import { namesLaunch, pythonFileOf } from "../python-files.ts";
import { CHECKER_NAMES, DEFAULT_CHECKERS, refuseTogether } from "../../check/checkers.ts";
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
  const unknown = command.options.check?.find((name) => !(CHECKER_NAMES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new HeddleError("bad-arguments", `there is no checker "${unknown}"`, {
      notes: [`--tool takes a list of ${CHECKER_NAMES.join(", ")}`],
    });
  refuseTogether(command.options.check ?? []);
  return runParsed(command);
}
