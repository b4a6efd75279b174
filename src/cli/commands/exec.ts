/** `heddle exec FILE [arguments]`: runs what `heddle nvcc` made. Called by the file itself. */
import { HeddleError } from "../../base/diagnostics.ts";
import { limitSourceLines } from "../../library/source-lines-node.ts";
import { openNodeSession } from "../../session/platform-node.ts";
import { readExecutable } from "../executable.ts";
import { optionsFromEnvironment } from "../options/run-options.ts";
import { PrintedRun, programRequest } from "../print-run.ts";
import { becomeRank, checkProcesses, followParent, runProcesses, startsProcesses } from "../processes.ts";

export async function execCommand(args: readonly string[]): Promise<number> {
  const [path, ...rest] = args;
  if (path === undefined)
    throw new HeddleError("bad-arguments", "no program is given", { notes: ["heddle exec FILE [arguments]"] });
  const wasm = readExecutable(path);
  const options = optionsFromEnvironment(process.env["HEDDLE_OPTIONS"]);
  checkProcesses(options);
  if (startsProcesses(options)) return runProcesses(options);
  const programArguments = becomeRank(options, rest);
  if (options.isolated) {
    const isolation = await import("../isolated.ts");
    isolation.checkIsolation(options);
    if (!isolation.isInside()) return isolation.runIsolated(options, [path]);
    isolation.endWithParent();
    limitSourceLines(new Map());
  }
  const session = openNodeSession({
    cache: options.isolated && options.cache ? "read" : options.cache,
    output: "inherit",
  });
  const request = programRequest({ wasm }, [path, ...programArguments], options);
  const { exitCode, started } = new PrintedRun(session, request, options);
  if (options.processes !== null) followParent(started);
  return exitCode;
}
