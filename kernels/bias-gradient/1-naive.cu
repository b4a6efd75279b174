// One thread adds up one column. Neighbouring threads read neighbouring elements, but there are only as many threads as
// columns: a few thousand, where a GPU has room for a quarter of a million.
#include <cuda_bf16.h>

__global__ void biasGradient(__nv_bfloat16 *dbias, const __nv_bfloat16 *dout, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float sum = 0;
  for (int row = 0; row < rows; row++) sum += __bfloat162float(dout[(size_t)row * columns + column]);
  dbias[column] = __float2bfloat16_rn(__bfloat162float(dbias[column]) + sum);
}
