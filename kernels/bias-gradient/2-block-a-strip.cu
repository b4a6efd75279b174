// A block does a strip of 32 columns: its warps share the rows, and their sums meet in shared memory. There are BLOCK /
// 32 times as many threads, and as many additions side by side.
#include <cuda_bf16.h>

__global__ void __launch_bounds__(BLOCK)
    biasGradient(__nv_bfloat16 *dbias, const __nv_bfloat16 *dout, int rows, int columns) {
  __shared__ float part[BLOCK / 32][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = blockIdx.x * 32 + lane;
  float sum = 0;
  if (column < columns)
    for (int row = warp; row < rows; row += BLOCK / 32) sum += __bfloat162float(dout[(size_t)row * columns + column]);
  part[warp][lane] = sum;
  __syncthreads();
  if (warp > 0 || column >= columns) return;
  sum = 0;
  for (int w = 0; w < BLOCK / 32; w++) sum += part[w][lane];
  dbias[column] = __float2bfloat16_rn(__bfloat162float(dbias[column]) + sum);
}
