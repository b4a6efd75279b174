/** From sources and objects to a host module. */
import { HeddleError } from "../base/diagnostics.ts";
import type { CompiledObject, Compiler } from "../frontend/clang/compiler.ts";
import type { CompileOptions, SourceFile } from "../program/compiled-program.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import type { SourceReader } from "../store/source-reader.ts";
import type { ProgramSource } from "./request.ts";

export interface BuiltProgram {
  readonly wasm: Uint8Array;
  readonly warnings: string;
}

export interface BuildParts {
  readonly compiler: Compiler;
  /** Reads included files. */
  readonly reader: SourceReader;
  /** See Compiler.compileProgram. */
  readonly onDevice?: (program: DeviceProgram) => void;
}

export async function buildProgram(
  program: ProgramSource,
  { compiler, reader, onDevice }: BuildParts,
): Promise<BuiltProgram> {
  if ("wasm" in program) return { wasm: program.wasm, warnings: "" };
  const { sources, objects, compile, name } = program;
  const { host, warnings } =
    objects.length === 0
      ? await compiler.compileProgram(sources, compile, reader, onDevice)
      : await compiler.linkObjects([...(await compileAll(sources, compile, compiler, reader)), ...objects], compile);
  if (host === null) throw new HeddleError("link-error", `${name} has no host side`);
  return { wasm: host.wasm, warnings };
}

export async function compileAll(
  sources: readonly SourceFile[],
  options: Partial<CompileOptions>,
  compiler: Compiler,
  reader: SourceReader,
): Promise<CompiledObject[]> {
  const objects: CompiledObject[] = [];
  for (const source of sources) objects.push(await compiler.compileObject(source, options, reader));
  return objects;
}
