/** cuRAND: the host API is code in libraries/rand, the device API is a header. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const CURAND: LibraryManifest = manifest({
  name: "curand",
  title: "cuRAND",
  linkNames: ["curand", "curand_static"],
  headers: ["curand.h", "curand_kernel.h"],
  symbolPrefix: "curand",
  // A part of the host library: kernels that only use curand_kernel.h name the prefix, too.
  sources: { folder: "libraries/rand", units: ["curand.cpp", "sobol.cpp"], linked: "always" },
  wrongCalls: {
    101: "CURAND_STATUS_NOT_INITIALIZED",
    103: "CURAND_STATUS_TYPE_ERROR",
    104: "CURAND_STATUS_OUT_OF_RANGE",
    105: "CURAND_STATUS_LENGTH_NOT_MULTIPLE",
  },
  has: "XORWOW, MRG32k3a, Philox, MT19937 and the Sobol' generators",
  lacks: "MTGP32, discrete distributions; the scrambled direction vectors differ from NVIDIA's",
});
