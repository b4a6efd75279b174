// A thread computes an element: it looks for the group that its row is in, and reads a row of A and a column of that
// group's B.
#include <cuda_bf16.h>

__global__ void __launch_bounds__(BLOCK * 8) matmul(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const int *ends,
                                                    __nv_bfloat16 *c, int m, int n, int k) {
  int column = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, group = 0;
  if (row >= m || column >= n) return;
  while (row >= ends[group]) group++;
  const __nv_bfloat16 *own = b + (size_t)group * k * n;
  float sum = 0;
  for (int i = 0; i < k; i++)
    sum += __bfloat162float(a[(size_t)row * k + i]) * __bfloat162float(own[(size_t)i * n + column]);
  c[(size_t)row * n + column] = __float2bfloat16(sum);
}
