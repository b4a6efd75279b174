/** What NVRTC does, on top of the compiler: a source with its headers and options becomes device code and PTX. */
import { HeddleError } from "../base/diagnostics.ts";
import { isStandardHeader } from "../frontend/clang/leading-includes.ts";
import { RUNTIME_COMPILER } from "../frontend/clang/precompiled-headers.ts";
import type { DataModel } from "../base/data-model.ts";
import type { DeviceCompiler } from "../program/device-compiler.ts";
import type { RuntimeCode, RuntimeSource } from "../program/runtime-compiler.ts";
import type { SourceReader } from "../store/source-reader.ts";
import { nvrtcLog } from "./nvrtc-log.ts";
import { readNvrtcOptions } from "./nvrtc-options.ts";
import { ptxText } from "./ptx-text.ts";

/** A folder that no file system has: the program's headers are in it. */
const HEADERS = "/heddle-nvrtc/";
const FAILED: Omit<RuntimeCode, "status" | "log"> = { program: null, ptx: "", names: [] };

export interface RuntimeCompilerParts {
  readonly compiler: DeviceCompiler;
  readonly deviceLibrary: (model: DataModel["name"]) => Promise<string>;
  /** The user's files; null: a program's own headers are all that there is. */
  readonly reader: SourceReader | null;
}

export async function compileAtRunTime(source: RuntimeSource, parts: RuntimeCompilerParts): Promise<RuntimeCode> {
  const { compile, defaultDevice, unknown } = readNvrtcOptions(source.options);
  if (unknown !== null)
    return { ...FAILED, status: "bad-option", log: `nvrtc: error: unrecognized option ${unknown} found\n` };
  const { model, expressions } = source;
  const start = defaultDevice ? "#pragma clang force_cuda_host_device begin\n#line 1\n" : "";
  const file = { path: sourcePath(source.name), text: `${start}${source.text}\n` };
  const options = {
    ...compile,
    model,
    language: "cuda" as const,
    loadedByName: true,
    defines: [RUNTIME_COMPILER, ...(compile.defines ?? [])],
    includePaths: [HEADERS.slice(0, -1), ...(compile.includePaths ?? [])],
  };
  try {
    const { program, names, warnings } = await parts.compiler.compileDevice(
      file,
      options,
      readerOf(source, parts.reader),
      expressions,
    );
    const arch = compile.arch ?? "sm_52";
    let ptx: string;
    try {
      ptx = ptxText(program, await parts.deviceLibrary(model), { arch, model, lineInfo: compile.debug === true });
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error;
      // The emulated device has what the writer of PTX lacks: the program is good, its text says why there is none.
      ptx = `// ${error.summary.replaceAll("\n", " ")}\n`;
    }
    // Two programs of the same text have the same code.
    return { status: "compiled", log: warnings, program, ptx, names: [...names] };
  } catch (error) {
    if (!(error instanceof HeddleError)) throw error;
    const log = nvrtcLog(`${[error.summary, ...error.notes].join("\n")}\n`);
    const isExpression = /kernel name/.test(log) && expressions.length > 0 && !/error(?!.*kernel name)/.test(log);
    return { ...FAILED, status: isExpression ? "bad-expression" : "rejected", log };
  }
}

/** A name that is no path is that of a CUDA source. */
function sourcePath(name: string): string {
  return name.replaceAll("\0", "");
}

function readerOf({ headers }: RuntimeSource, files: SourceReader | null): SourceReader {
  // NVRTC has no C++ library, and programs bring what stands for it, or the toolkit's headers. Ours are whole, and need
  // one another.
  const own = new Map(Object.entries(headers).filter(([name]) => !isStandardHeader(name)));
  const inHeaders = (path: string): string | undefined =>
    path.startsWith(HEADERS) ? own.get(path.slice(HEADERS.length)) : undefined;
  return {
    readFile: (path) => {
      const text = inHeaders(path);
      if (text !== undefined) return new TextEncoder().encode(text);
      return path.startsWith(HEADERS) ? null : (files?.readFile(path) ?? null);
    },
    isDirectory: (path) => {
      if (`${path}/`.startsWith(HEADERS)) {
        const rest = `${path}/`.slice(HEADERS.length);
        return rest === "" || [...own.keys()].some((name) => name.startsWith(rest));
      }
      return files?.isDirectory(path) ?? false;
    },
  };
}
