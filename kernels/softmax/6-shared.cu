// For rows that registers do not hold: as much of a row as fits into KILOBYTES of shared memory waits there for the
// second pass, the rest is read last and again first, while the L2 cache still has it. Rows of any length are read
// sixteen bytes at a time: they begin anywhere, but in x and y at the same place, so that up to three elements in front
// of the first multiple of 16 bytes and behind the last one are done one by one.
#include "../common/online-softmax.cuh"
#include <float.h>

constexpr int UNROLL = 4;

__global__ void __launch_bounds__(BLOCK) softmax(const float *x, float *y, int rows, int columns) {
  extern __shared__ float4 cached[];
  size_t begin = (size_t)blockIdx.x * columns;
  int head = min((int)(-begin & 3), columns), quads = (columns - head) / 4, keep = min(quads, KILOBYTES * 64),
      tail = columns - head - 4 * quads;
  const float4 *in = (const float4 *)(x + begin + head);
  float4 *out = (float4 *)(y + begin + head);
  // The ends: one element for each of the first threads.
  int end = threadIdx.x < head ? threadIdx.x : threadIdx.x < head + tail ? 4 * quads + threadIdx.x : -1;
  float single = end >= 0 ? x[begin + end] : -INFINITY;
  Softmax mine = {-FLT_MAX, 0};
  for (int first = threadIdx.x; first < quads; first += UNROLL * BLOCK) {
    float4 v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      int q = first + u * BLOCK;
      v[u] = q < keep ? __ldcs(in + q) : q < quads ? __ldcg(in + q)
          : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
      if (first + u * BLOCK < keep) cached[first + u * BLOCK] = v[u];
    add(mine, v);
  }
  if (end >= 0) mine = join(mine, {single, 1});
  mine = blockJoin<BLOCK>(mine);
  float largest = mine.largest, scale = 1 / mine.sum;
  auto result = [&](float4 v) {
    return make_float4(expf(v.x - largest) * scale, expf(v.y - largest) * scale, expf(v.z - largest) * scale,
                       expf(v.w - largest) * scale);
  };
#pragma unroll 4
  for (int q = keep + threadIdx.x; q < quads; q += BLOCK) __stcs(out + q, result(__ldcs(in + q)));
  // Every thread reads what it wrote itself.
#pragma unroll 4
  for (int q = threadIdx.x; q < keep; q += BLOCK) __stcs(out + q, result(cached[q]));
  if (end >= 0) y[begin + end] = expf(single - largest) * scale;
}
