/** `loadInline`: extensions from strings, as torch.utils.cpp_extension.load_inline takes them. */
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions, describeValue, type OptionNames } from "../base/options.ts";
import type { Gpu } from "../library/gpu.ts";
import type { SourceReader } from "../store/source-reader.ts";
import type { ExtensionSource, ExtensionSources } from "./compile-extension.ts";
import { compilerOptions } from "./compiler-flags.ts";

/** Options of `loadInline`: the parameters of PyTorch's `load_inline` in camelCase. */
export interface LoadInlineOptions {
  /** The extension's name. */
  readonly name: string;
  /** C++ sources: usually declarations of what `functions` names. */
  readonly cppSources?: string | readonly string[];
  /** CUDA sources. */
  readonly cudaSources?: string | readonly string[];
  /** Functions to offer, with a description each if it is an object. Without it the sources have a PYBIND11_MODULE. */
  readonly functions?: string | readonly string[] | Readonly<Record<string, string>>;
  readonly extraCflags?: readonly string[];
  readonly extraCudaCflags?: readonly string[];
  readonly extraIncludePaths?: readonly string[];
  /** The device that the kernels run on, and whose tensors the functions take; default: the shared device. */
  readonly device?: Gpu;
  /** Accepted, without effect here. */
  readonly extraLdflags?: readonly string[];
  /** Accepted, without effect here. */
  readonly withCuda?: boolean;
  /** Accepted, without effect here. */
  readonly buildDirectory?: string;
  /** Accepted, without effect here. */
  readonly verbose?: boolean;
}

const NAMES: OptionNames<LoadInlineOptions> = {
  name: true,
  cppSources: true,
  cudaSources: true,
  functions: true,
  extraCflags: true,
  extraCudaCflags: true,
  extraIncludePaths: true,
  device: true,
  extraLdflags: true,
  withCuda: true,
  buildDirectory: true,
  verbose: true,
};
const MEANT = {
  cpp_sources: "cppSources",
  cuda_sources: "cudaSources",
  extra_cflags: "extraCflags",
  extra_cuda_cflags: "extraCudaCflags",
  extra_include_paths: "extraIncludePaths",
  extra_ldflags: "extraLdflags",
  with_cuda: "withCuda",
  build_directory: "buildDirectory",
};

const CPP_HEAD = "#include <torch/extension.h>\n";
const CUDA_HEAD = "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n";

/** @throws HeddleError "bad-arguments" */
export function inlineSources(options: LoadInlineOptions, files: SourceReader | null): ExtensionSources {
  checkOptions("loadInline", options, NAMES, { meant: MEANT });
  const { name, extraIncludePaths = [] } = options;
  if (typeof name !== "string" || name === "")
    throw new HeddleError("bad-arguments", `loadInline needs a name, not ${describeValue(name)}`);
  const cpp = listOf(options.cppSources);
  const cuda = listOf(options.cudaSources);
  if (cpp.length + cuda.length === 0)
    throw new HeddleError("bad-arguments", "loadInline needs cppSources or cudaSources");
  const include = extraIncludePaths.map((path) => `-I${path}`);
  const cppOptions = compilerOptions([...(options.extraCflags ?? []), ...include]);
  const cudaOptions = compilerOptions([...(options.extraCudaCflags ?? []), ...include]);
  const moduleText = moduleOf(options.functions);
  // Kernels may stand in either list: load_inline's users put them where g++ does not see them.
  const hasKernels = cpp.some((text) => text.includes("<<<"));
  const cppPath = `${name}.${hasKernels ? "cu" : "cpp"}`;
  const sources: ExtensionSource[] = [
    { path: cppPath, text: CPP_HEAD + numbered(cpp, cppPath) + moduleText, options: cppOptions },
  ];
  const cudaPath = `${name}${hasKernels ? "_cuda" : ""}.cu`;
  if (cuda.length > 0)
    sources.push({ path: cudaPath, text: CUDA_HEAD + numbered(cuda, cudaPath), options: cudaOptions });
  const areDeclarations = !hasKernels && cpp.every((text) => !withoutComments(text).includes("{"));
  const joined =
    cuda.length > 0 && areDeclarations && moduleText !== ""
      ? {
          path: cudaPath,
          text: CPP_HEAD + CUDA_HEAD + numbered(cuda, cudaPath) + numbered(cpp, cppPath) + moduleText,
          options: cudaOptions,
        }
      : null;
  return { name, sources, joined, reader: include.length > 0 ? files : null };
}

function listOf(sources: string | readonly string[] | undefined): readonly string[] {
  if (sources === undefined || sources === null) return [];
  return typeof sources === "string" ? [sources] : sources;
}

/** Each text with lines of its own, so that a message names the user's. */
function numbered(texts: readonly string[], path: string): string {
  return texts
    .map((text, i) => `#line 1 "${i === 0 ? path : path.replace(/(?=\.\w+$)/, `[${i}]`)}"\n${text}\n`)
    .join("");
}

function moduleOf(functions: LoadInlineOptions["functions"]): string {
  if (functions === undefined) return "";
  const rows: (readonly [string, string])[] =
    typeof functions === "object" && !Array.isArray(functions)
      ? Object.entries(functions as Readonly<Record<string, string>>)
      : listOf(functions as string | readonly string[]).map((name) => [name, name]);
  const lines = rows.map(([name, doc]) => `m.def("${name}", torch::wrap_pybind_function(${name}), ${quoted(doc)});`);
  return `#line 1 "functions"\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n${lines.join("\n")}\n}\n`;
}

const quoted = (text: string): string => JSON.stringify(text);
const withoutComments = (text: string): string => text.replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");
