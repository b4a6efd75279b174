/** The source files, objects and libraries that a command names: what `run`, `nvcc` and `compile` have in common. */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import type { CompiledObject } from "../frontend/clang/compiler.ts";
import type { CompileOptions, SourceFile } from "../program/compiled-program.ts";
import { describeLibrary, isBuiltIn, libraryOfLinkName } from "../libraries/libraries.ts";
import type { ProgramSource } from "../session/request.ts";
import type { NvccCommand } from "./options/nvcc-command.ts";

export function readSource(path: string): SourceFile {
  try {
    return { path, text: readFileSync(path, "utf8") };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new HeddleError("file-not-found", `there is no file ${path}`);
    if (code === "EISDIR") throw new HeddleError("file-not-found", `${path} is a directory, not a source file`);
    throw new HeddleError("io-error", `${path} cannot be read: ${(error as Error).message}`);
  }
}

/** An object file on disk: WebAssembly, made by `heddle nvcc -c`. */
export function readObject(path: string): CompiledObject {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new HeddleError("file-not-found", `${path} cannot be read: ${(error as Error).message}`);
  }
  const begins = (text: string): boolean => new TextDecoder("latin1").decode(bytes.subarray(0, text.length)) === text;
  if (begins("\u007fELF") || begins("MZ") || (bytes[0] === 0xcf && bytes[1] === 0xfa)) {
    throw new HeddleError("link-error", `${path} is an object file for this machine's processor`, {
      notes: [
        "host code is compiled to WebAssembly here: compile C and C++ files with heddle nvcc too " +
          '(make NVCC="npx heddle nvcc" CC="npx heddle nvcc" CXX="npx heddle nvcc")',
      ],
    });
  }
  return { name: path, object: bytes, device: null, warnings: "" };
}

/** Where -lNAME is looked for; nowhere if it is one of ours. */
function libraryPaths(name: string, paths: readonly string[]): string[] {
  return isBuiltIn(name) ? [] : [...paths, "."].map((directory) => `${directory}/lib${name}.a`);
}

function findLibrary(name: string, paths: readonly string[]): CompiledObject | null {
  if (isBuiltIn(name)) return null;
  const path = libraryPaths(name, paths).find((candidate) => existsSync(candidate));
  if (path !== undefined) return readObject(path);
  const known = libraryOfLinkName(name);
  throw new HeddleError("link-error", `the library -l${name} is not here`, {
    notes: [
      ...(known === null ? [] : [describeLibrary(known)]),
      `lib${name}.a was looked for in ${[...paths, "."].join(", ")}; it must be made with heddle nvcc`,
    ],
  });
}

/** What the program is called: argv[0]. */
export function programName(command: NvccCommand): string {
  return (command.sources[0] ?? command.objects[0] ?? "a.out").replace(/\.[^./]*$/, "");
}

/** The files that a command names; those that they include, the compiler finds. */
export function namedFiles(command: NvccCommand): string[] {
  return [
    ...command.sources,
    ...command.objects,
    ...command.libraries.flatMap((name) => libraryPaths(name, command.libraryPaths)),
  ];
}

/** What a command names, read from disk. */
export function programSource(command: NvccCommand, compile: Partial<CompileOptions>): ProgramSource {
  const libraries = command.libraries.flatMap((name) => findLibrary(name, command.libraryPaths) ?? []);
  const sources = command.sources.map((path) => readSource(path));
  const objects = command.objects.map((path) => readObject(path));
  return { sources, objects: [...objects, ...libraries], compile, name: basename(command.sources[0] ?? "the program") };
}
