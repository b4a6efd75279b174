// Loads and stores with cache hints (CUDA C++ Programming Guide, "Load Functions Using Cache Hints" and "Store …"): here plain
// accesses; .cv and .wt are volatile, since they promise to look at memory again.
#pragma once

#define HEDDLE_CACHE_HINTS(T)                                                                     \
  inline __device__ T __ldcg(const T *p) { return *p; }                                           \
  inline __device__ T __ldca(const T *p) { return *p; }                                           \
  inline __device__ T __ldcs(const T *p) { return *p; }                                           \
  inline __device__ T __ldlu(const T *p) { return *p; }                                           \
  inline __device__ T __ldcv(const T *p) { T r; __heddle_volatile_copy(&r, p); return r; }        \
  inline __device__ void __stwb(T *p, T value) { *p = value; }                                    \
  inline __device__ void __stcg(T *p, T value) { *p = value; }                                    \
  inline __device__ void __stcs(T *p, T value) { *p = value; }                                    \
  inline __device__ void __stwt(T *p, T value) { __heddle_volatile_copy(p, &value); }

template <class T> inline __device__ void __heddle_volatile_copy(T *to, const T *from) {
  if constexpr (sizeof(T) == 1) *(volatile unsigned char *)to = *(const volatile unsigned char *)from;
  else if constexpr (sizeof(T) == 2) *(volatile unsigned short *)to = *(const volatile unsigned short *)from;
  else if constexpr (sizeof(T) % 8 == 0 && alignof(T) >= 8) {
    for (unsigned i = 0; i < sizeof(T) / 8; i++) ((volatile unsigned long long *)to)[i] = ((const volatile unsigned long long *)from)[i];
  } else {
    for (unsigned i = 0; i < sizeof(T) / 4; i++) ((volatile unsigned *)to)[i] = ((const volatile unsigned *)from)[i];
  }
}

HEDDLE_CACHE_HINTS(char)
HEDDLE_CACHE_HINTS(signed char)
HEDDLE_CACHE_HINTS(unsigned char)
HEDDLE_CACHE_HINTS(short)
HEDDLE_CACHE_HINTS(unsigned short)
HEDDLE_CACHE_HINTS(int)
HEDDLE_CACHE_HINTS(unsigned int)
HEDDLE_CACHE_HINTS(long)
HEDDLE_CACHE_HINTS(unsigned long)
HEDDLE_CACHE_HINTS(long long)
HEDDLE_CACHE_HINTS(unsigned long long)
HEDDLE_CACHE_HINTS(float)
HEDDLE_CACHE_HINTS(double)
HEDDLE_CACHE_HINTS(char2)
HEDDLE_CACHE_HINTS(char4)
HEDDLE_CACHE_HINTS(uchar2)
HEDDLE_CACHE_HINTS(uchar4)
HEDDLE_CACHE_HINTS(short2)
HEDDLE_CACHE_HINTS(short4)
HEDDLE_CACHE_HINTS(ushort2)
HEDDLE_CACHE_HINTS(ushort4)
HEDDLE_CACHE_HINTS(int2)
HEDDLE_CACHE_HINTS(int4)
HEDDLE_CACHE_HINTS(uint2)
HEDDLE_CACHE_HINTS(uint4)
HEDDLE_CACHE_HINTS(longlong2)
HEDDLE_CACHE_HINTS(ulonglong2)
HEDDLE_CACHE_HINTS(float2)
HEDDLE_CACHE_HINTS(float4)
HEDDLE_CACHE_HINTS(double2)
#undef HEDDLE_CACHE_HINTS
