// A warp does one row: its lanes read neighbouring elements and exchange sums by shuffles, without barriers. The sum is
// read again from the cache, where it has just been written.
#include "../common/sums.cuh"
#include <cuda_bf16.h>

__global__ void fused(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const __nv_bfloat16 *weight,
                      const __nv_bfloat16 *bias, __nv_bfloat16 *residual, __nv_bfloat16 *normed, float *mean,
                      float *rstd, int rows, int columns) {
  int lane = threadIdx.x % 32, row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  size_t begin = (size_t)row * columns;
  float sum = 0, squares = 0;
  for (int i = lane; i < columns; i += 32) {
    __nv_bfloat16 value = __float2bfloat16_rn(__bfloat162float(a[begin + i]) + __bfloat162float(b[begin + i]));
    residual[begin + i] = value;
    sum += __bfloat162float(value);
  }
  float m = warpSum(sum) / columns;
  for (int i = lane; i < columns; i += 32) {
    float centred = __bfloat162float(residual[begin + i]) - m;
    squares += centred * centred;
  }
  float s = 1 / sqrtf(warpSum(squares) / columns + 1e-5f);
  for (int i = lane; i < columns; i += 32)
    normed[begin + i] = __float2bfloat16_rn((__bfloat162float(residual[begin + i]) - m) * s *
                                            __bfloat162float(weight[i]) + __bfloat162float(bias[i]));
  if (lane == 0) mean[row] = m, rstd[row] = s;
}
