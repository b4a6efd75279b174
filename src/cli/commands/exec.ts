/** `heddle exec FILE [arguments]`: runs what `heddle nvcc` made. Called by the file itself. */
import { HeddleError } from "../../base/diagnostics.ts";
import { openCompiler } from "../compiler-node.ts";
import { readExecutable } from "../executable.ts";
import { ProgramThread } from "../program-runner.ts";
import { optionsFromEnvironment } from "../options/run-options.ts";

export async function execCommand(args: readonly string[]): Promise<number> {
  const [path, ...rest] = args;
  if (path === undefined)
    throw new HeddleError("bad-arguments", "no program is given", { notes: ["heddle exec FILE [arguments]"] });
  const wasm = readExecutable(path);
  const started = performance.now();
  const options = optionsFromEnvironment(process.env["HEDDLE_OPTIONS"]);
  const thread = new ProgramThread(options);
  try {
    const { deviceLibrary } = await openCompiler(options.cache);
    return await thread.run({
      wasm,
      library: await deviceLibrary(),
      argv: [path, ...rest],
      compileMs: performance.now() - started,
    });
  } finally {
    thread.discard();
  }
}
