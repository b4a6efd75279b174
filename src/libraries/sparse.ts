/** cuSPARSE: kernels of Heddle's own, and NVIDIA's library on a GPU whose user has it. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const CUSPARSE: LibraryManifest = manifest({
  name: "cusparse",
  title: "cuSPARSE",
  linkNames: ["cusparse", "cusparse_static"],
  headers: ["cusparse.h", "cusparse_v2.h"],
  symbolPrefix: "cusparse",
  sources: { folder: "libraries/sparse", units: ["cusparse.cu"], linked: "when-called" },
  wrongCalls: {
    1: "CUSPARSE_STATUS_NOT_INITIALIZED",
    3: "CUSPARSE_STATUS_INVALID_VALUE",
    11: "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
  },
  noStatus: ["Type", "FillMode", "DiagType", "IndexBase"].map((name) => `cusparseGetMat${name}`),
  vendor: {
    files: {
      linux: ["libcusparse.so.12"],
      win32: ["cusparse64_12.dll"],
    },
    comesWith: "toolkit",
    handles: [
      { kind: "plain", create: "cusparseCreate", destroy: "cusparseDestroy" },
      { kind: "plan", create: ["cusparseCreateDnVec"], destroy: "cusparseDestroyDnVec" },
      { kind: "plan", create: ["cusparseCreateSpVec"], destroy: "cusparseDestroySpVec" },
      { kind: "plan", create: ["cusparseCreateDnMat"], destroy: "cusparseDestroyDnMat" },
      {
        kind: "plan",
        create: [
          "cusparseCreateCsr",
          "cusparseCreateCsc",
          "cusparseCreateCoo",
          "cusparseCreateBsr",
          "cusparseCreateBlockedEll",
          "cusparseCreateSlicedEll",
        ],
        destroy: "cusparseDestroySpMat",
      },
      { kind: "plan", create: ["cusparseSpSV_createDescr"], destroy: "cusparseSpSV_destroyDescr" },
      { kind: "plan", create: ["cusparseSpSM_createDescr"], destroy: "cusparseSpSM_destroyDescr" },
      { kind: "plan", create: ["cusparseSpGEMM_createDescr"], destroy: "cusparseSpGEMM_destroyDescr" },
    ],
  },
  has:
    "the generic API for CSR, CSC, COO, BSR and both ELL formats, conversions, sorts, incomplete factors, " +
    "tridiagonal and pentadiagonal systems",
  lacks: "cusparseSpMVOp, cusparseSpMMOp, bsrsv2, bsrsm2, bsric02, bsrilu02, gebsr formats, complex half precision",
});
