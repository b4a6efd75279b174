// The product by tensor cores, and a second kernel for what comes after it, as libraries without epilogues have to: the
// product goes to memory, rounded, and comes back.
#include "product.cuh"
#include "../common/packed.cuh"

struct Plain : Unchanged {
  int top;
  __device__ __forceinline__ void begin(unsigned, int, int, int) {}
};
__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    product(const __grid_constant__ TensorMap mapX, const __grid_constant__ TensorMap mapW,
            const __grid_constant__ TensorMap mapProduct, int m, int n, int k) {
  computeTiles(Layer<Plain>(mapX, mapW, mapProduct, m, n, Plain()), k);
}

// Eight elements for a thread: n is a multiple of eight.
template <bool GELU, bool RESIDUAL>
__global__ void __launch_bounds__(256)
    finish(const __nv_bfloat16 *product, const __nv_bfloat16 *bias, const __nv_bfloat16 *residual, const float *scale,
           __nv_bfloat16 *y, int count, int n) {
  int at = (blockIdx.x * 256 + threadIdx.x) * 8;
  if (at >= count) return;
  Packed<__nv_bfloat16> sums = load(product + at), biases = load(bias + at % n), result;
  Packed<__nv_bfloat16> added = RESIDUAL ? load(residual + at) : sums;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    float v = activated<GELU>(sums[i], *scale, biases[i]);
    result.set(i, RESIDUAL ? v + added[i] : v);
  }
  store(y + at, result);
}
