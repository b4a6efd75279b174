/** cuSOLVER: kernels of Heddle's own, and NVIDIA's library on a GPU whose user has it. */
import { manifest, type LibraryManifest } from "./manifest.ts";

/** Names of functions that every type has: `cusolverDnSgebrd…` and so on. */
const ofEveryType = (...names: readonly string[]): string[] =>
  names.flatMap((name) => ["S", "D", "C", "Z"].map((letter) => `cusolverDn${letter}${name}…`));

export const CUSOLVER: LibraryManifest = manifest({
  name: "cusolver",
  title: "cuSOLVER",
  linkNames: ["cusolver", "cusolver_static", "cusolverMg"],
  headers: ["cusolverDn.h", "cusolverSp.h", "cusolverMg.h", "cusolverRf.h"],
  innerHeaders: ["cusolver_common.h"],
  symbolPrefix: "cusolver",
  symbols: /^cusolver(?:Dn|Get|Sp|Mg|Rf)[A-Z]/,
  sources: {
    folder: "libraries/solver",
    units: ["cusolver.cu"],
    parts: {
      "condensed.cu": [
        ...ofEveryType("gebrd", "orgbr", "ungbr", "sytrd", "hetrd", "orgtr", "ungtr", "ormtr", "unmtr", "lauum"),
        "cusolverDnXlarft…",
      ],
      "indefinite.cu": [...ofEveryType("sytrf", "sytri"), "cusolverDnXsytrs…"],
      "least-squares.cu": [
        ...[
          "ZZ",
          "ZC",
          "ZK",
          "ZE",
          "ZY",
          "CC",
          "CK",
          "CE",
          "CY",
          "DD",
          "DS",
          "DH",
          "DB",
          "DX",
          "SS",
          "SH",
          "SB",
          "SX",
        ].map((types) => `cusolverDn${types}gels…`),
        "cusolverDnIRSXgels…",
      ],
      "mg.cpp": ["cusolverMg…"],
      "rf.cu": ["cusolverRf…"],
      "sp.cu": ["cusolverSp…"],
      "sp-host.cpp": [
        "cusolverSpX…",
        ...["S", "D", "C", "Z"].flatMap((letter) =>
          ["csrlsvluHost", "csrlsvqrHost", "csrlsvcholHost", "csrlsqvqrHost", "csreig…", "csrzfdHost"].map(
            (name) => `cusolverSp${letter}${name}`,
          ),
        ),
      ],
    },
    linked: "when-called",
  },
  wrongCalls: {
    1: "CUSOLVER_STATUS_NOT_INITIALIZED",
    3: "CUSOLVER_STATUS_INVALID_VALUE",
    12: "CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED",
    13: "CUSOLVER_STATUS_IRS_PARAMS_INVALID",
    14: "CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC",
    15: "CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE",
    16: "CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER",
    25: "CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED",
    31: "CUSOLVER_STATUS_INVALID_WORKSPACE",
  },
  vendor: {
    files: {
      linux: ["libcusolver.so.12", "libcusolver.so.11"],
      win32: ["cusolver64_12.dll", "cusolver64_11.dll"],
    },
    cudaOfFile: { 11: 12, 12: 13 },
    comesWith: "toolkit",
    handles: [{ kind: "plain", create: "cusolverDnCreate", destroy: "cusolverDnDestroy" }],
  },
  has:
    "LU, Cholesky, QR, Bunch and Kaufman's factors, condensed forms, symmetric and generalized eigenvalues, singular " +
    "values, in batches where cuSOLVER has them, linear systems and least squares, also with sparse matrices " +
    "(cusolverSp), their orders and refactorization (cusolverRf), and matrices that are spread over several devices " +
    "(cusolverMg)",
  lacks: "left eigenvectors of Xgeev (NVIDIA's library has none either)",
});
