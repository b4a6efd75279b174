// Largest logit and sum of exponentials in one pass (M. Milakov, N. Gimelshein, "Online normalizer calculation for
// softmax", 2018), sixteen elements between two corrections of the sum.
#pragma once
#include <math.h>

struct Softmax {
  float largest, sum;
};

// Sums of exponentials of differences to different largest ones. -FLT_MAX stands for nothing yet: unlike -INFINITY its
// difference to itself is 0.
__device__ __forceinline__ Softmax join(Softmax a, Softmax b) {
  float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest)};
}

template <int COUNT> __device__ __forceinline__ void add(Softmax &to, const float4 (&quads)[COUNT]) {
  float largest = to.largest, sum = 0;
#pragma unroll
  for (int k = 0; k < COUNT; k++)
    largest = fmaxf(fmaxf(largest, fmaxf(quads[k].x, quads[k].y)), fmaxf(quads[k].z, quads[k].w));
#pragma unroll
  for (int k = 0; k < COUNT; k++)
    sum += (expf(quads[k].x - largest) + expf(quads[k].y - largest)) +
        (expf(quads[k].z - largest) + expf(quads[k].w - largest));
  to.sum = to.sum * expf(to.largest - largest) + sum;
  to.largest = largest;
}

// Between two uses of the same `part` lies a barrier.
template <int THREADS> __device__ __forceinline__ Softmax blockJoin(Softmax value, Softmax (&part)[THREADS / 32]) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    value = join(value, {__shfl_xor_sync(0xffffffff, value.largest, offset),
                         __shfl_xor_sync(0xffffffff, value.sum, offset)});
  if (lane == 0) part[warp] = value;
  __syncthreads();
  value = part[lane % (THREADS / 32)];
#pragma unroll
  for (int offset = THREADS / 64; offset > 0; offset /= 2)
    value = join(value, {__shfl_xor_sync(0xffffffff, value.largest, offset),
                         __shfl_xor_sync(0xffffffff, value.sum, offset)});
  return value;
}
template <int THREADS> __device__ __forceinline__ Softmax blockJoin(Softmax value) {
  __shared__ Softmax part[THREADS / 32];
  return blockJoin<THREADS>(value, part);
}
