/** `heddle compile`: shows what the front end makes of a source, or keeps it. */
import { HeddleError } from "../../base/diagnostics.ts";
import { pythonFileOf } from "../python-files.ts";
import { nodeSourceReader } from "../../frontend/clang/clang-loader-node.ts";
import { buildProgram } from "../../session/build-program.ts";
import { chooseModel } from "../data-model.ts";
import { programSource, readSource } from "../program-inputs.ts";
import { openCompiler } from "../../session/compiler-node.ts";
import { parseNvccCommand } from "../options/nvcc-flags.ts";
import { useColor } from "../terminal.ts";
import { writeOutput } from "../write-output.ts";

export async function compileCommand(args: readonly string[]): Promise<number> {
  if (pythonFileOf(args) !== null) return (await import("./triton.ts")).tritonCommand("compile", args);
  const rest = [...args];
  let emit = "ir";
  const at = rest.findIndex((argument) => argument === "--emit" || argument.startsWith("--emit="));
  if (at >= 0) {
    const [flag] = rest.splice(at, 1) as [string];
    emit = flag.includes("=") ? flag.slice(flag.indexOf("=") + 1) : (rest.splice(at, 1)[0] ?? "");
  }
  if (emit !== "ir" && emit !== "wasm" && emit !== "ptx")
    throw new HeddleError("bad-arguments", `--emit is ir, ptx or wasm, not "${emit}"`);
  const command = parseNvccCommand(rest);
  // nvcc's way to ask for it.
  if (command.mode === "ptx") emit = "ptx";
  const [source] = command.sources;
  if (source === undefined)
    throw new HeddleError("bad-arguments", "no source file is given", { notes: ["heddle compile --emit ir FILE.cu"] });
  const model = await chooseModel(command.compile.model);
  const options = { ...command.compile, model, nvccForm: emit === "ptx", color: useColor(process.stderr) };
  const { compiler, deviceLibrary } = await openCompiler();
  if (emit === "wasm") {
    const { wasm, warnings } = await buildProgram(programSource(command, options), {
      compiler,
      reader: nodeSourceReader,
    });
    process.stderr.write(warnings);
    writeOutput(command.output ?? source.replace(/\.[^.]*$/, ".wasm"), wasm);
    return 0;
  }
  const { program } = await compiler.compileDevice(readSource(source), options, nodeSourceReader);
  const text =
    emit === "ptx"
      ? (await import("../../session/ptx-text.ts")).ptxText(program, await deviceLibrary(model), {
          arch: options.arch ?? "sm_80",
          model,
        })
      : program.ir;
  if (command.output === null || command.output === "-") process.stdout.write(text);
  else writeOutput(command.output, text);
  return 0;
}
