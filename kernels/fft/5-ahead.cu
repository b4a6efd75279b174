// The elements of a block's next transform are on their way while it computes: cp.async brings them into shared memory
// of their own, without a register, so that memory is busy all the time although few blocks are on a multiprocessor. A
// thread takes out what it has asked for itself; no barrier is needed for that.
#include "passes.cuh"

template <int N>
__device__ __forceinline__ void beginCopies(float2 *staged, const float2 *x, int t) {
  unsigned to = (unsigned)__cvta_generic_to_shared(staged + threadIdx.x);
#pragma unroll
  for (int r = 0; r < RADIX; r++)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to + r * BLOCK * 8), "l"(x + t + r * (N / RADIX))
                 : "memory");
}

// Registers so that a multiprocessor has 64 KiB of elements in them.
template <int N>
__global__ void __launch_bounds__(BLOCK, 8192 / RADIX / BLOCK) fft(const float2 *x, float2 *y, int batch) {
  extern __shared__ float2 staged[];
  const int THREADS = N / RADIX, AT_ONCE = BLOCK / THREADS;
  __shared__ float2 parts[AT_ONCE][N + N / 16];
  int t = threadIdx.x % THREADS, own = threadIdx.x / THREADS;
  Pass<N, 1> pass;
  pass.prepare(t);
  // Where there are fewer transforms than the block takes at once, some do one of the others' again and keep it to
  // themselves.
  int start = blockIdx.x * AT_ONCE, ahead = gridDim.x * AT_ONCE;
  if (start < batch) beginCopies<N>(staged, x + (size_t)(start + own < batch ? start + own : start) * N, t);
  for (; start < batch; start += ahead) {
    float2 v[RADIX];
    asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
    for (int r = 0; r < RADIX; r++) v[r] = staged[r * BLOCK + threadIdx.x];
    int next = start + ahead;
    if (next < batch) beginCopies<N>(staged, x + (size_t)(next + own < batch ? next + own : next) * N, t);
    pass.run(v, parts[own], y + (size_t)(start + own) * N, t, start + own < batch);
  }
}
