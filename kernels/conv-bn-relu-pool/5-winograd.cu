// Winograd's F(2 x 2, 3 x 3) (convolution-2d, 6-winograd), whose 2 x 2 results are a window: 16 products where there
// were 36, and the four results that are pooled come out in one thread. Scales are multiplied into the weights.
#include "../convolution-2d/winograd.cuh"

__global__ void transform(const float *w, const float *variance, const float *gamma, float *transformed, int in,
                          int out, int padded) {
  int to = blockIdx.x * blockDim.x + threadIdx.x;
  transformWeights(w, transformed, in, out, padded, to < out ? gamma[to] * rsqrtf(variance[to] + 1e-5f) : 0);
}

__global__ void __launch_bounds__(THREADS, 64 / TILE_M)
    convolve(const float *x, const float *transformed, const float *mean, const float *variance, const float *gamma,
             const float *beta, float *z, int in, int out, int height, int width, int images) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ float shifts[TILE_M];
  int down = height / 2, across = width / 2, first = blockIdx.y * TILE_M;
  if (threadIdx.x < TILE_M && first + threadIdx.x < out) {
    int to = first + threadIdx.x;
    shifts[threadIdx.x] = beta[to] - mean[to] * (gamma[to] * rsqrtf(variance[to] + 1e-5f));
  }
  convolveTiles(*(Shared *)memory, x, transformed, in, height, width, images, down, across, [=](Tile at) {
    float *window = z + ((size_t)at.image * out * down + at.row / 2) * across + at.column / 2;
    int channels = at.image < images ? out : 0;
    return [=](int to, float a, float b, float c, float d) {
      if (to >= channels) return;
      window[to * down * across] = fmaxf(fmaxf(fmaxf(a, b), fmaxf(c, d)) + shifts[to - first], 0);
    };
  });
}
