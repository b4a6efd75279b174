// The 2 x 2 pixels of a thread are those whose maximum is wanted: it is taken in registers, before scaling even, since
// a maximum stays one under a rising line (and becomes a minimum under a falling one). What is written is a quarter of
// the convolution's results and is never read back.
#include "../convolution-2d/tile.cuh"

__global__ void __launch_bounds__(THREADS)
    convolve(const float *x, const float *w, const float *mean, const float *variance, const float *gamma,
             const float *beta, float *z, int in, int out, int height, int width) {
  __shared__ Shared shared;
  int across = (width + 2 * THREADS_X - 1) / (2 * THREADS_X), top = blockIdx.x / across * 2 * THREADS_Y,
      left = blockIdx.x % across * 2 * THREADS_X, first = blockIdx.y * OUT;
  Sums sum = {};
  convolveTile(sum, shared, x + blockIdx.z * in * (size_t)height * width, w, in, out, height, width, first, top,
                 left);
  int row = top / 2 + threadIdx.x / THREADS_X, column = left / 2 + threadIdx.x % THREADS_X;
  if (row >= height / 2 || column >= width / 2) return;
#pragma unroll
  for (int o = 0; o < OUT; o++) {
    int c = first + o;
    if (c >= out) continue;
    float scale = gamma[c] * rsqrtf(variance[c] + 1e-5f), shift = beta[c] - mean[c] * scale;
    float most = fmaxf(fmaxf(sum[o][0][0], sum[o][0][1]), fmaxf(sum[o][1][0], sum[o][1][1])),
        least = fminf(fminf(sum[o][0][0], sum[o][0][1]), fminf(sum[o][1][0], sum[o][1][1]));
    z[((size_t)(blockIdx.z * out + c) * (height / 2) + row) * (width / 2) + column] =
        fmaxf((scale < 0 ? least : most) * scale + shift, 0);
  }
}
