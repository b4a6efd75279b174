/** `heddle profile`: runs a program as `heddle run` does, and reports what its kernels make a GPU do. */
import { HeddleError } from "../../base/diagnostics.ts";
import { namesLaunch, pythonFileOf } from "../python-files.ts";
import type { RunOptions } from "../options/run-options.ts";
import { readBaseline, readNcu } from "../profile-report.ts";
import { runParsed } from "./run.ts";
import { parseRunCommand } from "../options/run-options.ts";

export async function profileCommand(args: readonly string[]): Promise<number> {
  if (pythonFileOf(args) !== null) {
    if (namesLaunch(args)) return (await import("./triton.ts")).tritonCommand("profile", args);
    return (await import("./python-script.ts")).scriptCommand("profile", args);
  }
  const { options, ...command } = parseRunCommand(args, { profile: true });
  if (options.device === "cuda") refuseCounters(options);
  // A mistake in it is reported before the program runs.
  if (options.baseline !== null) readBaseline(options.baseline);
  if (options.ncu !== null) readNcu(options.ncu);
  return runParsed({ ...command, options });
}

/** A GPU has times and no counters. @throws HeddleError "bad-arguments" for an option that shows counters */
function refuseCounters({ outputs, lines, caches, baseline, ncu }: RunOptions): void {
  const options = [
    ...(lines ? ["--lines"] : []),
    ...(caches ? ["--caches"] : []),
    ...(baseline === null ? [] : ["--baseline"]),
    ...(ncu === null ? [] : ["--ncu"]),
    ...outputs.flatMap(({ format, file }) => (format === "page" ? [`-o ${file}`] : [])),
  ];
  const [option] = options;
  if (option === undefined) return;
  throw new HeddleError("bad-arguments", `${option} shows counters, and a GPU (--device cuda) counts nothing`, {
    notes: ["without --device cuda kernels are counted on the emulated device", "-o FILE.json writes the times"],
  });
}
