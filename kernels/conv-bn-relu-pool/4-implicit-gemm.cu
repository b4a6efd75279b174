// Uses the implicit product of matrices (convolution-2d, 5-taps-apart) instead of tiles of pixels: 8 x 8 results a
// thread need fewer loads from shared memory, and no thread is idle at an image's edge. The columns of the product are
// pixels ordered by pooling window, so that one thread has the four pixels of a window in registers. Scales are
// multiplied into the weights, so that a window takes a maximum, an addition and another maximum.
#include "../convolution-2d/taps.cuh"

__global__ void arrange(const float *w, const float *variance, const float *gamma, float *arranged, int in, int out,
                        int padded) {
  int to = blockIdx.x * blockDim.x + threadIdx.x;
  arrangeWeight(w, arranged, in, out, padded, to < out ? gamma[to] * rsqrtf(variance[to] + 1e-5f) : 0);
}

__global__ void __launch_bounds__(THREADS, 512 / THREADS)
    convolve(const float *x, const float *arranged, const float *mean, const float *variance, const float *gamma,
             const float *beta, float *z, int in, int out, int height, int width, int images) {
  __shared__ __align__(16) Tiles tiles[STAGES];
  int firstPixel = blockIdx.x * TILE_N, first = blockIdx.y * TILE_M, windows = height / 2 * (width / 2);
  Source source = sourceOf(x, columnOf<true>(firstPixel + threadIdx.x % TILE_N, height, width), in, height, width,
                           images);
  Place at = placeOf();
  float sum[8][8] = {};
  convolveTile(sum, tiles, source, arranged, in, height, width, at);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    int to = first + i / 4 * (TILE_M / 2) + 4 * at.y + i % 4;
    if (to >= out) continue;
    float shift = beta[to] - mean[to] * (gamma[to] * rsqrtf(variance[to] + 1e-5f));
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      int window = firstPixel / 4 + j / 4 * (TILE_N / 8) + at.x, image = window / windows;
      if (image < images)
        z[(size_t)(image * out + to) * windows + window % windows] =
            fmaxf(fmaxf(fmaxf(sum[i][j], sum[i][j + 1]), fmaxf(sum[i][j + 2], sum[i][j + 3])) + shift, 0);
    }
  }
}
