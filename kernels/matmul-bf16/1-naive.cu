// A thread computes an element of C: neighbouring threads neighbouring ones of a row, so that what a warp reads of B
// lies together and what it reads of A is one element for all. Products are made in single precision, one after the
// other, by units that have a fifteenth of the tensor cores' speed.
#include <cuda_bf16.h>

__global__ void matmul(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k) {
  int column = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i++)
    sum += __bfloat162float(a[(size_t)row * k + i]) * __bfloat162float(b[(size_t)i * n + column]);
  c[(size_t)row * n + column] = __float2bfloat16(sum);
}
