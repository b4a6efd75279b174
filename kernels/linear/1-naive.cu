// A thread computes an element: a row of x times a row of the weights, and the epilogue while the sum is in its
// register.
#include "epilogue.cuh"

template <bool GELU, bool RESIDUAL>
__global__ void __launch_bounds__(BLOCK * 8)
    linear(const __nv_bfloat16 *x, const __nv_bfloat16 *w, const __nv_bfloat16 *bias, const __nv_bfloat16 *residual,
           const float *scale, __nv_bfloat16 *y, int m, int n, int k) {
  int column = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i += 2) {
    float2 a = pairAt(x + (size_t)row * k + i), b = pairAt(w + (size_t)column * k + i);
    sum += a.x * b.x + a.y * b.y;
  }
  float result = activated<GELU>(sum, *scale, __bfloat162float(bias[column]));
  if (RESIDUAL) result += __bfloat162float(residual[(size_t)row * n + column]);
  y[(size_t)row * n + column] = __float2bfloat16(result);
}
