/**
 * `heddle run --watch`: compiles and runs, then again whenever a file of the program is saved.
 *
 * The compiler stays loaded, and while there is nothing to do, the next program's thread is started, and Clang's passes
 * as far as they get without the source: a save costs what the program itself takes to compile, and little else.
 * Compiling blocks this thread, so Ctrl-C has no handler of ours meanwhile and ends the process as signals do.
 */
import { existsSync } from "node:fs";
import { nodeSourceReader } from "../frontend/clang/clang-loader-node.ts";
import { buildProgram, namedFiles, programName, readSource } from "./build-program.ts";
import { openCompiler } from "./compiler-node.ts";
import { reportOf } from "./error-report.ts";
import { ProgramThread } from "./program-runner.ts";
import type { RunCommand } from "./options/run-options.ts";
import { printError, useColor } from "./terminal.ts";
import { WatchedFiles } from "./watched-files.ts";

/** Ends by a signal only; resolves with the exit code for it. */
export async function watchProgram({ options, nvcc, programArguments }: RunCommand): Promise<number> {
  const say = (line: string): void => void process.stderr.write(`heddle: ${line}\n`);
  let thread = new ProgramThread(options);
  const { compiler, deviceLibrary, keepCode } = await openCompiler(options.cache);
  const compile = { ...nvcc.compile, observed: options.check !== null, color: useColor(process.stderr) };
  /** The source that is likely to be saved next. */
  let edited = nvcc.sources[0];
  for (;;) {
    const started = performance.now();
    const files = new WatchedFiles(nodeSourceReader);
    for (const path of namedFiles(nvcc)) files.add(path);
    let outcome: string | null;
    try {
      const { wasm, warnings } = await buildProgram(
        nvcc,
        compile,
        compiler,
        files,
        (program) => void thread.expect(program, deviceLibrary),
      );
      const library = await deviceLibrary();
      if (warnings !== "") process.stderr.write(warnings);
      const compiled = performance.now();
      const running = thread.run({
        wasm,
        library,
        argv: [programName(nvcc), ...programArguments],
        compileMs: compiled - started,
      });
      const exitCode = await stoppedBySaving(thread, running, files);
      if (thread.interrupted) return exitCode as number;
      outcome =
        exitCode === null
          ? null
          : `compiled in ${seconds(compiled - started)}, ran ${seconds(performance.now() - compiled)}, exit code ${exitCode}`;
    } catch (error) {
      printError(reportOf(error));
      outcome = `not compiled, after ${seconds(performance.now() - started)}`;
      thread.discard();
    }
    thread = new ProgramThread(options, { idle: true });
    if (outcome === null) continue;
    say(`${outcome}; watching ${describe(files.paths)}`);
    await keepCode();
    // What goes wrong here goes wrong again when the source is compiled, and is told then.
    if (edited !== undefined && existsSync(edited))
      void compiler.getReady(readSource(edited), compile, files).catch(() => {});
    const saved = await files.changed(null);
    if (saved !== null && nvcc.sources.includes(saved)) edited = saved;
    say(`${saved} was saved`);
  }
}

/** The program's exit code, or null if a file was saved while it ran: it is stopped then. */
async function stoppedBySaving(
  thread: ProgramThread,
  running: Promise<number>,
  files: WatchedFiles,
): Promise<number | null> {
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
