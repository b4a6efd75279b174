/*
 * Arithmetic rounded towards zero, down and up, exactly.
 *
 * float: the exact result is brought to a double rounded to odd (Boldo and Melquiond, "Emulation of FMA and correctly
 * rounded sums: proved algorithms using rounding to odd", 2008), from which one directed rounding is right.
 * double: operands are scaled to [1, 2), the operation is done to nearest together with the sign of its error, and the
 * pair is packed, denormal results and overflow included. fma, addition and multiplication are one function.
 */
#include "prelude.h"

enum : i32 { TO_ZERO = 0, DOWN = 1, UP = 2 };
INLINE bool rounds_away(i32 mode, bool negative) { return mode == UP ? !negative : mode == DOWN ? negative : false; }

/* ------------------------------------------------------------------ float */
INLINE float step_up(float x) {
  u32 b = bits_of(x), n = (i32)b < 0 ? b - 1 : b + 1;
  n = b == 0x80000000u ? 1u : n;
  return x < f32_inf() ? f32_from(n) : x;
}
INLINE float step_down(float x) { return -step_up(-x); }
/* The double x (or exact value rounded to odd) to float. */
INLINE float to_f32(double x, i32 mode) {
  float y = (float)x;
  float up = (double)y < x ? step_up(y) : y, down = (double)y > x ? step_down(y) : y;
  return mode == UP ? up : mode == DOWN ? down : x < 0.0 ? up : down;
}
/* a + b rounded to odd; the sign of an exact zero follows the mode. */
INLINE double add_to_odd(double a, double b, i32 mode) {
  dd s = two_sum(a, b);
  u64 m = bits_of(s.hi);
  bool grow = (s.lo > 0.0) == (s.hi > 0.0);
  double odd = f64_from((m & 1) ? m : grow ? m + 1 : m - 1);
  double y = s.lo != 0.0 && fabs_(s.hi) < f64_inf() ? odd : s.hi;
  /* x - x is -0 when rounding down; -0 + -0 and +0 + +0 keep their sign */
  bool opposite = sign_of(a) != sign_of(b);
  return y == 0.0 && opposite && mode == DOWN ? -0.0 : y;
}
#define F32_MODES(name, mode)                                                                                          \
  DEVICE_FN float __nv_fadd_##name(float a, float b) { return to_f32(add_to_odd(a, b, mode), mode); }                  \
  DEVICE_FN float __nv_fsub_##name(float a, float b) { return to_f32(add_to_odd(a, -b, mode), mode); }                 \
  DEVICE_FN float __nv_fmul_##name(float a, float b) { return to_f32((double)a * b, mode); }                           \
  DEVICE_FN float __nv_fmaf_##name(float a, float b, float c) {                                                        \
    return to_f32(add_to_odd((double)a * b, c, mode), mode);                                                           \
  }                                                                                                                    \
  DEVICE_FN float __nv_fmaf_ieee_##name(float a, float b, float c) { return __nv_fmaf_##name(a, b, c); }               \
  /* a/b and sqrt(a) lie 2^-49 or more (relatively) from any float that they do not equal: rounding to double first is \
   * safe */                                                                                                           \
  DEVICE_FN float __nv_fdiv_##name(float a, float b) { return to_f32((double)a / b, mode); }                           \
  DEVICE_FN float __nv_frcp_##name(float a) { return to_f32(1.0 / a, mode); }                                          \
  DEVICE_FN float __nv_fsqrt_##name(float a) { return to_f32(sqrt_((double)a), mode); }
F32_MODES(rz, TO_ZERO)
F32_MODES(rd, DOWN)
F32_MODES(ru, UP)
/* Correctly rounded (checked for every float): the double's error is below 2^-52, no 1/sqrt(x) of a float lies so near
 * a midpoint. */
DEVICE_FN float __nv_frsqrt_rn(float x) { return (float)(1.0 / sqrt_((double)x)); }

/* ------------------------------------------------------------------ double */
/* x = m 2^e with 1 <= |m| < 2; x is finite and not 0. */
struct scaled { double m; i32 e; };
INLINE scaled normalize(double x) {
  bool tiny = fabs_(x) < 2.2250738585072014e-308;
  u64 b = bits_of(tiny ? x * 18014398509481984.0 : x); /* 2^54 */
  return {f64_from((b & 0x800fffffffffffffull) | 0x3ff0000000000000ull),
          (i32)(b >> 52 & 2047) - 1023 - (tiny ? 54 : 0)};
}
/* (v + something of the sign of z, smaller than half an ulp of v) 2^k in the mode; v is not 0 and of moderate size. */
static DEVICE NOINLINE double pack(double v, double z, i32 k, i32 mode) {
  bool negative = v < 0.0;
  scaled s = normalize(fabs_(v));
  u64 m = ((bits_of(s.m) & 0x000fffffffffffffull) | 0x0010000000000000ull) << 10;
  m = z == 0.0 ? m : (z < 0.0) == negative ? m + 1 : m - 1;
  i32 e = s.e + k;
  bool below = m < (1ull << 62); /* 1.0 less a little: one binade down */
  m = below ? m << 1 : m;
  e = below ? e - 1 : e;
  i32 shift = e < -1022 ? 10 + (-1022 - e) : 10;
  shift = shift > 63 ? 63 : shift;
  u64 kept = m >> shift, lost = m & ((1ull << shift) - 1);
  kept += lost != 0 && rounds_away(mode, negative) ? 1 : 0;
  u64 bits = e < -1022 ? kept : ((u64)(u32)(e + 1022) << 52) + kept;
  bool over = e > 1023;
  bits = over ? (rounds_away(mode, negative) ? 0x7ff0000000000000ull : 0x7fefffffffffffffull) : bits;
  return f64_from(bits | (negative ? 0x8000000000000000ull : 0));
}
INLINE bool plain(double x) { u64 e = bits_of(x) >> 52 & 2047; return e != 2047 && x != 0.0; }
static DEVICE NOINLINE double fma_directed(double a, double b, double c, i32 mode) {
  double nearest = __builtin_fma(a, b, c);
  bool finite_c = (bits_of(c) >> 52 & 2047) != 2047;
  /* Zeros, infinities and NaN need no rounding; only the sign of a zero sum depends on the mode. */
  bool product_negative = sign_of(a) != sign_of(b);
  double zero_sum = mode == DOWN && product_negative != sign_of(c) ? -0.0 : nearest;
  if (!plain(a) || !plain(b) || !finite_c) return nearest == 0.0 ? zero_sum : nearest;
  scaled x = normalize(a), y = normalize(b), w = normalize(c == 0.0 ? 1.0 : c);
  i32 k = x.e + y.e, d = w.e - k;
  d = d > 240 ? 240 : d < -240 ? -240 : d;
  /* Where c is far above the product, count from it. */
  k = w.e - k > 240 ? w.e - 240 : k;
  k = c == 0.0 ? x.e + y.e : k;
  double cs = c == 0.0 ? 0.0 : w.m * pow2_f64(d);
  double p = x.m * y.m, pl = __builtin_fma(x.m, y.m, -p);
  dd t = two_sum(cs, pl), v = two_sum(p, t.hi);
  double z = add_to_odd(t.lo, v.lo, TO_ZERO);
  dd r = two_sum(v.hi, z);
  return r.hi == 0.0 ? (mode == DOWN ? -0.0 : 0.0) : pack(r.hi, r.lo, k, mode);
}
static DEVICE NOINLINE double div_directed(double a, double b, i32 mode) {
  if (!plain(a) || !plain(b)) return a / b;
  scaled x = normalize(a), y = normalize(b);
  double q = x.m / y.m, rest = __builtin_fma(-q, y.m, x.m);
  return pack(q, y.m < 0.0 ? -rest : rest, x.e - y.e, mode);
}
static DEVICE NOINLINE double sqrt_directed(double a, i32 mode) {
  if (!plain(a) || a < 0.0) return sqrt_(a);
  scaled x = normalize(a);
  bool odd = x.e & 1;
  double m = odd ? 2.0 * x.m : x.m, q = sqrt_(m);
  return pack(q, __builtin_fma(-q, q, m), (x.e - (odd ? 1 : 0)) / 2, mode);
}
#define F64_MODES(name, mode)                                                                            \
  DEVICE_FN double __nv_dadd_##name(double a, double b) { return fma_directed(a, 1.0, b, mode); }        \
  DEVICE_FN double __nv_dsub_##name(double a, double b) { return fma_directed(a, 1.0, -b, mode); }       \
  DEVICE_FN double __nv_dmul_##name(double a, double b) {                                                \
    return fma_directed(a, b, sign_of(a) != sign_of(b) ? -0.0 : 0.0, mode);                              \
  }                                                                                                      \
  DEVICE_FN double __nv_fma_##name(double a, double b, double c) { return fma_directed(a, b, c, mode); } \
  DEVICE_FN double __nv_ddiv_##name(double a, double b) { return div_directed(a, b, mode); }             \
  DEVICE_FN double __nv_drcp_##name(double a) { return div_directed(1.0, a, mode); }                     \
  DEVICE_FN double __nv_dsqrt_##name(double a) { return sqrt_directed(a, mode); }
F64_MODES(rz, TO_ZERO)
F64_MODES(rd, DOWN)
F64_MODES(ru, UP)
