/** `heddle exec FILE [arguments]`: runs what `heddle nvcc` made. Called by the file itself. */
import { HeddleError } from "../base/diagnostics.ts";
import { openCompiler } from "./compiler-node.ts";
import { readExecutable } from "./executable.ts";
import { runInWorker } from "./program-runner.ts";
import { optionsFromEnvironment } from "./run-options.ts";

export async function execCommand(args: readonly string[]): Promise<number> {
  const [path, ...rest] = args;
  if (path === undefined) throw new HeddleError("bad-arguments", "no program is given", { notes: ["heddle exec FILE [arguments]"] });
  const wasm = readExecutable(path);
  const started = performance.now();
  const options = optionsFromEnvironment(process.env["HEDDLE_OPTIONS"]);
  const { deviceLibrary } = await openCompiler(options.cache);
  return runInWorker({ wasm, library: await deviceLibrary(), argv: [path, ...rest], options, compileMs: performance.now() - started });
}
