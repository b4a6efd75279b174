/**
 * `heddle run --watch`: compiles and runs, then again whenever a file of the program is saved.
 *
 * The compiler stays loaded, and while there is nothing to do, the next program's thread is started, and Clang's passes
 * as far as they get without the source: a save costs what the program itself takes to compile, and little else.
 * Compiling blocks this thread, so Ctrl-C has no handler of ours meanwhile and ends the process as signals do.
 */
import { existsSync } from "node:fs";
import { nodeSourceReader } from "../frontend/clang/clang-loader-node.ts";
import type { CompileOptions } from "../program/compiled-program.ts";
import { reportOf } from "../session/error-report.ts";
import { nodePlatform } from "../session/platform-node.ts";
import type { ProgramRequest } from "../session/request.ts";
import { openSession } from "../session/session.ts";
import type { RunCommand } from "./options/run-options.ts";
import { PrintedRun, programRequest } from "./print-run.ts";
import { namedFiles, programName, programSource, readSource } from "./program-inputs.ts";
import { printError, useColor } from "./terminal.ts";
import { WatchedFiles } from "./watched-files.ts";

const say = (line: string): void => void process.stderr.write(`heddle: ${line}\n`);

/** Ends by a signal only; resolves with the exit code for it. */
export async function watchProgram(command: RunCommand): Promise<number> {
  const { options, nvcc } = command;
  const platform = nodePlatform({ cache: options.cache, output: "inherit" });
  const { programs } = platform;
  const session = openSession(platform);
  const { settings } = programRequest({ wasm: new Uint8Array(0) }, [], options);
  programs.cachesCodeItself = false;
  programs.prepareThread(settings);
  const { compiler } = await programs.openCompiler();
  const compile = {
    ...nvcc.compile,
    observed: options.check !== null,
    nvccForm: options.profile || options.device === "cuda",
    color: useColor(process.stderr),
  };
  /** The source that is likely to be saved next. */
  let edited = nvcc.sources[0];
  for (;;) {
    const files = new WatchedFiles(nodeSourceReader);
    for (const path of namedFiles(nvcc)) files.add(path);
    programs.includes = files;
    const start = (): PrintedRun => new PrintedRun(session, requestOf(command, compile), options);
    const { interruptedWith, outcome } = await runOnce(start, files);
    if (interruptedWith !== null) return interruptedWith;
    programs.prepareThread(settings, { idle: true });
    if (outcome === null) continue;
    say(files.paths.length > 0 ? `${outcome}; watching ${describe(files.paths)}` : `waiting for ${edited}`);
    await programs.cacheCode();
    // A mistake comes again when the source is compiled, and is reported then.
    if (edited !== undefined && existsSync(edited))
      void compiler.getReady(readSource(edited), compile, files).catch(() => {});
    const saved = await files.changed(null);
    if (saved !== null && nvcc.sources.includes(saved)) edited = saved;
    say(`${saved} was saved`);
  }
}

function requestOf({ options, nvcc, programArguments }: RunCommand, compile: Partial<CompileOptions>): ProgramRequest {
  return programRequest(programSource(nvcc, compile), [programName(nvcc), ...programArguments], options);
}

interface Outcome {
  /** The exit code after Ctrl-C; null: go on. */
  readonly interruptedWith: number | null;
  /** What became of the program; null: a file was saved while it ran. */
  readonly outcome: string | null;
}

async function runOnce(start: () => PrintedRun, files: WatchedFiles): Promise<Outcome> {
  const started = performance.now();
  try {
    const run = start();
    const exitCode = await stoppedBySaving(run, files);
    if (run.interrupted) return { interruptedWith: exitCode as number, outcome: null };
    if (exitCode === null) return { interruptedWith: null, outcome: null };
    const ranMs = performance.now() - started - run.compileMs;
    const outcome = `compiled in ${seconds(run.compileMs)}, ran ${seconds(ranMs)}, exit code ${exitCode}`;
    return { interruptedWith: null, outcome };
  } catch (error) {
    printError(reportOf(error));
    return { interruptedWith: null, outcome: `not compiled, after ${seconds(performance.now() - started)}` };
  }
}

/** The program's exit code, or null if a file was saved while it ran: it is stopped then. */
async function stoppedBySaving(run: PrintedRun, files: WatchedFiles): Promise<number | null> {
  const ended = new AbortController();
  let stopped = false;
  void run.started.then(async () => {
    const path = await files.changed(ended.signal);
    if (path === null) return;
    stopped = true;
    run.stop(`${path} was saved: stopped`, 0);
  });
  try {
    const exitCode = await run.exitCode;
    return stopped && !run.interrupted ? null : exitCode;
  } finally {
    ended.abort();
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

function describe([first, ...others]: readonly string[]): string {
  return `${first}${others.length === 0 ? "" : ` and ${others.length} more file${others.length === 1 ? "" : "s"}`}`;
}
