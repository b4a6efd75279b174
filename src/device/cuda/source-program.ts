/**
 * CUDA C++ with the GPU's own pointers: NVRTC → machine code → a module. The result is cached on disk, by the source
 * and everything it includes, options, compute capability and the compiler's version; NVRTC itself is loaded when that
 * does not have what is asked for.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { SyncStore } from "../../store/disk-store-node.ts";
import type { CompiledSource, DeviceProperties, DeviceSource, DeviceSourceOptions } from "../device.ts";
import type { GpuContext } from "./context.ts";
import type { KernelFacts } from "./cuda-kernel.ts";
import { CudaModule, moduleGlobal, PlacedVariables } from "./cuda-module.ts";
import { formatVersion } from "./driver.ts";
import type { FlatMemory } from "./flat-memory.ts";
import { toolkitIncludeFolders } from "./library-search.ts";
import { decodeCachedCode, encodeCachedCode, type CachedCode } from "./cached-code.ts";
import { linkPtx } from "./link-ptx.ts";
import { nvrtcFingerprint, openNvrtc, type Nvrtc } from "./nvrtc.ts";
import { NVRTC_HEADERS, RUNTIME_HEADERS } from "./nvrtc-headers.ts";
import { PRINTF_BASE, PRINTF_BYTES, PRINTF_FUNCTION, PRINTF_SOURCE } from "./printf-source.ts";
import { ptxEntries } from "./ptx-entries.ts";

/** Increment this when the meaning of a cache entry changes. */
const FORMAT = "cuda source program 6";

export interface SourceProgramParts {
  readonly context: GpuContext;
  readonly memory: FlatMemory;
  readonly properties: DeviceProperties;
  readonly store: SyncStore | null;
}

interface SourceFacts {
  readonly kernels: readonly (readonly [name: string, facts: KernelFacts])[];
  readonly names: readonly (readonly [expression: string, name: string])[];
  readonly log: string;
  readonly writable: readonly string[];
}

export class SourceProgramLoader {
  readonly #parts: SourceProgramParts;
  #nvrtc: Nvrtc | null = null;

  constructor(parts: SourceProgramParts) {
    this.#parts = parts;
  }

  compile(
    source: DeviceSource,
    kernels: readonly string[],
    onUnload: (module: CudaModule) => void,
  ): CompiledSource & { readonly module: CudaModule } {
    const { context, memory } = this.#parts;
    const { facts, code } = this.#compiled(source, kernels);
    const handle = context.driver.get("cuModuleLoadData", code);
    const variables = new PlacedVariables(context, memory, handle);
    const prints = facts.kernels.some(([, { usesPrintf }]) => usesPrintf);
    const [base, bytes] = prints
      ? [moduleGlobal(context, handle, PRINTF_BASE), moduleGlobal(context, handle, PRINTF_BYTES)]
      : [null, null];
    const module = new CudaModule({
      context,
      handle,
      kernels: new Map(facts.kernels),
      symbols: (name) => variables.symbol(name),
      // The heap is the driver's own.
      services: {
        heap: null,
        printf: base === null || bytes === null ? null : { base: base.address, bytes: bytes.address, width: 8 },
      },
      constants: null,
      writable: facts.writable,
      onUnload: (gone) => {
        variables.forget();
        onUnload(gone);
      },
    });
    return { module, names: new Map(facts.names), warnings: facts.log };
  }

  #compiled(source: DeviceSource, kernels: readonly string[]): CachedCode<SourceFacts> {
    const { store, context, properties } = this.#parts;
    const folders = [
      ...new Set([dirname(resolve(source.path)), ...(source.options.includePaths ?? []).map((path) => resolve(path))]),
    ];
    const toolkit = toolkitIncludeFolders()[0] ?? null;
    const options = [
      `--gpu-architecture=${architectureOf(properties)}`,
      ...compilerOptions(source.options, [...folders, ...(toolkit === null ? [] : [toolkit, ...cccl(toolkit)])]),
    ];
    const key = createHash("sha256")
      .update(
        JSON.stringify([
          FORMAT,
          formatVersion(context.driver.version),
          nvrtcFingerprint(),
          options,
          kernels,
          source.path,
          source.text,
          [...includedFiles(source.text, folders)],
        ]),
      )
      .digest("hex");
    const cached = store?.get(key) ?? null;
    if (cached !== null) return decodeCachedCode(cached);

    const nvrtc = (this.#nvrtc ??= openNvrtc(context.driver.version));
    const forced = (source.options.forcedIncludes ?? []).map((file) => `#include "${file}"\n`).join("");
    const result = nvrtc.compile({
      path: source.path,
      text: forced === "" ? source.text : `${forced}#line 1\n${source.text}`,
      headers: toolkit === null ? { ...RUNTIME_HEADERS, ...NVRTC_HEADERS } : NVRTC_HEADERS,
      options,
      nameExpressions: kernels,
    });
    const prints = /\bvprintf\b/.test(result.ptx);
    const code = prints
      ? this.#linkPrintf(nvrtc, result.ptx, source.path, source.options.debug === true)
      : result.cubin;
    const usesGridSync = /%envreg[12]\b/.test(result.ptx);
    const facts: SourceFacts = {
      kernels: ptxEntries(result.ptx, source.text).map(({ name, params, paramBytes }) => [
        name,
        {
          params,
          paramBytes,
          usesGridSync,
          usesPrintf: prints,
          usesHeap: false,
          usesClusters: true,
          // NVRTC itself refuses __cluster_dims__ for a GPU without clusters.
          clusterBlocks: 1,
          regions: null,
        },
      ]),
      names: [...result.names],
      log: result.log,
      writable: writableVariables(result.ptx),
    };
    store?.put(key, encodeCachedCode({ facts, code }));
    return { facts, code };
  }

  #linkPrintf(nvrtc: Nvrtc, ptx: string, path: string, lineInfo: boolean): Uint8Array {
    const options = [`--gpu-architecture=${architectureOf(this.#parts.properties)}`, "--relocatable-device-code=true"];
    const own = nvrtc.compile({ path: "printf.cu", text: PRINTF_SOURCE, headers: {}, options, nameExpressions: [] });
    return linkPtx(
      this.#parts.context.driver,
      [
        { name: path, text: ptx.replace(/\bvprintf\b/g, PRINTF_FUNCTION) },
        { name: "printf", text: own.ptx },
      ],
      lineInfo,
    );
  }
}

/** With what only this architecture has, such as Hopper's wgmma: the code runs on this device alone. */
function architectureOf({ computeCapability: { major, minor } }: DeviceProperties): string {
  return `sm_${major}${minor}${major >= 9 && major < 12 ? "a" : ""}`;
}

/** nvcc's options as NVRTC takes them. What only host code or the linker knows is left out. */
export function compilerOptions(options: DeviceSourceOptions, includeFolders: readonly string[]): string[] {
  const standard = (options.standard ?? "c++17").replace(/^gnu\+\+/, "c++");
  return [
    `--std=${/^c\+\+(03|98)$/.test(standard) ? "c++11" : standard}`,
    ...includeFolders.map((folder) => `--include-path=${folder}`),
    ...(options.defines ?? []).map((define) => `--define-macro=${define}`),
    ...(options.undefines ?? []).map((name) => `--undefine-macro=${name}`),
    ...(options.fastMath === true ? ["--use_fast_math"] : []),
    ...(options.fmad === false ? ["--fmad=false"] : []),
    ...(options.debug === true ? ["--generate-line-info"] : []),
  ];
}

/** libcu++ and its like have had a folder of their own since CUDA 13. */
function cccl(toolkit: string): string[] {
  const folder = join(toolkit, "cccl");
  return existsSync(folder) ? [folder] : [];
}

/**
 * The .global variables of PTX that kernels can write. It does not tell which of them are const, so a table of
 * constants counts unless it is a __constant__ one (.const); the compiler's own do not: texts of printf and assert,
 * tables of the mathematical functions. Nor does what is named nowhere but where it is declared, as NVRTC leaves
 * constexpr variables behind whose values it has put in their places: nothing can reach it.
 */
export function writableVariables(ptx: string): string[] {
  const declarations = ptx.matchAll(
    /^[ \t]*(?:\.(?:visible|extern|weak|common)[ \t]+)*\.global[ \t]+(?:\.(?:align[ \t]+\d+|\w+)[ \t]+)*([\w$%]+)/gm,
  );
  const named = new Map<string, number>();
  for (const [name] of ptx.matchAll(/[\w$%]+/g)) named.set(name, (named.get(name) ?? 0) + 1);
  return [...declarations]
    .map(([, name]) => name as string)
    .filter(
      (name) =>
        (named.get(name) ?? 0) > 1 &&
        !/^(\$str|__cudart|__func__|__PRETTY_FUNCTION__|__unnamed_|_ZZ\w+E8__func__|_ZTV)/.test(name),
    );
}

/**
 * The user's files that a source includes, directly or not, with a hash of each. More than the compiler would read,
 * perhaps: conditions are not looked at.
 */
export function includedFiles(
  text: string,
  folders: readonly string[],
  seen: Map<string, string> = new Map(),
): Map<string, string> {
  for (const [, name] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]/gm)) {
    const path = folders.map((folder) => join(folder, name as string)).find((candidate) => existsSync(candidate));
    if (path === undefined || seen.has(path)) continue;
    const content = readFileSync(path, "utf8");
    seen.set(path, createHash("sha256").update(content).digest("hex"));
    includedFiles(content, [dirname(path), ...folders], seen);
  }
  return seen;
}
