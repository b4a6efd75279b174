// The threads of a warp form a rectangle of 8 x 4 instead of two rows of the block's tile. Together they read 8 + 4
// different quads in a step instead of 16 + 2. Their numbering makes every two lanes, 1 or 2 apart, load the same 16
// bytes: such a load takes two passes over the banks instead of four.
#include "tile.cuh"

__global__ void __launch_bounds__(THREADS) matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ __align__(16) Tiles tiles;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = warp % (ACROSS / 8) * 8 + lane / 2 % 8,
      y = warp / (ACROSS / 8) * 4 + lane / 16 * 2 + lane % 2;
  int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
  float sum[8][8] = {};
  for (int start = 0; start < k; start += DEPTH) {
    Step step;
    fetch(step, a, b, m, n, k, top, left, start);
    put(tiles, step);
    __syncthreads();
    multiply(tiles, sum, x, y);
    __syncthreads();
  }
  store(c, sum, m, n, top, left, x, y);
}
