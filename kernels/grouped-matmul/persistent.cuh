// What versions 3 and 4 share: common/persistent.cuh explains the parts. Whole tiles leave by the accelerator; the last
// rows of a group are written by threads, since the next rows are another group's.
#pragma once
#define CONSUMERS 2
#define TILE_M (PING_PONG ? ROWS : CONSUMERS * ROWS)
#define CLUSTER 1
#include "groups.cuh"
#include "../common/persistent.cuh"

struct Products {
  static constexpr int COPIERS = 1;
  const TensorMap &a, &b, &c;
  __nv_bfloat16 *result;
  int n, top, left;
  Walk walk;
  __device__ __forceinline__ Products(const TensorMap &a, const TensorMap &b, const TensorMap &c, const int *ends,
                                      __nv_bfloat16 *result, int groups, int n)
      : a(a), b(b), c(c), result(result), n(n), top(0), left(0), walk(ends, groups, (n + TILE_N - 1) / TILE_N) {}
  __device__ __forceinline__ bool find(int tile) {
    if (!walk.find(tile)) return false;
    top = walk.rowOf(tile), left = walk.columnOf(tile);
    return true;
  }
  __device__ __forceinline__ void begin(unsigned, int, int) const {}
  __device__ __forceinline__ void load(unsigned to, int depth, int, unsigned barrier) const {
    loadBox(to, a, depth, top, barrier);
#pragma unroll
    for (int box = 0; box < TILE_N / 64; box++)
      loadBox(to + A_BYTES + box * BOX_BYTES, b, left + 64 * box, depth, walk.group, barrier);
  }
  __device__ __forceinline__ void store(const float (&sum)[TILE_N / 2], unsigned out, int row, int barrier) const {
    Unchanged unchanged;
    if (row + 64 <= walk.bottom) storeByAccelerator(c, sum, out, row, left, barrier, unchanged);
    else storeSums(result, sum, walk.bottom, n, row, left);
  }
};

__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB,
           const __grid_constant__ TensorMap mapC, const int *ends, __nv_bfloat16 *c, int groups, int n, int k) {
  computeTiles(Products(mapA, mapB, mapC, ends, c, groups, n), k);
}
