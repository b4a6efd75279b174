// One thread does one row, and adds to the columns' sums of weight and bias by atomic operations, which all rows do at
// the same time. The sums are floats, in memory of their own: rounded to bfloat16 at each addition, small ones would be
// lost. Their order, and with it the last bits, differ from run to run.
#include <cuda_bf16.h>

__global__ void zero(float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sums[i] = 0;
}

__global__ void backward(__nv_bfloat16 *dinp, float *sums, const __nv_bfloat16 *dout, const __nv_bfloat16 *inp,
                         const __nv_bfloat16 *weight, const float *mean, const float *rstd, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  size_t begin = (size_t)row * columns;
  float m = mean[row], s = rstd[row], sum = 0, product = 0;
  for (int i = 0; i < columns; i++) {
    float normalized = (__bfloat162float(inp[begin + i]) - m) * s,
        scaled = __bfloat162float(weight[i]) * __bfloat162float(dout[begin + i]);
    sum += scaled;
    product += scaled * normalized;
  }
  sum /= columns;
  product /= columns;
  for (int i = 0; i < columns; i++) {
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
