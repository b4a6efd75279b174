// Complex numbers as float2, x + i y.
#pragma once
__device__ __forceinline__ float2 add(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 subtract(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 multiply(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
// e^(-2 pi i part / whole)
__device__ __forceinline__ float2 root(int part, int whole) {
  float2 w;
  sincospif(-2.0f * part / whole, &w.y, &w.x);
  return w;
}
