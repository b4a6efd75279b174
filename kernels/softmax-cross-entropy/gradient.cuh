// Of four logits of a row.
#pragma once
#include "../common/online-softmax.cuh"

// What lies behind the row's end has no part in the sum.
__device__ __forceinline__ float4 masked(float4 quad, int c, int classes) {
  if (c + 3 >= classes) {
    if (c >= classes) quad.x = -INFINITY;
    if (c + 1 >= classes) quad.y = -INFINITY;
    if (c + 2 >= classes) quad.z = -INFINITY;
    quad.w = -INFINITY;
  }
  return quad;
}

__device__ __forceinline__ float4 gradient(float4 quad, int c, int target, float largest, float inverse, float scale) {
  return make_float4((expf(quad.x - largest) * inverse - (c == target)) * scale,
                     (expf(quad.y - largest) * inverse - (c + 1 == target)) * scale,
                     (expf(quad.z - largest) * inverse - (c + 2 == target)) * scale,
                     (expf(quad.w - largest) * inverse - (c + 3 == target)) * scale);
}
