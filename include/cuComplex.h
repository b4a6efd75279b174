/*
 * Complex numbers for C and CUDA: cuFloatComplex and cuDoubleComplex with their arithmetic.
 * Division scales by the larger part of the divisor's magnitude (Smith, "Algorithm 116: Complex division", 1962, in its
 * symmetric form), cuCabs by the larger part, so that neither overflows early.
 */
#pragma once

#include "cuda_runtime.h"
#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __CUC static __host__ __device__ __inline__

#define __CUC_FUNCTIONS(TYPE, REAL, S, fabs, sqrt)                                                              \
  __CUC REAL cuCreal##S(TYPE x) { return x.x; }                                                                 \
  __CUC REAL cuCimag##S(TYPE x) { return x.y; }                                                                 \
  __CUC TYPE cuConj##S(TYPE x) {                                                                                \
    TYPE r;                                                                                                     \
    r.x = x.x;                                                                                                  \
    r.y = -x.y;                                                                                                 \
    return r;                                                                                                   \
  }                                                                                                             \
  __CUC TYPE cuCadd##S(TYPE x, TYPE y) {                                                                        \
    TYPE r;                                                                                                     \
    r.x = x.x + y.x;                                                                                            \
    r.y = x.y + y.y;                                                                                            \
    return r;                                                                                                   \
  }                                                                                                             \
  __CUC TYPE cuCsub##S(TYPE x, TYPE y) {                                                                        \
    TYPE r;                                                                                                     \
    r.x = x.x - y.x;                                                                                            \
    r.y = x.y - y.y;                                                                                            \
    return r;                                                                                                   \
  }                                                                                                             \
  __CUC TYPE cuCmul##S(TYPE x, TYPE y) {                                                                        \
    TYPE r;                                                                                                     \
    r.x = x.x * y.x - x.y * y.y;                                                                                \
    r.y = x.x * y.y + x.y * y.x;                                                                                \
    return r;                                                                                                   \
  }                                                                                                             \
  __CUC TYPE cuCdiv##S(TYPE x, TYPE y) {                                                                        \
    const REAL scale = (REAL)1 / (fabs(y.x) + fabs(y.y));                                                       \
    const REAL a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale;                              \
    const REAL factor = (REAL)1 / (c * c + d * d);                                                              \
    TYPE r;                                                                                                     \
    r.x = (a * c + b * d) * factor;                                                                             \
    r.y = (b * c - a * d) * factor;                                                                             \
    return r;                                                                                                   \
  }                                                                                                             \
  __CUC REAL cuCabs##S(TYPE x) {                                                                                \
    const REAL a = fabs(x.x), b = fabs(x.y);                                                                    \
    const REAL large = a > b ? a : b, small = a > b ? b : a;                                                    \
    if (large == (REAL)0 || large > (sizeof(REAL) == 4 ? (REAL)3.402823466e38 : (REAL)1.79769313486231570e308)) \
      return large + small;                                                                                     \
    const REAL ratio = small / large;                                                                           \
    return large * sqrt((REAL)1 + ratio * ratio);                                                               \
  }

__CUC_FUNCTIONS(cuFloatComplex, float, f, fabsf, sqrtf)
__CUC_FUNCTIONS(cuDoubleComplex, double, , fabs, sqrt)
#undef __CUC_FUNCTIONS

__CUC cuFloatComplex make_cuFloatComplex(float x, float y) { cuFloatComplex r; r.x = x; r.y = y; return r; }
__CUC cuDoubleComplex make_cuDoubleComplex(double x, double y) { cuDoubleComplex r; r.x = x; r.y = y; return r; }
__CUC cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
__CUC cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex((double)c.x, (double)c.y);
}
__CUC cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return make_cuFloatComplex((float)c.x, (float)c.y); }
__CUC cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex d) {
  cuComplex r;
  r.x = fmaf(-x.y, y.y, fmaf(x.x, y.x, d.x));
  r.y = fmaf(x.y, y.x, fmaf(x.x, y.y, d.y));
  return r;
}
__CUC cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) {
  cuDoubleComplex r;
  r.x = fma(-x.y, y.y, fma(x.x, y.x, d.x));
  r.y = fma(x.y, y.x, fma(x.x, y.y, d.y));
  return r;
}
#undef __CUC
