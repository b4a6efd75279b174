// Each load is followed by the addition of what was asked for UNROLL loads ago. In version 4 the loads of UNROLL rows
// stand before their additions in the source only: the assembler moves each to just in front of its additions, which
// needs fewer registers, and has one or two of them under way. With more under way half as many threads are enough,
// which leave half as many parts for the second launch; and parts take rows in turn, so that all blocks together go
// through memory once from its beginning to its end.
#include "../common/packed.cuh"
#include "finish.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size, WARPS = BLOCK / 32;

__device__ __forceinline__ uint4 bitsAt(const Element *from) { return __ldcs(reinterpret_cast<const uint4 *>(from)); }
__device__ __forceinline__ void addTo(float (&sum)[SIZE], uint4 bits) {
  Packed<Element> d = unpacked<Element>(bits);
#pragma unroll
  for (int e = 0; e < SIZE; e++) sum[e] += d[e];
}

// Half as many threads as a multiprocessor has room for, with 64 registers each.
template <bool WIDE>
__global__ void __launch_bounds__(BLOCK, 1024 / BLOCK)
    biasGradient(float *partial, const Element *dout, int rows, int columns) {
  __shared__ float part[WARPS][SIZE][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = (blockIdx.x * 32 + lane) * SIZE,
      row = blockIdx.y * WARPS + warp, step = gridDim.y * WARPS;
  float sum[SIZE] = {};
  if (WIDE && column < columns && row + (UNROLL - 1) * step < rows) {
    const Element *from = dout + (size_t)row * columns + column;
    size_t stride = (size_t)step * columns;
    uint4 d[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) d[u] = bitsAt(from + u * stride);
    for (row += UNROLL * step; row + (UNROLL - 1) * step < rows; row += UNROLL * step) {
      from += UNROLL * stride;
#pragma unroll
      for (int u = 0; u < UNROLL; u++) {
        addTo(sum, d[u]);
        d[u] = bitsAt(from + u * stride);
      }
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++) addTo(sum, d[u]);
  }
  for (; row < rows; row += step) addTo(sum, bitsOf(loadPart<WIDE>(dout + (size_t)row * columns, column, columns)));
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
