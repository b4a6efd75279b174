/*
 * Float functions for a GPU: what `__nv_expf` and its like are where PTX is made of a program, if the GPU's approximate
 * instructions do better than the portable code in f32.cu. Bounds are those of error-bounds.json. The host cannot
 * measure them.
 */
#include "prelude.h"

INLINE float ex2(float x) { return __nvvm_ex2_approx_ftz_f(x); }
INLINE float fma_(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/*
 * base^x = 2^k 2^r with r = x log2(base) - k, k the nearest integer that leaves 2^k a normal number; r is made with
 * log2(base) in two parts, so that it has an absolute error below 2^-25 where the result is in range. At both ends r
 * grows instead of k, and the product overflows or is rounded to a denormal number once. ex2.approx has a relative
 * error below 2^-22.5 (PTX ISA, ex2).
 */
INLINE float power_of(float x, float high, float low) {
  float k = x * high;
  k = __builtin_fminf(__builtin_fmaxf(k, -126.0f), 127.0f);
  float t = k + 12582912.0f; /* 1.5 2^23: rounds to an integer */
  k = t - 12582912.0f;
  float r = fma_(x, low, fma_(x, high, -k));
  return ex2(r) * f32_from((bits_of(t) << 23) + 0x3f800000u);
}
DEVICE_FN float __heddle_gpu_expf(float x) { return power_of(x, 1.442695041f, 1.925963033e-8f); }
DEVICE_FN float __heddle_gpu_exp10f(float x) { return power_of(x, 3.321928024f, 7.059541e-8f); }

/* Odd polynomial near 0, otherwise 1 - 2 / (e^2x + 1); e^2x is infinite from 44 on, and its reciprocal 0. */
DEVICE_FN float __heddle_gpu_tanhf(float x) {
  float a = fabs_(x), z = x * x;
  float small = fma_(x * z, poly(z, -0.333333f, 0.13331936f, -0.053784713f, 0.0207986f, -0.0058979215f), x);
  float e = ex2(a * 2.885390082f);
  float big = fma_(-2.0f, __nvvm_rcp_approx_ftz_f(e + 1.0f), 1.0f);
  return a < 0.6f ? small : copysign_(big, x);
}

/* e^a / 4 for a >= 0, so that twice the sum with its reciprocal, cosh, overflows where it must. */
INLINE float quarter_exp(float a) {
  float t = __builtin_fminf(a * 1.442695041f, 127.0f) + 12582912.0f, k = t - 12582912.0f;
  float r = fma_(a, 1.925963033e-8f, fma_(a, 1.442695041f, -k));
  return ex2(r) * f32_from((bits_of(t) << 23) + 0x3e800000u);
}
DEVICE_FN float __heddle_gpu_coshf(float x) {
  float t = quarter_exp(fabs_(x));
  return fma_(2.0f, t, 0.125f * __nvvm_rcp_approx_ftz_f(t));
}
DEVICE_FN float __heddle_gpu_sinhf(float x) {
  float a = fabs_(x), z = x * x, t = quarter_exp(a);
  float small = fma_(x * z, poly(z, 0.16666667f, 0.0083333105f, 0.00019842896f, 2.7822118e-06f), x);
  return a < 1.0f ? small : copysign_(fma_(2.0f, t, -0.125f * __nvvm_rcp_approx_ftz_f(t)), x);
}

DEVICE_FN void __heddle_gpu_fast_sincosf(float x, float *sine, float *cosine) {
  *sine = __nvvm_sin_approx_f(x);
  *cosine = __nvvm_cos_approx_f(x);
}
