// The functions of the CUDA Math API that the host's C library lacks, for host code (they exist on both sides with
// nvcc).
#pragma once
#include <math.h>
#if defined(__CUDA__)
#define HEDDLE_H static inline __host__
#else
#define HEDDLE_H static inline
#endif
HEDDLE_H float rsqrtf(float x) { return 1.0f / sqrtf(x); }
HEDDLE_H double rsqrt(double x) { return 1.0 / sqrt(x); }
HEDDLE_H float rsqrt(float x) { return rsqrtf(x); }
HEDDLE_H float rcbrtf(float x) { return 1.0f / cbrtf(x); }
HEDDLE_H double rcbrt(double x) { return 1.0 / cbrt(x); }
HEDDLE_H float sinpif(float x) { return (float)sin(3.14159265358979323846 * fmod((double)x, 2.0)); }
HEDDLE_H float cospif(float x) { return (float)cos(3.14159265358979323846 * fmod((double)x, 2.0)); }
HEDDLE_H double sinpi(double x) { return sin(3.14159265358979323846 * fmod(x, 2.0)); }
HEDDLE_H double cospi(double x) { return cos(3.14159265358979323846 * fmod(x, 2.0)); }
HEDDLE_H double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
HEDDLE_H float normcdff(float x) { return (float)normcdf((double)x); }
HEDDLE_H float fdividef(float x, float y) { return x / y; }
HEDDLE_H double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
HEDDLE_H float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
HEDDLE_H float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HEDDLE_H int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HEDDLE_H float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HEDDLE_H unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
HEDDLE_H long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HEDDLE_H double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
#undef HEDDLE_H
