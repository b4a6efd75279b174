// Two passes instead of three: the largest logit and the sum of exponentials come from one, sixteen bytes at a time and
// four such loads before the first is used. The second pass goes the other way, so that it begins with what was read
// last.
#include "../common/online-softmax.cuh"
#include "gradient.cuh"
#include <float.h>

constexpr int UNROLL = 4;

__global__ void __launch_bounds__(BLOCK)
    classify(float *dlogits, float *losses, const float *logits, const float *dlosses, const int *targets, int rows,
             int classes, int stride) {
  int row = blockIdx.x, target = targets[row], quads = stride / 4;
  const float4 *in = (const float4 *)(logits + (size_t)row * stride);
  float4 *out = (float4 *)(dlogits + (size_t)row * stride);
  Softmax mine = {-FLT_MAX, 0};
  for (int first = threadIdx.x; first < quads; first += UNROLL * BLOCK) {
    float4 x[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      int q = first + u * BLOCK;
      x[u] = q < quads ? masked(in[q], 4 * q, classes) : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    }
    add(mine, x);
  }
  mine = blockJoin<BLOCK>(mine);
  if (threadIdx.x == 0) losses[row] = logf(mine.sum) - (logits[(size_t)row * stride + target] - mine.largest);
  float inverse = 1 / mine.sum, scale = dlosses[row];
#pragma unroll 4
  for (int q = quads - 1 - threadIdx.x; q >= 0; q -= BLOCK)
    __stcs(out + q, gradient(masked(__ldcs(in + q), 4 * q, classes), 4 * q, target, mine.largest, inverse, scale));
}
