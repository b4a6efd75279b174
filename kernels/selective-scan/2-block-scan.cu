// A block has a channel, and its threads have ITEMS neighbours of the sequence each, so that rows are read as a whole:
// each number of the state is a scan of the block. Two steps h -> a h + b in a row are one such step. The scans double
// the work, and every block reads b and c for itself.
#include "scan.cuh"
#define WARPS (BLOCK / 32)

// First (before.x, before.y), then (after.x, after.y).
__device__ __forceinline__ float2 joined(float2 before, float2 after) {
  return make_float2(after.x * before.x, after.x * before.y + after.y);
}
__device__ __forceinline__ float2 warpScan(float2 own) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    float2 other = make_float2(__shfl_up_sync(~0u, own.x, distance), __shfl_up_sync(~0u, own.y, distance));
    if (threadIdx.x % 32 >= distance) own = joined(other, own);
  }
  return own;
}
struct alignas(2 * ITEMS) Items { __nv_bfloat16 at[ITEMS]; };
__device__ __forceinline__ void load(float (&to)[ITEMS], const __nv_bfloat16 *from, int t, int length) {
  Items items = {};
  if (t < length) items = *(const Items *)(from + t);
#pragma unroll
  for (int i = 0; i < ITEMS; i++) to[i] = __bfloat162float(items.at[i]);
}

__global__ void __launch_bounds__(BLOCK)
    scan(const __nv_bfloat16 *u, const __nv_bfloat16 *delta, const __nv_bfloat16 *z, const float *a,
         const __nv_bfloat16 *b, const __nv_bfloat16 *c, const float *d, const float *bias, __nv_bfloat16 *y, int dim,
         int length) {
  __shared__ float2 totals[2][WARPS];
  __shared__ float states[2][STATE];
  int channel = blockIdx.x, batch = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32, turn = 0;
  size_t row = ((size_t)batch * dim + channel) * length, weights = (size_t)batch * STATE * length;
  if (threadIdx.x < STATE) states[0][threadIdx.x] = 0;
  for (int first = 0; first < length; first += BLOCK * ITEMS, turn ^= 1) {
    int t = first + threadIdx.x * ITEMS;
    float x[ITEMS], step[ITEMS], sum[ITEMS];
    load(x, u + row, t, length);
    load(step, delta + row, t, length);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
      step[i] = t < length ? stepOf(step[i] + bias[channel]) : 0;
      sum[i] = d[channel] * x[i];
    }
    for (int n = 0; n < STATE; n++) {
      float rate = a[channel * STATE + n] * LOG2E, from[ITEMS], to[ITEMS], factor[ITEMS];
      load(from, b + weights + (size_t)n * length, t, length);
      load(to, c + weights + (size_t)n * length, t, length);
      float2 own = make_float2(1, 0);
#pragma unroll
      for (int i = 0; i < ITEMS; i++) {
        factor[i] = exp2f(step[i] * rate);
        own = joined(own, make_float2(factor[i], step[i] * x[i] * from[i]));
      }
      float2 upTo = warpScan(own);
      if (lane == 31) totals[n % 2][warp] = upTo;
      __syncthreads();
      float h = states[turn][n];
      for (int w = 0; w < warp; w++) h = totals[n % 2][w].x * h + totals[n % 2][w].y;
      float2 before = make_float2(__shfl_up_sync(~0u, upTo.x, 1), __shfl_up_sync(~0u, upTo.y, 1));
      if (lane > 0) h = before.x * h + before.y;
#pragma unroll
      for (int i = 0; i < ITEMS; i++) {
        h = factor[i] * h + step[i] * x[i] * from[i];
        sum[i] += h * to[i];
      }
      if (threadIdx.x == BLOCK - 1) states[turn ^ 1][n] = h;
    }
    float gate[ITEMS];
    load(gate, z + row, t, length);
    Items out;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) out.at[i] = __float2bfloat16(gated(sum[i], gate[i]));
    if (t < length) *(Items *)(y + row + t) = out;
    __syncthreads();
  }
}
