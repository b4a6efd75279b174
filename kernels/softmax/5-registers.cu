// The row stays in the registers of a block's threads, QUADS times four elements in each: it is read once and written
// once, sixteen bytes at a time, where version 4 reads it twice.
#include <math.h>

__device__ float blockReduce(float value, bool isMaximum) {
  __shared__ float part[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_xor_sync(0xffffffff, value, offset);
    value = isMaximum ? fmaxf(value, other) : value + other;
  }
  if (lane == 0) part[warp] = value;
  __syncthreads();
  value = lane < BLOCK / 32 ? part[lane] : isMaximum ? -INFINITY : 0;
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_xor_sync(0xffffffff, value, offset);
    value = isMaximum ? fmaxf(value, other) : value + other;
  }
  // What comes next may use `part` again.
  __syncthreads();
  return value;
}

__global__ void __launch_bounds__(BLOCK) softmax(const float *x, float *y, int rows, int columns) {
  const float *in = x + (size_t)blockIdx.x * columns;
  float *out = y + (size_t)blockIdx.x * columns;
  bool wide = columns % 4 == 0;
  float v[QUADS][4], largest = -INFINITY, sum = 0;
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int at = 4 * (threadIdx.x + q * BLOCK);
    if (wide && at < columns) {
      float4 quad = *(const float4 *)(in + at);
      v[q][0] = quad.x, v[q][1] = quad.y, v[q][2] = quad.z, v[q][3] = quad.w;
    } else
#pragma unroll
      for (int e = 0; e < 4; e++) v[q][e] = at + e < columns ? in[at + e] : -INFINITY;
  }
#pragma unroll
  for (int q = 0; q < QUADS; q++)
#pragma unroll
    for (int e = 0; e < 4; e++) largest = fmaxf(largest, v[q][e]);
  largest = blockReduce(largest, true);
#pragma unroll
  for (int q = 0; q < QUADS; q++)
#pragma unroll
    for (int e = 0; e < 4; e++) sum += v[q][e] = expf(v[q][e] - largest);
  float scale = 1 / blockReduce(sum, false);
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int at = 4 * (threadIdx.x + q * BLOCK);
    if (wide && at < columns)
      *(float4 *)(out + at) = make_float4(v[q][0] * scale, v[q][1] * scale, v[q][2] * scale, v[q][3] * scale);
    else
#pragma unroll
      for (int e = 0; e < 4; e++)
        if (at + e < columns) out[at + e] = v[q][e] * scale;
  }
}
