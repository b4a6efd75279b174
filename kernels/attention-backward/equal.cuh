// Sequences of one length, a head after the other: everything has heads x length x SIZE.
#pragma once
#include "overlapped.cuh"

struct Equal {
  int length;
  static constexpr bool IS_SHARED = false;
  __device__ static constexpr int headsOfBlock() { return 1; }
  __device__ static constexpr int kvStride() { return SIZE; }
  __device__ __forceinline__ Tile tileOf(int tile) const { return {tile * QUERIES, length - tile * QUERIES}; }
  __device__ __forceinline__ size_t row(int head, int token) const { return (size_t)head * length + token; }
  __device__ __forceinline__ size_t lseAt(int head, int token) const { return row(head, token); }
  __device__ __forceinline__ size_t kvRow(int head, int token) const { return row(head, token); }
};

__global__ void __launch_bounds__(128) prepare(const __nv_bfloat16 *o, const __nv_bfloat16 *go, const float *lse,
                                               float *stats, float *sums, int length, int padded) {
  prepareQueries(Equal{length}, o, go, lse, stats, sums, padded);
}
template <bool CAUSAL>
__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    gradients(const __grid_constant__ TensorMap mapQ, const __grid_constant__ TensorMap mapK,
              const __grid_constant__ TensorMap mapV, const __grid_constant__ TensorMap mapGo, const float *stats,
              float *sums, __nv_bfloat16 *gk, __nv_bfloat16 *gv, int length, int padded) {
  // With a mask, keys that many queries see come first: of a head, or of all heads.
  int head = IN_ORDER ? blockIdx.x : blockIdx.y, part = IN_ORDER ? blockIdx.y : blockIdx.x;
  addGradients<CAUSAL>(Equal{length}, Place{head, head, 0, length, 0, padded / QUERIES}, part * KEYS, mapQ, mapK, mapV,
                       mapGo, stats, sums, gk, gv);
}
#if IN_ORDER
__global__ void __launch_bounds__(256) finish(const float *sums, __nv_bfloat16 *gq, int length, int padded) {
  finishQueries(Equal{length}, sums, gq, padded);
}
#endif
