/** `heddle run`: compile, then run. */
import { HeddleError } from "../../base/diagnostics.ts";
import { openNodeSession } from "../../session/platform-node.ts";
import { parseRunCommand, type RunCommand } from "../options/run-options.ts";
import { ownFile } from "../own-files.ts";
import { PrintedRun, programRequest } from "../print-run.ts";
import { programName, programSource } from "../program-inputs.ts";
import { useColor } from "../terminal.ts";

export async function runCommand(args: readonly string[]): Promise<number> {
  return runParsed(parseRunCommand(args));
}

function commandOf({ check, profile }: RunCommand["options"]): "run" | "check" | "profile" {
  if (profile) return "profile";
  return check === null ? "run" : "check";
}

/** `heddle run`, `heddle check` and `heddle profile`, their options read. */
export async function runParsed(parsed: RunCommand): Promise<number> {
  const { options, programArguments } = parsed;
  const nvcc = { ...parsed.nvcc, sources: parsed.nvcc.sources.map(ownFile) };
  const name = nvcc.sources[0] ?? nvcc.objects[0];
  const command = commandOf(options);
  if (name === undefined)
    throw new HeddleError("bad-arguments", "no source file is given", {
      notes: [`heddle ${command} FILE.cu`, `heddle ${command} --help shows more`],
    });
  const unknown = nvcc.sources.find((path) => !/\.(cu|cuh|cpp|cxx|cc|c\+\+|C|c)$/.test(path));
  if (unknown !== undefined)
    throw new HeddleError("bad-arguments", `${unknown} is not a CUDA, C++ or C source file`, {
      notes: ["arguments for the program come after the file"],
    });
  if (options.verbose) for (const line of nvcc.ignored) process.stderr.write(`heddle: ${line}\n`);
  if (options.watch) return (await import("../watch.ts")).watchProgram({ options, nvcc, programArguments });
  const compile = { ...nvcc.compile, observed: options.check !== null, color: useColor(process.stderr) };
  const request = programRequest(programSource(nvcc, compile), [programName(nvcc), ...programArguments], options);
  const session = openNodeSession({ cache: options.cache, output: "inherit" });
  return new PrintedRun(session, request, options).exitCode;
}
