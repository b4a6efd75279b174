/**
 * Which undefined names belong to the platform (CUDA, its libraries, the C++ library, MPI, threads): such a name is
 * something that Heddle lacks. Any other is the user's, and a program that leaves it undefined does not link.
 */
const HOST_NAMES: readonly RegExp[] = [
  /^(?:__)?(?:cuda|heddle)/,
  /^cu[A-Z]/,
  /^cu(?:blas|rand|fft|sparse|solver|dnn|tensor|file|pti)[A-Z_]/, // the runtime and driver API, the libraries
  /^(?:nccl|nvrtc|nvml|nvtx|nvgraph|nvJitLink|nvshmem|nvjpeg|npp[is]?|cusp)[A-Z_]/,
  /^_ZN?[VK]*(?:St|Sa|Ss|Sb|Si|So|Sd)/,
  /^_ZT[ISV]N?[VK]*St/, // namespace std and what the C++ ABI makes of it
  /^_ZN?[VK]*(?:4cuda3std|3cub|6thrust|18cooperative_groups|6nvcuda)/,
  /^_Z(?:nw|na|dl|da)/,
  /^(?:__cxa_|_Unwind_|__wasi_|__clang_|__kmpc_|__tgt_)/,
  /^(?:MPI|PMPI)_/,
  /^(?:omp|GOMP)_/,
  /^(?:pthread|sem)_/,
  /^(?:gl|glut|glew|glfw)[A-Z]/,
];

const DEVICE_NAMES: readonly RegExp[] = [
  /^llvm\./,
  /^__nv/,
  /^(?:__)?(?:cuda|heddle)/,
  /^cu[A-Z]/,
  /^(?:vprintf|malloc|free|__assertfail)$/,
];

/** Whether an undefined symbol of a host object names something of the platform. */
export function isPlatformName(symbol: string): boolean {
  return HOST_NAMES.some((pattern) => pattern.test(symbol));
}

/** Whether an undefined function of device code names something of the platform. */
export function isDevicePlatformName(symbol: string): boolean {
  return DEVICE_NAMES.some((pattern) => pattern.test(symbol));
}
