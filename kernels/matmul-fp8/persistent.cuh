// What versions 3 and 4 share: common/persistent.cuh explains the parts.
#pragma once
#define CONSUMERS 2
#define TILE_M (PING_PONG ? ROWS : CONSUMERS * ROWS)
#define OUT_N 128
#define CLUSTER 1
#include "fp8.cuh"
#include "../common/persistent.cuh"

struct Scaled : Unchanged {
  float scale;
  __device__ __forceinline__ void operator()(float (&s)[8], int, unsigned) const {
#pragma unroll
    for (int i = 0; i < 8; i++) s[i] *= scale;
  }
};
struct Product : Tiles {
  const TensorMap &a, &b, &c;
  const float *scale;
  __device__ __forceinline__ Product(const TensorMap &a, const TensorMap &b, const TensorMap &c, const float *scale,
                                     int m, int n)
      : Tiles(m, n), a(a), b(b), c(c), scale(scale) {}
  __device__ __forceinline__ void load(unsigned to, int depth, int, unsigned barrier) const {
    loadBox(to, a, depth, top, barrier);
    loadBox(to + A_BYTES, b, depth, left, barrier);
  }
  __device__ __forceinline__ void store(const float (&sum)[TILE_N / 2], unsigned out, int row, int barrier) const {
    Scaled scaled;
    scaled.scale = __ldg(scale);
    storeByAccelerator(c, sum, out, row, left, barrier, scaled);
  }
};

__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB,
           const __grid_constant__ TensorMap mapC, const float *scale, int m, int n, int k) {
  computeTiles(Product(mapA, mapB, mapC, scale, m, n), k);
}
