/*
 * What every part of the device mathematics library stands on: bit casts, polynomial evaluation, scaling by powers of
 * two, error-free transformations.
 *
 * The library is CUDA C++ compiled by Clang for nvptx to LLVM IR (with -ffp-contract=off: nothing here may be fused
 * behind our back, the error bounds are measured without fusing) and then, with the user's kernels, to WebAssembly.
 * The same source is plain C++ for the accuracy measurements (HEDDLE_NATIVE, scripts/measure-libdevice.mjs).
 *
 * Style: special cases are selects, not branches, because a warp runs as vectors with masks. A branch stands only
 * before a slow path that is rarely taken. Conversions from floating point to integers rely on the engine's
 * `fptosi`/`fptoui` being the hardware's: they saturate, and a NaN gives 0, but from double or to 64 bits the
 * integer with only the highest bit.
 */
#pragma once

#if defined(HEDDLE_NATIVE)
#define DEVICE
#define DEVICE_FN extern "C"
#define DEVICE_DATA static const
#define NOINLINE __attribute__((noinline))
#else
#define DEVICE __attribute__((device))
#define DEVICE_FN extern "C" __attribute__((device))
#define DEVICE_DATA static __attribute__((constant)) const
#define NOINLINE __attribute__((noinline))
#endif
#define INLINE static inline DEVICE __attribute__((always_inline))

using u8 = unsigned char;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;
/* As wide as a pointer. */
using word = __UINTPTR_TYPE__;
static_assert(sizeof(u32) == 4 && sizeof(u64) == 8, "integer widths");

INLINE u32 bits_of(float x) { return __builtin_bit_cast(u32, x); }
INLINE u64 bits_of(double x) { return __builtin_bit_cast(u64, x); }
INLINE float f32_from(u32 b) { return __builtin_bit_cast(float, b); }
INLINE double f64_from(u64 b) { return __builtin_bit_cast(double, b); }
INLINE u32 high_word(double x) { return (u32)(bits_of(x) >> 32); }

INLINE float f32_inf() { return f32_from(0x7f800000u); }
INLINE float f32_nan() { return f32_from(0x7fffffffu); }
INLINE double f64_inf() { return f64_from(0x7ff0000000000000ull); }
INLINE double f64_nan() { return f64_from(0x7fffffffffffffffull); }

INLINE float fabs_(float x) { return __builtin_fabsf(x); }
INLINE double fabs_(double x) { return __builtin_fabs(x); }
INLINE float sqrt_(float x) { return __builtin_sqrtf(x); }
INLINE double sqrt_(double x) { return __builtin_sqrt(x); }
INLINE float rint_(float x) { return __builtin_rintf(x); }
INLINE double rint_(double x) { return __builtin_rint(x); }
INLINE float floor_(float x) { return __builtin_floorf(x); }
INLINE double floor_(double x) { return __builtin_floor(x); }
INLINE float trunc_(float x) { return __builtin_truncf(x); }
INLINE double trunc_(double x) { return __builtin_trunc(x); }
INLINE float copysign_(float x, float s) { return __builtin_copysignf(x, s); }
INLINE double copysign_(double x, double s) { return __builtin_copysign(x, s); }
INLINE bool is_nan(float x) { return x != x; }
INLINE bool is_nan(double x) { return x != x; }
INLINE bool sign_of(float x) { return (i32)bits_of(x) < 0; }
INLINE bool sign_of(double x) { return (i64)bits_of(x) < 0; }

/* Saturating conversions, NaN becomes 0. On the device this is one instruction. */
#if defined(HEDDLE_NATIVE)
template <class I, class F> INLINE I saturate(F x, I low, I high, F below, F above) {
  return is_nan(x) ? (I)0 : x <= below ? low : x >= above ? high : (I)x;
}
template <class F>
INLINE i32 to_i32(F x) {
  return saturate<i32, F>(x, -2147483647 - 1, 2147483647, (F)-2147483649.0, (F)2147483648.0);
}
template <class F> INLINE u32 to_u32(F x) { return saturate<u32, F>(x, 0u, 4294967295u, (F)-1.0, (F)4294967296.0); }
template <class F>
INLINE i64 to_i64(F x) {
  return saturate<i64, F>(x, -9223372036854775807ll - 1, 9223372036854775807ll, (F)-9223372036854775808.0,
                          (F)9223372036854775808.0);
}
template <class F>
INLINE u64 to_u64(F x) {
  return saturate<u64, F>(x, 0ull, 18446744073709551615ull, (F)-1.0, (F)18446744073709551616.0);
}
#else
template <class F> INLINE i32 to_i32(F x) { return (i32)x; }
template <class F> INLINE u32 to_u32(F x) { return (u32)x; }
template <class F> INLINE i64 to_i64(F x) { return (i64)x; }
template <class F> INLINE u64 to_u64(F x) { return (u64)x; }
#endif

/* c0 + c1 x + c2 x^2 + … by Horner's rule. */
/* Fused: WebAssembly has it for vectors and, through them, for scalars. In double it is a call on hosts without relaxed
 * SIMD. */
INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE float poly(float, float c) { return c; }
INLINE double poly(double, double c) { return c; }
template <class... R>
INLINE float poly(float x, float c0, float c1, R... rest) {
  return fused(x, poly(x, c1, rest...), c0);
}
template <class... R>
INLINE double poly(double x, double c0, double c1, R... rest) {
#if defined(HEDDLE_FUSED_DOUBLE)
  return __builtin_fma(x, poly(x, c1, rest...), c0);
#else
  return c0 + x * poly(x, c1, rest...);
#endif
}

#if defined(HEDDLE_FUSED_DOUBLE)
/* 1 / x without the cases of a division, of which a GPU's code is long: x is normal, and so is the result. */
INLINE double plain_reciprocal(double x) {
#if defined(HEDDLE_NATIVE)
  double y = (double)(1.0f / (float)x);
#else
  double y = __nvvm_rcp_approx_ftz_d(x);
#endif
  y = __builtin_fma(y, __builtin_fma(-x, y, 1.0), y);
  return __builtin_fma(y, __builtin_fma(-x, y, 1.0), y);
}
#endif
/* a / b, within one unit in the last place, for b of a size near 1. */
INLINE double plain_quotient(double a, double b) {
#if defined(HEDDLE_FUSED_DOUBLE)
  double y = plain_reciprocal(b), q = a * y;
  return __builtin_fma(__builtin_fma(-b, q, a), y, q);
#else
  return a / b;
#endif
}

/* 2^k for a normal result: -126 <= k <= 127, -1022 <= k <= 1023. */
INLINE float pow2_f32(i32 k) { return f32_from((u32)(k + 127) << 23); }
INLINE double pow2_f64(i32 k) { return f64_from((u64)(u32)(k + 1023) << 52); }
/* x 2^k in two steps for -252 <= k <= 254 (f64: -2044 <= k <= 2046); a denormal result is rounded once. */
INLINE float scale_f32(float x, i32 k) { i32 h = k >> 1; return x * pow2_f32(h) * pow2_f32(k - h); }
INLINE double scale_f64(double x, i32 k) { i32 h = k >> 1; return x * pow2_f64(h) * pow2_f64(k - h); }
template <class F> INLINE F clamp_keep_nan(F x, F low, F high) { x = x < low ? low : x; return x > high ? high : x; }

/*
 * Double-double arithmetic: an unevaluated sum hi + lo, |lo| <= ulp(hi)/2. Error-free transformations after Knuth
 * (two_sum) and Dekker (fast_two_sum, two_prod by splitting): no fused multiply-add is assumed but where a unit is
 * compiled with HEDDLE_FUSED_DOUBLE, as those for GPUs are.
 */
struct dd { double hi, lo; };
INLINE dd fast_two_sum(double a, double b) { double s = a + b; return {s, b - (s - a)}; }
INLINE dd two_sum(double a, double b) { double s = a + b, t = s - a; return {s, (a - (s - t)) + (b - t)}; }
/* The upper 26 bits of x: products of two such halves are exact. */
INLINE double upper_half(double x) { return f64_from(bits_of(x) & 0xfffffffff8000000ull); }
INLINE dd two_prod(double a, double b) {
#if defined(HEDDLE_FUSED_DOUBLE)
  double product = a * b;
  return {product, __builtin_fma(a, b, -product)};
#endif
  double p = a * b, ah = upper_half(a), al = a - ah, bh = upper_half(b), bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}
INLINE dd dd_mul(dd a, dd b) {
  dd p = two_prod(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
INLINE dd dd_mul(dd a, double b) { dd p = two_prod(a.hi, b); return fast_two_sum(p.hi, p.lo + a.lo * b); }
INLINE dd dd_add(dd a, dd b) { dd s = two_sum(a.hi, b.hi); return fast_two_sum(s.hi, s.lo + (a.lo + b.lo)); }
INLINE dd dd_add(dd a, double b) { dd s = two_sum(a.hi, b); return fast_two_sum(s.hi, s.lo + a.lo); }
/* a / b to about 100 bits. */
INLINE dd dd_div(dd a, dd b) {
  double q = a.hi / b.hi; dd p = two_prod(q, b.hi);
  return fast_two_sum(q, (((a.hi - p.hi) - p.lo) + a.lo - q * b.lo) / b.hi);
}
/* The same for b of a size near 1. */
INLINE dd plain_dd_div(dd a, dd b) {
#if defined(HEDDLE_FUSED_DOUBLE)
  double y = plain_reciprocal(b.hi), q = a.hi * y;
  return fast_two_sum(q, (__builtin_fma(-q, b.hi, a.hi) + a.lo - q * b.lo) * y);
#else
  return dd_div(a, b);
#endif
}
