/** CUPTI: callbacks at calls of CUDA, and records of what a program did. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const CUPTI: LibraryManifest = manifest({
  name: "cupti",
  title: "CUPTI",
  linkNames: ["cupti"],
  headers: ["cupti.h"],
  innerHeaders: [
    "cupti_activity.h",
    "cupti_callbacks.h",
    "cupti_driver_cbid.h",
    "cupti_nvtx_cbid.h",
    "cupti_result.h",
    "cupti_runtime_cbid.h",
    "cupti_version.h",
    "generated_cuda_meta.h",
    "generated_cuda_runtime_api_meta.h",
  ],
  symbolPrefix: "cupti",
  sources: {
    folder: "libraries/cupti",
    units: ["activity.cpp", "callbacks.cpp", "effects.cpp", "markers.cpp", "names.cpp", "records.cpp"],
    linked: "when-called",
  },
  has: "callbacks at calls of CUDA and NVTX, and records of calls, kernels, copies, memory, waits, ranges",
  lacks: "events, metrics, range profiling, samples of the program counter: `heddle profile` counts what kernels do",
});
