// The accelerator brings a tile of the residual to the place that the result takes, while the tile's products run. Its
// rows lie there as those of the result, swizzled, so that ldmatrix gives each thread just what it adds.
#include "product.cuh"

__device__ __forceinline__ void loadMatrices(unsigned (&r)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from) : "memory");
}
template <bool GELU, bool RESIDUAL> struct Epilogue : Activation<GELU> {
  const TensorMap &residual;
  unsigned barrier, phase;
  bool isAsked;
  __device__ __forceinline__ Epilogue(const __nv_bfloat16 *bias, const float *scale, const TensorMap &residual,
                                      unsigned barrier, int n)
      : Activation<GELU>(bias, scale, n), residual(residual), barrier(barrier), phase(0), isAsked(false) {}
  __device__ __forceinline__ void begin(unsigned out, int row, int left, int thread) {
    if (!RESIDUAL || thread != 0) return;
    // The accelerator has read what the last tile wrote.
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    request(out, row, left);
    isAsked = true;
  }
  __device__ __forceinline__ void request(unsigned out, int top, int left) {
    if (RESIDUAL && !isAsked) {
      arriveAndExpect(barrier, OUT_BYTES);
#pragma unroll
      for (int box = 0; box < OUT_N / 64; box++)
        loadBox(out + box * HALF_BYTES, residual, left + 64 * box, top, barrier);
    }
    isAsked = false;
  }
  __device__ __forceinline__ void arrived() {
    if (RESIDUAL) waitFor(barrier, phase);
    phase ^= 1;
  }
  __device__ __forceinline__ void operator()(float (&s)[8], int column, unsigned at) const {
    Activation<GELU>::operator()(s, column, at);
    if (!RESIDUAL) return;
    unsigned r[4];
    loadMatrices(r, at);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      s[2 * i] += __uint_as_float(r[i] << 16), s[2 * i + 1] += __uint_as_float(r[i] & 0xffff0000);
    }
  }
};

template <bool GELU, bool RESIDUAL>
__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    linear(const __grid_constant__ TensorMap mapX, const __grid_constant__ TensorMap mapW,
           const __grid_constant__ TensorMap mapY, const __grid_constant__ TensorMap mapResidual,
           const __nv_bfloat16 *bias, const float *scale, int m, int n, int k) {
  // One for each warpgroup.
  __shared__ __align__(8) unsigned long long arrivals[CONSUMERS];
  unsigned barrier = addressOf(arrivals);
  if (threadIdx.x == 0)
    for (int i = 0; i < CONSUMERS; i++) initBarrier(barrier + 8 * i, 1);
  using Change = Epilogue<GELU, RESIDUAL>;
  Change change(bias, scale, mapResidual, barrier + threadIdx.x / WARPGROUP * 8, n);
  computeTiles(Layer<Change>(mapX, mapW, mapY, m, n, change), k);
}
