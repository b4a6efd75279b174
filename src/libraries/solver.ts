/** cuSOLVER: kernels of Heddle's own, and NVIDIA's library on a GPU whose user has it. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const CUSOLVER: LibraryManifest = manifest({
  name: "cusolver",
  title: "cuSOLVER",
  linkNames: ["cusolver", "cusolver_static", "cusolverMg"],
  headers: ["cusolverDn.h", "cusolverSp.h", "cusolverMg.h"],
  innerHeaders: ["cusolver_common.h"],
  symbolPrefix: "cusolver",
  symbols: /^cusolver(?:Dn|Get|Sp|Mg)[A-Z]/,
  sources: {
    folder: "libraries/solver",
    units: ["cusolver.cu"],
    parts: { "mg.cpp": ["cusolverMg…"], "sp.cu": ["cusolverSp…"] },
    linked: "when-called",
  },
  wrongCalls: {
    1: "CUSOLVER_STATUS_NOT_INITIALIZED",
    3: "CUSOLVER_STATUS_INVALID_VALUE",
    12: "CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED",
    25: "CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED",
    31: "CUSOLVER_STATUS_INVALID_WORKSPACE",
  },
  vendor: {
    files: {
      linux: ["libcusolver.so.12", "libcusolver.so.11"],
      win32: ["cusolver64_12.dll", "cusolver64_11.dll"],
    },
    comesWith: "toolkit",
    handles: [{ kind: "plain", create: "cusolverDnCreate", destroy: "cusolverDnDestroy" }],
  },
  has:
    "LU, Cholesky, QR, symmetric and generalized eigenvalues, singular values, in batches where cuSOLVER has " +
    "them, linear systems, also with sparse matrices (cusolverSp: QR and Cholesky), and matrices that are spread " +
    "over several devices (cusolverMg)",
  lacks: "sytrf, gebrd, sytrd, gels, Xlarft; eigenvalues and orders of sparse matrices, cusolverRf",
});
