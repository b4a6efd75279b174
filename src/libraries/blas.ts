/** cuBLAS and cuBLASLt: kernels of Heddle's own, and NVIDIA's libraries on a GPU whose user has them. */
import { manifest, type LibraryManifest, type LibrarySources } from "./manifest.ts";

/** Names of functions of some element types, by their beginnings: cublasSgbmv_v2 and the like. */
const forTypes = (letters: string, ...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [...letters].map((letter) => `cublas${letter}${name}…`));

/** What many programs call is one unit for both libraries; programs that name a rarer function get its unit too. */
const SOURCES: LibrarySources = {
  folder: "libraries/blas",
  units: ["cublas.cu"],
  parts: {
    "rotations.cu": [
      ...forTypes("SD", "rotg", "rotm"),
      ...forTypes("CZ", "rot"),
      ...["RotgEx", "RotmEx", "RotmgEx"].map((name) => `cublas${name}…`),
      "cublasCsrot…",
      "cublasZdrot…",
      "cublasCsscal…",
      "cublasZdscal…",
    ],
    "level2.cu": [
      ...forTypes("SDCZ", "gbmv", "tbmv", "tbsv", "tpmv", "tpsv", "tpttr", "trttp", "syr2_v2"),
      ...forTypes("SD", "sbmv", "spmv", "spr"),
      ...forTypes("CZ", "hbmv", "hpmv", "hemv", "geru", "gerc", "syr_v2", "her_v2", "her2_v2", "hpr"),
    ],
    "xt.cpp": ["cublasXt…"],
    "level3.cu": [
      ...forTypes("SDCZ", "syrkx", "trsmBatched", "gemvBatched"),
      ...forTypes("SD", "gemmGroupedBatched"),
      ...forTypes("CZ", "hemm", "herk", "her2k", "gemm3m"),
      ...["HSHgemv", "HSSgemv", "TSTgemv", "TSSgemv", "GemmGroupedBatchedEx"].map((name) => `cublas${name}…`),
      "cublasCgemmEx…",
      "cublasCsyrkEx…",
      "cublasCsyrk3mEx…",
      "cublasCherk3mEx…",
    ],
  },
  linked: "when-called",
};

const WRONG_CALLS: Readonly<Record<number, string>> = {
  1: "CUBLAS_STATUS_NOT_INITIALIZED",
  7: "CUBLAS_STATUS_INVALID_VALUE",
};

/** Of the interface without a handle: an index. */
const INDICES = ["max", "min"].flatMap((name) => [..."sdcz"].map((letter) => `cublasI${letter}a${name}`));

export const CUBLAS: LibraryManifest = manifest({
  name: "cublas",
  title: "cuBLAS",
  linkNames: ["cublas", "cublas_static"],
  headers: ["cublas_v2.h", "cublas.h", "cublasXt.h"],
  innerHeaders: ["cublas_api.h"],
  symbolPrefix: "cublas",
  sources: SOURCES,
  wrongCalls: WRONG_CALLS,
  noStatus: INDICES,
  vendor: {
    files: {
      linux: ["libcublas.so.13", "libcublas.so.12"],
      win32: ["cublas64_13.dll", "cublas64_12.dll"],
    },
    comesWith: "toolkit",
    handles: [{ kind: "plain", create: "cublasCreate_v2", destroy: "cublasDestroy_v2" }],
  },
  has:
    "levels 1 to 3 of all types, the interface without a handle, DotEx and its kin, the products of GemmEx, " +
    "in batches and groups too, and LU, inverse, QR and least squares in batches",
  lacks: "matrices beyond 2147483647 (cublasSgemm_64 takes smaller ones)",
});

export const CUBLASLT: LibraryManifest = manifest({
  name: "cublasLt",
  title: "cuBLASLt",
  linkNames: ["cublasLt", "cublasLt_static"],
  headers: ["cublasLt.h"],
  symbolPrefix: "cublasLt",
  sources: SOURCES,
  wrongCalls: WRONG_CALLS,
  noStatus: ["cublasLtDisableCpuInstructionsSetMask"],
  vendor: {
    files: {
      linux: ["libcublasLt.so.13", "libcublasLt.so.12"],
      win32: ["cublasLt64_13.dll", "cublasLt64_12.dll"],
    },
    comesWith: "toolkit",
    handles: [
      { kind: "plain", create: "cublasLtCreate", destroy: "cublasLtDestroy" },
      { kind: "plan", create: ["cublasLtMatmulDescCreate"], destroy: "cublasLtMatmulDescDestroy" },
      { kind: "plan", create: ["cublasLtMatrixLayoutCreate"], destroy: "cublasLtMatrixLayoutDestroy" },
      { kind: "plan", create: ["cublasLtMatmulPreferenceCreate"], destroy: "cublasLtMatmulPreferenceDestroy" },
    ],
  },
  has: "`cublasLtMatmul` with its epilogues, the heuristic, and `cublasLtMatrixTransform`",
  lacks: "interleaved layouts, fp8",
});
