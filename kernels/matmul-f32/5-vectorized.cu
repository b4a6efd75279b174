// Each access to global and shared memory moves 16 bytes. That is a quarter of the load and store instructions, which
// compete with the multiply-adds for issue slots. A thread computes 8 x 8 elements of C, for which it reads four times
// 16 bytes.
#include "tile.cuh"

__global__ void __launch_bounds__(THREADS) matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ __align__(16) Tiles tiles;
  int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS, left = blockIdx.x * TILE, top = blockIdx.y * TILE;
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
