// Strips of 256 columns, eight a lane by 16-byte loads, so that a warp reads 512 bytes in a row; and the rows are split
// among PARTS blocks of each strip, since there are too few strips to fill a GPU. A part's sums go to memory as floats,
// and a second launch adds them in a fixed order: atomic additions to bfloat16 would round each time.
#include "../common/packed.cuh"
#include "finish.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size, WARPS = BLOCK / 32;

template <bool WIDE>
__global__ void __launch_bounds__(BLOCK) biasGradient(float *partial, const Element *dout, int rows, int columns) {
  // By element of a pack first: lanes write neighbouring words.
  __shared__ float part[WARPS][SIZE][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = (blockIdx.x * 32 + lane) * SIZE;
  int perPart = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * perPart, end = min(rows, begin + perPart);
  float sum[SIZE] = {};
  for (int row = begin + warp; row < end; row += WARPS) {
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
