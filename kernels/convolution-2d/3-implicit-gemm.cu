// As a product of matrices (S. Chetlur et al., "cuDNN: Efficient primitives for deep learning", 2014), whose second
// matrix is put together from the pixels as it is loaded: pixels of all images are one long row, so that no thread is
// idle at an image's edge, and 8 x 8 results a thread need a quarter as many loads from shared memory as 2 x 2 pixels
// of 8 channels.
#include "gemm.cuh"

__global__ void __launch_bounds__(THREADS, 512 / THREADS)
    convolve(const float *x, const float *w, float *y, int in, int out, int height, int width, int images) {
  __shared__ __align__(16) Tiles tiles;
  int firstPixel = blockIdx.x * TILE_N, first = blockIdx.y * TILE_M;
  Pixel pixel = pixelOf(x, in, height, width, images, firstPixel + threadIdx.x % TILE_N);
  Place at = placeOf();
  float sum[8][8] = {};
  for (int start = 0; start < 9 * in; start += DEPTH) {
    Step step;
    fetch(step, pixel, w, in, out, height, width, first, start);
    __syncthreads();
    put(tiles, step);
    __syncthreads();
    multiply(tiles, sum, at);
  }
  store(y, sum, out, height * width, images, first, firstPixel, at);
}
