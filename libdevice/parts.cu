/*
 * Functions that take numbers apart and put them together: fmod, remainder, frexp, ldexp, logb, nextafter and their
 * like, all exact; and Euclidean norms, scaled so that no square overflows or is lost.
 */
#include "prelude.h"

/* ------------------------------------------------------------------ exponents */
/* m 2^e, 1 <= m < 2 for x > 0 finite. */
struct parts { double m; i32 e; };
INLINE parts split(double x) {
  bool tiny = x < 2.2250738585072014e-308;
  u64 b = bits_of(tiny ? x * 18014398509481984.0 : x); /* 2^54 */
  return {f64_from((b & 0x000fffffffffffffull) | 0x3ff0000000000000ull),
          (i32)(b >> 52 & 2047) - 1023 - (tiny ? 54 : 0)};
}
INLINE bool ordinary(double x) { return x != 0.0 && (bits_of(x) & 0x7fffffffffffffffull) < 0x7ff0000000000000ull; }

INLINE double ldexp_(double x, i32 n) {
  parts p = split(fabs_(x));
  n = n > 5000 ? 5000 : n < -5000 ? -5000 : n;
  i32 e = p.e + n;
  e = e > 1100 ? 1100 : e < -1100 ? -1100 : e;
  /* The first product is exact, the second rounds once where the result is denormal. */
  i32 h = e < 0 ? -1000 : 1000;
  double y = p.m * pow2_f64(e - h) * pow2_f64(h);
  return ordinary(x) ? copysign_(y, x) : x;
}
INLINE float ldexp_(float x, i32 n) {
  n = n > 400 ? 400 : n < -400 ? -400 : n;
  return (float)((double)x * pow2_f64(n));
}
DEVICE_FN double __nv_ldexp(double x, i32 n) { return ldexp_(x, n); }
DEVICE_FN float __nv_ldexpf(float x, i32 n) { return ldexp_(x, n); }
DEVICE_FN double __nv_scalbn(double x, i32 n) { return ldexp_(x, n); }
DEVICE_FN float __nv_scalbnf(float x, i32 n) { return ldexp_(x, n); }

INLINE double frexp_(double x, i32* e) {
  parts p = split(fabs_(x));
  bool o = ordinary(x);
  *e = o ? p.e + 1 : 0;
  return o ? copysign_(0.5 * p.m, x) : x;
}
DEVICE_FN double __nv_frexp(double x, i32* e) { return frexp_(x, e); }
DEVICE_FN float __nv_frexpf(float x, i32* e) { return (float)frexp_((double)x, e); }
/* 0: INT_MIN; inf: INT_MAX; NaN: INT_MIN, as CUDA has it. */
INLINE i32 ilogb_(double x) {
  i32 e = split(fabs_(x)).e;
  e = ordinary(x) ? e : -2147483647 - 1;
  return fabs_(x) == f64_inf() ? 2147483647 : e;
}
DEVICE_FN i32 __nv_ilogb(double x) { return ilogb_(x); }
DEVICE_FN i32 __nv_ilogbf(float x) { return ilogb_((double)x); }
INLINE double logb_(double x) {
  double y = (double)split(fabs_(x)).e;
  y = x == 0.0 ? -f64_inf() : y;
  return ordinary(x) || x == 0.0 ? y : x * x;
}
DEVICE_FN double __nv_logb(double x) { return logb_(x); }
DEVICE_FN float __nv_logbf(float x) { return (float)logb_((double)x); }

INLINE float modf_(float x, float* whole) {
  float t = trunc_(x);
  *whole = t;
  return copysign_(fabs_(x) == f32_inf() ? 0.0f : x - t, x);
}
INLINE double modf_(double x, double* whole) {
  double t = trunc_(x);
  *whole = t;
  return copysign_(fabs_(x) == f64_inf() ? 0.0 : x - t, x);
}
DEVICE_FN float __nv_modff(float x, float* whole) { return modf_(x, whole); }
DEVICE_FN double __nv_modf(double x, double* whole) { return modf_(x, whole); }

DEVICE_FN float __nv_nextafterf(float x, float y) {
  u32 b = bits_of(x);
  bool up = x < y;
  u32 n = x == 0.0f ? (up ? 1u : 0x80000001u) : ((i32)b < 0) == up ? b - 1 : b + 1;
  float r = x == y ? y : f32_from(n);
  return is_nan(x) || is_nan(y) ? f32_nan() : r;
}
DEVICE_FN double __nv_nextafter(double x, double y) {
  u64 b = bits_of(x);
  bool up = x < y;
  u64 n = x == 0.0 ? (up ? 1ull : 0x8000000000000001ull) : ((i64)b < 0) == up ? b - 1 : b + 1;
  double r = x == y ? y : f64_from(n);
  return is_nan(x) || is_nan(y) ? f64_nan() : r;
}

/* ------------------------------------------------------------------ remainders */
/* |x| = quotient |y| + rest for ordinary x and y: long division, eleven bits of the quotient a step. `low` are its last
 * bits. */
struct division { double rest; u32 low; };
static DEVICE NOINLINE division divide(double x, double y) {
  x = fabs_(x); y = fabs_(y);
  if (x < y) return {x, 0};
  parts a = split(x), b = split(y);
  u64 m = (bits_of(a.m) & 0x000fffffffffffffull) | 0x0010000000000000ull;
  u64 d = (bits_of(b.m) & 0x000fffffffffffffull) | 0x0010000000000000ull;
  i32 n = a.e - b.e;
  u32 low = (u32)(m / d);
  m %= d;
  while (n > 0) {
    i32 step = n < 11 ? n : 11;
    m <<= step;
    low = low << step | (u32)(m / d);
    m %= d;
    n -= step;
  }
  return {ldexp_((double)m, b.e - 52), low};
}
static DEVICE NOINLINE double fmod_f64(double x, double y) {
  bool valid = ordinary(x) && ordinary(y);
  /* inf mod y and x mod 0 are NaN; 0 mod y and x mod inf are x. */
  double special = is_nan(x) || is_nan(y) || fabs_(x) == f64_inf() || y == 0.0 ? f64_nan() : x;
  return valid ? copysign_(divide(x, y).rest, x) : special;
}
struct rounded_division { double rest; i32 quotient; };
static DEVICE NOINLINE rounded_division remainder_f64(double x, double y) {
  bool valid = ordinary(x) && ordinary(y);
  double special = is_nan(x) || is_nan(y) || fabs_(x) == f64_inf() || y == 0.0 ? f64_nan() : x;
  if (!valid) return {special, 0};
  division v = divide(x, y);
  double ay = fabs_(y), r = v.rest;
  /* Compare r with y - r (exact for r >= y/2 by Sterbenz's lemma; below that the comparison cannot be wrong). */
  double other = ay - r;
  bool up = r > other || (r == other && (v.low & 1));
  r = up ? r - ay : r;
  u32 q = (v.low + (up ? 1u : 0u)) & 0x7fffffffu;
  r = r == 0.0 ? copysign_(0.0, x) : sign_of(x) ? -r : r;
  return {r, sign_of(x) != sign_of(y) ? -(i32)q : (i32)q};
}
DEVICE_FN double __nv_fmod(double x, double y) { return fmod_f64(x, y); }
DEVICE_FN float __nv_fmodf(float x, float y) {
  /* In f64 the quotient's integer part is right and the product exact as long as the quotient has at most 28 bits. */
  double a = fabs_(x), b = fabs_(y), q = a / b;
  double r = a - trunc_(q) * b;
  float fast = copysign_((float)r, x);
  if (!(q < 268435456.0) || b > 3.5e38) fast = (float)fmod_f64((double)x, (double)y);
  return fast;
}
DEVICE_FN double __nv_remainder(double x, double y) { return remainder_f64(x, y).rest; }
DEVICE_FN float __nv_remainderf(float x, float y) { return (float)remainder_f64((double)x, (double)y).rest; }
/* CUDA keeps as many low bits of the quotient as fit; C asks for three. */
DEVICE_FN double __nv_remquo(double x, double y, i32* q) {
  rounded_division r = remainder_f64(x, y);
  *q = r.quotient;
  return r.rest;
}
DEVICE_FN float __nv_remquof(float x, float y, i32* q) {
  rounded_division r = remainder_f64((double)x, (double)y);
  *q = r.quotient;
  return (float)r.rest;
}

/* ------------------------------------------------------------------ norms */
/* Floats: the squares are exact in f64 and cannot overflow. */
INLINE double square(float x) { return (double)x * (double)x; }
INLINE bool infinite(float x) { return fabs_(x) == f32_inf(); }
INLINE bool infinite(double x) { return fabs_(x) == f64_inf(); }
DEVICE_FN float __nv_hypotf(float a, float b) {
  float y = (float)sqrt_(square(a) + square(b));
  return infinite(a) || infinite(b) ? f32_inf() : y;
}
DEVICE_FN float __nv_rhypotf(float a, float b) {
  float y = (float)(1.0 / sqrt_(square(a) + square(b)));
  return infinite(a) || infinite(b) ? 0.0f : y;
}
DEVICE_FN float __nv_norm3df(float a, float b, float c) {
  float y = (float)sqrt_(square(a) + square(b) + square(c));
  return infinite(a) || infinite(b) || infinite(c) ? f32_inf() : y;
}
DEVICE_FN float __nv_rnorm3df(float a, float b, float c) {
  float y = (float)(1.0 / sqrt_(square(a) + square(b) + square(c)));
  return infinite(a) || infinite(b) || infinite(c) ? 0.0f : y;
}
DEVICE_FN float __nv_norm4df(float a, float b, float c, float d) {
  float y = (float)sqrt_(square(a) + square(b) + square(c) + square(d));
  return infinite(a) || infinite(b) || infinite(c) || infinite(d) ? f32_inf() : y;
}
DEVICE_FN float __nv_rnorm4df(float a, float b, float c, float d) {
  float y = (float)(1.0 / sqrt_(square(a) + square(b) + square(c) + square(d)));
  return infinite(a) || infinite(b) || infinite(c) || infinite(d) ? 0.0f : y;
}
INLINE double sum_of_squares(i32 n, const float* p, bool* inf) {
  double s = 0.0;
  bool any = false;
  for (i32 i = 0; i < n; i++) { s += square(p[i]); any = any || infinite(p[i]); }
  *inf = any;
  return s;
}
DEVICE_FN float __nv_normf(i32 n, const float* p) {
  bool inf;
  double s = sum_of_squares(n, p, &inf);
  return inf ? f32_inf() : (float)sqrt_(s);
}
DEVICE_FN float __nv_rnormf(i32 n, const float* p) {
  bool inf;
  double s = sum_of_squares(n, p, &inf);
  return inf ? 0.0f : (float)(1.0 / sqrt_(s));
}

/* Doubles: divided by the power of two below the largest; the sum of squares as a double-double. */
INLINE dd add_square(dd s, double x) { return dd_add(s, two_prod(x, x)); }
/* sqrt(s) and 1/sqrt(s) with one Newton correction in double-double. */
INLINE double root(dd s) {
  double r = sqrt_(s.hi);
  dd p = two_prod(r, r);
  double e = ((s.hi - p.hi) - p.lo) + s.lo;
  return s.hi > 0.0 ? r + e / (2.0 * r) : r;
}
INLINE double inverse_root(dd s) {
  double r = 1.0 / sqrt_(s.hi);
  dd p = two_prod(s.hi, r);
  dd q = two_prod(p.hi, r);
  double e = (1.0 - q.hi) - (q.lo + (p.lo + s.lo * r) * r);
  return s.hi > 0.0 ? r + r * (0.5 * e) : r;
}
/* 2^-e and 2^e for the exponent e of the largest magnitude, held within what one factor can do: the squares neither
 * overflow nor vanish. */
struct scaling { double down, up; };
INLINE scaling scaling_for(double top) {
  i32 e = (i32)(bits_of(top) >> 52) - 1023;
  e = e < -1000 ? -1000 : e > 1000 ? 1000 : e;
  return {pow2_f64(-e), pow2_f64(e)};
}
/* The result for a sum of squares of scaled components. */
INLINE double norm_result(dd s, scaling k, double top, bool any_infinite, bool any_nan, bool inverse) {
  double y = inverse ? inverse_root(s) * k.down : root(s) * k.up;
  y = top == 0.0 ? (inverse ? f64_inf() : 0.0) : y;
  y = any_nan ? f64_nan() : y;
  return any_infinite ? (inverse ? 0.0 : f64_inf()) : y;
}
INLINE double hypot_f64(double a, double b, bool inverse) {
  a = fabs_(a); b = fabs_(b);
  double top = a > b ? a : b;
  scaling k = scaling_for(top);
  dd s = add_square(two_prod(a * k.down, a * k.down), b * k.down);
  return norm_result(s, k, top, infinite(a) || infinite(b), is_nan(a) || is_nan(b), inverse);
}
static DEVICE NOINLINE double norm_f64(double a, double b, double c, double d, bool inverse) {
  a = fabs_(a); b = fabs_(b); c = fabs_(c); d = fabs_(d);
  double ab = a > b ? a : b, cd = c > d ? c : d, top = ab > cd ? ab : cd;
  scaling k = scaling_for(top);
  dd s = two_prod(a * k.down, a * k.down);
  s = add_square(s, b * k.down);
  s = add_square(s, c * k.down);
  s = add_square(s, d * k.down);
  return norm_result(s, k, top, infinite(a) || infinite(b) || infinite(c) || infinite(d),
                     is_nan(a) || is_nan(b) || is_nan(c) || is_nan(d), inverse);
}
DEVICE_FN double __nv_hypot(double a, double b) { return hypot_f64(a, b, false); }
DEVICE_FN double __nv_rhypot(double a, double b) { return hypot_f64(a, b, true); }
DEVICE_FN double __nv_norm3d(double a, double b, double c) { return norm_f64(a, b, c, 0.0, false); }
DEVICE_FN double __nv_rnorm3d(double a, double b, double c) { return norm_f64(a, b, c, 0.0, true); }
DEVICE_FN double __nv_norm4d(double a, double b, double c, double d) { return norm_f64(a, b, c, d, false); }
DEVICE_FN double __nv_rnorm4d(double a, double b, double c, double d) { return norm_f64(a, b, c, d, true); }
static DEVICE NOINLINE double norm_many(i32 n, const double* p, bool inverse) {
  double top = 0.0;
  bool inf = false, nan = false;
  for (i32 i = 0; i < n; i++) {
    double a = fabs_(p[i]);
    top = a > top ? a : top;
    inf = inf || infinite(a);
    nan = nan || is_nan(a);
  }
  scaling k = scaling_for(top);
  dd s = {0.0, 0.0};
  for (i32 i = 0; i < n; i++) s = add_square(s, p[i] * k.down);
  return norm_result(s, k, top, inf, nan, inverse);
}
DEVICE_FN double __nv_norm(i32 n, const double* p) { return norm_many(n, p, false); }
DEVICE_FN double __nv_rnorm(i32 n, const double* p) { return norm_many(n, p, true); }
/* The reciprocal's upper word only; the lower word is zero. */
DEVICE_FN double __nv_rcp64h(double x) { return f64_from(bits_of(1.0 / x) & 0xffffffff00000000ull); }
