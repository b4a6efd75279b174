// As much of a row as shared memory holds (KILOBYTES of it) waits there for the second pass and is read from memory
// once; the rest of it is read last and again first, while the L2 cache still has it. Less of it, and two blocks fit on
// a multiprocessor: while one waits at its barrier or for its first loads, the other keeps memory busy.
#include "../common/online-softmax.cuh"
#include "gradient.cuh"
#include <float.h>

constexpr int UNROLL = 4;

__global__ void __launch_bounds__(BLOCK)
    classify(float *dlogits, float *losses, const float *logits, const float *dlosses, const int *targets, int rows,
             int classes, int stride) {
  extern __shared__ float4 cached[];
  int row = blockIdx.x, target = targets[row], quads = stride / 4, keep = min(quads, KILOBYTES * 64);
  const float4 *in = (const float4 *)(logits + (size_t)row * stride);
  float4 *out = (float4 *)(dlogits + (size_t)row * stride);
  Softmax mine = {-FLT_MAX, 0};
  for (int first = threadIdx.x; first < quads; first += UNROLL * BLOCK) {
    float4 x[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      int q = first + u * BLOCK;
      x[u] = q < keep ? __ldcs(in + q) : q < quads ? __ldcg(in + q)
          : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      int q = first + u * BLOCK;
      x[u] = masked(x[u], 4 * q, classes);
      if (q < keep) cached[q] = x[u];
    }
    add(mine, x);
  }
  mine = blockJoin<BLOCK>(mine);
  if (threadIdx.x == 0) losses[row] = logf(mine.sum) - (logits[(size_t)row * stride + target] - mine.largest);
  float inverse = 1 / mine.sum, scale = dlosses[row];
#pragma unroll 4
  for (int q = keep + threadIdx.x; q < quads; q += BLOCK)
    __stcs(out + q, gradient(masked(__ldcs(in + q), 4 * q, classes), 4 * q, target, mine.largest, inverse, scale));
  // Every thread reads what it wrote itself.
#pragma unroll 4
  for (int q = threadIdx.x; q < keep; q += BLOCK)
    __stcs(out + q, gradient(cached[q], 4 * q, target, mine.largest, inverse, scale));
}
