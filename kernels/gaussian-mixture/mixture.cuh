// What the versions share. Points of the plane, sorted by the cell of a grid that they lie in, and COMPONENTS
// Gaussians. Each cell has weights of its own for the components: what is common in one place may be rare in another. A
// step of expectation maximisation gives each point its shares of the components, and then fits the Gaussians to these
// shares. The new weights of a cell are the shares of the points in it and in the eight cells around it.
#pragma once
#include "../common/exp2.cuh"
#define COMPONENTS 32
// Sums for a component: of shares, of shares times x and y, of shares times xx, xy and yy; x and y from the old mean.
#define SUMS 6
// So many copies of the sums, which blocks add to in turn; a log likelihood behind each.
#define COPIES 32
#define COPY (COMPONENTS * SUMS + 1)
#define HALF_LOG2E 0.7213475204444817f
#define LN2 0.6931471805599453f

// The logarithm (of 2) of a component's density times its weight is level - (ax x + a)^2 - (bx x + by y + b)^2, but for
// the weight and what all components have in common.
struct Component { float ax, a, bx, by, b, level; };
// x and y are from the origin.
__device__ __forceinline__ Component componentAt(const float *means, const float *spreads, int k, float originX,
                                                 float originY) {
  float xx = spreads[3 * k], xy = spreads[3 * k + 1], yy = spreads[3 * k + 2], det = xx * yy - xy * xy;
  float x = means[2 * k] - originX, y = means[2 * k + 1] - originY;
  Component own;
  own.ax = sqrtf(HALF_LOG2E / xx), own.a = -own.ax * x;
  own.by = sqrtf(HALF_LOG2E * xx / det), own.bx = -own.by * xy / xx, own.b = -(own.bx * x + own.by * y);
  own.level = -0.5f * log2f(det);
  return own;
}
__device__ __forceinline__ float levelOf(const Component &own, float x, float y) {
  float a = fmaf(own.ax, x, own.a), b = fmaf(own.bx, x, fmaf(own.by, y, own.b));
  return fmaf(-b, b, fmaf(-a, a, own.level));
}
// The middle of a cell: the square of side 1 has `grid` x `grid` of them.
__device__ __forceinline__ float2 middleOf(int cell, int grid) {
  return make_float2((cell % grid + 0.5f) / grid, (cell / grid + 0.5f) / grid);
}
// A component's sums of a cell, which are from the cell's middle: from the old mean, added to a copy.
__device__ __forceinline__ void addSums(float *copies, const float *means, int k, int cell, float2 middle,
                                        const float *s) {
  float *to = copies + cell % COPIES * COPY + SUMS * k, x = middle.x - means[2 * k], y = middle.y - means[2 * k + 1];
  atomicAdd(to, s[0]);
  atomicAdd(to + 1, s[1] + s[0] * x);
  atomicAdd(to + 2, s[2] + s[0] * y);
  atomicAdd(to + 3, s[3] + 2 * s[1] * x + s[0] * x * x);
  atomicAdd(to + 4, s[4] + s[1] * y + s[2] * x + s[0] * x * y);
  atomicAdd(to + 5, s[5] + 2 * s[2] * y + s[0] * y * y);
}

__global__ void clear(float *copies) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < COPIES * COPY) copies[i] = 0;
}
// The new means and covariances, and the log likelihood of the old ones.
__global__ void __launch_bounds__(COMPONENTS)
    fit(const float *copies, const float *means, float *newMeans, float *newSpreads, float *likelihood, int n) {
  int k = threadIdx.x;
  float s[SUMS] = {}, log = 0;
  for (int copy = 0; copy < COPIES; copy++) {
    for (int i = 0; i < SUMS; i++) s[i] += copies[copy * COPY + SUMS * k + i];
    log += copies[copy * COPY + COPY - 1];
  }
  float x = s[1] / s[0], y = s[2] / s[0];
  newMeans[2 * k] = means[2 * k] + x, newMeans[2 * k + 1] = means[2 * k + 1] + y;
  newSpreads[3 * k] = s[3] / s[0] - x * x + 1e-6f;
  newSpreads[3 * k + 1] = s[4] / s[0] - x * y;
  newSpreads[3 * k + 2] = s[5] / s[0] - y * y + 1e-6f;
  // log(2 pi) for each point.
  if (k == 0) *likelihood = log * LN2 - n * 1.8378770664093453f;
}
// A warp a cell, a lane a component.
__global__ void __launch_bounds__(256) smooth(const float *shares, float *newWeights, int grid, float prior) {
  int cell = blockIdx.x * 8 + threadIdx.x / 32, k = threadIdx.x % 32, left = cell % grid, top = cell / grid;
  if (cell >= grid * grid) return;
  float sum = prior;
  for (int y = max(top - 1, 0); y <= min(top + 1, grid - 1); y++)
    for (int x = max(left - 1, 0); x <= min(left + 1, grid - 1); x++) sum += shares[(y * grid + x) * COMPONENTS + k];
  float all = sum;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) all += __shfl_xor_sync(~0u, all, distance);
  newWeights[cell * COMPONENTS + k] = sum / all;
}
