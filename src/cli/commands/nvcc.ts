/**
 * `heddle nvcc`: takes nvcc's command lines, so that `make NVCC="npx heddle nvcc"` builds. Objects are WebAssembly
 * files that carry their device code; a linked program is an executable file that starts Heddle on itself.
 */
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { DEFAULT_OPTIONS } from "../../frontend/clang/flags.ts";
import { nodeSourceReader } from "../../frontend/clang/clang-loader-node.ts";
import type { Compiler } from "../../frontend/clang/compiler.ts";
import { buildProgram, compileAll } from "../../session/build-program.ts";
import { programSource, readObject, readSource } from "../program-inputs.ts";
import { openCompiler, type NodeCompiler } from "../../session/compiler-node.ts";
import { dependencyRule } from "../dependencies.ts";
import { writeExecutable } from "../executable.ts";
import type { NvccCommand } from "../options/nvcc-command.ts";
import { parseNvccCommand } from "../options/nvcc-flags.ts";
import { useColor } from "../terminal.ts";
import { version } from "../version.ts";
import { chooseModel } from "../data-model.ts";
import { writeOutput } from "../write-output.ts";

/** Makefiles look at the release number to choose flags; it is that of the CUDA version whose headers we have. */
function versionText(): string {
  return [
    "nvcc: Heddle's compiler driver, in the place of NVIDIA's (R) Cuda compiler driver",
    `Heddle ${version()}; runs CUDA programs on an emulated GPU`,
    "Cuda compilation tools, release 12.4, V12.4.0", // the line that scripts parse
    "Build heddle_12.4.r12.4/compiler.0",
    "",
  ].join("\n");
}

export async function nvccCommand(args: readonly string[]): Promise<number> {
  if (args.includes("--version") || args.includes("-V")) {
    process.stdout.write(versionText());
    return 0;
  }
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write((await import("../help.ts")).helpText("nvcc"));
    return 0;
  }
  const asked = parseNvccCommand(args);
  const inputs = [...asked.sources, ...asked.objects];
  if (inputs.length === 0)
    throw new HeddleError("bad-arguments", "no input files", { notes: ["heddle nvcc -o program FILE.cu …"] });
  const missing = inputs.find((path) => !existsSync(path));
  if (missing !== undefined) throw new HeddleError("file-not-found", `there is no file ${missing}`);
  if (asked.verbose || asked.dryRun) for (const line of asked.ignored) process.stderr.write(`heddle: ${line}\n`);
  if (asked.dryRun) return 0;
  const model = await chooseModel(asked.compile.model, asked.objects);
  const command: NvccCommand = { ...asked, compile: { ...asked.compile, model } };
  const { compiler, keepCode, deviceLibrary } = await openCompiler();
  const exitCode = await carryOut(command, compiler, deviceLibrary);
  await keepCode();
  return exitCode;
}

async function carryOut(
  command: NvccCommand,
  compiler: Compiler,
  deviceLibrary: NodeCompiler["deviceLibrary"],
): Promise<number> {
  switch (command.mode) {
    case "compile":
      return compileObjects(command, compiler);
    case "ptx":
      return writePtx(command, compiler, deviceLibrary);
    case "preprocess":
      return preprocess(command, compiler);
    case "dependencies":
      return printDependencies(command);
    case "device-link":
      return deviceLink(command);
    case "library":
      return archive(command, compiler);
    case "link":
      return link(command, compiler);
  }
}

function compileOptions(command: NvccCommand): NvccCommand["compile"] {
  return { ...command.compile, color: useColor(process.stderr) };
}

function stem(path: string): string {
  return basename(path).replace(/\.[^.]*$/, "");
}

/** -o FILE, or FILE.o in the working directory; -o DIRECTORY/ puts it there. */
function outputPath({ output, sources }: NvccCommand, source: string, ending: "o" | "ptx"): string {
  if (sources.length > 1 && output !== null && !output.endsWith("/"))
    throw new HeddleError("bad-arguments", `-o with ${ending === "o" ? "-c" : "-ptx"} takes one source file`);
  if (output === null) return `${stem(source)}.${ending}`;
  if (output.endsWith("/")) return join(output, `${stem(source)}.${ending}`);
  return output;
}

/** -ptx: a file for each source with what a GPU's driver is given for it. */
async function writePtx(
  command: NvccCommand,
  compiler: Compiler,
  deviceLibrary: NodeCompiler["deviceLibrary"],
): Promise<number> {
  const { ptxText } = await import("../../session/ptx-text.ts");
  const options = { ...compileOptions(command), nvccForm: true, loadedByName: true };
  for (const path of command.sources) {
    const { program, warnings } = await compiler.compileDevice(readSource(path), options, nodeSourceReader);
    if (warnings !== "") process.stderr.write(warnings);
    const { arch = "sm_80", model = DEFAULT_OPTIONS.model } = options;
    const text = ptxText(program, await deviceLibrary(model), { arch, model });
    if (command.output === "-") {
      process.stdout.write(text);
      continue;
    }
    const target = outputPath(command, path, "ptx");
    mkdirSync(dirname(target), { recursive: true });
    writeOutput(target, text);
    if (command.writeDependencies) await writeDependencies(command, path, target);
  }
  return 0;
}

async function compileObjects(command: NvccCommand, compiler: Compiler): Promise<number> {
  for (const path of command.sources) {
    const { object, warnings } = await compiler.compileObject(
      readSource(path),
      compileOptions(command),
      nodeSourceReader,
    );
    if (warnings !== "") process.stderr.write(warnings);
    const target = outputPath(command, path, "o");
    mkdirSync(dirname(target), { recursive: true });
    writeOutput(target, object);
    if (command.writeDependencies) await writeDependencies(command, path, target);
  }
  return 0;
}

async function writeDependencies(command: NvccCommand, source: string, target: string): Promise<void> {
  const file = command.dependencyFile ?? target.replace(/\.[^./]*$/, "") + ".d";
  writeOutput(file, dependencyRule(command, source, target));
}

function printDependencies(command: NvccCommand): number {
  const rules = command.sources
    .map((source) => dependencyRule(command, source, command.dependencyTargets[0] ?? `${stem(source)}.o`))
    .join("");
  const file = command.dependencyFile ?? command.output;
  if (file === null) process.stdout.write(rules);
  else writeOutput(file, rules);
  return 0;
}

async function preprocess(command: NvccCommand, compiler: Compiler): Promise<number> {
  let text = "";
  for (const path of command.sources)
    text += await compiler.preprocess(readSource(path), compileOptions(command), nodeSourceReader);
  if (command.output === null) process.stdout.write(text);
  else writeOutput(command.output, text);
  return 0;
}

async function archive(command: NvccCommand, compiler: Compiler): Promise<number> {
  const objects = await compileAll(
    command.sources.map((path) => readSource(path)),
    compileOptions(command),
    compiler,
    nodeSourceReader,
  );
  writeOutput(
    command.output ?? "a.a",
    await compiler.archive([...objects, ...command.objects.map((path) => readObject(path))]),
  );
  return 0;
}

/** Device code is linked when the program starts: the object that nvcc would make for it is empty here. */
function deviceLink(command: NvccCommand): number {
  const target = command.output ?? "a_dlink.o";
  // A relocatable WebAssembly object without content: header, then a "linking" section of version 2.
  writeOutput(
    target,
    Uint8Array.from([
      0x00,
      0x61,
      0x73,
      0x6d,
      0x01,
      0x00,
      0x00,
      0x00,
      0x00,
      0x09,
      0x07,
      ...new TextEncoder().encode("linking"),
      0x02,
    ]),
  );
  return 0;
}

async function link(command: NvccCommand, compiler: Compiler): Promise<number> {
  const target = command.output ?? "a.out";
  const [only] = command.objects;
  if (
    command.sources.length === 0 &&
    command.objects.length === 1 &&
    only !== undefined &&
    only.endsWith(".wasm") &&
    target.endsWith(".wasm")
  ) {
    copyFileSync(only, target);
    return 0;
  }
  const { wasm, warnings } = await buildProgram(programSource(command, compileOptions(command)), {
    compiler,
    reader: nodeSourceReader,
  });
  if (warnings !== "") process.stderr.write(warnings);
  mkdirSync(dirname(target), { recursive: true });
  if (target.endsWith(".wasm")) writeOutput(target, wasm);
  else writeExecutable(target, wasm);
  if (command.writeDependencies && command.sources[0] !== undefined)
    await writeDependencies(command, command.sources[0], target);
  if (!command.runAfterwards) return 0;
  const { execCommand } = await import("./exec.ts");
  return execCommand([target]);
}
