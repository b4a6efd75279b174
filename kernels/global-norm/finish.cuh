// The blocks' sums, added in the order of the blocks by one block, and the root of that: the same in every run.
#pragma once
#include "../common/sums.cuh"

__global__ void __launch_bounds__(1024) finish(float *norm, const float *partial, int blocks) {
  __shared__ float part[32];
  float mine = 0;
  for (int i = threadIdx.x; i < blocks; i += 1024) mine += partial[i];
  mine = blockSum<1024>(mine, part);
  if (threadIdx.x == 0) *norm = sqrtf(mine);
}
