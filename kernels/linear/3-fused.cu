// The epilogue happens in the registers that hold the sums, before they are rounded: nothing but the result goes to
// memory. While one warpgroup has its epilogue, the other one multiplies. A thread reads its four bytes of the residual
// from memory: eight rows for each instruction of a warp.
#include "product.cuh"

template <bool GELU, bool RESIDUAL> struct Epilogue : Activation<GELU> {
  const __nv_bfloat16 *residual;
  int m;
  __device__ __forceinline__ Epilogue(const __nv_bfloat16 *bias, const float *scale, const __nv_bfloat16 *residual,
                                      int m, int n)
      : Activation<GELU>(bias, scale, n), residual(residual), m(m) {}
  __device__ __forceinline__ void operator()(float (&s)[8], int column, unsigned at) const {
    Activation<GELU>::operator()(s, column, at);
    if (!RESIDUAL) return;
    int thread = threadIdx.x % WARPGROUP, row = this->top + thread / 32 * 16 + thread % 32 / 4;
    int own = column + thread % 4 * 2;
#pragma unroll
    for (int i = 0; i < 8; i += 2) {
      int high = row + i / 2 % 2 * 8, wide = own + i / 4 * 8;
      if (high >= m || wide >= this->n) continue;
      float2 r = pairAt(residual + (size_t)high * this->n + wide);
      s[i] += r.x, s[i + 1] += r.y;
    }
  }
};

template <bool GELU, bool RESIDUAL>
__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    linear(const __grid_constant__ TensorMap mapX, const __grid_constant__ TensorMap mapW,
           const __grid_constant__ TensorMap mapY, const __nv_bfloat16 *bias, const __nv_bfloat16 *residual,
           const float *scale, int m, int n, int k) {
  using Change = Epilogue<GELU, RESIDUAL>;
  computeTiles(Layer<Change>(mapX, mapW, mapY, m, n, Change(bias, scale, residual, m, n)), k);
}
