// One thread squares one element, a warp adds its 32 up by shuffles, and adds them to the one sum by an atomic
// operation. All warps meet at one address, and memory does one after the other. (Element by element it would be wrong,
// not only slow: to a float of 2^24 nothing below 1 can be added.)
#include "../common/sums.cuh"
#include <cuda_bf16.h>

__global__ void zero(float *sum) { *sum = 0; }

__global__ void squares(float *sum, const __nv_bfloat16 *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? __bfloat162float(x[i]) : 0, total = warpSum(value * value);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, total);
}

__global__ void root(float *norm, const float *sum) { *norm = sqrtf(*sum); }
