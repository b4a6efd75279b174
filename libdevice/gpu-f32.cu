/*
 * Float functions for a GPU: what `__nv_expf` and its like are where PTX is made of a program, if the GPU's approximate
 * instructions do better than the portable code in f32.cu. Bounds are those of error-bounds.json. The host cannot
 * measure them.
 */
#include "prelude.h"
#include "trig-f32.h"

INLINE float ex2(float x) { return __nvvm_ex2_approx_ftz_f(x); }
INLINE float fma_(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/*
 * base^x = 2^k 2^r with r = x log2(base) - k, k the greatest integer below that leaves 2^k a normal number; r is made
 * with log2(base) in two parts, so that it has an absolute error below 2^-25 where the result is in range. At both ends
 * r grows instead of k, and the product overflows or is rounded to a denormal number once. ex2.approx has a relative
 * error below 2^-22.5 (PTX ISA, ex2). On an H200 it is off by 1.4 units in the last place between 0 and 1, and by 2.05
 * between -0.5 and 0: so k is the integer below, not the nearest.
 */
INLINE float power_of(float x, float high, float low) {
  float k = x * high;
  k = __builtin_fminf(__builtin_fmaxf(k, -126.0f), 127.0f);
  float t = __nvvm_add_rm_f(k, 12582912.0f); /* 1.5 2^23: rounds down to an integer */
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
  return copysign_(a < 0.6f ? small : big, x);
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

/*
 * Cody-Waite in floats: with one rounding for product and sum, three parts of pi/2 are enough up to 105615. The
 * portable reduction does it in doubles, of which most GPUs compute few. A quadrant decides on coefficients instead of
 * a branch, which the threads of a warp would take both ways.
 */
INLINE trig_parts gpu_trig_reduce(float x) {
  float t = fma_(x, 0.636619772f, 12582912.0f); /* 1.5 2^23: rounds to an integer */
  float k = t - 12582912.0f;
  float r = fma_(k, -5.390302953e-15f, fma_(k, -7.549789416e-8f, fma_(k, -1.570796251f, x)));
  trig_parts p = {r, (i32)bits_of(t)};
  float a = fabs_(x);
  if (a > 105615.0f && a < f32_inf()) p = trig_reduce_large_f32(x);
  return p;
}
INLINE float gpu_sin_quadrant(float r, i32 quadrant) {
  bool odd = quadrant & 1;
  float z = r * r, base = odd ? 1.0f : r;
  float p = odd ? fma_(z, 2.4430661e-05f, -0.0013887301f) : -0.00019518605f;
  p = fma_(z, p, odd ? 0.041666646f : 0.008332191f);
  p = fma_(z, p, odd ? -0.5f : -0.16666655f);
  float y = fma_(fma_(z, base, 0.0f), p, base); /* the sum with 0 keeps the sign of a zero */
  return quadrant & 2 ? -y : y;
}
DEVICE_FN float __heddle_gpu_sinf(float x) {
  trig_parts p = gpu_trig_reduce(x);
  return gpu_sin_quadrant(p.r, p.quadrant);
}
DEVICE_FN float __heddle_gpu_cosf(float x) {
  trig_parts p = gpu_trig_reduce(x);
  return gpu_sin_quadrant(p.r, p.quadrant + 1);
}
DEVICE_FN void __heddle_gpu_sincosf(float x, float *sine, float *cosine) {
  trig_parts p = gpu_trig_reduce(x);
  *sine = gpu_sin_quadrant(p.r, p.quadrant);
  *cosine = gpu_sin_quadrant(p.r, p.quadrant + 1);
}
DEVICE_FN float __heddle_gpu_tanf(float x) {
  trig_parts p = gpu_trig_reduce(x);
  float z = p.r * p.r;
  float t = 0.009479016f;
  t = fma_(z, t, 0.0029518264f);
  t = fma_(z, t, 0.024542365f);
  t = fma_(z, t, 0.05337729f);
  t = fma_(z, t, 0.13339248f);
  t = fma_(z, t, 0.33333138f);
  t = fma_(p.r * z, t, p.r);
  return p.quadrant & 1 ? -__nvvm_rcp_approx_ftz_f(t) : t;
}

DEVICE_FN void __heddle_gpu_fast_sincosf(float x, float *sine, float *cosine) {
  *sine = __nvvm_sin_approx_f(x);
  *cosine = __nvvm_cos_approx_f(x);
}
