// Double buffering: shared memory holds two sets of tiles. While the threads multiply one set, the loads of the next
// are under way, and then go to the other set. The wait for memory comes behind the arithmetic, and a step has one
// barrier instead of two.
#include "tile.cuh"

__global__ void __launch_bounds__(THREADS) matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ __align__(16) Tiles tiles[2];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = warp % (ACROSS / 8) * 8 + lane / 2 % 8,
      y = warp / (ACROSS / 8) * 4 + lane / 16 * 2 + lane % 2;
  int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
  float sum[8][8] = {};
  Step step;
  fetch(step, a, b, m, n, k, top, left, 0);
  put(tiles[0], step);
  __syncthreads();
  for (int start = DEPTH, now = 0; start < k; start += DEPTH, now ^= 1) {
    fetch(step, a, b, m, n, k, top, left, start);
    multiply(tiles[now], sum, x, y);
    put(tiles[now ^ 1], step);
    __syncthreads();
  }
  multiply(tiles[(k - 1) / DEPTH % 2], sum, x, y);
  store(c, sum, m, n, top, left, x, y);
}
