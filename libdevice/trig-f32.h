/*
 * Trigonometric functions of float and their inverses.
 *
 * Reduction: |x| up to 105615 by Cody-Waite in f64 arithmetic (k times the 33-bit first part of pi/2 is exact, so
 * nothing cancels); beyond that Payne and Hanek's method in integer arithmetic, behind the only branch. Inverse
 * functions: minimax polynomials on the reduced interval, arguments halved as usual.
 */
#pragma once
#include "prelude.h"

/* x = quadrant pi/2 + r, |r| <= pi/4 (a little more on the fast path); the quadrant modulo 4 is what counts. */
struct trig_parts { float r; i32 quadrant; };

/* 2/pi, 32 bits a word, after one word of integer part (which is 0). Enough for the largest exponent and 96 bits. */
DEVICE_DATA u32 TWO_OVER_PI[9] = {0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                  0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};

/* |x| >= 2^16, finite. */
static DEVICE NOINLINE trig_parts trig_reduce_large_f32(float x) {
  u32 b = bits_of(x) & 0x7fffffffu;
  u64 m = (b & 0x007fffffu) | 0x00800000u;
  /* |x| = m 2^e, -7 <= e <= 104. Bits of 2/pi of weight 2^(2-e) and above give multiples of 4 quadrants and drop out.
   */
  i32 e = (i32)(b >> 23) - 150;
  u32 skip = (u32)(e + 30), word = skip >> 5, shift = skip & 31;
  u32 w0 = TWO_OVER_PI[word], w1 = TWO_OVER_PI[word + 1], w2 = TWO_OVER_PI[word + 2], w3 = TWO_OVER_PI[word + 3];
  u64 ab = ((u64)w0 << 32 | w1) << shift, cd = ((u64)w2 << 32 | w3) << shift;
  u64 top = ab | ((u64)w2 << shift) >> 32;
  u64 p = m * top + ((m * (u32)(cd >> 32)) >> 32); /* |x| 2/pi modulo 4, in units of 2^-62 */
  i64 fraction = (i64)(p << 2);                    /* signed, in units of 2^-64 quadrants */
  i32 quadrant = (i32)(p >> 62) + (i32)((u64)fraction >> 63);
  float r = (float)((double)fraction * 8.515303950216386e-20); /* pi/2 2^-64 */
  bool negative = sign_of(x);
  return {negative ? -r : r, negative ? -quadrant : quadrant};
}
INLINE trig_parts trig_reduce_f32(float x) {
  double w = x;
  double t = w * 0.6366197723675814 + 6755399441055744.0; /* 1.5 * 2^52 */
  double k = t - 6755399441055744.0;
  /* pi/2 = 1.570796326734125614 (33 bits) + 6.077100506506192e-11 */
  double r = (w - k * 1.5707963267341256) - k * 6.077100506506192e-11;
  trig_parts p = {(float)r, (i32)(u32)bits_of(t)};
  float a = fabs_(x);
  if (a > 105615.0f && a < f32_inf()) p = trig_reduce_large_f32(x);
  p.r = a < f32_inf() ? p.r : f32_nan();
  return p;
}
/* sin(r + lo), |r| <= pi/4 */
INLINE float sin_poly_f32(float r, float lo = -0.0f) {
  float z = r * r;
  return r + (lo + r * z * poly(z, -0.16666655f, 0.008332191f, -0.00019518605f));
}
INLINE float cos_poly_f32(float r) {
  float z = r * r, half = 0.5f * z, w = 1.0f - half;
  return w + (((1.0f - w) - half) + z * z * poly(z, 0.041666646f, -0.0013887301f, 2.4430661e-05f));
}
/* sin of quadrant pi/2 + r */
INLINE float sin_quadrant_f32(float r, i32 quadrant, float lo = -0.0f) {
  float y = quadrant & 1 ? cos_poly_f32(r) : sin_poly_f32(r, lo);
  return quadrant & 2 ? -y : y;
}
INLINE float sin_f32(float x) {
  trig_parts p = trig_reduce_f32(x);
  return x == 0.0f ? x : sin_quadrant_f32(p.r, p.quadrant);
}
INLINE float cos_f32(float x) { trig_parts p = trig_reduce_f32(x); return sin_quadrant_f32(p.r, p.quadrant + 1); }
INLINE float tan_f32(float x) {
  trig_parts p = trig_reduce_f32(x);
  float z = p.r * p.r;
  float t = p.r + p.r * z * poly(z, 0.33333138f, 0.13339248f, 0.05337729f, 0.024542365f, 0.0029518264f, 0.009479016f);
  t = p.quadrant & 1 ? -1.0f / t : t;
  return x == 0.0f ? x : t;
}
/* x = quadrant / 2 + r exactly; pi r is kept as r + lo, for one ulp is asked. */
struct trig_parts_pi { float r, lo; i32 quadrant; };
INLINE trig_parts_pi trig_reduce_pi_f32(float x) {
  x = fabs_(x) < 8388608.0f ? x
                            : (x - x) + (fabs_(x) < 16777216.0f ? rint_(0.5f * x) == 0.5f * x ? 0.0f : 1.0f
                                                                : 0.0f); /* integers: even or odd */
  float k = rint_(2.0f * x);
  double wide = (double)(x - 0.5f * k) * 3.141592653589793;
  float r = (float)wide;
  return {r, (float)(wide - (double)r), to_i32(k)};
}
/* Zeros have the sign of x, as IEEE 754 recommends for sinPi. */
INLINE float sinpi_f32(float x) {
  trig_parts_pi p = trig_reduce_pi_f32(x);
  float y = sin_quadrant_f32(p.r, p.quadrant, p.lo);
  return y == 0.0f ? copysign_(0.0f, x) : y;
}
INLINE float cospi_f32(float x) {
  trig_parts_pi p = trig_reduce_pi_f32(x);
  return 0.0f + sin_quadrant_f32(p.r, p.quadrant + 1, p.lo);
}

/* asin x - x on [0, 1/2], z = x^2 */
INLINE float asin_tail_f32(float x, float z) {
  return x * z * poly(z, 0.16666752f, 0.074953094f, 0.04546916f, 0.02418466f, 0.04215861f);
}
/* |x| > 1/2: asin x = pi/2 - 2 asin sqrt((1 - x)/2). */
INLINE float asin_f32(float x) {
  float a = fabs_(x);
  bool big = a > 0.5f;
  float z = big ? 0.5f - 0.5f * a : a * a;
  float s = big ? sqrt_(z) : a;
  float t = asin_tail_f32(s, z);
  float y = big ? (1.57079637f - 2.0f * s) - (2.0f * t + 4.371139e-8f) : s + t; /* pi/2 = 1.57079637 - 4.371139e-8 */
  return copysign_(y, x);
}
INLINE float acos_f32(float x) {
  float a = fabs_(x);
  bool big = a > 0.5f;
  float z = big ? 0.5f - 0.5f * a : a * a;
  float s = big ? sqrt_(z) : x;
  float y = s + asin_tail_f32(s, z);
  float small = 1.57079637f - (y + 4.371139e-8f);
  float large = x < 0.0f ? 3.14159274f - (2.0f * y + 8.742278e-8f) : 2.0f * y;
  return big ? large : small;
}
/* atan on [0, 1] */
INLINE float atan_poly_f32(float t) {
  float z = t * t;
  return t + t * z *
                 poly(z, -0.33333153f, 0.19993767f, -0.14211006f, 0.106658086f, -0.07551792f, 0.043206837f,
                      -0.01636481f, 0.0029199035f);
}
INLINE float atan_f32(float x) {
  float a = fabs_(x);
  bool big = a > 1.0f;
  float y = atan_poly_f32(big ? 1.0f / a : a);
  y = big ? 1.57079637f - (y + 4.371139e-8f) : y;
  return copysign_(y, x);
}
INLINE float atan2_f32(float y, float x) {
  float ax = fabs_(x), ay = fabs_(y);
  bool steep = ay > ax;
  float low = steep ? ax : ay, high = steep ? ay : ax;
  /* Both infinite: 1; both zero: 0. A huge divisor is scaled so that the quotient does not lose bits to denormals. */
  float t = low / high;
  t = low == high ? 1.0f : t;
  t = high == 0.0f ? 0.0f : t;
  float a = atan_poly_f32(t);
  a = steep ? 1.57079637f - (a + 4.371139e-8f) : a;
  a = sign_of(x) ? 3.14159274f - (a + 8.742278e-8f) : a;
  return is_nan(x) || is_nan(y) ? f32_nan() : copysign_(a, y);
}
