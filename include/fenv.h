// <fenv.h> with the rounding modes of x86-64. WebAssembly rounds sums and products to nearest, so that fesetround says
// -1 for other modes; but rint, nearbyint, lrint and llrint of the file that includes this header follow the mode.
#pragma once
#include_next <fenv.h>
#ifndef FE_TOWARDZERO
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00
#ifdef __cplusplus
#include <cmath>
#else
#include <math.h>
#endif

#if !defined(__CUDA_ARCH__)
#ifdef __CUDA__
#define HEDDLE_ROUNDING static inline __attribute__((host, device))
#else
#define HEDDLE_ROUNDING static inline
#endif
#ifdef __cplusplus
extern "C"
#endif
int __heddle_rounding_mode(void);
HEDDLE_ROUNDING double __heddle_nearbyint(double x) {
  switch (__heddle_rounding_mode()) {
  case FE_DOWNWARD: return __builtin_floor(x);
  case FE_UPWARD: return __builtin_ceil(x);
  case FE_TOWARDZERO: return __builtin_trunc(x);
  default: return __builtin_nearbyint(x);
  }
}
HEDDLE_ROUNDING double __heddle_rint(double x) { return __heddle_nearbyint(x); }
HEDDLE_ROUNDING long __heddle_lrint(double x) { return __builtin_lrint(__heddle_nearbyint(x)); }
HEDDLE_ROUNDING long long __heddle_llrint(double x) { return __builtin_llrint(__heddle_nearbyint(x)); }
HEDDLE_ROUNDING float __heddle_nearbyintf(float x) { return (float)__heddle_nearbyint(x); }
HEDDLE_ROUNDING float __heddle_rintf(float x) { return (float)__heddle_nearbyint(x); }
HEDDLE_ROUNDING long __heddle_lrintf(float x) { return __heddle_lrint(x); }
HEDDLE_ROUNDING long long __heddle_llrintf(float x) { return __heddle_llrint(x); }
#ifdef __cplusplus
HEDDLE_ROUNDING float __heddle_nearbyint(float x) { return (float)__heddle_nearbyint((double)x); }
HEDDLE_ROUNDING float __heddle_rint(float x) { return (float)__heddle_nearbyint((double)x); }
template <typename T> HEDDLE_ROUNDING double __heddle_nearbyint(T x) { return __heddle_nearbyint((double)x); }
template <typename T> HEDDLE_ROUNDING double __heddle_rint(T x) { return __heddle_nearbyint((double)x); }
namespace std {
using ::__heddle_llrint;
using ::__heddle_llrintf;
using ::__heddle_lrint;
using ::__heddle_lrintf;
using ::__heddle_nearbyint;
using ::__heddle_nearbyintf;
using ::__heddle_rint;
using ::__heddle_rintf;
}
#endif
#undef HEDDLE_ROUNDING
#define nearbyint(x) __heddle_nearbyint(x)
#define nearbyintf(x) __heddle_nearbyintf(x)
#define rint(x) __heddle_rint(x)
#define rintf(x) __heddle_rintf(x)
#define lrint(x) __heddle_lrint(x)
#define lrintf(x) __heddle_lrintf(x)
#define llrint(x) __heddle_llrint(x)
#define llrintf(x) __heddle_llrintf(x)
#endif
#endif
