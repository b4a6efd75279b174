/** cuSPARSE: kernels of Heddle's own, and NVIDIA's library on a GPU whose user has it. */
import { manifest, type LibraryManifest } from "./manifest.ts";

/** Names of functions of the four types, by their beginnings. */
const typed = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [..."SDCZ"].map((letter) => `cusparse${letter}${name}…`));

export const CUSPARSE: LibraryManifest = manifest({
  name: "cusparse",
  title: "cuSPARSE",
  linkNames: ["cusparse", "cusparse_static"],
  headers: ["cusparse.h", "cusparse_v2.h"],
  symbolPrefix: "cusparse",
  sources: {
    folder: "libraries/sparse",
    units: ["cusparse.cu"],
    parts: {
      "block-systems.cu": [
        ...["sv2", "sm2", "ic02", "ilu02"].map((name) => `cusparseCreateBsr${name}Info`),
        ...typed("bsrxmv"),
      ],
      "block-formats.cu": [
        "cusparseCreateCsru2csrInfo",
        "cusparseCreateColorInfo",
        ...["csr2gebsrNnz", "gebsr2csr", "gebsr2gebsrNnz"].map((name) => `cusparseX${name}`),
        ...typed("csr2gebsr", "gebsr2csr", "gebsr2gebs", "nnz_compress", "csr2csr_compress"),
      ],
      "operators.cu": ["cusparseSpMMOp…", "cusparseSpMVOp…"],
      "pruning.cu": ["cusparseCreatePruneInfo", ...[..."HSD"].map((letter) => `cusparse${letter}prune…`)],
    },
    linked: "when-called",
  },
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
      { kind: "plan", create: ["cusparseCreateMatDescr"], destroy: "cusparseDestroyMatDescr" },
      ...["Bsrsv2", "Bsrsm2", "Bsric02", "Bsrilu02", "Csru2csr", "Color", "Prune"].map(
        (name) =>
          ({ kind: "plan", create: [`cusparseCreate${name}Info`], destroy: `cusparseDestroy${name}Info` }) as const,
      ),
    ],
  },
  has:
    "the generic API for CSR, CSC, COO, BSR and both ELL formats, conversions, sorts, incomplete factors and " +
    "triangular systems, also of blocks, pruning, colours, tridiagonal and pentadiagonal systems",
  lacks: "complex half precision",
});
