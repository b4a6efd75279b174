// The sums of all parts of the rows, added in the order of the parts, so that the result is the same in every run. A
// block does 32 columns, its warps take turns with the parts.
#pragma once
#include <cuda_bf16.h>

__global__ void __launch_bounds__(256) finish(__nv_bfloat16 *dbias, const float *partial, int parts, int columns) {
  __shared__ float part[8][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = blockIdx.x * 32 + lane;
  float sum = 0;
  if (column < columns)
#pragma unroll 4
    for (int p = warp; p < parts; p += 8) sum += partial[(size_t)p * columns + column];
  part[warp][lane] = sum;
  __syncthreads();
  if (warp > 0 || column >= columns) return;
  sum = 0;
  for (int w = 0; w < 8; w++) sum += part[w][lane];
  dbias[column] = __float2bfloat16_rn(__bfloat162float(dbias[column]) + sum);
}
