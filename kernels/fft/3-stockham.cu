// Stockham's order (W. T. Cochran et al., "What is the fast Fourier transform?", 1967): a pass writes each result to
// where the next one reads neighbours, from one half of shared memory into the other, so that no bits are reversed and
// the strided accesses are gone; and four elements at once, so that there are half as many passes, with one root and
// its powers for four elements. If log2(n) is odd, the first pass takes two.
#include "complex.cuh"

// The transform of four, in place.
__device__ __forceinline__ void transform4(float2 (&v)[4]) {
  float2 a = add(v[0], v[2]), b = subtract(v[0], v[2]), c = add(v[1], v[3]), d = subtract(v[1], v[3]);
  v[0] = add(a, c), v[2] = subtract(a, c);
  // -i d
  v[1] = make_float2(b.x + d.y, b.y - d.x), v[3] = make_float2(b.x - d.y, b.y + d.x);
}

template <int N>
__global__ void __launch_bounds__(BLOCK) fft(const float2 *x, float2 *y, int batch) {
  // Both halves are more than what a block has without being asked for at 4096.
  extern __shared__ float2 halves[];
  const int bits = 31 - __clz(N);
  x += (size_t)blockIdx.x * N, y += (size_t)blockIdx.x * N;
  int done = 1, now = 0;
  if (bits % 2 == 1) {
    for (int i = threadIdx.x; i < N / 2; i += BLOCK) {
      float2 a = x[i], b = x[i + N / 2];
      halves[2 * i] = add(a, b), halves[2 * i + 1] = subtract(a, b);
    }
    done = 2;
    __syncthreads();
  }
  for (; done < N; done *= 4) {
    for (int i = threadIdx.x; i < N / 4; i += BLOCK) {
      float2 v[4];
#pragma unroll
      for (int r = 0; r < 4; r++) v[r] = done == 1 ? x[i + r * (N / 4)] : halves[now * N + i + r * (N / 4)];
      int within = i % done;
      if (done > 1) {
        float2 w = root(within, 4 * done), w2 = multiply(w, w);
        v[1] = multiply(v[1], w), v[2] = multiply(v[2], w2), v[3] = multiply(v[3], multiply(w, w2));
      }
      transform4(v);
      int to = i / done * 4 * done + within;
#pragma unroll
      for (int r = 0; r < 4; r++)
        if (4 * done == N) y[to + r * done] = v[r];
        else halves[(now ^ 1) * N + to + r * done] = v[r];
    }
    now ^= 1;
    __syncthreads();
  }
}
