// Pixels and weights in shared memory, where a block's threads find them nine times and for OUT output channels, and 2
// x 2 pixels of OUT channels in each thread's registers: a thread loads 4 x 4 pixels for four results, and a weight
// once for four products.
#include "tile.cuh"

__global__ void __launch_bounds__(THREADS)
    convolve(const float *x, const float *w, float *y, int in, int out, int height, int width) {
  __shared__ Shared shared;
  int across = (width + 2 * THREADS_X - 1) / (2 * THREADS_X), top = blockIdx.x / across * 2 * THREADS_Y,
      left = blockIdx.x % across * 2 * THREADS_X, first = blockIdx.y * OUT;
  size_t plane = (size_t)height * width;
  Sums sum = {};
  convolveTile(sum, shared, x + blockIdx.z * in * plane, w, in, out, height, width, first, top, left);
  int row = top + threadIdx.x / THREADS_X * 2, column = left + threadIdx.x % THREADS_X * 2;
  y += blockIdx.z * out * plane;
#pragma unroll
  for (int o = 0; o < OUT; o++)
#pragma unroll
    for (int r = 0; r < 2; r++) {
      if (first + o >= out || row + r >= height || column >= width) continue;
      float *to = y + (first + o) * plane + (size_t)(row + r) * width + column;
      if (width % 2 == 0) *(float2 *)to = make_float2(sum[o][r][0], sum[o][r][1]);
      else {
        to[0] = sum[o][r][0];
        if (column + 1 < width) to[1] = sum[o][r][1];
      }
    }
}
