// The epilogue is fused into the convolution: scaling, shifting and the maximum with zero work on each sum in its
// register. They cost only their arithmetic, and two of three passes over memory are gone. The convolution works on
// tiles in shared memory, with 2 x 2 pixels of OUT channels for each thread.
#include "../convolution-2d/tile.cuh"

__global__ void __launch_bounds__(THREADS)
    convolve(const float *x, const float *w, const float *mean, const float *variance, const float *gamma,
             const float *beta, float *y, int in, int out, int height, int width) {
  __shared__ Shared shared;
  int across = (width + 2 * THREADS_X - 1) / (2 * THREADS_X), top = blockIdx.x / across * 2 * THREADS_Y,
      left = blockIdx.x % across * 2 * THREADS_X, first = blockIdx.y * OUT;
  size_t plane = (size_t)height * width;
  Sums sum = {};
  convolveTile(sum, shared, x + blockIdx.z * in * plane, w, in, out, height, width, first, top, left);
  int row = top + threadIdx.x / THREADS_X * 2, column = left + threadIdx.x % THREADS_X * 2;
  y += blockIdx.z * out * plane;
#pragma unroll
  for (int o = 0; o < OUT; o++) {
    int c = first + o;
    if (c >= out) continue;
    float scale = gamma[c] * rsqrtf(variance[c] + 1e-5f), shift = beta[c] - mean[c] * scale;
#pragma unroll
    for (int p = 0; p < 4; p++)
      if (row + p / 2 < height && column + p % 2 < width)
        y[c * plane + (size_t)(row + p / 2) * width + column + p % 2] = fmaxf(sum[o][p / 2][p % 2] * scale + shift, 0);
  }
}

// Of height x width; an odd row or column at the end is left out.
__global__ void pool(const float *y, float *z, int height, int width, int count) {
  int i = blockIdx.x * 256 + threadIdx.x, across = width / 2, down = height / 2;
  if (i >= count) return;
  const float *from = y + ((size_t)(i / across / down) * height + i / across % down * 2) * width + i % across * 2;
  z[i] = fmaxf(fmaxf(from[0], from[1]), fmaxf(from[width], from[width + 1]));
}
