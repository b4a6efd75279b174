// Rows of 128 numbers, four to a lane, and sequences of any lengths: for a warp that goes through keys one by one.
#pragma once
#include "sums.cuh"
#include <cuda_bf16.h>
#define SIZE 128

struct Four { float x[4]; };
__device__ __forceinline__ Four fourOf(const __nv_bfloat16 *from, size_t row) {
  Four own;
  for (int i = 0; i < 4; i++) own.x[i] = __bfloat162float(from[row * SIZE + threadIdx.x % 32 * 4 + i]);
  return own;
}
__device__ __forceinline__ float dot(const Four &a, const Four &b) {
  return warpSum(a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2] + a.x[3] * b.x[3]);
}
__device__ __forceinline__ void store(__nv_bfloat16 *to, size_t row, const Four &sum, float factor) {
  for (int i = 0; i < 4; i++) to[row * SIZE + threadIdx.x % 32 * 4 + i] = __float2bfloat16(sum.x[i] * factor);
}
// Sequence s has the tokens from starts[s] to starts[s + 1].
__device__ __forceinline__ int sequenceOf(const int *starts, int token) {
  int sequence = 0;
  while (starts[sequence + 1] <= token) sequence++;
  return sequence;
}
