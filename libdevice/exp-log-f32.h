/*
 * Exponentials, logarithms and powers of float, and the hyperbolic functions built on them.
 *
 * exp: Cody-Waite reduction x = k ln2 + r with ln2 in two parts (the first has 9 bits, so k times it is exact),
 * rounding to the nearest k by adding 1.5 2^23, a minimax polynomial of degree 6 on |r| <= ln2 / 2, scaling in two
 * steps so that denormal results are rounded once. log: x = 2^k m with m in [sqrt(1/2), sqrt(2)), a minimax polynomial
 * in m - 1. pow: log2 and exp2 in f64 arithmetic, |relative error of log2| < 2^-37. All coefficients are our own Remez
 * fits, rounded to the format one after another with the rest refitted.
 */
#pragma once
#include "prelude.h"

constexpr float LN2_HI_F = 0.693359375f, LN2_LO_F = -2.12194440e-4f;
constexpr float ROUND_MAGIC_F = 12582912.0f; /* 1.5 * 2^23 */

/* e^r for |r| <= 0.3476 */
INLINE float exp_poly_f32(float r) {
  return 1.0f + fused(r * r, poly(r, 0.49999994f, 0.16666514f, 0.04166806f, 0.008369551f, 0.0013843807f), r);
}
struct exp_parts { float r; i32 k; };
/* x = k ln2 + r */
INLINE exp_parts exp_reduce_f32(float x) {
  float t = fused(x, 1.442695041f, ROUND_MAGIC_F);
  float k = t - ROUND_MAGIC_F;
  return {fused(k, -LN2_LO_F, fused(k, -LN2_HI_F, x)), (i32)(bits_of(t) - bits_of(ROUND_MAGIC_F))};
}

INLINE float exp_f32(float x) {
  exp_parts p = exp_reduce_f32(clamp_keep_nan(x, -104.0f, 89.0f));
  return scale_f32(exp_poly_f32(p.r), p.k);
}
INLINE float exp2_f32(float x) {
  x = clamp_keep_nan(x, -151.0f, 129.0f);
  float t = x + ROUND_MAGIC_F, r = x - (t - ROUND_MAGIC_F);
  float p =
      fused(r, poly(r, 0.69314724f, 0.24022655f, 0.055502728f, 0.009617066f, 0.0013417796f, 0.00015821873f), 1.0f);
  return scale_f32(p, (i32)(bits_of(t) - bits_of(ROUND_MAGIC_F)));
}
INLINE float exp10_f32(float x) {
  x = clamp_keep_nan(x, -46.0f, 39.0f);
  float t = fused(x, 3.321928095f, ROUND_MAGIC_F), k = t - ROUND_MAGIC_F;
  /* log10(2) = 0.30078125 (9 bits) + 2.487456638e-4 */
  float r = fused(k, -2.487456638e-4f, fused(k, -0.30078125f, x));
  return scale_f32(exp_poly_f32(r * 2.302585093f), (i32)(bits_of(t) - bits_of(ROUND_MAGIC_F)));
}

/* 2^k m: k and m - 1, m in [sqrt(1/2), sqrt(2)). x > 0 and finite; denormals too. */
struct log_parts { float f; float k; };
INLINE log_parts log_reduce_f32(float x) {
  bool tiny = x < 1.17549435e-38f;
  u32 i = bits_of(tiny ? x * 8388608.0f : x) - 0x3f3504f3u;
  i32 k = ((i32)i >> 23) - (tiny ? 23 : 0);
  return {f32_from((i & 0x007fffffu) + 0x3f3504f3u) - 1.0f, (float)k};
}
/* log of 0, negative numbers, inf and NaN put in place of y = log(x). */
INLINE float log_special(float x, float y) {
  y = x == f32_inf() ? x : y;
  y = x == 0.0f ? -f32_inf() : y;
  return x < 0.0f || is_nan(x) ? f32_nan() : y;
}
/* (log(1 + f) - f) for f in [sqrt(1/2) - 1, sqrt(2) - 1] */
INLINE float log1p_tail_f32(float f) {
  float z = f * f;
  return z * f *
             poly(f, 0.3333333f, -0.25000823f, 0.2000126f, -0.16623327f, 0.14200965f, -0.13159652f, 0.12767215f,
                  -0.07643268f) -
         0.5f * z;
}
INLINE float log_f32_finite(float x) {
  log_parts p = log_reduce_f32(x);
  return p.k * LN2_HI_F + (p.f + (log1p_tail_f32(p.f) + p.k * LN2_LO_F));
}
INLINE float log_f32(float x) { return log_special(x, log_f32_finite(x)); }
INLINE float log2_f32(float x) {
  log_parts p = log_reduce_f32(x);
  float q = poly(p.f, 0.44269505f, -0.7213472f, 0.4808944f, -0.3607072f, 0.2887872f, -0.23954545f, 0.20055576f,
                 -0.18762504f, 0.20962007f, -0.1464179f);
  /* log2(1 + f) = f + f q: the first term is exact */
  return log_special(x, p.k + (p.f + p.f * q));
}
INLINE float log10_f32(float x) {
  log_parts p = log_reduce_f32(x);
  float t = log1p_tail_f32(p.f);
  /* log10(2) = 0.30078125 + 2.487456638e-4 */
  float y = p.k * 0.30078125f + (p.f * 0.4342944819f + (t * 0.4342944819f + p.k * 2.487456638e-4f));
  return log_special(x, y);
}
/* log(1 + x), x > -1. 1 + x is 2^k m, and f = m - 1 = x 2^-k + (2^-k - 1) has no cancellation to lose bits by (k = 0: f
 * = x). */
INLINE float log1p_f32_finite(float x) {
  u32 i = bits_of(1.0f + x) - 0x3f3504f3u;
  i32 k = (i32)i >> 23;
  i32 h = k >> 1;
  float s1 = pow2_f32(-h), s2 = pow2_f32(h - k), kf = (float)k;
  float f = x * s1 * s2 + (s1 * s2 - 1.0f);
  return kf * LN2_HI_F + (f + (log1p_tail_f32(f) + kf * LN2_LO_F));
}
INLINE float log1p_f32(float x) {
  float y = log1p_f32_finite(x);
  y = x == f32_inf() ? x : y;
  y = x == -1.0f ? -f32_inf() : y;
  y = x < -1.0f || is_nan(x) ? f32_nan() : y;
  return x == 0.0f ? x : y;
}
/* e^x - 1: with r and k as in exp, 2^k (e^r - 1) + (2^k - 1); k = 0 for |x| <= 1/2, where the polynomial reaches
 * further. */
INLINE float expm1_f32(float x) {
  float c = clamp_keep_nan(x, -18.0f, 89.0f);
  exp_parts p = exp_reduce_f32(c);
  bool near = fabs_(x) <= 0.5f;
  float r = near ? x : p.r;
  p.k = near ? 0 : p.k;
  float q = r + (r * r) * poly(r, 0.50000006f, 0.16666675f, 0.041664947f, 0.008332038f, 0.0014011096f, 0.00020327329f);
  /* 2^(k-1) keeps k = 128 representable. */
  float s = pow2_f32(p.k - 1);
  float y = 2.0f * (s * q + (s - 0.5f));
  return fabs_(x) < 1e-7f ? x : y;
}

/* log2 of a positive finite float, in f64 arithmetic: log2 m = s (c0 + c1 s^2 + …), s = (m - 1)/(m + 1). */
INLINE double log2_wide(float x) {
  log_parts p = log_reduce_f32(x);
  double f = p.f, s = plain_quotient(f, 2.0 + f), z = s * s;
  return (double)p.k + s * poly(z, 2.885390081790042, 0.9617966733672068, 0.5770835811531844, 0.41167292405114453,
                                0.3407265207629468);
}
/* 2^t rounded to float, for any t that is not NaN. */
INLINE float exp2_wide(double t) {
  t = t < -160.0 ? -160.0 : t;
  t = t > 140.0 ? 140.0 : t;
  double u = t + 6755399441055744.0; /* 1.5 * 2^52 */
  double r = t - (u - 6755399441055744.0);
  i32 k = (i32)(u32)bits_of(u);
  double p = poly(r, 1.0, 0.6931472149688567, 0.24022652787978555, 0.05550310553466765, 0.009617692302632493,
                  0.0013406642528503946, 0.00015594869239273518);
  return (float)(p * pow2_f64(k));
}
INLINE float pow_f32(float x, float y) {
  float ax = fabs_(x);
  double l = log2_wide(ax);
  l = ax == 0.0f ? -f64_inf() : l;
  l = ax == f32_inf() ? f64_inf() : l;
  double t = (double)y * l;
  t = ax == 1.0f ? 0.0 : t;             /* (±1)^±inf is 1 */
  float r = exp2_wide(t);
  bool integral = trunc_(y) == y;
  bool odd = integral && trunc_(0.5f * y) != 0.5f * y;
  r = odd ? copysign_(r, x) : r;
  bool invalid = (x < 0.0f && ax != f32_inf() && !integral) || is_nan(x) || is_nan(y);
  r = invalid ? f32_nan() : r;
  return y == 0.0f || x == 1.0f ? 1.0f : r;
}

/* e^r = even + odd, e^-r = even - odd: both exponentials from one polynomial. */
INLINE float sinh_f32(float x) {
  float a = fabs_(x), z = x * x;
  float small = x + x * z * poly(z, 0.16666667f, 0.0083333105f, 0.00019842896f, 2.7822118e-06f);
  exp_parts p = exp_reduce_f32(a > 90.0f ? 90.0f : a);
  float q = p.r * p.r;
  float even = 1.0f + q * poly(q, 0.49999994f, 0.04166806f, 0.0013843807f);
  float odd = p.r + p.r * q * poly(q, 0.16666514f, 0.008369551f);
  float big = scale_f32(even + odd, p.k - 1) - scale_f32(even - odd, -p.k - 1);
  return a < 1.0f ? small : copysign_(big, x);
}
INLINE float cosh_f32(float x) {
  float a = fabs_(x);
  exp_parts p = exp_reduce_f32(a > 90.0f ? 90.0f : a);
  float q = p.r * p.r;
  float even = 1.0f + q * poly(q, 0.49999994f, 0.04166806f, 0.0013843807f);
  float odd = p.r + p.r * q * poly(q, 0.16666514f, 0.008369551f);
  return scale_f32(even + odd, p.k - 1) + scale_f32(even - odd, -p.k - 1);
}
/* Odd polynomial near 0, otherwise 1 - 2 / (e^2x + 1). */
INLINE float tanh_f32(float x) {
  float a = fabs_(x), z = x * x;
  float small = x + x * z * poly(z, -0.333333f, 0.13331936f, -0.053784713f, 0.0207986f, -0.0058979215f);
  exp_parts p = exp_reduce_f32(a > 10.0f ? 20.0f : 2.0f * a);
  float e = exp_poly_f32(p.r) * pow2_f32(p.k);
  float big = 1.0f - 2.0f / (e + 1.0f);
  return copysign_(a < 0.6f ? fabs_(small) : big, x);
}
/* log1p(a + a^2 / (1 + sqrt(1 + a^2))); for large a log(2a). */
INLINE float asinh_f32(float x) {
  float a = fabs_(x), z = a * a;
  bool large = a > 1e9f;
  float u = a + z / (1.0f + sqrt_(1.0f + z));
  float y = log1p_f32_finite(large ? a : u) + (large ? 0.693147181f : 0.0f);
  y = a < f32_inf() ? y : a;
  return copysign_(a < 1e-4f ? a : y, x);
}
INLINE float acosh_f32(float x) {
  float t = x - 1.0f;
  bool large = x > 1e9f;
  float y = log1p_f32_finite(large ? t : t + sqrt_(2.0f * t + t * t)) + (large ? 0.693147181f : 0.0f);
  y = x == f32_inf() ? x : y;
  return x >= 1.0f ? y : f32_nan();
}
INLINE float atanh_f32(float x) {
  float a = fabs_(x);
  float y = 0.5f * log1p_f32_finite(2.0f * a / (1.0f - a));
  y = a == 1.0f ? f32_inf() : y;
  y = a <= 1.0f ? y : f32_nan();
  return copysign_(a < 1e-4f ? a : y, x);
}
