// UNROLL loads before the first square: 16 * UNROLL bytes of each thread are on their way at a time, and one wait is
// for all of them. They are read once, and marked so.
#include "../common/packed.cuh"
#include "finish.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

__global__ void __launch_bounds__(BLOCK) squares(float *partial, const Element *x, int n) {
  __shared__ float part[BLOCK / 32];
  int packs = n / SIZE, rest = packs * SIZE + threadIdx.x, step = gridDim.x * BLOCK,
      i = blockIdx.x * BLOCK + threadIdx.x;
  float mine = 0;
  for (; i + (UNROLL - 1) * step < packs; i += UNROLL * step) {
    Packed<Element> value[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) value[u] = loadStreaming(x + (size_t)SIZE * (i + u * step));
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
#pragma unroll
      for (int e = 0; e < SIZE; e++) mine += value[u][e] * value[u][e];
  }
  for (; i < packs; i += step) {
    Packed<Element> value = load(x + (size_t)SIZE * i);
#pragma unroll
    for (int e = 0; e < SIZE; e++) mine += value[e] * value[e];
  }
  if (blockIdx.x == 0 && rest < n) mine += toFloat(x[rest]) * toFloat(x[rest]);
  mine = blockSum<BLOCK>(mine, part);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}
