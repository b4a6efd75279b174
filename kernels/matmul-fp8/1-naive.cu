// A thread computes an element: it reads a row of A and a row of B, 16 bytes at a time, and decodes each number itself.
// Rows of a block are reused through the L1 cache only. Byte by byte, a product of 8192 x 8192 takes seconds: the rows
// of a warp's threads lie far apart, and each byte is a request of its own.
#include "fp8.cuh"

union Bytes {
  uint4 all;
  unsigned char byte[16];
};

__global__ void __launch_bounds__(BLOCK * 8)
    matmul(const unsigned char *a, const unsigned char *b, const float *scale, __nv_bfloat16 *c, int m, int n, int k) {
  int column = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i += 16) {
    Bytes x, y;
    x.all = *(const uint4 *)(a + (size_t)row * k + i);
    y.all = *(const uint4 *)(b + (size_t)column * k + i);
#pragma unroll
    for (int j = 0; j < 16; j++) sum += decoded(x.byte[j]) * decoded(y.byte[j]);
  }
  c[(size_t)row * n + column] = __float2bfloat16(sum * *scale);
}
