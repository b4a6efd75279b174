// A block has a transform in shared memory for all levels: global memory is read and written once instead of log2(n)
// times. What is left are a barrier and a walk through shared memory for each level, and the roots, which are computed
// anew by whoever needs them.
#include "complex.cuh"

template <int N>
__global__ void __launch_bounds__(BLOCK) fft(const float2 *x, float2 *y, int batch) {
  __shared__ float2 part[N];
  const int bits = 31 - __clz(N);
  x += (size_t)blockIdx.x * N, y += (size_t)blockIdx.x * N;
  for (int i = threadIdx.x; i < N; i += BLOCK) part[__brev(i) >> (32 - bits)] = x[i];
  for (int half = 1; half < N; half *= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < N / 2; i += BLOCK) {
      int at = i / half * 2 * half + i % half;
      float2 a = part[at], b = multiply(part[at + half], root(i % half, 2 * half));
      part[at] = add(a, b), part[at + half] = subtract(a, b);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < N; i += BLOCK) y[i] = part[i];
}
