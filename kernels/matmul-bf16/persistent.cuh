// What versions 8 to 10 share: common/persistent.cuh explains the parts.
#pragma once
#define CONSUMERS 2
#define TILE_M (PING_PONG ? ROWS : CONSUMERS * ROWS)
#include "hopper.cuh"
#include "../common/persistent.cuh"

struct Product : Tiles {
  const TensorMap &a, &b, &c;
  __device__ __forceinline__ Product(const TensorMap &a, const TensorMap &b, const TensorMap &c, int m, int n)
      : Tiles(m, n), a(a), b(b), c(c) {}
  __device__ __forceinline__ void load(unsigned to, int depth, int rank, unsigned barrier) const {
    loadBox(to, a, depth, top + rank * TILE_M, barrier);
    // Of each box the rows that are this block's.
#pragma unroll
    for (int box = 0; box < TILE_N / 64; box++)
      loadBoxForAll(to + A_BYTES + box * BOX_BYTES + rank * (BOX_BYTES / CLUSTER), b, left + 64 * box,
                    depth + rank * (DEPTH / CLUSTER), barrier);
  }
  __device__ __forceinline__ void store(const float (&sum)[TILE_N / 2], unsigned out, int row, int barrier) const {
    Unchanged unchanged;
    storeByAccelerator(c, sum, out, row, left, barrier, unchanged);
  }
};

__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
#if CLUSTER > 1
    __cluster_dims__(CLUSTER, 1, 1)
#endif
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB,
           const __grid_constant__ TensorMap mapC, int m, int n, int k) {
  computeTiles(Product(mapA, mapB, mapC, m, n), k);
}
