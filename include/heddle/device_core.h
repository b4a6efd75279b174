// What CUDA C++ has in every translation unit: built-in variables, mathematics, intrinsics, device printf, malloc and
// assert. Most of it is Clang's own __clang_cuda_* headers; this file gives them the surroundings they expect, in the
// order they need.
#pragma once

#include <__clang_cuda_math_forward_declares.h>

// Device twins of the C library's allocation, before <new> and <cstdlib> are seen.
extern "C" {
// Both sums of a pair at once (libdevice/pairs.cu).
__device__ unsigned __heddle_atomic_add_f16x2(unsigned *address, unsigned pair);
__device__ unsigned __heddle_atomic_add_bf16x2(unsigned *address, unsigned pair);
__device__ int vprintf(const char *, const char *);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(__SIZE_TYPE__) __attribute__((nothrow)) __attribute__((malloc));
__device__ int printf(const char *, ...);
__device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function,
                             __SIZE_TYPE__ charSize);
}

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <time.h>
#include <assert.h>
#include <new>
// gcc's <cmath> brings these along since C++17 (its bits/stl_algobase.h), and public code leans on it.
#include <__algorithm/copy.h>
#include <__algorithm/copy_backward.h>
#include <__algorithm/equal.h>
#include <__algorithm/fill.h>
#include <__algorithm/fill_n.h>
#include <__algorithm/iter_swap.h>
#include <__algorithm/lexicographical_compare.h>
#include <__algorithm/max.h>
#include <__algorithm/min.h>
#include <__algorithm/mismatch.h>
#include <__algorithm/move.h>
#include <__algorithm/swap_ranges.h>
#include <limits>
#include <utility>

#include "../vector_types.h"
#include "../vector_functions.h"

typedef unsigned int cuuint32_t;
#if __SIZEOF_LONG__ == 8 // as uint64_t
typedef unsigned long cuuint64_t;
#else
typedef unsigned long long cuuint64_t;
#endif

#include <__clang_cuda_builtin_vars.h>

// Let the host pass see the largest set of device functions.
#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif

#include "pure_libdevice.h"
#include "hide_clang_functions.inc"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include "show_clang_functions.inc"

// The float overloads that only CUDA has.
static inline __device__ float rsqrt(float a) { return rsqrtf(a); }
static inline __device__ float rcbrt(float a) { return rcbrtf(a); }
static inline __device__ float sinpi(float a) { return sinpif(a); }
static inline __device__ float cospi(float a) { return cospif(a); }
static inline __device__ void sincospi(float a, float *s, float *c) { sincospif(a, s, c); }
static inline __device__ void sincos(float a, float *s, float *c) { sincosf(a, s, c); }
static inline __device__ float erfinv(float a) { return erfinvf(a); }
static inline __device__ float erfcinv(float a) { return erfcinvf(a); }
static inline __device__ float normcdfinv(float a) { return normcdfinvf(a); }
static inline __device__ float normcdf(float a) { return normcdff(a); }
static inline __device__ float erfcx(float a) { return erfcxf(a); }
static inline __device__ float exp10(float a) { return exp10f(a); }
static inline __device__ double nan(const char *) { return __nv_nan(nullptr); }
static inline __device__ float nanf(const char *) { return __nv_nanf(nullptr); }

#define __DEVICE__ static __device__ __forceinline__ __attribute__((const))
__DEVICE__ unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
__DEVICE__ unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
__DEVICE__ unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
// Parameters of a kernel have addresses in local memory here, with __grid_constant__ (host_defines.h) as without.
__DEVICE__ unsigned int __isGridConstant(const void *) { return 0; }
__DEVICE__ unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
// All address spaces are one memory: the conversions keep the number.
__DEVICE__ size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
/* On a GPU the address in shared or local memory is another number than the generic one: the casts say so. */
__DEVICE__ size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)(const __attribute__((address_space(3))) void*)p;
}
__DEVICE__ size_t __cvta_generic_to_constant(const void *p) { return (size_t)p; }
__DEVICE__ size_t __cvta_generic_to_local(const void* p) {
  return (size_t)(const __attribute__((address_space(5))) void*)p;
}
__DEVICE__ void *__cvta_global_to_generic(size_t p) { return (void *)p; }
__DEVICE__ void *__cvta_shared_to_generic(size_t p) { return (void *)(__attribute__((address_space(3))) void *)p; }
__DEVICE__ void *__cvta_constant_to_generic(size_t p) { return (void *)p; }
__DEVICE__ void *__cvta_local_to_generic(size_t p) { return (void *)(__attribute__((address_space(5))) void *)p; }
#undef __DEVICE__

// Standard assert() on the device.
extern "C" {
__device__ static inline void __assert_fail(const char *message, const char *file, int line, const char *function) {
  __assertfail(message, file, (unsigned)line, function, sizeof(char));
}
}

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return {x, y, z}; }

#include <__clang_cuda_cmath.h>
#include <heddle/float_overloads.h>
#include "hide_clang_functions.inc"
#include <__clang_cuda_intrinsics.h>
#include "show_clang_functions.inc"
#include <__clang_cuda_complex_builtins.h>

#pragma pop_macro("__CUDA_ARCH__")

// What a kernel launch lowers to.
extern "C" unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0, void *stream = 0);

#include "shared_object.h"
#include "min_max.h"
#include "integer_intrinsics.h"
#include "dpx.h"
#include "cache_hints.h"
#include "atomics.h"
#include "scoped_atomics.h"
