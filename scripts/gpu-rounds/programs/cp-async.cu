// Kernels with cp.async, one for each form, so that counters tell how each is counted: sizes of 4, 8 and 16 bytes, both
// caches, copies of nothing (a source size of 0), and part of a warp.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

constexpr int THREADS = 256, BLOCKS = 64, STEPS = 8;

template <int BYTES, bool BYPASS> __device__ void copy(uint32_t to, const void *from, int taken) {
  if constexpr (BYPASS)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(taken) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;"
                 ::"r"(to), "l"(from), "r"(taken), "n"(BYTES) : "memory");
}
/// Each thread copies STEPS times; every `every`-th thread copies `taken` bytes, the others all.
template <int BYTES, bool BYPASS>
__device__ void copies(const char *from, float *out, int every, int taken, int lanes) {
  __shared__ __align__(16) char memory[THREADS * BYTES];
  uint32_t to = (uint32_t)__cvta_generic_to_shared(memory + threadIdx.x * BYTES);
  float sum = 0;
  for (int step = 0; step < STEPS; step++) {
    const char *source = from + ((size_t)(blockIdx.x * STEPS + step) * THREADS + threadIdx.x) * BYTES;
    if ((int)(threadIdx.x % 32) < lanes) copy<BYTES, BYPASS>(to, source, threadIdx.x % every == 0 ? taken : BYTES);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    sum += *(float *)(memory + threadIdx.x * BYTES);
    __syncthreads();
  }
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}
#define KERNEL(name, BYTES, BYPASS, every, taken, lanes) \
  __global__ void name(const char *from, float *out) { copies<BYTES, BYPASS>(from, out, every, taken, lanes); }
KERNEL(four, 4, false, 1, 4, 32)
KERNEL(eight, 8, false, 1, 8, 32)
KERNEL(sixteen, 16, false, 1, 16, 32)
KERNEL(sixteen_past_l1, 16, true, 1, 16, 32)
KERNEL(nothing, 16, true, 1, 0, 32)
KERNEL(half_nothing, 16, true, 2, 0, 32)
KERNEL(half_taken, 16, true, 1, 8, 32)
KERNEL(half_warp, 16, true, 1, 16, 16)

int main() {
  size_t bytes = (size_t)BLOCKS * STEPS * THREADS * 16;
  char *from;
  float *out;
  cudaMalloc(&from, bytes), cudaMalloc(&out, BLOCKS * THREADS * 4);
  cudaMemset(from, 1, bytes);
  for (auto kernel : {four, eight, sixteen, sixteen_past_l1, nothing, half_nothing, half_taken, half_warp})
    kernel<<<BLOCKS, THREADS>>>(from, out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
