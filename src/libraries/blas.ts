/** cuBLAS and cuBLASLt: kernels of Heddle's own, and NVIDIA's libraries on a GPU whose user has them. */
import { manifest, type LibraryManifest, type LibrarySources } from "./manifest.ts";

/** One unit, so that the device code of both libraries is one module. */
const SOURCES: LibrarySources = { folder: "libraries/blas", units: ["cublas.cu"], linked: "when-called" };

export const CUBLAS: LibraryManifest = manifest({
  name: "cublas",
  title: "cuBLAS",
  linkNames: ["cublas", "cublas_static"],
  headers: ["cublas_v2.h", "cublas.h"],
  innerHeaders: ["cublas_api.h"],
  symbolPrefix: "cublas",
  sources: SOURCES,
  vendor: {
    files: {
      linux: ["libcublas.so.13", "libcublas.so.12"],
      win32: ["cublas64_13.dll", "cublas64_12.dll"],
    },
    comesWith: "toolkit",
    handles: [{ kind: "plain", create: "cublasCreate_v2", destroy: "cublasDestroy_v2" }],
  },
  has: "levels 1 to 3, DotEx and its kin, the products of GemmEx, in batches too, and LU, inverse and QR in batches",
  lacks: "gbmv, complex rotations, least squares in batches, the API without a handle",
});

export const CUBLASLT: LibraryManifest = manifest({
  name: "cublasLt",
  title: "cuBLASLt",
  linkNames: ["cublasLt", "cublasLt_static"],
  headers: ["cublasLt.h"],
  symbolPrefix: "cublasLt",
  sources: SOURCES,
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
  has: "`cublasLtMatmul` with its epilogues, and the heuristic",
  lacks: "`cublasLtMatrixTransform`, interleaved layouts, fp8",
});
