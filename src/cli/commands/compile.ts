/** `heddle compile`: shows what the front end makes of a source, or keeps it. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { PtxForm } from "../../session/ptx-text.ts";
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
  if (emit !== "ir" && emit !== "wasm" && emit !== "ptx" && emit !== "sass")
    throw new HeddleError("bad-arguments", `--emit is ir, ptx, sass or wasm, not "${emit}"`);
  const command = parseNvccCommand(rest);
  // nvcc's way to ask for it.
  if (command.mode === "ptx") emit = "ptx";
  const [source] = command.sources;
  if (source === undefined)
    throw new HeddleError("bad-arguments", "no source file is given", { notes: ["heddle compile --emit ir FILE.cu"] });
  const model = await chooseModel(command.compile.model);
  const options = {
    ...command.compile,
    model,
    nvccForm: emit === "ptx" || emit === "sass",
    color: useColor(process.stderr),
  };
  const opened = await openCompiler();
  const { compiler } = opened;
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
    emit === "ir"
      ? program.ir
      : await gpuCode(program, await opened.deviceLibrary(model), {
          arch: options.arch ?? "sm_80",
          model,
          lineInfo: emit === "sass",
        });
  if (command.output === null || command.output === "-") process.stdout.write(text);
  else writeOutput(command.output, text);
  return 0;
}

/** PTX; with line information, the SASS that it becomes. */
async function gpuCode(program: DeviceProgram, library: string, form: PtxForm): Promise<string> {
  const { ptxText } = await import("../../session/ptx-text.ts");
  const ptx = ptxText(program, library, form);
  if (form.lineInfo !== true) return ptx;
  const { sassText } = await import("../../device/cuda/sass.ts");
  return sassText(ptx, form.arch);
}
