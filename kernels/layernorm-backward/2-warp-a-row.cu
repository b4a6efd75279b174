// A warp does one row: its lanes read neighbouring elements, 64 bytes at a time instead of 2 a row apart, and exchange
// the row's two sums by shuffles. Additions to the columns' sums go to other addresses in each lane, so that the
// memory's units take a warp's as one.
#include "../common/sums.cuh"
#include <cuda_bf16.h>

__global__ void zero(float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sums[i] = 0;
}

__global__ void backward(__nv_bfloat16 *dinp, float *sums, const __nv_bfloat16 *dout, const __nv_bfloat16 *inp,
                         const __nv_bfloat16 *weight, const float *mean, const float *rstd, int rows, int columns) {
  int lane = threadIdx.x % 32, row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  size_t begin = (size_t)row * columns;
  float m = mean[row], s = rstd[row], sum = 0, product = 0;
  for (int i = lane; i < columns; i += 32) {
    float normalized = (__bfloat162float(inp[begin + i]) - m) * s,
        scaled = __bfloat162float(weight[i]) * __bfloat162float(dout[begin + i]);
    sum += scaled;
    product += scaled * normalized;
  }
  sum = warpSum(sum) / columns;
  product = warpSum(product) / columns;
  for (int i = lane; i < columns; i += 32) {
    float d = __bfloat162float(dout[begin + i]), normalized = (__bfloat162float(inp[begin + i]) - m) * s;
    atomicAdd(&sums[i], d * normalized);
    atomicAdd(&sums[columns + i], d);
    dinp[begin + i] = __float2bfloat16_rn(__bfloat162float(dinp[begin + i]) +
                                          (__bfloat162float(weight[i]) * d - sum - normalized * product) * s);
  }
}

__global__ void finish(__nv_bfloat16 *dweight, __nv_bfloat16 *dbias, const float *sums, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns) return;
  dweight[i] = __float2bfloat16_rn(__bfloat162float(dweight[i]) + sums[i]);
  dbias[i] = __float2bfloat16_rn(__bfloat162float(dbias[i]) + sums[columns + i]);
}
