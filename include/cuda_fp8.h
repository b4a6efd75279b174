/*
 * 8-bit floating point: __nv_fp8_e4m3 and __nv_fp8_e5m2 with their pairs and fours, after the CUDA Math API ("FP8
 * Intrinsics"). The formats are those of Micikevicius et al., "FP8 Formats for Deep Learning" (2022): E5M2 is the upper
 * byte of a half, E4M3 has no infinity and 448 for its largest value. Conversions round to nearest even.
 */
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/** A finite float beyond the largest value becomes that value with __NV_SATFINITE; else NaN (E4M3) or infinity (E5M2).
 */
__HEDDLE_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                                     const __nv_fp8_interpretation_t format) {
  const unsigned bits = __builtin_bit_cast(unsigned, x), sign = (bits >> 24) & 0x80u, magnitude = bits & 0x7fffffffu;
  const bool e4m3 = format == __NV_E4M3;
  if (magnitude > 0x7f800000u) return (unsigned char)(e4m3 ? sign | 0x7fu : 0x7fu);
  const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, drop = 23 - mantissa;
  const unsigned largest = e4m3 ? 0x7eu : 0x7bu, overflow = e4m3 ? 0x7fu : 0x7cu;
  unsigned result;
  if ((int)(magnitude >> 23) - 127 < 1 - bias) {
    /* A multiple of the smallest value, 2^(1 - bias - mantissa). */
    const float scale = e4m3 ? 0x1p9f : 0x1p16f;
    result = (unsigned)__builtin_rintf(__builtin_bit_cast(float, magnitude) * scale);
  } else {
    const unsigned rounded = (magnitude + ((1u << (drop - 1)) - 1) + ((magnitude >> drop) & 1u)) >> drop;
    const unsigned rebased = rounded - ((unsigned)(127 - bias) << mantissa);
    result = rebased > largest ? overflow : rebased;
    if (rebased > largest && saturate == __NV_SATFINITE) result = largest;
  }
  return (unsigned char)(sign | result);
}
/** Rounded once: the float in between is rounded to odd. */
__HEDDLE_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                      const __nv_fp8_interpretation_t format) {
  float near = (float)x;
  unsigned bits = __builtin_bit_cast(unsigned, near);
  if ((double)near != x && x == x && (bits & 0x7fffffffu) < 0x7f800000u && !(bits & 1u)) {
    const bool inside = ((double)near < x) == (x > 0.0);
    bits = (bits & 0x7fffffffu) == 0 ? (__builtin_bit_cast(unsigned long long, x) >> 63 ? 0x80000001u : 1u)
           : inside                  ? bits + 1
                                     : bits - 1;
    near = __builtin_bit_cast(float, bits);
  }
  return __nv_cvt_float_to_fp8(near, saturate, format);
}
__HEDDLE_HD float __heddle_fp8_to_float(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t format) {
  if (format == __NV_E5M2) return __ushort_as_half((unsigned short)((unsigned)x << 8)).__to();
  const unsigned sign = (unsigned)(x & 0x80u) << 24, exponent = (x >> 3) & 15u, fraction = x & 7u;
  if ((x & 0x7fu) == 0x7fu) return __builtin_bit_cast(float, sign | 0x7fffffffu);
  if (exponent == 0) {
    const float value = (float)fraction * 0x1p-9f;
    return sign ? -value : value;
  }
  return __builtin_bit_cast(float, sign | (exponent + 120u) << 23 | fraction << 20);
}
__HEDDLE_HD __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t format) {
  return (__half_raw)__half(__heddle_fp8_to_float(x, format));
}
__HEDDLE_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
                                                       const __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__half(x).__to(), saturate, format);
}
__HEDDLE_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                                                           const __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__nv_bfloat16(x).__to(), saturate, format);
}
__HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate,
                                                          const __nv_fp8_interpretation_t format) {
  return (unsigned short)(__nv_cvt_float_to_fp8(x.x, saturate, format) | __nv_cvt_float_to_fp8(x.y, saturate, format)
                                                                             << 8);
}
__HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw x, const __nv_saturation_t saturate,
                                                            const __nv_fp8_interpretation_t format) {
  const __half2 h(x);
  return (unsigned short)(__nv_cvt_float_to_fp8(h.x.__to(), saturate, format) |
                          __nv_cvt_float_to_fp8(h.y.__to(), saturate, format) << 8);
}
__HEDDLE_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
                                                   const __nv_fp8_interpretation_t format) {
  return (__half2_raw)__half2(__half(__heddle_fp8_to_float((unsigned char)x, format)),
                              __half(__heddle_fp8_to_float((unsigned char)(x >> 8), format)));
}

#define __HEDDLE_FP8(NAME, FORMAT)                                                                                     \
  struct NAME {                                                                                                        \
    __nv_fp8_storage_t __x;                                                                                            \
    NAME() = default;                                                                                                  \
    explicit __HEDDLE_HD NAME(const float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, FORMAT)) {}                \
    explicit __HEDDLE_HD NAME(const double f) : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, FORMAT)) {}              \
    explicit __HEDDLE_HD NAME(const __half f) : __x(__nv_cvt_float_to_fp8(f.__to(), __NV_SATFINITE, FORMAT)) {}        \
    explicit __HEDDLE_HD NAME(const __nv_bfloat16 f) : __x(__nv_cvt_float_to_fp8(f.__to(), __NV_SATFINITE, FORMAT)) {} \
    explicit __HEDDLE_HD NAME(const int n) : __x(__nv_cvt_double_to_fp8((double)n, __NV_SATFINITE, FORMAT)) {}         \
    explicit __HEDDLE_HD NAME(const unsigned n) : __x(__nv_cvt_double_to_fp8((double)n, __NV_SATFINITE, FORMAT)) {}    \
    explicit __HEDDLE_HD operator float() const { return __heddle_fp8_to_float(__x, FORMAT); }                         \
    explicit __HEDDLE_HD operator double() const { return __heddle_fp8_to_float(__x, FORMAT); }                        \
    explicit __HEDDLE_HD operator __half() const { return __half(__heddle_fp8_to_float(__x, FORMAT)); }                \
    explicit __HEDDLE_HD operator __nv_bfloat16() const { return __nv_bfloat16(__heddle_fp8_to_float(__x, FORMAT)); }  \
    explicit __HEDDLE_HD operator int() const { return (int)__heddle_fp8_to_float(__x, FORMAT); }                      \
    explicit __HEDDLE_HD operator bool() const { return (__x & 0x7fu) != 0; }                                          \
  };
__HEDDLE_FP8(__nv_fp8_e4m3, __NV_E4M3)
__HEDDLE_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef __HEDDLE_FP8

#define __HEDDLE_FP8_VECTORS(NAME, ONE, FORMAT)                                                                       \
  struct __attribute__((aligned(2))) NAME##x2_##FORMAT {                                                              \
    __nv_fp8x2_storage_t __x;                                                                                         \
    NAME##x2_##FORMAT() = default;                                                                                    \
    explicit __HEDDLE_HD NAME##x2_##FORMAT(const float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, ONE)) {} \
    explicit __HEDDLE_HD NAME##x2_##FORMAT(const __half2 f)                                                           \
        : __x(__nv_cvt_halfraw2_to_fp8x2((__half2_raw)f, __NV_SATFINITE, ONE)) {}                                     \
    explicit __HEDDLE_HD operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, ONE)); }           \
    explicit __HEDDLE_HD operator float2() const {                                                                    \
      return make_float2(__heddle_fp8_to_float((unsigned char)__x, ONE),                                              \
                         __heddle_fp8_to_float((unsigned char)(__x >> 8), ONE));                                      \
    }                                                                                                                 \
  };                                                                                                                  \
  struct __attribute__((aligned(4))) NAME##x4_##FORMAT {                                                              \
    __nv_fp8x4_storage_t __x;                                                                                         \
    NAME##x4_##FORMAT() = default;                                                                                    \
    explicit __HEDDLE_HD NAME##x4_##FORMAT(const float4 f)                                                            \
        : __x(__nv_cvt_float2_to_fp8x2(make_float2(f.x, f.y), __NV_SATFINITE, ONE) |                                  \
              (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(f.z, f.w), __NV_SATFINITE, ONE) << 16) {}                \
    explicit __HEDDLE_HD operator float4() const {                                                                    \
      return make_float4(__heddle_fp8_to_float((unsigned char)__x, ONE),                                              \
                         __heddle_fp8_to_float((unsigned char)(__x >> 8), ONE),                                       \
                         __heddle_fp8_to_float((unsigned char)(__x >> 16), ONE),                                      \
                         __heddle_fp8_to_float((unsigned char)(__x >> 24), ONE));                                     \
    }                                                                                                                 \
  };
__HEDDLE_FP8_VECTORS(__nv_fp8, __NV_E4M3, e4m3)
__HEDDLE_FP8_VECTORS(__nv_fp8, __NV_E5M2, e5m2)
#undef __HEDDLE_FP8_VECTORS
