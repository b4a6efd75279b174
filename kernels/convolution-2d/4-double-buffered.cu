// Double buffering: shared memory holds two sets of tiles. While the threads multiply one set, the loads of the next
// are under way, and then go to the other set. The wait for memory comes behind the arithmetic, and a step has one
// barrier instead of two.
#include "gemm.cuh"

__global__ void __launch_bounds__(THREADS, 512 / THREADS)
    convolve(const float *x, const float *w, float *y, int in, int out, int height, int width, int images) {
  __shared__ __align__(16) Tiles tiles[2];
  int firstPixel = blockIdx.x * TILE_N, first = blockIdx.y * TILE_M;
  Pixel pixel = pixelOf(x, in, height, width, images, firstPixel + threadIdx.x % TILE_N);
  Place at = placeOf();
  float sum[8][8] = {};
  Step step;
  fetch(step, pixel, w, in, out, height, width, first, 0);
  put(tiles[0], step);
  __syncthreads();
  for (int start = DEPTH, now = 0; start < 9 * in; start += DEPTH, now ^= 1) {
    fetch(step, pixel, w, in, out, height, width, first, start);
    multiply(tiles[now], sum, at);
    put(tiles[now ^ 1], step);
    __syncthreads();
  }
  multiply(tiles[(9 * in - 1) / DEPTH % 2], sum, at);
  store(y, sum, out, height * width, images, first, firstPixel, at);
}
