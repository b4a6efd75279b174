// One pass over the points: a block has a cell, a thread a point with all its shares in registers, which never go to
// memory. Each sum over the points of a warp takes five exchanges, and there are 192 of them.
#include "mixture.cuh"
#define WARPS (BLOCK / 32)

__global__ void __launch_bounds__(BLOCK)
    step(const float2 *points, const int *starts, const float *means, const float *spreads, const float *weights,
         float *shares, float *copies, int grid) {
  __shared__ Component components[COMPONENTS];
  __shared__ float sums[COMPONENTS][SUMS], likelihood;
  int cell = blockIdx.x, lane = threadIdx.x % 32;
  float2 middle = middleOf(cell, grid);
  if (threadIdx.x < COMPONENTS) {
    components[threadIdx.x] = componentAt(means, spreads, threadIdx.x, middle.x, middle.y);
    components[threadIdx.x].level += log2f(weights[cell * COMPONENTS + threadIdx.x]);
    for (int i = 0; i < SUMS; i++) sums[threadIdx.x][i] = 0;
  }
  if (threadIdx.x == 0) likelihood = 0;
  __syncthreads();
  int first = starts[cell], last = starts[cell + 1];
  for (int base = first + threadIdx.x / 32 * 32; base < last; base += BLOCK) {
    int i = base + lane;
    float2 point = points[min(i, last - 1)];
    float x = point.x - middle.x, y = point.y - middle.y, share[COMPONENTS], most = -1e30f, sum = 0;
#pragma unroll
    for (int k = 0; k < COMPONENTS; k++) most = fmaxf(most, share[k] = levelOf(components[k], x, y));
#pragma unroll
    for (int k = 0; k < COMPONENTS; k++) sum += share[k] = exp2Of(share[k] - most);
    float factor = i < last ? 1 / sum : 0, log = i < last ? most + log2f(sum) : 0;
#pragma unroll
    for (int k = 0; k < COMPONENTS; k++) {
      float s = share[k] * factor, sx = s * x, sy = s * y, own[SUMS] = {s, sx, sy, sx * x, sx * y, sy * y};
#pragma unroll
      for (int j = 0; j < SUMS; j++) {
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) own[j] += __shfl_xor_sync(~0u, own[j], distance);
      }
      if (lane == 0)
#pragma unroll
        for (int j = 0; j < SUMS; j++) atomicAdd(&sums[k][j], own[j]);
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) log += __shfl_xor_sync(~0u, log, distance);
    if (lane == 0) atomicAdd(&likelihood, log);
  }
  __syncthreads();
  if (threadIdx.x < COMPONENTS) {
    shares[cell * COMPONENTS + threadIdx.x] = sums[threadIdx.x][0];
    addSums(copies, means, threadIdx.x, cell, middle, sums[threadIdx.x]);
  }
  if (threadIdx.x == 0) atomicAdd(copies + cell % COPIES * COPY + COPY - 1, likelihood);
}
