// What comes after the products: y = act(scale x w' + bias) + residual, where act is the tanh form of GELU or nothing.
#pragma once
#include <cuda_bf16.h>

// (1 + tanh u) / 2 is 1 / (1 + exp(-2 u)).
__device__ __forceinline__ float geluOf(float v) {
  return __fdividef(v, 1 + __expf(-1.5957691216f * (v + 0.044715f * v * v * v)));
}
template <bool GELU> __device__ __forceinline__ float activated(float sum, float scale, float bias) {
  float v = sum * scale + bias;
  return GELU ? geluOf(v) : v;
}
__device__ __forceinline__ float2 pairAt(const __nv_bfloat16 *from) {
  return __bfloat1622float2(*(const __nv_bfloat162 *)from);
}
