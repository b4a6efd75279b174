// The depth of the product in another order, eight channels of one tap after eight of another: a test of the borders,
// made once before the loop, serves eight inputs, where each had its own division by nine and four comparisons. Inputs
// and weights go to shared memory by asynchronous copies, STAGES - 1 steps ahead, through no registers.
#include "taps.cuh"

__global__ void arrange(const float *w, float *arranged, int in, int out, int padded) {
  arrangeWeight(w, arranged, in, out, padded, 1);
}

__global__ void __launch_bounds__(THREADS, 512 / THREADS)
    convolve(const float *x, const float *arranged, float *y, int in, int out, int height, int width, int images) {
  __shared__ __align__(16) Tiles tiles[STAGES];
  int firstPixel = blockIdx.x * TILE_N, first = blockIdx.y * TILE_M;
  Source source = sourceOf(x, columnOf<false>(firstPixel + threadIdx.x % TILE_N, height, width), in, height, width,
                           images);
  Place at = placeOf();
  float sum[8][8] = {};
  convolveTile(sum, tiles, source, arranged, in, height, width, at);
  store(y, sum, out, height * width, images, first, firstPixel, at);
}
