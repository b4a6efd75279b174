/** Libraries that programs ask for and that Heddle does not have: an error says so by name, and what to do instead. */
import { manifest, type LibraryManifest } from "./manifest.ts";

type Absent = Pick<LibraryManifest, "name" | "title"> & Partial<LibraryManifest>;

const OWN_KERNELS = "write what the program needs of it as kernels, or run it with nvcc on a GPU";
const ONE_DEVICE = "one process and one device are here: keep its calls in an #ifdef, and run the rest";
const FILES_ONLY = "a program here has files and no windows: write the picture to a file";

const absent = (given: Absent): LibraryManifest =>
  manifest({
    state: "absent",
    linkNames: [given.name, `${given.name}_static`],
    symbolPrefix: given.name,
    instead: OWN_KERNELS,
    ...given,
  });

/** Libraries that are headers, or come without a name for -l. */
const headersOnly = (given: Absent): LibraryManifest => absent({ linkNames: [], symbolPrefix: null, ...given });

export const ABSENT_LIBRARIES: readonly LibraryManifest[] = [
  absent({
    name: "cufftw",
    title: "the FFTW interface of cuFFT",
    linkNames: ["cufftw", "cufftw_static"],
    headers: ["cufftw.h"],
    symbolPrefix: null,
    instead: "cuFFT itself is here (cufft.h)",
  }),
  absent({ name: "cusparseLt", title: "cuSPARSELt", headers: ["cusparseLt.h"] }),
  absent({
    name: "cusolverMp",
    title: "cuSOLVER's parts for experts and for several processes",
    headers: ["cusolverSp_LOWLEVEL_PREVIEW.h", "cusolverMp.h"],
    symbols: /^cusolverMp[A-Z_]/,
    instead: "cusolverDn.h has factors of dense matrices, cusolverSp.h systems with sparse ones",
  }),
  absent({ name: "cudss", title: "cuDSS", headers: ["cudss.h"] }),
  absent({ name: "nvblas", title: "NVBLAS", headers: ["nvblas.h"], instead: "call cuBLAS (cublas_v2.h)" }),
  absent({ name: "cutensor", title: "cuTENSOR", headers: ["cutensor.h", "cutensorMg.h"] }),
  absent({ name: "nvshmem", title: "NVSHMEM", headers: ["nvshmem.h", "nvshmemx.h"], instead: ONE_DEVICE }),
  headersOnly({
    name: "cutlass",
    title: "CUTLASS",
    headers: ["cutlass/…", "cute/…"],
    instead: "a checkout of NVIDIA/cutlass has its headers: give its folder include with -I (docs/library-details.md)",
  }),
  headersOnly({
    name: "mathdx",
    title: "MathDx (cuBLASDx, cuFFTDx, cuRANDDx)",
    headers: ["cublasdx.hpp", "cufftdx.hpp", "curanddx.hpp", "cusolverdx.hpp"],
  }),
  headersOnly({ name: "cusp", title: "CUSP", symbolPrefix: "cusp", headers: ["cusp/…"] }),
  headersOnly({
    name: "fp4",
    title: "4-bit and 6-bit floats",
    headers: ["cuda_fp4.h", "cuda_fp6.h"],
    instead: "cuda_fp8.h, cuda_fp16.h and cuda_bf16.h are here",
  }),
  absent({
    name: "npp",
    title: "NPP",
    linkNames: ["npp", "nppc", "nppi", "nppial", "nppicc", "nppidei", "nppif", "nppig", "nppim", "nppist", "nppisu"]
      .concat(["nppitc", "npps"])
      .flatMap((name) => [name, `${name}_static`]),
    headers: ["npp.h", "nppi.h", "npps.h", "nppi_…", "npps_…", "nppcore.h", "nppdefs.h"],
    symbols: /^npp[is]?[A-Z_]/,
  }),
  absent({ name: "nvjpeg", title: "nvJPEG", headers: ["nvjpeg.h", "nvjpeg2k.h"] }),
  absent({ name: "nvcomp", title: "nvCOMP", headers: ["nvcomp.h", "nvcomp.hpp", "nvcomp/…"] }),
  absent({ name: "nvJitLink", title: "nvJitLink", headers: ["nvJitLink.h"] }),
  absent({ name: "nvPTXCompiler", title: "the PTX compiler", linkNames: ["nvptxcompiler_static"] }),
  absent({ name: "nvgraph", title: "nvGRAPH", headers: ["nvgraph.h"] }),
  absent({ name: "amgx", title: "AmgX", linkNames: ["amgx", "amgxsh"], headers: ["amgx_c.h"], symbolPrefix: "AMGX" }),
  absent({
    name: "nvinfer",
    title: "TensorRT",
    linkNames: ["nvinfer", "nvinfer_plugin", "nvonnxparser"],
    headers: ["NvInfer.h", "NvInferPlugin.h", "NvOnnxParser.h"],
    symbolPrefix: null,
    namespaces: ["nvinfer1"],
  }),
  headersOnly({ name: "optix", title: "OptiX", symbolPrefix: "optix", headers: ["optix.h", "optix_…"] }),
  absent({
    name: "nvcuvid",
    title: "video decoding and encoding (NVDEC, NVENC)",
    linkNames: ["nvcuvid", "nvidia-encode"],
    headers: ["nvcuvid.h", "cuviddec.h", "nvEncodeAPI.h"],
    symbolPrefix: "cuvid",
  }),
  absent({ name: "cufile", title: "cuFile", headers: ["cufile.h"], instead: "read files with fread, then cudaMemcpy" }),
  absent({
    name: "GL",
    title: "OpenGL interoperability",
    linkNames: ["GL", "GLU", "GLEW", "glut", "glfw"],
    headers: ["GL/…", "GLFW/…", "cuda_gl_interop.h", "cudaGL.h", "helper_gl.h"],
    symbolPrefix: "gl",
    symbols: /^(?:gl|glut|glew|glfw)[A-Z]/,
    instead: FILES_ONLY,
  }),
  headersOnly({
    name: "graphics-interop",
    title: "interoperability with EGL, VDPAU and Direct3D",
    headers: ["cudaEGL.h", "cuda_egl_interop.h", "cudaVDPAU.h", "cuda_vdpau_interop.h", "cuda_d3d…", "cudaD3D…"],
    instead: FILES_ONLY,
  }),
];
