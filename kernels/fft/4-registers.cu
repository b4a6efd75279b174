// RADIX elements in the registers of each thread: a pass combines all of them, and shared memory only exchanges them
// between passes, two or three times instead of six. Blocks stay and process one transform after the other, so that a
// thread computes its roots, one for each pass, only once; their powers are a few products. Every sixteen elements have
// a gap of one behind them, so that strided stores go to different banks. Small transforms share a block.
#include "passes.cuh"

// Registers so that a multiprocessor has 64 KiB of elements in them.
template <int N>
__global__ void __launch_bounds__(BLOCK, 8192 / RADIX / BLOCK) fft(const float2 *x, float2 *y, int batch) {
  const int THREADS = N / RADIX, AT_ONCE = BLOCK / THREADS;
  __shared__ float2 parts[AT_ONCE][N + N / 16];
  int t = threadIdx.x % THREADS, own = threadIdx.x / THREADS;
  Pass<N, 1> pass;
  pass.prepare(t);
  for (int start = blockIdx.x * AT_ONCE; start < batch; start += gridDim.x * AT_ONCE) {
    bool there = start + own < batch;
    size_t from = (size_t)(there ? start + own : start) * N;
    float2 v[RADIX];
#pragma unroll
    for (int r = 0; r < RADIX; r++) v[r] = x[from + t + r * THREADS];
    pass.run(v, parts[own], y + from, t, there);
  }
}
