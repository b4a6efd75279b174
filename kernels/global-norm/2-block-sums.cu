// As many blocks as a GPU holds go through the data together, and a block adds up what its threads have by shuffles and
// shared memory: one atomic operation for each block, about a thousand in all.
#include "../common/sums.cuh"
#include <cuda_bf16.h>

__global__ void zero(float *sum) { *sum = 0; }

__global__ void __launch_bounds__(BLOCK) squares(float *sum, const __nv_bfloat16 *x, int n) {
  __shared__ float part[BLOCK / 32];
  float mine = 0;
  for (size_t i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK) {
    float value = __bfloat162float(x[i]);
    mine += value * value;
  }
  mine = blockSum<BLOCK>(mine, part);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

__global__ void root(float *norm, const float *sum) { *norm = sqrtf(*sum); }
