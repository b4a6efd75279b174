/*
 * Arithmetic of the built-in vector types, as the CUDA samples' helper has it: element by element, with scalars on
 * either side, and the functions of shading languages.
 */
#pragma once

#include "cuda_runtime.h"
#include <math.h>

typedef unsigned int uint;
typedef unsigned short ushort;

#ifndef __HEDDLE_MATH
#define __HEDDLE_MATH inline __host__ __device__
#endif

__HEDDLE_MATH float lerp(float a, float b, float t) { return a + t * (b - a); }
__HEDDLE_MATH float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
__HEDDLE_MATH int clamp(int f, int a, int b) { return f < a ? a : f > b ? b : f; }
__HEDDLE_MATH uint clamp(uint f, uint a, uint b) { return f < a ? a : f > b ? b : f; }
__HEDDLE_MATH float fracf(float v) { return v - floorf(v); }
__HEDDLE_MATH float smoothstep(float a, float b, float x) {
  const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}

/* float2 */
__HEDDLE_MATH float2 make_float2(float s) { return make_float2(s, s); }
__HEDDLE_MATH float2 make_float2(float3 a) { return make_float2(a.x, a.y); }
__HEDDLE_MATH float2 make_float2(int2 a) { return make_float2((float)a.x, (float)a.y); }
__HEDDLE_MATH float2 make_float2(uint2 a) { return make_float2((float)a.x, (float)a.y); }
__HEDDLE_MATH float2 operator-(float2 a) { return make_float2(-a.x, -a.y); }
__HEDDLE_MATH float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__HEDDLE_MATH float2 operator+(float2 a, float b) { return make_float2(a.x + b, a.y + b); }
__HEDDLE_MATH float2 operator+(float a, float2 b) { return make_float2(a + b.x, a + b.y); }
__HEDDLE_MATH void operator+=(float2 &a, float2 b) { a.x += b.x; a.y += b.y; }
__HEDDLE_MATH void operator+=(float2 &a, float b) { a.x += b; a.y += b; }
__HEDDLE_MATH float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__HEDDLE_MATH float2 operator-(float2 a, float b) { return make_float2(a.x - b, a.y - b); }
__HEDDLE_MATH float2 operator-(float a, float2 b) { return make_float2(a - b.x, a - b.y); }
__HEDDLE_MATH void operator-=(float2 &a, float2 b) { a.x -= b.x; a.y -= b.y; }
__HEDDLE_MATH void operator-=(float2 &a, float b) { a.x -= b; a.y -= b; }
__HEDDLE_MATH float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.y); }
__HEDDLE_MATH float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }
__HEDDLE_MATH float2 operator*(float a, float2 b) { return make_float2(a * b.x, a * b.y); }
__HEDDLE_MATH void operator*=(float2 &a, float2 b) { a.x *= b.x; a.y *= b.y; }
__HEDDLE_MATH void operator*=(float2 &a, float b) { a.x *= b; a.y *= b; }
__HEDDLE_MATH float2 operator/(float2 a, float2 b) { return make_float2(a.x / b.x, a.y / b.y); }
__HEDDLE_MATH float2 operator/(float2 a, float b) { return make_float2(a.x / b, a.y / b); }
__HEDDLE_MATH float2 operator/(float a, float2 b) { return make_float2(a / b.x, a / b.y); }
__HEDDLE_MATH void operator/=(float2 &a, float2 b) { a.x /= b.x; a.y /= b.y; }
__HEDDLE_MATH void operator/=(float2 &a, float b) { a.x /= b; a.y /= b; }
__HEDDLE_MATH float2 fminf(float2 a, float2 b) { return make_float2(fminf(a.x, b.x), fminf(a.y, b.y)); }
__HEDDLE_MATH float2 fmaxf(float2 a, float2 b) { return make_float2(fmaxf(a.x, b.x), fmaxf(a.y, b.y)); }
__HEDDLE_MATH float2 clamp(float2 v, float a, float b) { return make_float2(clamp(v.x, a, b), clamp(v.y, a, b)); }
__HEDDLE_MATH float2 clamp(float2 v, float2 a, float2 b) {
  return make_float2(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y));
}
__HEDDLE_MATH float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__HEDDLE_MATH float length(float2 v) { return sqrtf(dot(v, v)); }
__HEDDLE_MATH float2 normalize(float2 v) { return v * (1.0f / sqrtf(dot(v, v))); }
__HEDDLE_MATH float2 lerp(float2 a, float2 b, float t) { return a + t * (b - a); }
__HEDDLE_MATH float2 floorf(float2 v) { return make_float2(floorf(v.x), floorf(v.y)); }
__HEDDLE_MATH float2 fracf(float2 v) { return make_float2(fracf(v.x), fracf(v.y)); }
__HEDDLE_MATH float2 fabs(float2 v) { return make_float2(fabsf(v.x), fabsf(v.y)); }
__HEDDLE_MATH float2 fmodf(float2 a, float2 b) { return make_float2(fmodf(a.x, b.x), fmodf(a.y, b.y)); }
__HEDDLE_MATH float2 smoothstep(float2 a, float2 b, float2 v) {
  return make_float2(smoothstep(a.x, b.x, v.x), smoothstep(a.y, b.y, v.y));
}

/* float3 */
__HEDDLE_MATH float3 make_float3(float s) { return make_float3(s, s, s); }
__HEDDLE_MATH float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
__HEDDLE_MATH float3 make_float3(float2 a) { return make_float3(a.x, a.y, 0.0f); }
__HEDDLE_MATH float3 make_float3(float2 a, float s) { return make_float3(a.x, a.y, s); }
__HEDDLE_MATH float3 make_float3(int3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
__HEDDLE_MATH float3 make_float3(uint3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
__HEDDLE_MATH float3 operator-(float3 a) { return make_float3(-a.x, -a.y, -a.z); }
__HEDDLE_MATH float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__HEDDLE_MATH float3 operator+(float3 a, float b) { return make_float3(a.x + b, a.y + b, a.z + b); }
__HEDDLE_MATH float3 operator+(float a, float3 b) { return make_float3(a + b.x, a + b.y, a + b.z); }
__HEDDLE_MATH void operator+=(float3 &a, float3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
__HEDDLE_MATH void operator+=(float3 &a, float b) { a.x += b; a.y += b; a.z += b; }
__HEDDLE_MATH float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__HEDDLE_MATH float3 operator-(float3 a, float b) { return make_float3(a.x - b, a.y - b, a.z - b); }
__HEDDLE_MATH float3 operator-(float a, float3 b) { return make_float3(a - b.x, a - b.y, a - b.z); }
__HEDDLE_MATH void operator-=(float3 &a, float3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
__HEDDLE_MATH void operator-=(float3 &a, float b) { a.x -= b; a.y -= b; a.z -= b; }
__HEDDLE_MATH float3 operator*(float3 a, float3 b) { return make_float3(a.x * b.x, a.y * b.y, a.z * b.z); }
__HEDDLE_MATH float3 operator*(float3 a, float b) { return make_float3(a.x * b, a.y * b, a.z * b); }
__HEDDLE_MATH float3 operator*(float a, float3 b) { return make_float3(a * b.x, a * b.y, a * b.z); }
__HEDDLE_MATH void operator*=(float3 &a, float3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
__HEDDLE_MATH void operator*=(float3 &a, float b) { a.x *= b; a.y *= b; a.z *= b; }
__HEDDLE_MATH float3 operator/(float3 a, float3 b) { return make_float3(a.x / b.x, a.y / b.y, a.z / b.z); }
__HEDDLE_MATH float3 operator/(float3 a, float b) { return make_float3(a.x / b, a.y / b, a.z / b); }
__HEDDLE_MATH float3 operator/(float a, float3 b) { return make_float3(a / b.x, a / b.y, a / b.z); }
__HEDDLE_MATH void operator/=(float3 &a, float3 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; }
__HEDDLE_MATH void operator/=(float3 &a, float b) { a.x /= b; a.y /= b; a.z /= b; }
__HEDDLE_MATH float3 fminf(float3 a, float3 b) {
  return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}
__HEDDLE_MATH float3 fmaxf(float3 a, float3 b) {
  return make_float3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}
__HEDDLE_MATH float3 clamp(float3 v, float a, float b) {
  return make_float3(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b));
}
__HEDDLE_MATH float3 clamp(float3 v, float3 a, float3 b) {
  return make_float3(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z));
}
__HEDDLE_MATH float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__HEDDLE_MATH float length(float3 v) { return sqrtf(dot(v, v)); }
__HEDDLE_MATH float3 normalize(float3 v) { return v * (1.0f / sqrtf(dot(v, v))); }
__HEDDLE_MATH float3 lerp(float3 a, float3 b, float t) { return a + t * (b - a); }
__HEDDLE_MATH float3 floorf(float3 v) { return make_float3(floorf(v.x), floorf(v.y), floorf(v.z)); }
__HEDDLE_MATH float3 fracf(float3 v) { return make_float3(fracf(v.x), fracf(v.y), fracf(v.z)); }
__HEDDLE_MATH float3 fabs(float3 v) { return make_float3(fabsf(v.x), fabsf(v.y), fabsf(v.z)); }
__HEDDLE_MATH float3 fmodf(float3 a, float3 b) {
  return make_float3(fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z));
}
__HEDDLE_MATH float3 smoothstep(float3 a, float3 b, float3 v) {
  return make_float3(smoothstep(a.x, b.x, v.x), smoothstep(a.y, b.y, v.y), smoothstep(a.z, b.z, v.z));
}
__HEDDLE_MATH float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }

/* float4 */
__HEDDLE_MATH float4 make_float4(float s) { return make_float4(s, s, s, s); }
__HEDDLE_MATH float4 make_float4(float3 a) { return make_float4(a.x, a.y, a.z, 0.0f); }
__HEDDLE_MATH float4 make_float4(float3 a, float w) { return make_float4(a.x, a.y, a.z, w); }
__HEDDLE_MATH float4 make_float4(int4 a) { return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w); }
__HEDDLE_MATH float4 make_float4(uint4 a) { return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w); }
__HEDDLE_MATH float4 operator-(float4 a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
__HEDDLE_MATH float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__HEDDLE_MATH float4 operator+(float4 a, float b) { return make_float4(a.x + b, a.y + b, a.z + b, a.w + b); }
__HEDDLE_MATH float4 operator+(float a, float4 b) { return make_float4(a + b.x, a + b.y, a + b.z, a + b.w); }
__HEDDLE_MATH void operator+=(float4 &a, float4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
__HEDDLE_MATH void operator+=(float4 &a, float b) { a.x += b; a.y += b; a.z += b; a.w += b; }
__HEDDLE_MATH float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
__HEDDLE_MATH float4 operator-(float4 a, float b) { return make_float4(a.x - b, a.y - b, a.z - b, a.w - b); }
__HEDDLE_MATH float4 operator-(float a, float4 b) { return make_float4(a - b.x, a - b.y, a - b.z, a - b.w); }
__HEDDLE_MATH void operator-=(float4 &a, float4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
__HEDDLE_MATH void operator-=(float4 &a, float b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
__HEDDLE_MATH float4 operator*(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
__HEDDLE_MATH float4 operator*(float4 a, float b) { return make_float4(a.x * b, a.y * b, a.z * b, a.w * b); }
__HEDDLE_MATH float4 operator*(float a, float4 b) { return make_float4(a * b.x, a * b.y, a * b.z, a * b.w); }
__HEDDLE_MATH void operator*=(float4 &a, float4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
__HEDDLE_MATH void operator*=(float4 &a, float b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
__HEDDLE_MATH float4 operator/(float4 a, float4 b) { return make_float4(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w); }
__HEDDLE_MATH float4 operator/(float4 a, float b) { return make_float4(a.x / b, a.y / b, a.z / b, a.w / b); }
__HEDDLE_MATH float4 operator/(float a, float4 b) { return make_float4(a / b.x, a / b.y, a / b.z, a / b.w); }
__HEDDLE_MATH void operator/=(float4 &a, float4 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; a.w /= b.w; }
__HEDDLE_MATH void operator/=(float4 &a, float b) { a.x /= b; a.y /= b; a.z /= b; a.w /= b; }
__HEDDLE_MATH float4 fminf(float4 a, float4 b) {
  return make_float4(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w));
}
__HEDDLE_MATH float4 fmaxf(float4 a, float4 b) {
  return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w));
}
__HEDDLE_MATH float4 clamp(float4 v, float a, float b) {
  return make_float4(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b), clamp(v.w, a, b));
}
__HEDDLE_MATH float4 clamp(float4 v, float4 a, float4 b) {
  return make_float4(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w));
}
__HEDDLE_MATH float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__HEDDLE_MATH float length(float4 v) { return sqrtf(dot(v, v)); }
__HEDDLE_MATH float4 normalize(float4 v) { return v * (1.0f / sqrtf(dot(v, v))); }
__HEDDLE_MATH float4 lerp(float4 a, float4 b, float t) { return a + t * (b - a); }
__HEDDLE_MATH float4 floorf(float4 v) { return make_float4(floorf(v.x), floorf(v.y), floorf(v.z), floorf(v.w)); }
__HEDDLE_MATH float4 fracf(float4 v) { return make_float4(fracf(v.x), fracf(v.y), fracf(v.z), fracf(v.w)); }
__HEDDLE_MATH float4 fabs(float4 v) { return make_float4(fabsf(v.x), fabsf(v.y), fabsf(v.z), fabsf(v.w)); }
__HEDDLE_MATH float4 fmodf(float4 a, float4 b) {
  return make_float4(fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z), fmodf(a.w, b.w));
}
__HEDDLE_MATH float4 smoothstep(float4 a, float4 b, float4 v) {
  return make_float4(smoothstep(a.x, b.x, v.x), smoothstep(a.y, b.y, v.y), smoothstep(a.z, b.z, v.z),
                     smoothstep(a.w, b.w, v.w));
}

/* int2 */
__HEDDLE_MATH int2 make_int2(int s) { return make_int2(s, s); }
__HEDDLE_MATH int2 make_int2(int3 a) { return make_int2(a.x, a.y); }
__HEDDLE_MATH int2 make_int2(float2 a) { return make_int2((int)a.x, (int)a.y); }
__HEDDLE_MATH int2 make_int2(uint2 a) { return make_int2((int)a.x, (int)a.y); }
__HEDDLE_MATH int2 operator-(int2 a) { return make_int2(-a.x, -a.y); }
__HEDDLE_MATH int2 operator+(int2 a, int2 b) { return make_int2(a.x + b.x, a.y + b.y); }
__HEDDLE_MATH int2 operator+(int2 a, int b) { return make_int2(a.x + b, a.y + b); }
__HEDDLE_MATH int2 operator+(int a, int2 b) { return make_int2(a + b.x, a + b.y); }
__HEDDLE_MATH void operator+=(int2 &a, int2 b) { a.x += b.x; a.y += b.y; }
__HEDDLE_MATH void operator+=(int2 &a, int b) { a.x += b; a.y += b; }
__HEDDLE_MATH int2 operator-(int2 a, int2 b) { return make_int2(a.x - b.x, a.y - b.y); }
__HEDDLE_MATH int2 operator-(int2 a, int b) { return make_int2(a.x - b, a.y - b); }
__HEDDLE_MATH int2 operator-(int a, int2 b) { return make_int2(a - b.x, a - b.y); }
__HEDDLE_MATH void operator-=(int2 &a, int2 b) { a.x -= b.x; a.y -= b.y; }
__HEDDLE_MATH void operator-=(int2 &a, int b) { a.x -= b; a.y -= b; }
__HEDDLE_MATH int2 operator*(int2 a, int2 b) { return make_int2(a.x * b.x, a.y * b.y); }
__HEDDLE_MATH int2 operator*(int2 a, int b) { return make_int2(a.x * b, a.y * b); }
__HEDDLE_MATH int2 operator*(int a, int2 b) { return make_int2(a * b.x, a * b.y); }
__HEDDLE_MATH void operator*=(int2 &a, int2 b) { a.x *= b.x; a.y *= b.y; }
__HEDDLE_MATH void operator*=(int2 &a, int b) { a.x *= b; a.y *= b; }
__HEDDLE_MATH int2 min(int2 a, int2 b) { return make_int2(min(a.x, b.x), min(a.y, b.y)); }
__HEDDLE_MATH int2 max(int2 a, int2 b) { return make_int2(max(a.x, b.x), max(a.y, b.y)); }
__HEDDLE_MATH int2 clamp(int2 v, int a, int b) { return make_int2(clamp(v.x, a, b), clamp(v.y, a, b)); }
__HEDDLE_MATH int2 clamp(int2 v, int2 a, int2 b) { return make_int2(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y)); }
__HEDDLE_MATH int dot(int2 a, int2 b) { return a.x * b.x + a.y * b.y; }
__HEDDLE_MATH int2 abs(int2 v) { return make_int2(abs(v.x), abs(v.y)); }

/* int3 */
__HEDDLE_MATH int3 make_int3(int s) { return make_int3(s, s, s); }
__HEDDLE_MATH int3 make_int3(int4 a) { return make_int3(a.x, a.y, a.z); }
__HEDDLE_MATH int3 make_int3(int2 a) { return make_int3(a.x, a.y, 0); }
__HEDDLE_MATH int3 make_int3(int2 a, int s) { return make_int3(a.x, a.y, s); }
__HEDDLE_MATH int3 make_int3(float3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
__HEDDLE_MATH int3 make_int3(uint3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
__HEDDLE_MATH int3 operator-(int3 a) { return make_int3(-a.x, -a.y, -a.z); }
__HEDDLE_MATH int3 operator+(int3 a, int3 b) { return make_int3(a.x + b.x, a.y + b.y, a.z + b.z); }
__HEDDLE_MATH int3 operator+(int3 a, int b) { return make_int3(a.x + b, a.y + b, a.z + b); }
__HEDDLE_MATH int3 operator+(int a, int3 b) { return make_int3(a + b.x, a + b.y, a + b.z); }
__HEDDLE_MATH void operator+=(int3 &a, int3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
__HEDDLE_MATH void operator+=(int3 &a, int b) { a.x += b; a.y += b; a.z += b; }
__HEDDLE_MATH int3 operator-(int3 a, int3 b) { return make_int3(a.x - b.x, a.y - b.y, a.z - b.z); }
__HEDDLE_MATH int3 operator-(int3 a, int b) { return make_int3(a.x - b, a.y - b, a.z - b); }
__HEDDLE_MATH int3 operator-(int a, int3 b) { return make_int3(a - b.x, a - b.y, a - b.z); }
__HEDDLE_MATH void operator-=(int3 &a, int3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
__HEDDLE_MATH void operator-=(int3 &a, int b) { a.x -= b; a.y -= b; a.z -= b; }
__HEDDLE_MATH int3 operator*(int3 a, int3 b) { return make_int3(a.x * b.x, a.y * b.y, a.z * b.z); }
__HEDDLE_MATH int3 operator*(int3 a, int b) { return make_int3(a.x * b, a.y * b, a.z * b); }
__HEDDLE_MATH int3 operator*(int a, int3 b) { return make_int3(a * b.x, a * b.y, a * b.z); }
__HEDDLE_MATH void operator*=(int3 &a, int3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
__HEDDLE_MATH void operator*=(int3 &a, int b) { a.x *= b; a.y *= b; a.z *= b; }
__HEDDLE_MATH int3 min(int3 a, int3 b) { return make_int3(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)); }
__HEDDLE_MATH int3 max(int3 a, int3 b) { return make_int3(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)); }
__HEDDLE_MATH int3 clamp(int3 v, int a, int b) {
  return make_int3(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b));
}
__HEDDLE_MATH int3 clamp(int3 v, int3 a, int3 b) {
  return make_int3(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z));
}
__HEDDLE_MATH int dot(int3 a, int3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__HEDDLE_MATH int3 abs(int3 v) { return make_int3(abs(v.x), abs(v.y), abs(v.z)); }

/* int4 */
__HEDDLE_MATH int4 make_int4(int s) { return make_int4(s, s, s, s); }
__HEDDLE_MATH int4 make_int4(int3 a) { return make_int4(a.x, a.y, a.z, 0); }
__HEDDLE_MATH int4 make_int4(int3 a, int w) { return make_int4(a.x, a.y, a.z, w); }
__HEDDLE_MATH int4 make_int4(float4 a) { return make_int4((int)a.x, (int)a.y, (int)a.z, (int)a.w); }
__HEDDLE_MATH int4 make_int4(uint4 a) { return make_int4((int)a.x, (int)a.y, (int)a.z, (int)a.w); }
__HEDDLE_MATH int4 operator-(int4 a) { return make_int4(-a.x, -a.y, -a.z, -a.w); }
__HEDDLE_MATH int4 operator+(int4 a, int4 b) { return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__HEDDLE_MATH int4 operator+(int4 a, int b) { return make_int4(a.x + b, a.y + b, a.z + b, a.w + b); }
__HEDDLE_MATH int4 operator+(int a, int4 b) { return make_int4(a + b.x, a + b.y, a + b.z, a + b.w); }
__HEDDLE_MATH void operator+=(int4 &a, int4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
__HEDDLE_MATH void operator+=(int4 &a, int b) { a.x += b; a.y += b; a.z += b; a.w += b; }
__HEDDLE_MATH int4 operator-(int4 a, int4 b) { return make_int4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
__HEDDLE_MATH int4 operator-(int4 a, int b) { return make_int4(a.x - b, a.y - b, a.z - b, a.w - b); }
__HEDDLE_MATH int4 operator-(int a, int4 b) { return make_int4(a - b.x, a - b.y, a - b.z, a - b.w); }
__HEDDLE_MATH void operator-=(int4 &a, int4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
__HEDDLE_MATH void operator-=(int4 &a, int b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
__HEDDLE_MATH int4 operator*(int4 a, int4 b) { return make_int4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
__HEDDLE_MATH int4 operator*(int4 a, int b) { return make_int4(a.x * b, a.y * b, a.z * b, a.w * b); }
__HEDDLE_MATH int4 operator*(int a, int4 b) { return make_int4(a * b.x, a * b.y, a * b.z, a * b.w); }
__HEDDLE_MATH void operator*=(int4 &a, int4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
__HEDDLE_MATH void operator*=(int4 &a, int b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
__HEDDLE_MATH int4 min(int4 a, int4 b) { return make_int4(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)); }
__HEDDLE_MATH int4 max(int4 a, int4 b) { return make_int4(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)); }
__HEDDLE_MATH int4 clamp(int4 v, int a, int b) {
  return make_int4(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b), clamp(v.w, a, b));
}
__HEDDLE_MATH int4 clamp(int4 v, int4 a, int4 b) {
  return make_int4(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w));
}
__HEDDLE_MATH int dot(int4 a, int4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__HEDDLE_MATH int4 abs(int4 v) { return make_int4(abs(v.x), abs(v.y), abs(v.z), abs(v.w)); }

/* uint2 */
__HEDDLE_MATH uint2 make_uint2(uint s) { return make_uint2(s, s); }
__HEDDLE_MATH uint2 make_uint2(uint3 a) { return make_uint2(a.x, a.y); }
__HEDDLE_MATH uint2 make_uint2(float2 a) { return make_uint2((uint)a.x, (uint)a.y); }
__HEDDLE_MATH uint2 make_uint2(int2 a) { return make_uint2((uint)a.x, (uint)a.y); }
__HEDDLE_MATH uint2 operator+(uint2 a, uint2 b) { return make_uint2(a.x + b.x, a.y + b.y); }
__HEDDLE_MATH uint2 operator+(uint2 a, uint b) { return make_uint2(a.x + b, a.y + b); }
__HEDDLE_MATH uint2 operator+(uint a, uint2 b) { return make_uint2(a + b.x, a + b.y); }
__HEDDLE_MATH void operator+=(uint2 &a, uint2 b) { a.x += b.x; a.y += b.y; }
__HEDDLE_MATH void operator+=(uint2 &a, uint b) { a.x += b; a.y += b; }
__HEDDLE_MATH uint2 operator-(uint2 a, uint2 b) { return make_uint2(a.x - b.x, a.y - b.y); }
__HEDDLE_MATH uint2 operator-(uint2 a, uint b) { return make_uint2(a.x - b, a.y - b); }
__HEDDLE_MATH uint2 operator-(uint a, uint2 b) { return make_uint2(a - b.x, a - b.y); }
__HEDDLE_MATH void operator-=(uint2 &a, uint2 b) { a.x -= b.x; a.y -= b.y; }
__HEDDLE_MATH void operator-=(uint2 &a, uint b) { a.x -= b; a.y -= b; }
__HEDDLE_MATH uint2 operator*(uint2 a, uint2 b) { return make_uint2(a.x * b.x, a.y * b.y); }
__HEDDLE_MATH uint2 operator*(uint2 a, uint b) { return make_uint2(a.x * b, a.y * b); }
__HEDDLE_MATH uint2 operator*(uint a, uint2 b) { return make_uint2(a * b.x, a * b.y); }
__HEDDLE_MATH void operator*=(uint2 &a, uint2 b) { a.x *= b.x; a.y *= b.y; }
__HEDDLE_MATH void operator*=(uint2 &a, uint b) { a.x *= b; a.y *= b; }
__HEDDLE_MATH uint2 min(uint2 a, uint2 b) { return make_uint2(min(a.x, b.x), min(a.y, b.y)); }
__HEDDLE_MATH uint2 max(uint2 a, uint2 b) { return make_uint2(max(a.x, b.x), max(a.y, b.y)); }
__HEDDLE_MATH uint2 clamp(uint2 v, uint a, uint b) { return make_uint2(clamp(v.x, a, b), clamp(v.y, a, b)); }
__HEDDLE_MATH uint2 clamp(uint2 v, uint2 a, uint2 b) { return make_uint2(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y)); }
__HEDDLE_MATH uint dot(uint2 a, uint2 b) { return a.x * b.x + a.y * b.y; }

/* uint3 */
__HEDDLE_MATH uint3 make_uint3(uint s) { return make_uint3(s, s, s); }
__HEDDLE_MATH uint3 make_uint3(uint4 a) { return make_uint3(a.x, a.y, a.z); }
__HEDDLE_MATH uint3 make_uint3(uint2 a) { return make_uint3(a.x, a.y, 0); }
__HEDDLE_MATH uint3 make_uint3(uint2 a, uint s) { return make_uint3(a.x, a.y, s); }
__HEDDLE_MATH uint3 make_uint3(float3 a) { return make_uint3((uint)a.x, (uint)a.y, (uint)a.z); }
__HEDDLE_MATH uint3 make_uint3(int3 a) { return make_uint3((uint)a.x, (uint)a.y, (uint)a.z); }
__HEDDLE_MATH uint3 operator+(uint3 a, uint3 b) { return make_uint3(a.x + b.x, a.y + b.y, a.z + b.z); }
__HEDDLE_MATH uint3 operator+(uint3 a, uint b) { return make_uint3(a.x + b, a.y + b, a.z + b); }
__HEDDLE_MATH uint3 operator+(uint a, uint3 b) { return make_uint3(a + b.x, a + b.y, a + b.z); }
__HEDDLE_MATH void operator+=(uint3 &a, uint3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
__HEDDLE_MATH void operator+=(uint3 &a, uint b) { a.x += b; a.y += b; a.z += b; }
__HEDDLE_MATH uint3 operator-(uint3 a, uint3 b) { return make_uint3(a.x - b.x, a.y - b.y, a.z - b.z); }
__HEDDLE_MATH uint3 operator-(uint3 a, uint b) { return make_uint3(a.x - b, a.y - b, a.z - b); }
__HEDDLE_MATH uint3 operator-(uint a, uint3 b) { return make_uint3(a - b.x, a - b.y, a - b.z); }
__HEDDLE_MATH void operator-=(uint3 &a, uint3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
__HEDDLE_MATH void operator-=(uint3 &a, uint b) { a.x -= b; a.y -= b; a.z -= b; }
__HEDDLE_MATH uint3 operator*(uint3 a, uint3 b) { return make_uint3(a.x * b.x, a.y * b.y, a.z * b.z); }
__HEDDLE_MATH uint3 operator*(uint3 a, uint b) { return make_uint3(a.x * b, a.y * b, a.z * b); }
__HEDDLE_MATH uint3 operator*(uint a, uint3 b) { return make_uint3(a * b.x, a * b.y, a * b.z); }
__HEDDLE_MATH void operator*=(uint3 &a, uint3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
__HEDDLE_MATH void operator*=(uint3 &a, uint b) { a.x *= b; a.y *= b; a.z *= b; }
__HEDDLE_MATH uint3 min(uint3 a, uint3 b) { return make_uint3(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)); }
__HEDDLE_MATH uint3 max(uint3 a, uint3 b) { return make_uint3(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)); }
__HEDDLE_MATH uint3 clamp(uint3 v, uint a, uint b) {
  return make_uint3(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b));
}
__HEDDLE_MATH uint3 clamp(uint3 v, uint3 a, uint3 b) {
  return make_uint3(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z));
}
__HEDDLE_MATH uint dot(uint3 a, uint3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* uint4 */
__HEDDLE_MATH uint4 make_uint4(uint s) { return make_uint4(s, s, s, s); }
__HEDDLE_MATH uint4 make_uint4(uint3 a) { return make_uint4(a.x, a.y, a.z, 0); }
__HEDDLE_MATH uint4 make_uint4(uint3 a, uint w) { return make_uint4(a.x, a.y, a.z, w); }
__HEDDLE_MATH uint4 make_uint4(float4 a) { return make_uint4((uint)a.x, (uint)a.y, (uint)a.z, (uint)a.w); }
__HEDDLE_MATH uint4 make_uint4(int4 a) { return make_uint4((uint)a.x, (uint)a.y, (uint)a.z, (uint)a.w); }
__HEDDLE_MATH uint4 operator+(uint4 a, uint4 b) { return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__HEDDLE_MATH uint4 operator+(uint4 a, uint b) { return make_uint4(a.x + b, a.y + b, a.z + b, a.w + b); }
__HEDDLE_MATH uint4 operator+(uint a, uint4 b) { return make_uint4(a + b.x, a + b.y, a + b.z, a + b.w); }
__HEDDLE_MATH void operator+=(uint4 &a, uint4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
__HEDDLE_MATH void operator+=(uint4 &a, uint b) { a.x += b; a.y += b; a.z += b; a.w += b; }
__HEDDLE_MATH uint4 operator-(uint4 a, uint4 b) { return make_uint4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
__HEDDLE_MATH uint4 operator-(uint4 a, uint b) { return make_uint4(a.x - b, a.y - b, a.z - b, a.w - b); }
__HEDDLE_MATH uint4 operator-(uint a, uint4 b) { return make_uint4(a - b.x, a - b.y, a - b.z, a - b.w); }
__HEDDLE_MATH void operator-=(uint4 &a, uint4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
__HEDDLE_MATH void operator-=(uint4 &a, uint b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
__HEDDLE_MATH uint4 operator*(uint4 a, uint4 b) { return make_uint4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
__HEDDLE_MATH uint4 operator*(uint4 a, uint b) { return make_uint4(a.x * b, a.y * b, a.z * b, a.w * b); }
__HEDDLE_MATH uint4 operator*(uint a, uint4 b) { return make_uint4(a * b.x, a * b.y, a * b.z, a * b.w); }
__HEDDLE_MATH void operator*=(uint4 &a, uint4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
__HEDDLE_MATH void operator*=(uint4 &a, uint b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
__HEDDLE_MATH uint4 min(uint4 a, uint4 b) {
  return make_uint4(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w));
}
__HEDDLE_MATH uint4 max(uint4 a, uint4 b) {
  return make_uint4(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w));
}
__HEDDLE_MATH uint4 clamp(uint4 v, uint a, uint b) {
  return make_uint4(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b), clamp(v.w, a, b));
}
__HEDDLE_MATH uint4 clamp(uint4 v, uint4 a, uint4 b) {
  return make_uint4(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w));
}
__HEDDLE_MATH uint dot(uint4 a, uint4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

__HEDDLE_MATH float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
