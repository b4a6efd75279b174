/** `heddle run`: compile, then run. */
import { HeddleError } from "../../base/diagnostics.ts";
import { nodeSourceReader } from "../../frontend/clang/clang-loader-node.ts";
import { buildProgram, programName } from "../build-program.ts";
import { openCompiler } from "../compiler-node.ts";
import { ProgramThread } from "../program-runner.ts";
import { parseRunCommand, type RunCommand } from "../options/run-options.ts";
import { useColor } from "../terminal.ts";

export async function runCommand(args: readonly string[]): Promise<number> {
  return runParsed(parseRunCommand(args));
}

/** `heddle run` and `heddle check`, their options read. */
export async function runParsed({ options, nvcc, programArguments }: RunCommand): Promise<number> {
  const name = nvcc.sources[0] ?? nvcc.objects[0];
  const command = options.check === null ? "run" : "check";
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
  const started = performance.now();
  const thread = new ProgramThread(options);
  try {
    const { compiler, deviceLibrary, keepCode } = await openCompiler(options.cache);
    const { wasm, warnings } = await buildProgram(
      nvcc,
      { ...nvcc.compile, observed: options.check !== null, color: useColor(process.stderr) },
      compiler,
      nodeSourceReader,
      (program) => void thread.expect(program, deviceLibrary),
    );
    const library = await deviceLibrary();
    if (warnings !== "") process.stderr.write(warnings);
    const running = thread.run({
      wasm,
      library,
      argv: [programName(nvcc), ...programArguments],
      compileMs: performance.now() - started,
    });
    await keepCode();
    return await running;
  } finally {
    thread.discard();
  }
}
