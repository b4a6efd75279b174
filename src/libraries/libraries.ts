/** All manifests, and the questions that are asked of them. A new library is one entry here and one manifest. */
import { ABSENT_LIBRARIES } from "./absent.ts";
import { CUBLAS, CUBLASLT } from "./blas.ts";
import { CUDA_DRIVER, CUDA_RUNTIME, NVRTC, NVTX } from "./cuda.ts";
import { CUPTI } from "./cupti.ts";
import { CUDNN } from "./dnn.ts";
import { CUFFT } from "./fft.ts";
import { HEADER_LIBRARIES } from "./headers.ts";
import type { LibraryManifest } from "./manifest.ts";
import { MPI } from "./mpi.ts";
import { NCCL } from "./nccl.ts";
import { NVML } from "./nvml.ts";
import { CURAND } from "./rand.ts";
import { CUSOLVER } from "./solver.ts";
import { CUSPARSE } from "./sparse.ts";
import { SYSTEM_LIBRARIES } from "./system.ts";
import { TORCH } from "./torch.ts";
import { TYPESCRIPT } from "./typescript.ts";

export const LIBRARIES: readonly LibraryManifest[] = [
  CUDA_RUNTIME,
  CUDA_DRIVER,
  NVRTC,
  CUBLAS,
  CUBLASLT,
  CUDNN,
  CUFFT,
  CURAND,
  NCCL,
  MPI,
  NVML,
  CUPTI,
  CUSPARSE,
  CUSOLVER,
  ...HEADER_LIBRARIES,
  NVTX,
  TORCH,
  TYPESCRIPT,
  ...SYSTEM_LIBRARIES,
  ...ABSENT_LIBRARIES,
];

export function libraryNamed(name: string): LibraryManifest | null {
  return LIBRARIES.find((library) => library.name === name) ?? null;
}

/** The library that -lNAME means. */
export function libraryOfLinkName(linkName: string): LibraryManifest | null {
  return LIBRARIES.find((library) => library.linkNames.includes(linkName)) ?? null;
}

/** Whether -lNAME needs no file: the library is a part of Heddle, or of the C library. */
export function isBuiltIn(linkName: string): boolean {
  return libraryOfLinkName(linkName)?.isLinkAccepted ?? false;
}

/** The library that a header belongs to: by its own name, else by its folder's. */
export function libraryOfHeader(header: string): LibraryManifest | null {
  const all = ({ headers, innerHeaders }: LibraryManifest): readonly string[] => [...headers, ...innerHeaders];
  const inFolder = (entry: string): boolean => entry.endsWith("…") && header.startsWith(entry.slice(0, -1));
  return (
    LIBRARIES.find((library) => all(library).includes(header)) ??
    LIBRARIES.find((library) => all(library).some(inFolder)) ??
    null
  );
}

/** Whether an undefined name of a host object is a function of a library, also of one that is absent. */
export function isLibrarySymbol(symbol: string): boolean {
  return libraryOfSymbol(symbol) !== null;
}

/** The library that a function belongs to. Of several the one with the longest prefix: cublasLt before cublas. */
export function libraryOfSymbol(symbol: string): LibraryManifest | null {
  const prefixLength = ({ symbolPrefix }: LibraryManifest): number => symbolPrefix?.length ?? 0;
  let found: LibraryManifest | null = null;
  for (const [library, patterns] of SYMBOLS)
    if (
      patterns.some((pattern) => pattern.test(symbol)) &&
      (found === null || prefixLength(library) > prefixLength(found))
    )
      found = library;
  return found;
}

const SYMBOLS: readonly (readonly [LibraryManifest, readonly RegExp[]])[] = LIBRARIES.map((library) => {
  const { symbolPrefix, symbols, namespaces } = library;
  const byPrefix = symbolPrefix === null ? [] : [new RegExp(`^${symbolPrefix}[A-Z_]`)];
  const byNamespace = namespaces.map((namespace) => new RegExp(`^_ZN?[VK]*${mangled(namespace)}`));
  return [library, [...(symbols === null ? byPrefix : [symbols]), ...byNamespace]];
});

/** `cuda::std` → 4cuda3std (Itanium C++ ABI, "Mangled names"). */
function mangled(namespace: string): string {
  return namespace
    .split("::")
    .map((name) => `${name.length}${name}`)
    .join("");
}

/** Paths in the package of the units that are linked into every program. */
export function unitsLinkedAlways(): readonly string[] {
  return unitPaths(LIBRARIES.filter(({ sources }) => sources?.linked === "always"));
}

/**
 * Paths in the package of the units that a program needs. A whole name is followed by a zero: the kind of an import
 * (WebAssembly, "Import Section").
 * @param names whether the program's objects name what begins so
 */
export function unitsLinkedWhenCalled(names: (beginning: string) => boolean): readonly string[] {
  const called = LIBRARIES.filter(
    ({ sources, symbolPrefix }) => sources?.linked === "when-called" && symbolPrefix !== null && names(symbolPrefix),
  );
  const parts = called.flatMap(({ sources }) =>
    Object.entries(sources?.parts ?? {}).flatMap(([unit, functions]) =>
      functions.some((name) => names(name.endsWith("…") ? name.slice(0, -1) : `${name}\0`))
        ? [`${sources?.folder}/${unit}`]
        : [],
    ),
  );
  // cuBLAS and cuBLASLt have the same ones
  return [...new Set([...unitPaths(called), ...parts])];
}

function unitPaths(libraries: readonly LibraryManifest[]): readonly string[] {
  const paths = libraries.flatMap(({ sources }) => sources?.units.map((unit) => `${sources.folder}/${unit}`) ?? []);
  return [...new Set(paths)];
}

/** What Heddle has of a library and what it lacks, for an error about something of it that is missing. */
export function describeLibrary({ title, state, has, lacks, instead }: LibraryManifest): string {
  if (state === "absent") {
    const said = `Heddle does not have ${title}${lacks === "" ? "" : `: ${lacks}`}`;
    return instead === "" ? said : `${said}; ${instead}`;
  }
  const parts = [has === "" ? "" : `it has ${has}`, lacks === "" ? "" : `it leaves out: ${lacks}`];
  const said = parts.filter((part) => part !== "").join("; ");
  return `${title} is a part of Heddle${said === "" ? "" : `: ${said}`}`;
}
