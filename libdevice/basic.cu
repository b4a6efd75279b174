/*
 * Integer helpers, conversions, bit casts, rounding, minimum and maximum, classification and the arithmetic whose
 * rounding is named. Conversions follow PTX's cvt: out-of-range values saturate; NaN becomes 0, or the most negative
 * value where the source is f64 or the result 64 bits wide.
 */
#include "prelude.h"

/* ------------------------------------------------------------------ integers */
DEVICE_FN i32 __nv_abs(i32 a) { return a < 0 ? (i32)(0u - (u32)a) : a; }
DEVICE_FN i64 __nv_llabs(i64 a) { return a < 0 ? (i64)(0ull - (u64)a) : a; }
DEVICE_FN i32 __nv_min(i32 a, i32 b) { return a < b ? a : b; }
DEVICE_FN i32 __nv_max(i32 a, i32 b) { return a > b ? a : b; }
DEVICE_FN u32 __nv_umin(u32 a, u32 b) { return a < b ? a : b; }
DEVICE_FN u32 __nv_umax(u32 a, u32 b) { return a > b ? a : b; }
DEVICE_FN i64 __nv_llmin(i64 a, i64 b) { return a < b ? a : b; }
DEVICE_FN i64 __nv_llmax(i64 a, i64 b) { return a > b ? a : b; }
DEVICE_FN u64 __nv_ullmin(u64 a, u64 b) { return a < b ? a : b; }
DEVICE_FN u64 __nv_ullmax(u64 a, u64 b) { return a > b ? a : b; }
DEVICE_FN i32 __nv_mulhi(i32 a, i32 b) { return (i32)(((i64)a * b) >> 32); }
DEVICE_FN u32 __nv_umulhi(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
INLINE u64 mul_high(u64 a, u64 b) {
  u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
  u64 mid = ah * bl + ((al * bl) >> 32), mid2 = al * bh + (u32)mid;
  return ah * bh + (mid >> 32) + (mid2 >> 32);
}
DEVICE_FN u64 __nv_umul64hi(u64 a, u64 b) { return mul_high(a, b); }
DEVICE_FN i64 __nv_mul64hi(i64 a, i64 b) {
  return (i64)(mul_high((u64)a, (u64)b) - (a < 0 ? (u64)b : 0) - (b < 0 ? (u64)a : 0));
}
DEVICE_FN i32 __nv_mul24(i32 a, i32 b) {
  return (i32)((u32)((i32)((u32)a << 8) >> 8) * (u32)((i32)((u32)b << 8) >> 8));
}
DEVICE_FN u32 __nv_umul24(u32 a, u32 b) { return (a & 0xffffffu) * (b & 0xffffffu); }
DEVICE_FN i32 __nv_clz(i32 a) { return a ? __builtin_clz((u32)a) : 32; }
DEVICE_FN i32 __nv_clzll(i64 a) { return a ? __builtin_clzll((u64)a) : 64; }
DEVICE_FN i32 __nv_popc(u32 a) { return __builtin_popcount(a); }
DEVICE_FN i32 __nv_popcll(u64 a) { return __builtin_popcountll(a); }
DEVICE_FN i32 __nv_ffs(i32 a) { return a ? __builtin_ctz((u32)a) + 1 : 0; }
DEVICE_FN i32 __nv_ffsll(i64 a) { return a ? __builtin_ctzll((u64)a) + 1 : 0; }
#if defined(HEDDLE_NATIVE)
INLINE u32 reverse_bits(u32 a) { u32 r = 0; for (int i = 0; i < 32; i++) r |= ((a >> i) & 1u) << (31 - i); return r; }
INLINE u64 reverse_bits(u64 a) { return (u64)reverse_bits((u32)a) << 32 | reverse_bits((u32)(a >> 32)); }
#else
INLINE u32 reverse_bits(u32 a) { return __builtin_bitreverse32(a); }
INLINE u64 reverse_bits(u64 a) { return __builtin_bitreverse64(a); }
#endif
DEVICE_FN i32 __nv_brev(i32 a) { return (i32)reverse_bits((u32)a); }
DEVICE_FN i64 __nv_brevll(i64 a) { return (i64)reverse_bits((u64)a); }
/* Selector nibbles pick bytes of b:a; bit 3 replicates the sign. __byte_perm looks at three bits only. */
DEVICE_FN i32 __nv_byte_perm(i32 a, i32 b, i32 s) {
  u64 v = (u64)(u32)b << 32 | (u32)a;
  u32 c = (u32)s;
  u32 r = (u32)(v >> ((c & 7) * 8)) & 0xff;
  r |= ((u32)(v >> ((c >> 4 & 7) * 8)) & 0xff) << 8;
  r |= ((u32)(v >> ((c >> 8 & 7) * 8)) & 0xff) << 16;
  r |= ((u32)(v >> ((c >> 12 & 7) * 8)) & 0xff) << 24;
  return (i32)r;
}
DEVICE_FN i32 __nv_sad(i32 a, i32 b, i32 c) { return (i32)((u32)c + (a > b ? (u32)a - (u32)b : (u32)b - (u32)a)); }
DEVICE_FN u32 __nv_usad(u32 a, u32 b, u32 c) { return c + (a > b ? a - b : b - a); }
DEVICE_FN i32 __nv_hadd(i32 a, i32 b) { return (a & b) + ((a ^ b) >> 1); }
DEVICE_FN u32 __nv_uhadd(u32 a, u32 b) { return (a & b) + ((a ^ b) >> 1); }
DEVICE_FN i32 __nv_rhadd(i32 a, i32 b) { return (a | b) - ((a ^ b) >> 1); }
DEVICE_FN u32 __nv_urhadd(u32 a, u32 b) { return (a | b) - ((a ^ b) >> 1); }

/* ------------------------------------------------------------------ bit casts */
DEVICE_FN i32 __nv_float_as_int(float x) { return (i32)bits_of(x); }
DEVICE_FN u32 __nv_float_as_uint(float x) { return bits_of(x); }
DEVICE_FN float __nv_int_as_float(i32 a) { return f32_from((u32)a); }
DEVICE_FN float __nv_uint_as_float(u32 a) { return f32_from(a); }
DEVICE_FN u64 __nv_double_as_longlong(double x) { return bits_of(x); }
DEVICE_FN double __nv_longlong_as_double(i64 a) { return f64_from((u64)a); }
DEVICE_FN i32 __nv_double2hiint(double x) { return (i32)(bits_of(x) >> 32); }
DEVICE_FN i32 __nv_double2loint(double x) { return (i32)(u32)bits_of(x); }
DEVICE_FN double __nv_hiloint2double(i32 hi, i32 lo) { return f64_from((u64)(u32)hi << 32 | (u32)lo); }

/* ------------------------------------------------------------------ rounding, classification, minimum and maximum */
DEVICE_FN float __nv_floorf(float x) { return floor_(x); }
DEVICE_FN double __nv_floor(double x) { return floor_(x); }
DEVICE_FN float __nv_ceilf(float x) { return __builtin_ceilf(x); }
DEVICE_FN double __nv_ceil(double x) { return __builtin_ceil(x); }
DEVICE_FN float __nv_truncf(float x) { return trunc_(x); }
DEVICE_FN double __nv_trunc(double x) { return trunc_(x); }
DEVICE_FN float __nv_rintf(float x) { return rint_(x); }
DEVICE_FN double __nv_rint(double x) { return rint_(x); }
DEVICE_FN float __nv_nearbyintf(float x) { return rint_(x); }
DEVICE_FN double __nv_nearbyint(double x) { return rint_(x); }
/* Halves away from zero: trunc(|x| + the largest number below 1/2) would be wrong only for odd integers of 2^23 and
 * more. */
INLINE float round_(float x) {
  float t = trunc_(x), d = fabs_(x - t);
  return copysign_(d >= 0.5f ? fabs_(t) + 1.0f : fabs_(t), x);
}
INLINE double round_(double x) {
  double t = trunc_(x), d = fabs_(x - t);
  return copysign_(d >= 0.5 ? fabs_(t) + 1.0 : fabs_(t), x);
}
DEVICE_FN float __nv_roundf(float x) { return round_(x); }
DEVICE_FN double __nv_round(double x) { return round_(x); }
DEVICE_FN float __nv_fabsf(float x) { return fabs_(x); }
DEVICE_FN double __nv_fabs(double x) { return fabs_(x); }
DEVICE_FN float __nv_copysignf(float x, float s) { return copysign_(x, s); }
DEVICE_FN double __nv_copysign(double x, double s) { return copysign_(x, s); }
DEVICE_FN float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
DEVICE_FN double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
DEVICE_FN float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
DEVICE_FN double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
DEVICE_FN float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE_FN double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
DEVICE_FN float __nv_saturatef(float x) { float y = x > 0.0f ? x : 0.0f; return y < 1.0f ? y : 1.0f; }
DEVICE_FN float __nv_fdimf(float a, float b) { return is_nan(a) || is_nan(b) ? f32_nan() : a > b ? a - b : 0.0f; }
DEVICE_FN double __nv_fdim(double a, double b) { return is_nan(a) || is_nan(b) ? f64_nan() : a > b ? a - b : 0.0; }
DEVICE_FN i32 __nv_isnanf(float x) { return is_nan(x); }
DEVICE_FN i32 __nv_isnand(double x) { return is_nan(x); }
DEVICE_FN i32 __nv_isinff(float x) { return (bits_of(x) & 0x7fffffffu) == 0x7f800000u; }
DEVICE_FN i32 __nv_isinfd(double x) { return (bits_of(x) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull; }
DEVICE_FN i32 __nv_finitef(float x) { return (bits_of(x) & 0x7fffffffu) < 0x7f800000u; }
DEVICE_FN i32 __nv_isfinited(double x) { return (bits_of(x) & 0x7fffffffffffffffull) < 0x7ff0000000000000ull; }
DEVICE_FN i32 __nv_signbitf(float x) { return sign_of(x); }
DEVICE_FN i32 __nv_signbitd(double x) { return sign_of(x); }
DEVICE_FN float __nv_nanf(const signed char*) { return f32_nan(); }
DEVICE_FN double __nv_nan(const signed char*) { return f64_nan(); }

/* ------------------------------------------------------------------ floating point to integer */
/* NAME(source, suffix, rounding): NaN gives 0 for 32-bit results of float, otherwise the bit pattern 100…0. */
#define TO_INTEGER(prefix, F, I, name, convert, nan) \
  DEVICE_FN I __nv_##prefix##2##name##_rz(F x) {     \
    I y = convert(x);                                \
    return is_nan(x) ? (I)nan : y;                   \
  }                                                  \
  DEVICE_FN I __nv_##prefix##2##name##_rn(F x) {     \
    I y = convert(rint_(x));                         \
    return is_nan(x) ? (I)nan : y;                   \
  }                                                  \
  DEVICE_FN I __nv_##prefix##2##name##_rd(F x) {     \
    I y = convert(floor_(x));                        \
    return is_nan(x) ? (I)nan : y;                   \
  }                                                  \
  DEVICE_FN I __nv_##prefix##2##name##_ru(F x) {     \
    I y = convert(-floor_(-x));                      \
    return is_nan(x) ? (I)nan : y;                   \
  }
TO_INTEGER(float, float, i32, int, to_i32, 0)
TO_INTEGER(float, float, u32, uint, to_u32, 0)
TO_INTEGER(float, float, i64, ll, to_i64, 0x8000000000000000ull)
TO_INTEGER(float, float, u64, ull, to_u64, 0x8000000000000000ull)
TO_INTEGER(double, double, i32, int, to_i32, 0x80000000u)
TO_INTEGER(double, double, u32, uint, to_u32, 0x80000000u)
TO_INTEGER(double, double, i64, ll, to_i64, 0x8000000000000000ull)
TO_INTEGER(double, double, u64, ull, to_u64, 0x8000000000000000ull)
DEVICE_FN i64 __nv_llrintf(float x) { return __nv_float2ll_rn(x); }
DEVICE_FN i64 __nv_llrint(double x) { return __nv_double2ll_rn(x); }
DEVICE_FN i64 __nv_llroundf(float x) { return __nv_float2ll_rz(round_(x)); }
DEVICE_FN i64 __nv_llround(double x) { return __nv_double2ll_rz(round_(x)); }

/* ------------------------------------------------------------------ neighbours, and directed rounding by the sign of
 * the error */
INLINE float next_up(float x) {
  u32 b = bits_of(x);
  u32 n = (i32)b < 0 ? b - 1 : b + 1;
  n = b == 0x80000000u ? 1u : n;
  return x < f32_inf() ? f32_from(n) : x;
}
INLINE float next_down(float x) { return -next_up(-x); }
INLINE double next_up(double x) {
  u64 b = bits_of(x);
  u64 n = (i64)b < 0 ? b - 1 : b + 1;
  n = b == 0x8000000000000000ull ? 1ull : n;
  return x < f64_inf() ? f64_from(n) : x;
}
INLINE double next_down(double x) { return -next_up(-x); }

/* double to float: the nearest, then one step where it lies on the wrong side. */
INLINE float f32_down(double x) { float y = (float)x; return (double)y > x ? next_down(y) : y; }
INLINE float f32_up(double x) { float y = (float)x; return (double)y < x ? next_up(y) : y; }
INLINE float f32_to_zero(double x) { return x < 0.0 ? f32_up(x) : f32_down(x); }
DEVICE_FN float __nv_double2float_rn(double x) { return (float)x; }
DEVICE_FN float __nv_double2float_rd(double x) { return f32_down(x); }
DEVICE_FN float __nv_double2float_ru(double x) { return f32_up(x); }
DEVICE_FN float __nv_double2float_rz(double x) { return f32_to_zero(x); }

/* ------------------------------------------------------------------ integer to floating point */
DEVICE_FN double __nv_int2double_rn(i32 a) { return (double)a; }
DEVICE_FN double __nv_uint2double_rn(u32 a) { return (double)a; }
#define FROM_INT32(name, I)                                                                  \
  DEVICE_FN float __nv_##name##2float_rn(I a) { return (float)a; }                          \
  DEVICE_FN float __nv_##name##2float_rd(I a) { return f32_down((double)a); }               \
  DEVICE_FN float __nv_##name##2float_ru(I a) { return f32_up((double)a); }                 \
  DEVICE_FN float __nv_##name##2float_rz(I a) { return f32_to_zero((double)a); }
FROM_INT32(int, i32)
FROM_INT32(uint, u32)
/* |a| with its lowest bits folded into a sticky bit fits a double exactly enough for float in every direction. */
INLINE double sticky_double(u64 m) {
  u64 kept = m >> 10, lost = m & 1023;
  return m < (1ull << 53) ? (double)m : (double)(i64)(kept << 1 | (lost ? 1 : 0)) * 512.0;
}
INLINE u64 magnitude(i64 a) { return a < 0 ? 0ull - (u64)a : (u64)a; }
INLINE double sticky_double_signed(i64 a) { double m = sticky_double(magnitude(a)); return a < 0 ? -m : m; }
DEVICE_FN float __nv_ll2float_rn(i64 a) { return (float)a; }
DEVICE_FN float __nv_ll2float_rd(i64 a) { return f32_down(sticky_double_signed(a)); }
DEVICE_FN float __nv_ll2float_ru(i64 a) { return f32_up(sticky_double_signed(a)); }
DEVICE_FN float __nv_ll2float_rz(i64 a) { return f32_to_zero(sticky_double_signed(a)); }
DEVICE_FN float __nv_ull2float_rn(u64 a) { return (float)a; }
DEVICE_FN float __nv_ull2float_rd(u64 a) { return f32_down(sticky_double(a)); }
DEVICE_FN float __nv_ull2float_ru(u64 a) { return f32_up(sticky_double(a)); }
DEVICE_FN float __nv_ull2float_rz(u64 a) { return f32_down(sticky_double(a)); }
/* Both 32-bit halves are exact doubles: the sum and its error tell the direction. */
INLINE dd exact(u64 a) { return two_sum((double)(u32)(a >> 32) * 4294967296.0, (double)(u32)a); }
INLINE dd exact(i64 a) { return two_sum((double)(i32)(a >> 32) * 4294967296.0, (double)(u32)a); }
INLINE double down(dd s) { return s.lo < 0.0 ? next_down(s.hi) : s.hi; }
INLINE double up(dd s) { return s.lo > 0.0 ? next_up(s.hi) : s.hi; }
DEVICE_FN double __nv_ll2double_rn(i64 a) { return (double)a; }
DEVICE_FN double __nv_ll2double_rd(i64 a) { return down(exact(a)); }
DEVICE_FN double __nv_ll2double_ru(i64 a) { return up(exact(a)); }
DEVICE_FN double __nv_ll2double_rz(i64 a) { return a < 0 ? up(exact(a)) : down(exact(a)); }
DEVICE_FN double __nv_ull2double_rn(u64 a) { return (double)a; }
DEVICE_FN double __nv_ull2double_rd(u64 a) { return down(exact(a)); }
DEVICE_FN double __nv_ull2double_ru(u64 a) { return up(exact(a)); }
DEVICE_FN double __nv_ull2double_rz(u64 a) { return down(exact(a)); }

/* ------------------------------------------------------------------ half */
DEVICE_FN float __nv_half2float(u16 h) {
  u32 e = h >> 10 & 31, m = h & 1023, sign = (u32)(h & 0x8000) << 16;
  float tiny = (float)m * 5.9604644775390625e-8f; /* 2^-24 */
  u32 wide = e == 31 ? 0x7f800000u | m << 13 : ((e + 112) << 23 | m << 13);
  return f32_from((e == 0 ? bits_of(tiny) : wide) | sign);
}
DEVICE_FN u16 __nv_float2half_rn(float x) {
  u32 b = bits_of(x), a = b & 0x7fffffffu, sign = b >> 16 & 0x8000u;
  /* Denormal results: adding 2^-1 aligns the last kept bit and rounds; normal ones: round half to even by hand. */
  u32 tiny = bits_of(f32_from(a) + 0.5f) - bits_of(0.5f);
  u32 normal = (a + 0xfffu + (a >> 13 & 1) - (112u << 23)) >> 13;
  u32 r = a < 0x38800000u ? tiny : normal;
  r = a >= 0x477ff000u ? 0x7c00u : r;
  r = a > 0x7f800000u ? 0x7fffu : r;
  return (u16)(a > 0x7f800000u ? r : r | sign);
}

/* ------------------------------------------------------------------ arithmetic to nearest: never fused, whatever the
 * user's flags */
DEVICE_FN float __nv_fadd_rn(float a, float b) { return a + b; }
DEVICE_FN float __nv_fsub_rn(float a, float b) { return a - b; }
DEVICE_FN float __nv_fmul_rn(float a, float b) { return a * b; }
DEVICE_FN float __nv_fdiv_rn(float a, float b) { return a / b; }
DEVICE_FN float __nv_frcp_rn(float a) { return 1.0f / a; }
DEVICE_FN float __nv_fsqrt_rn(float a) { return sqrt_(a); }
DEVICE_FN float __nv_fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE_FN float __nv_fmaf_ieee_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE_FN double __nv_dadd_rn(double a, double b) { return a + b; }
DEVICE_FN double __nv_dsub_rn(double a, double b) { return a - b; }
DEVICE_FN double __nv_dmul_rn(double a, double b) { return a * b; }
DEVICE_FN double __nv_ddiv_rn(double a, double b) { return a / b; }
DEVICE_FN double __nv_drcp_rn(double a) { return 1.0 / a; }
DEVICE_FN double __nv_dsqrt_rn(double a) { return sqrt_(a); }
DEVICE_FN double __nv_fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
