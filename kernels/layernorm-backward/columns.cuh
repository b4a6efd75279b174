// The last step of a sum over all rows: each block left a row of its own sums, of 2 * columns floats, in `partial`;
// they are added in the order of the blocks, so that the result is the same in every run. A block does 32
// columns, and its warps take the rows alternately.
#pragma once
#include <cuda_bf16.h>

__global__ void __launch_bounds__(1024)
    finish(__nv_bfloat16 *dweight, __nv_bfloat16 *dbias, const float *partial, int blocks, int columns) {
  __shared__ float part[32][33];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = blockIdx.x * 32 + lane;
  float sum = 0;
  if (column < 2 * columns)
    for (int row = warp; row < blocks; row += 32) sum += partial[(size_t)row * 2 * columns + column];
  part[warp][lane] = sum;
  __syncthreads();
  if (warp > 0 || column >= 2 * columns) return;
  sum = 0;
  for (int w = 0; w < 32; w++) sum += part[w][lane];
  __nv_bfloat16 *out = column < columns ? dweight + column : dbias + (column - columns);
  *out = __float2bfloat16_rn(__bfloat162float(*out) + sum);
}
