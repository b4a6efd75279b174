/** cuFFT: kernels of Heddle's own, and NVIDIA's library on a GPU whose user has it. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const CUFFT: LibraryManifest = manifest({
  name: "cufft",
  title: "cuFFT",
  linkNames: ["cufft", "cufft_static", "cufft_static_nocallback"],
  headers: ["cufft.h", "cufftXt.h"],
  innerHeaders: ["cudalibxt.h"],
  symbolPrefix: "cufft",
  sources: {
    folder: "libraries/fft",
    units: ["cufft.cu"],
    parts: { "callbacks.cu": ["cufftXtSetCallback…", "cufftXtClearCallback", "cufftXtSetJITCallback"] },
    linked: "when-called",
  },
  wrongCalls: {
    1: "CUFFT_INVALID_PLAN",
    3: "CUFFT_INVALID_TYPE",
    4: "CUFFT_INVALID_VALUE",
    8: "CUFFT_INVALID_SIZE",
    13: "CUFFT_NO_WORKSPACE",
  },
  vendor: {
    files: {
      linux: ["libcufft.so.12", "libcufft.so.11"],
      win32: ["cufft64_12.dll", "cufft64_11.dll"],
    },
    cudaOfFile: { 11: 12, 12: 13 },
    comesWith: "toolkit",
    handles: [{ kind: "plan", create: ["cufftCreate"], destroy: "cufftDestroy" }],
  },
  has:
    "plans of any length and layout in one to three dimensions, callbacks, and the extended API with data on one or " +
    "several devices",
  lacks: "callbacks as LTO-IR, half precision, `cufftw.h`",
});
