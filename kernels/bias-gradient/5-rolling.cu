// Each load is followed by the addition of what was asked for UNROLL loads ago. In version 4 the loads of UNROLL rows
// stand before their additions in the source only: the assembler moves each to just in front of its additions, which
// needs fewer registers, and has one or two of them under way. With more under way half as many threads are enough,
// which leave half as many parts for the second launch; and parts take rows in turn, so that all blocks together go
// through memory once from its beginning to its end.
#include "finish.cuh"
#include "rolling.cuh"

constexpr int WARPS = BLOCK / 32;

// Half as many threads as a multiprocessor has room for, with 64 registers each.
template <bool WIDE>
__global__ void __launch_bounds__(BLOCK, 1024 / BLOCK)
    biasGradient(float *partial, const Element *dout, int rows, int columns) {
  __shared__ float part[WARPS][SIZE][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = (blockIdx.x * 32 + lane) * SIZE;
  float sum[SIZE] = {};
  addRows<WIDE>(sum, dout, column, blockIdx.y * WARPS + warp, gridDim.y * WARPS, rows, columns);
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
