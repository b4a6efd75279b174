/**
 * `heddle run --watch`: compiles and runs, then again whenever a file of the program is saved.
 *
 * The compiler stays loaded, and the next program's thread is started while there is nothing to do: a save costs Clang's passes and
 * little else. Compiling blocks this thread, so Ctrl-C has no handler of ours meanwhile and ends the process as signals do.
 */
import { nodeSourceReader } from "../frontend/clang/clang-loader-node.ts";
import { buildProgram, namedFiles, programName } from "./build-program.ts";
import { openCompiler } from "./compiler-node.ts";
import { reportOf } from "./error-report.ts";
import { ProgramThread } from "./program-runner.ts";
import type { RunCommand } from "./run-options.ts";
import { printError, useColor } from "./terminal.ts";
import { WatchedFiles } from "./watched-files.ts";

/** Ends by a signal only; resolves with the exit code for it. */
export async function watchProgram({ options, nvcc, programArguments }: RunCommand): Promise<number> {
  const say = (line: string): void => void process.stderr.write(`heddle: ${line}\n`);
  let thread = new ProgramThread(options);
  const { compiler, deviceLibrary } = await openCompiler(options.cache);
  for (;;) {
    const started = performance.now();
    const files = new WatchedFiles(nodeSourceReader);
    for (const path of namedFiles(nvcc)) files.add(path);
    let outcome: string | null;
    try {
      const { wasm, warnings } = await buildProgram(nvcc, { ...nvcc.compile, color: useColor(process.stderr) }, compiler, files);
      const library = await deviceLibrary();
      if (warnings !== "") process.stderr.write(warnings);
      const compiled = performance.now();
      const running = thread.run({ wasm, library, argv: [programName(nvcc), ...programArguments], compileMs: compiled - started });
      const exitCode = await stoppedBySaving(thread, running, files);
      if (thread.interrupted) return exitCode as number;
      outcome = exitCode === null ? null : `compiled in ${seconds(compiled - started)}, ran ${seconds(performance.now() - compiled)}, exit code ${exitCode}`;
    } catch (error) {
      printError(reportOf(error));
      outcome = `not compiled, after ${seconds(performance.now() - started)}`;
      thread.discard();
    }
    thread = new ProgramThread(options);
    if (outcome === null) continue;
    say(`${outcome}; watching ${describe(files.paths)}`);
    say(`${await files.changed(null)} was saved`);
  }
}

/** The program's exit code, or null if a file was saved while it ran: it is stopped then. */
async function stoppedBySaving(thread: ProgramThread, running: Promise<number>, files: WatchedFiles): Promise<number | null> {
  const ended = new AbortController();
  let stopped = false;
  void files.changed(ended.signal).then((path) => {
    if (path === null) return;
    stopped = true;
    thread.stop(`${path} was saved: stopped`, 0);
  });
  const exitCode = await running;
  ended.abort();
  return stopped && !thread.interrupted ? null : exitCode;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

function describe([first, ...others]: readonly string[]): string {
  return `${first}${others.length === 0 ? "" : ` and ${others.length} more file${others.length === 1 ? "" : "s"}`}`;
}
