/** What Clang is told of a data model: its triples, and where its headers and libraries are. */
import type { DataModel } from "../../base/data-model.ts";
import type { SourceLanguage } from "../../program/compiled-program.ts";
import { SYSTEM_ROOT } from "./virtual-files.ts";

export const USR: string = `/${SYSTEM_ROOT}/usr`;
/** Below usr/include and usr/lib. */
export const LP64_FOLDER = "wasm64-wasip1";
/** Changes with lp64/library-plan.ts and lp64/headers.ts. Results of the compiler are cached by it, too. */
export const LP64_REVISION = 7;

export interface Targets {
  /** Clang's triples. */
  readonly host: string;
  readonly device: string;
  /** wasm-ld's -m. */
  readonly linker: string;
  /** Folders below usr/lib: of the compiler's own runtime, and of the C and C++ libraries. */
  readonly runtimeFolder: string;
  readonly libraryFolder: string;
  /** Folders below usr/include with the C++ library's headers. */
  readonly cppHeaders: readonly string[];
  /** Parts of the C library in archives of their own. */
  readonly libraries: readonly string[];
}

/** For lp64 the C and C++ libraries are not in Clang's package: lp64/build-library.ts makes them. */
export const TARGETS: Readonly<Record<DataModel["name"], Targets>> = {
  ilp32: {
    host: "wasm32-wasip1",
    device: "nvptx-nvidia-cuda",
    linker: "wasm32",
    runtimeFolder: "wasm32-unknown-wasip1",
    libraryFolder: "wasm32-wasip1",
    cppHeaders: ["wasm32-wasip1/c++/v1", "c++/v1"],
    libraries: [
      "-lsetjmp",
      "-lwasi-emulated-signal",
      "-lwasi-emulated-process-clocks",
      "-lwasi-emulated-mman",
      "-lwasi-emulated-getpid",
    ],
  },
  lp64: {
    host: "wasm64-wasip1",
    device: "nvptx64-nvidia-cuda",
    linker: "wasm64",
    runtimeFolder: LP64_FOLDER,
    libraryFolder: LP64_FOLDER,
    cppHeaders: [`${LP64_FOLDER}/c++/v1`],
    libraries: [],
  },
};

export function systemIncludes(language: SourceLanguage, model: DataModel["name"]): string[] {
  const { cppHeaders, libraryFolder } = TARGETS[model];
  return [
    `/${SYSTEM_ROOT}/include`,
    ...(language === "cuda" ? [`${USR}/include/cuda_wrappers`] : []),
    ...(language === "c" ? [] : cppHeaders.map((folder) => `${USR}/include/${folder}`)),
    `${USR}/include`,
    `${USR}/include/${libraryFolder}`,
  ];
}
