// Sums over the threads of a warp and of a block, by shuffles; the order is always the same.
#pragma once

__device__ __forceinline__ float warpSum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

// Of a block of THREADS threads, for all of them. `part` is for one sum at a time: between two uses of the same one
// lies a barrier.
template <int THREADS> __device__ __forceinline__ float blockSum(float value, float (&part)[THREADS / 32]) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warpSum(value);
  if (lane == 0) part[warp] = value;
  __syncthreads();
  return warpSum(lane < THREADS / 32 ? part[lane] : 0);
}
