// UNROLL rows are loaded before the first of them is added: a load is waited for once in UNROLL rows, and 16 * UNROLL
// bytes a thread are on their way instead of 16. They are read once, and marked so.
#include "../common/packed.cuh"
#include "finish.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size, WARPS = BLOCK / 32;

template <bool WIDE>
__global__ void __launch_bounds__(BLOCK) biasGradient(float *partial, const Element *dout, int rows, int columns) {
  __shared__ float part[WARPS][SIZE][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = (blockIdx.x * 32 + lane) * SIZE;
  int perPart = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * perPart, end = min(rows, begin + perPart),
      row = begin + warp;
  float sum[SIZE] = {};
  if (WIDE && column < columns)
    for (; row + (UNROLL - 1) * WARPS < end; row += UNROLL * WARPS) {
      Packed<Element> d[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) d[u] = loadStreaming(dout + (size_t)(row + u * WARPS) * columns + column);
#pragma unroll
      for (int u = 0; u < UNROLL; u++)
#pragma unroll
        for (int e = 0; e < SIZE; e++) sum[e] += d[u][e];
    }
  for (; row < end; row += WARPS) {
    Packed<Element> d = loadPart<WIDE>(dout + (size_t)row * columns, column, columns);
#pragma unroll
    for (int e = 0; e < SIZE; e++) sum[e] += d[e];
  }
#pragma unroll
  for (int e = 0; e < SIZE; e++) part[warp][e][lane] = sum[e];
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * SIZE; i += BLOCK) {
    int target = blockIdx.x * 32 * SIZE + i;
    float total = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) total += part[w][i % SIZE][i / SIZE];
    if (target < columns) partial[(size_t)blockIdx.y * columns + target] = total;
  }
}
