// Tiles go through shared memory, one for each block of a multiprocessor: it waits for a tile, computes, and waits for
// the next; or the next one is on its way while it computes.
// @flawed 108 256 copy-waits tile[
// @repaired 108 256
#include <cuda_pipeline.h>

__device__ float work(const float4* tile, float sum) {
#pragma unroll 4
  for (int i = 0; i < 16; i++) {
    float4 x = tile[(threadIdx.x + i) % 256];
    sum = fmaf(sum, x.x, x.y) + fmaf(x.z, x.w, sum);
  }
  return sum;
}

__global__ void flawed(float* out, const float4* in, int n) {
  __shared__ float4 tile[256];
  float sum = 0;
  for (int t = blockIdx.x; t < n; t += gridDim.x) {
    tile[threadIdx.x] = in[t * 256 + threadIdx.x];
    __syncthreads();
    sum = work(tile, sum);
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void repaired(float* out, const float4* in, int n) {
  __shared__ float4 tile[2][256];
  float sum = 0;
  auto ask = [&](int t, int to) {
    if (t < n) __pipeline_memcpy_async(&tile[to][threadIdx.x], &in[t * 256 + threadIdx.x], 16);
    __pipeline_commit();
  };
  ask(blockIdx.x, 0);
  for (int t = blockIdx.x, now = 0; t < n; t += gridDim.x, now ^= 1) {
    ask(t + gridDim.x, now ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    sum = work(tile[now], sum);
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
