// Clang's declarations of NVIDIA's mathematical functions, with what they leave out: these functions neither read nor
// write memory, and threads need not call them together. Their code is linked after Clang has optimized; without the
// attributes a value in memory would be loaded again after each call, and no call would move out of a loop.
#pragma once

#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, const, noconvergent))
// These read or write through a pointer.
#define __nv_frexp __heddle_clang_frexp
#define __nv_frexpf __heddle_clang_frexpf
#define __nv_modf __heddle_clang_modf
#define __nv_modff __heddle_clang_modff
#define __nv_remquo __heddle_clang_remquo
#define __nv_remquof __heddle_clang_remquof
#define __nv_sincos __heddle_clang_sincos
#define __nv_sincosf __heddle_clang_sincosf
#define __nv_sincospi __heddle_clang_sincospi
#define __nv_sincospif __heddle_clang_sincospif
#define __nv_fast_sincosf __heddle_clang_fast_sincosf
#define __nv_norm __heddle_clang_norm
#define __nv_normf __heddle_clang_normf
#define __nv_rnorm __heddle_clang_rnorm
#define __nv_rnormf __heddle_clang_rnormf
#include <__clang_cuda_libdevice_declares.h>
#undef __nv_frexp
#undef __nv_frexpf
#undef __nv_modf
#undef __nv_modff
#undef __nv_remquo
#undef __nv_remquof
#undef __nv_sincos
#undef __nv_sincosf
#undef __nv_sincospi
#undef __nv_sincospif
#undef __nv_fast_sincosf
#undef __nv_norm
#undef __nv_normf
#undef __nv_rnorm
#undef __nv_rnormf
#pragma pop_macro("__device__")

extern "C" {
__device__ double __nv_frexp(double a, int *exponent);
__device__ float __nv_frexpf(float a, int *exponent);
__device__ double __nv_modf(double a, double *whole);
__device__ float __nv_modff(float a, float *whole);
__device__ double __nv_norm(int count, const double *values);
__device__ float __nv_normf(int count, const float *values);
__device__ double __nv_remquo(double a, double b, int *quotient);
__device__ float __nv_remquof(float a, float b, int *quotient);
__device__ double __nv_rnorm(int count, const double *values);
__device__ float __nv_rnormf(int count, const float *values);
__device__ void __nv_sincos(double a, double *sine, double *cosine);
__device__ void __nv_sincosf(float a, float *sine, float *cosine);
__device__ void __nv_sincospi(double a, double *sine, double *cosine);
__device__ void __nv_sincospif(float a, float *sine, float *cosine);
__device__ void __nv_fast_sincosf(float a, float *sine, float *cosine);
}
