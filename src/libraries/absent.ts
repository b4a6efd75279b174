/** Libraries that programs ask for and that Heddle does not have: an error says so by name. */
import { manifest, type LibraryManifest } from "./manifest.ts";

type Absent = Pick<LibraryManifest, "name" | "title"> & Partial<LibraryManifest>;

const absent = (given: Absent): LibraryManifest =>
  manifest({ state: "absent", linkNames: [given.name, `${given.name}_static`], symbolPrefix: given.name, ...given });

export const ABSENT_LIBRARIES: readonly LibraryManifest[] = [
  absent({ name: "cudnn", title: "cuDNN", headers: ["cudnn.h", "cudnn_frontend.h"] }),
  absent({
    name: "cufft",
    title: "cuFFT",
    linkNames: ["cufft", "cufft_static", "cufftw", "cufftw_static"],
    headers: ["cufft.h", "cufftXt.h", "cufftw.h"],
  }),
  absent({ name: "cusparse", title: "cuSPARSE", headers: ["cusparse.h", "cusparse_v2.h"] }),
  absent({
    name: "cusolver",
    title: "cuSOLVER",
    headers: ["cusolverDn.h", "cusolverSp.h", "cusolverRf.h", "cusolverMg.h", "cusolver_common.h"],
  }),
  absent({ name: "cutensor", title: "cuTENSOR", headers: ["cutensor.h"] }),
  absent({ name: "nccl", title: "NCCL", headers: ["nccl.h"] }),
  absent({ name: "nvshmem", title: "NVSHMEM", headers: ["nvshmem.h", "nvshmemx.h"] }),
  absent({ name: "cutlass", title: "CUTLASS", linkNames: [], symbolPrefix: null, headers: ["cutlass/…", "cute/…"] }),
  absent({ name: "cusp", title: "CUSP", linkNames: [], headers: ["cusp/…"] }),
  absent({
    name: "npp",
    title: "NPP",
    linkNames: ["nppc", "nppial", "nppicc", "nppidei", "nppif", "nppig", "nppim", "nppist", "nppisu", "nppitc", "npps"],
    headers: ["npp.h", "nppi.h", "npps.h", "nppcore.h", "nppdefs.h"],
    symbols: /^npp[is]?[A-Z_]/,
  }),
  absent({ name: "nvjpeg", title: "nvJPEG", headers: ["nvjpeg.h"] }),
  absent({ name: "nvJitLink", title: "nvJitLink", headers: ["nvJitLink.h"] }),
  absent({ name: "nvgraph", title: "nvGRAPH", headers: ["nvgraph.h"] }),
  absent({ name: "nvidia-ml", title: "NVML", linkNames: ["nvidia-ml"], symbolPrefix: "nvml", headers: ["nvml.h"] }),
  absent({ name: "cupti", title: "CUPTI", headers: ["cupti.h"] }),
  absent({ name: "cufile", title: "cuFile", headers: ["cufile.h"] }),
  absent({
    name: "mpi",
    title: "MPI",
    linkNames: ["mpi", "mpi_cxx", "mpich"],
    headers: ["mpi.h"],
    symbolPrefix: "MPI",
    symbols: /^P?MPI_/,
  }),
  absent({
    name: "GL",
    title: "OpenGL interoperability",
    linkNames: ["GL", "GLU", "GLEW", "glut", "glfw"],
    headers: ["GL/…", "GLFW/…", "cuda_gl_interop.h", "helper_gl.h"],
    symbolPrefix: "gl",
    symbols: /^(?:gl|glut|glew|glfw)[A-Z]/,
  }),
];
