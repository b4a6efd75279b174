/** cuRAND: the host API is code in libraries/rand, the device API is a header. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const CURAND: LibraryManifest = manifest({
  name: "curand",
  title: "cuRAND",
  linkNames: ["curand", "curand_static"],
  headers: ["curand.h", "curand_kernel.h", "curand_mtgp32_host.h"],
  innerHeaders: ["curand_mtgp32.h", "curand_mtgp32dc_p_11213.h"],
  symbolPrefix: "curand",
  // A part of the host library: kernels that only use curand_kernel.h name the prefix, too.
  sources: { folder: "libraries/rand", units: ["curand.cpp", "sobol.cpp", "mtgp.cpp"], linked: "always" },
  wrongCalls: {
    101: "CURAND_STATUS_NOT_INITIALIZED",
    103: "CURAND_STATUS_TYPE_ERROR",
    104: "CURAND_STATUS_OUT_OF_RANGE",
    105: "CURAND_STATUS_LENGTH_NOT_MULTIPLE",
  },
  has: "all generators and distributions",
  lacks: "NVIDIA's scrambled direction vectors: Heddle has others",
});
