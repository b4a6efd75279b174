// 2 x 2 results by 16 products for each channel instead of 36: Winograd's F(2 x 2, 3 x 3). Transformations of pixels
// and of results are additions that stay in registers and shared memory; those of the weights are made by a kernel of
// their own.
#include "winograd.cuh"

__global__ void transform(const float *w, float *transformed, int in, int out, int padded) {
  transformWeights(w, transformed, in, out, padded, 1);
}

__global__ void __launch_bounds__(THREADS, 64 / TILE_M)
    convolve(const float *x, const float *transformed, float *y, int in, int out, int height, int width, int images) {
  extern __shared__ __align__(16) unsigned char memory[];
  convolveTiles(*(Shared *)memory, x, transformed, in, height, width, images, (height + 1) / 2, (width + 1) / 2,
                  [=](Tile at) {
    float *corner = y + ((size_t)at.image * out * height + at.row) * width + at.column;
    bool right = at.column + 1 < width, below = at.row + 1 < height;
    int channels = at.image < images ? out : 0;
    return [=](int to, float a, float b, float c, float d) {
      if (to >= channels) return;
      float *results = corner + to * height * width;
      if (width % 2 == 0) {
        *(float2 *)results = make_float2(a, b);
        if (below) *(float2 *)(results + width) = make_float2(c, d);
        return;
      }
      results[0] = a;
      if (right) results[1] = b;
      if (below) results[width] = c;
      if (right && below) results[width + 1] = d;
    };
  });
}
