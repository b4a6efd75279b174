// The overloads of C++'s <cmath> for float on the device. Clang declares them ahead of <cmath> and leaves their
// definitions to the host's C++ library, whose overloads are host functions here.
#pragma once

#define HEDDLE_FLOAT_1(result, name, function) \
  static __device__ __inline__ __attribute__((always_inline)) result name(float x) { return function(x); }
#define HEDDLE_FLOAT_2(name, function) \
  static __device__ __inline__ __attribute__((always_inline)) float name(float x, float y) { return function(x, y); }

HEDDLE_FLOAT_1(float, acosh, acoshf)
HEDDLE_FLOAT_1(float, asinh, asinhf)
HEDDLE_FLOAT_1(float, atanh, atanhf)
HEDDLE_FLOAT_1(float, cbrt, cbrtf)
HEDDLE_FLOAT_1(float, erf, erff)
HEDDLE_FLOAT_1(float, erfc, erfcf)
HEDDLE_FLOAT_1(float, exp2, exp2f)
HEDDLE_FLOAT_1(float, expm1, expm1f)
HEDDLE_FLOAT_1(float, lgamma, lgammaf)
HEDDLE_FLOAT_1(float, log1p, log1pf)
HEDDLE_FLOAT_1(float, log2, log2f)
HEDDLE_FLOAT_1(float, logb, logbf)
HEDDLE_FLOAT_1(float, nearbyint, nearbyintf)
HEDDLE_FLOAT_1(float, rint, rintf)
HEDDLE_FLOAT_1(float, round, roundf)
HEDDLE_FLOAT_1(float, tgamma, tgammaf)
HEDDLE_FLOAT_1(float, trunc, truncf)
HEDDLE_FLOAT_1(int, ilogb, ilogbf)
HEDDLE_FLOAT_1(long, lrint, lrintf)
HEDDLE_FLOAT_1(long long, llrint, llrintf)
HEDDLE_FLOAT_1(long, lround, lroundf)
HEDDLE_FLOAT_1(long long, llround, llroundf)
HEDDLE_FLOAT_2(copysign, copysignf)
HEDDLE_FLOAT_2(fdim, fdimf)
HEDDLE_FLOAT_2(fmax, fmaxf)
HEDDLE_FLOAT_2(fmin, fminf)
HEDDLE_FLOAT_2(hypot, hypotf)
HEDDLE_FLOAT_2(nextafter, nextafterf)
HEDDLE_FLOAT_2(remainder, remainderf)

static __device__ __inline__ __attribute__((always_inline)) float fma(float x, float y, float z) {
  return fmaf(x, y, z);
}
static __device__ __inline__ __attribute__((always_inline)) float scalbn(float x, int n) { return scalbnf(x, n); }
static __device__ __inline__ __attribute__((always_inline)) float scalbln(float x, long n) { return scalblnf(x, n); }
static __device__ __inline__ __attribute__((always_inline)) float remquo(float x, float y, int* quotient) {
  return remquof(x, y, quotient);
}

#undef HEDDLE_FLOAT_1
#undef HEDDLE_FLOAT_2
