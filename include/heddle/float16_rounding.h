/*
 * Rounding between double and the 16-bit formats in portable integer code, for host code and for the directed
 * roundings.
 *
 * Spec: IEEE 754-2019, 4.3 (rounding) and 7.4 (overflow). A float converts to double exactly, so that one routine from
 * double serves both; 64-bit integers go through double with round-to-odd, which keeps the second rounding innocent
 * (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
 */
#pragma once

#define __HEDDLE_HD __attribute__((host)) __attribute__((device)) inline __attribute__((always_inline))
#define __HEDDLE_D __attribute__((device)) inline __attribute__((always_inline))

namespace __heddle {

enum rounding { to_nearest_even, toward_zero, toward_positive, toward_negative };

/** The bits of `value` rounded to a format with `MANTISSA` stored fraction bits and `EXPONENT` exponent bits. */
template <int MANTISSA, int EXPONENT>
__attribute__((host)) __attribute__((device)) inline unsigned short pack_float16(double value, rounding mode) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
  const unsigned sign = (unsigned)(bits >> 63) << (MANTISSA + EXPONENT);
  const unsigned infinity = ((1u << EXPONENT) - 1) << MANTISSA;
  const int bias = (1 << (EXPONENT - 1)) - 1;
  const int exponent = (int)((bits >> 52) & 0x7ff);
  const unsigned long long fraction = bits & 0xfffffffffffffull;
  if (exponent == 0x7ff) return fraction ? (unsigned short)0x7fff : (unsigned short)(sign | infinity);
  if (exponent == 0 && fraction == 0) return (unsigned short)sign;
  unsigned long long significand = exponent == 0 ? fraction : fraction | 0x10000000000000ull;
  int unbiased = exponent == 0 ? -1022 : exponent - 1023;
  int drop = 52 - MANTISSA;
  int field = unbiased + bias;
  if (field < 1) {
    drop += 1 - field;
    field = 0;
  }
  if (drop > 60) {
    drop = 60;
    significand = 1;
  }
  const unsigned long long kept = significand >> drop;
  const unsigned long long rest = significand & ((1ull << drop) - 1);
  const unsigned long long half = 1ull << (drop - 1);
  bool up = false;
  if (mode == to_nearest_even) up = rest > half || (rest == half && (kept & 1));
  else if (mode == toward_positive) up = rest != 0 && sign == 0;
  else if (mode == toward_negative) up = rest != 0 && sign != 0;
  /* The implicit bit of a normal number adds 1 to the exponent field, hence field - 1; a carry runs into the exponent
   * by itself. */
  unsigned result = (field > 0 ? ((unsigned)(field - 1) << MANTISSA) : 0u) + (unsigned)(kept + (up ? 1 : 0));
  if (field >= (1 << EXPONENT) - 1 || result >= infinity) {
    const bool saturate =
        mode == toward_zero || (mode == toward_positive && sign != 0) || (mode == toward_negative && sign == 0);
    result = saturate ? infinity - 1 : infinity;
  }
  return (unsigned short)(sign | result);
}

/** The value of a 16-bit pattern; exact. */
template <int MANTISSA, int EXPONENT>
__attribute__((host)) __attribute__((device)) inline float unpack_float16(unsigned short bits) {
  if (EXPONENT == 8) return __builtin_bit_cast(float, (unsigned)bits << 16);
  const unsigned sign = (unsigned)(bits >> 15) << 31;
  const unsigned magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return __builtin_bit_cast(float, sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  if (magnitude < 0x400u) {
    const float scaled = (float)magnitude * 0x1p-24f;
    return sign ? -scaled : scaled;
  }
  return __builtin_bit_cast(float, sign | ((magnitude << 13) + 0x38000000u));
}

/** a * b + c rounded to odd in double: rounding the result once more to 16 bits gives the correctly rounded fused
 * result. */
__attribute__((host)) __attribute__((device)) inline double fma_to_odd(double a, double b, double c) {
#pragma clang fp contract(off)
  const double product = a * b; /* exact: at most 22 significant bits */
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
  if (!(error != 0.0) || (bits & 1) || ((bits >> 52) & 0x7ff) == 0x7ff) return sum;
  const bool away = (error > 0.0) == (sum > 0.0);
  return __builtin_bit_cast(double, away ? bits + 1 : bits - 1);
}

__attribute__((host)) __attribute__((device)) inline double integer_to_odd(unsigned long long value) {
  if (value >> 53) value = (value & ~0xfffull) | ((value & 0xfffull) ? 0x1000ull : 0ull);
  return (double)value;
}
__attribute__((host)) __attribute__((device)) inline double integer_to_odd(long long value) {
  return value < 0 ? -integer_to_odd(0ull - (unsigned long long)value) : integer_to_odd((unsigned long long)value);
}

/** Rounds to an integral value. `float` is wide enough: the 16-bit formats are subsets of it. */
__attribute__((host)) __attribute__((device)) inline float round_to_integral(float value, rounding mode) {
  if (mode == to_nearest_even) return __builtin_rintf(value);
  if (mode == toward_zero) return __builtin_truncf(value);
  return mode == toward_positive ? __builtin_ceilf(value) : __builtin_floorf(value);
}

/** Saturating conversion to an integer between `low` and `high`; NaN gives 0 (for 64 bits the sign bit alone, as the
 * hardware does). */
template <typename T>
__attribute__((host)) __attribute__((device)) inline T to_integer(float value, rounding mode, T low, T high) {
  const float rounded = round_to_integral(value, mode);
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 8) {
    if (value != value) return (T)0x8000000000000000ull;
    return (T)-1 < (T)0 ? (T)__nv_float2ll_rz(rounded) : (T)__nv_float2ull_rz(rounded);
  } else if constexpr (sizeof(T) == 4) {
    return (T)-1 < (T)0 ? (T)__nv_float2int_rz(rounded) : (T)__nv_float2uint_rz(rounded);
  } else {
    const float clamped = __builtin_fminf(__builtin_fmaxf(rounded, (float)low), (float)high);
    return (T)(int)(value != value ? 0.0f : clamped);
  }
#else
  if (value != value) return sizeof(T) == 8 ? (T)0x8000000000000000ull : (T)0;
  if (rounded <= (float)low) return low;
  if (rounded >= (float)high) return high;
  return (T)rounded;
#endif
}

}  // namespace __heddle
