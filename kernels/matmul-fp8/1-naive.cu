// A thread computes an element: it reads a row of A and a row of B byte by byte, and decodes each number itself. Rows
// of a block are reused through the L1 cache only.
#include "fp8.cuh"

__global__ void __launch_bounds__(BLOCK * 8)
    matmul(const unsigned char *a, const unsigned char *b, const float *scale, __nv_bfloat16 *c, int m, int n, int k) {
  int column = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i++) sum += decoded(a[(size_t)row * k + i]) * decoded(b[(size_t)column * k + i]);
  c[(size_t)row * n + column] = __float2bfloat16(sum * *scale);
}
