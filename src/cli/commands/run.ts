/** `heddle run`: compile, then run. */
import { HeddleError } from "../../base/diagnostics.ts";
import { namesLaunch, pythonFileOf } from "../python-files.ts";
import { limitSourceLines } from "../../library/source-lines-node.ts";
import type { ProgramSource, RunSettings } from "../../session/request.ts";
import { openNodeSession } from "../../session/platform-node.ts";
import { parseRunCommand, type RunCommand } from "../options/run-options.ts";
import { chooseModel } from "../data-model.ts";
import { ownFile } from "../own-files.ts";
import { PrintedRun, programRequest } from "../print-run.ts";
import { becomeRank, checkProcesses, followParent, runProcesses, startsProcesses } from "../processes.ts";
import { namedFiles, programName, programSource } from "../program-inputs.ts";
import { useColor } from "../terminal.ts";

/** A file that is not found may be there: an isolated compilation reads what is named. */
function withNamedFiles(error: unknown): never {
  if (!(error instanceof HeddleError) || !/file not found|incbin file/.test(error.summary)) throw error;
  const notes = [...error.notes, "an isolated run reads the files that are named: add --file FILE or -I FOLDER"];
  throw new HeddleError(error.code, error.summary, { notes, cause: error });
}

/** Reports show lines of these files only: `#line` may name any file of the machine. */
function showOnlySources(program: ProgramSource, files: RunSettings["files"]): void {
  const texts = "sources" in program ? program.sources.map(({ path, text }) => [path, text] as const) : [];
  const decoder = new TextDecoder();
  const named = Object.entries(files).map(
    ([path, content]) => [path, typeof content === "string" ? content : decoder.decode(content)] as const,
  );
  limitSourceLines(new Map([...texts, ...named]));
}

export async function runCommand(args: readonly string[]): Promise<number> {
  if (pythonFileOf(args) !== null) {
    if (namesLaunch(args)) return (await import("./triton.ts")).tritonCommand("run", args);
    return (await import("./python-script.ts")).scriptCommand("run", args);
  }
  return runParsed(parseRunCommand(args));
}

function commandOf({ check, profile }: RunCommand["options"]): "run" | "check" | "profile" {
  if (profile) return "profile";
  return check === null ? "run" : "check";
}

/** `heddle run`, `heddle check` and `heddle profile`, their options read. */
export async function runParsed(parsed: RunCommand): Promise<number> {
  const { options } = parsed;
  checkProcesses(options);
  if (startsProcesses(options)) return runProcesses(options);
  const programArguments = becomeRank(options, parsed.programArguments);
  const sources = parsed.nvcc.sources.map(ownFile);
  const name = sources[0] ?? parsed.nvcc.objects[0];
  const command = commandOf(options);
  if (name === undefined)
    throw new HeddleError("bad-arguments", "no source file is given", {
      notes: [`heddle ${command} FILE.cu`, `heddle ${command} --help shows more`],
    });
  const unknown = sources.find((path) => !/\.(cu|cuh|cpp|cxx|cc|c\+\+|C|c)$/.test(path));
  if (unknown !== undefined)
    throw new HeddleError("bad-arguments", `${unknown} is not a CUDA, C++ or C source file`, {
      notes: ["arguments for the program come after the file"],
    });
  if (options.verbose) for (const line of parsed.nvcc.ignored) process.stderr.write(`heddle: ${line}\n`);
  const model = await chooseModel(parsed.nvcc.compile.model, parsed.nvcc.objects);
  const nvcc = { ...parsed.nvcc, sources, compile: { ...parsed.nvcc.compile, model } };
  if (options.watch && !options.isolated)
    return (await import("../watch.ts")).watchProgram({ options, nvcc, programArguments });
  const includes = [...(nvcc.compile.includePaths ?? []), ...(nvcc.compile.forcedIncludes ?? [])];
  if (options.isolated) {
    const isolation = await import("../isolated.ts");
    isolation.checkIsolation(options);
    if (!isolation.isInside()) return isolation.runIsolated(options, [...namedFiles(nvcc), ...includes], model);
    isolation.endWithParent();
  }
  const compile = {
    ...nvcc.compile,
    observed: options.check !== null,
    nvccForm: options.profile || options.device === "cuda",
    color: useColor(process.stderr),
  };
  const program = programSource(nvcc, compile);
  const request = programRequest(program, [programName(nvcc), ...programArguments], options, includes);
  if (options.isolated) showOnlySources(program, request.settings.files);
  const cache = options.isolated && options.cache ? "read" : options.cache;
  const session = openNodeSession({ cache, output: "inherit" });
  const { exitCode, started } = new PrintedRun(session, request, options);
  if (options.processes !== null) followParent(started);
  return options.isolated ? exitCode.catch(withNamedFiles) : exitCode;
}
