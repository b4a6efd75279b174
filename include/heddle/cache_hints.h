// Loads and stores with cache hints (CUDA C++ Programming Guide, "Load Functions Using Cache Hints" and "Store …").
// Streaming hints (.cs) go through Clang to a GPU. Those of the second-level cache (.cg) are written as PTX, since
// Clang has no form for them. .cv and .wt are volatile: they always access memory. The others are plain.
#pragma once

/// What is loaded and stored at once for N elements.
template <class E, int N> struct __heddle_lanes { typedef E type __attribute__((ext_vector_type(N))); };
template <class E> struct __heddle_lanes<E, 1> { typedef E type; };

template <class T> inline __device__ void __heddle_volatile_copy(T *to, const T *from) {
  if constexpr (sizeof(T) == 1) *(volatile unsigned char *)to = *(const volatile unsigned char *)from;
  else if constexpr (sizeof(T) == 2) *(volatile unsigned short *)to = *(const volatile unsigned short *)from;
  else if constexpr (sizeof(T) % 8 == 0 && alignof(T) >= 8) {
    for (unsigned i = 0; i < sizeof(T) / 8; i++)
      ((volatile unsigned long long*)to)[i] = ((const volatile unsigned long long*)from)[i];
  } else {
    for (unsigned i = 0; i < sizeof(T) / 4; i++) ((volatile unsigned *)to)[i] = ((const volatile unsigned *)from)[i];
  }
}

/// Element by element: Clang takes apart a vector of which elements are used, and forgets the hint then. The first has
/// the alignment of all.
template <class T, class E, int N> inline __device__ T __heddle_load_streaming(const T *p) {
  typedef E first __attribute__((aligned(alignof(T))));
  if constexpr (N == 1) return __builtin_nontemporal_load(p);
  else {
    T r;
    E *e = (E *)&r;
    e[0] = __builtin_nontemporal_load((const first *)p);
#pragma unroll
    for (int i = 1; i < N; i++) e[i] = __builtin_nontemporal_load((const E *)p + i);
    return r;
  }
}

/// Bypasses the first-level cache, so that writes of other blocks are seen. As with nvcc, the compiler moves nothing
/// across.
template <class T> inline __device__ T __heddle_load_second_level(const T *p) {
  static_assert(sizeof(T) <= 16);
  if constexpr (sizeof(T) == 1) {
    unsigned short bits;
    asm volatile("ld.cg.u8 %0, [%1];" : "=h"(bits) : "l"(p) : "memory");
    return __builtin_bit_cast(T, (unsigned char)bits);
  } else if constexpr (sizeof(T) == 2) {
    unsigned short bits;
    asm volatile("ld.cg.u16 %0, [%1];" : "=h"(bits) : "l"(p) : "memory");
    return __builtin_bit_cast(T, bits);
  } else if constexpr (sizeof(T) == 4) {
    unsigned bits;
    asm volatile("ld.cg.u32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
    return __builtin_bit_cast(T, bits);
  } else if constexpr (sizeof(T) == 8) {
    unsigned long long bits;
    asm volatile("ld.cg.u64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
    return __builtin_bit_cast(T, bits);
  } else {
    struct { unsigned x, y, z, w; } bits;
    asm volatile("ld.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                 : "l"(p)
                 : "memory");
    return __builtin_bit_cast(T, bits);
  }
}
template <class T> inline __device__ void __heddle_store_second_level(T *p, const T &value) {
  static_assert(sizeof(T) <= 16);
  if constexpr (sizeof(T) == 1)
    asm volatile("st.cg.u8 [%0], %1;" ::"l"(p), "h"((unsigned short)__builtin_bit_cast(unsigned char, value))
                 : "memory");
  else if constexpr (sizeof(T) == 2)
    asm volatile("st.cg.u16 [%0], %1;" ::"l"(p), "h"(__builtin_bit_cast(unsigned short, value)) : "memory");
  else if constexpr (sizeof(T) == 4)
    asm volatile("st.cg.u32 [%0], %1;" ::"l"(p), "r"(__builtin_bit_cast(unsigned, value)) : "memory");
  else if constexpr (sizeof(T) == 8)
    asm volatile("st.cg.u64 [%0], %1;" ::"l"(p), "l"(__builtin_bit_cast(unsigned long long, value)) : "memory");
  else {
    struct words { unsigned x, y, z, w; };
    words bits = __builtin_bit_cast(words, value);
    asm volatile("st.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(bits.x), "r"(bits.y), "r"(bits.z), "r"(bits.w)
                 : "memory");
  }
}

#define HEDDLE_STREAMING(T, E, N)                                                        \
  inline __device__ T __ldcs(const T* p) { return __heddle_load_streaming<T, E, N>(p); } \
  inline __device__ T __ldlu(const T* p) { return __ldcs(p); }                           \
  inline __device__ void __stcs(T* p, T value) {                                         \
    __builtin_nontemporal_store(__builtin_bit_cast(__heddle_lanes<E, N>::type, value),   \
                                (__heddle_lanes<E, N>::type*)p);                         \
  }
#define HEDDLE_CACHE_HINTS(T, E, N)                                                               \
  HEDDLE_STREAMING(T, E, N)                                                                       \
  inline __device__ T __ldcg(const T *p) { return __heddle_load_second_level(p); }                 \
  inline __device__ T __ldca(const T *p) { return *p; }                                           \
  inline __device__ T __ldcv(const T *p) { T r; __heddle_volatile_copy(&r, p); return r; }        \
  inline __device__ void __stwb(T *p, T value) { *p = value; }                                    \
  inline __device__ void __stcg(T *p, T value) { __heddle_store_second_level(p, value); }          \
  inline __device__ void __stwt(T *p, T value) { __heddle_volatile_copy(p, &value); }

HEDDLE_CACHE_HINTS(char, char, 1)
HEDDLE_CACHE_HINTS(signed char, signed char, 1)
HEDDLE_CACHE_HINTS(unsigned char, unsigned char, 1)
HEDDLE_CACHE_HINTS(short, short, 1)
HEDDLE_CACHE_HINTS(unsigned short, unsigned short, 1)
HEDDLE_CACHE_HINTS(int, int, 1)
HEDDLE_CACHE_HINTS(unsigned int, unsigned int, 1)
HEDDLE_CACHE_HINTS(long, long, 1)
HEDDLE_CACHE_HINTS(unsigned long, unsigned long, 1)
HEDDLE_CACHE_HINTS(long long, long long, 1)
HEDDLE_CACHE_HINTS(unsigned long long, unsigned long long, 1)
HEDDLE_CACHE_HINTS(float, float, 1)
HEDDLE_CACHE_HINTS(double, double, 1)
HEDDLE_CACHE_HINTS(char2, char, 2)
HEDDLE_CACHE_HINTS(char4, char, 4)
HEDDLE_CACHE_HINTS(uchar2, unsigned char, 2)
HEDDLE_CACHE_HINTS(uchar4, unsigned char, 4)
HEDDLE_CACHE_HINTS(short2, short, 2)
HEDDLE_CACHE_HINTS(short4, short, 4)
HEDDLE_CACHE_HINTS(ushort2, unsigned short, 2)
HEDDLE_CACHE_HINTS(ushort4, unsigned short, 4)
HEDDLE_CACHE_HINTS(int2, int, 2)
HEDDLE_CACHE_HINTS(int4, int, 4)
HEDDLE_CACHE_HINTS(uint2, unsigned int, 2)
HEDDLE_CACHE_HINTS(uint4, unsigned int, 4)
HEDDLE_CACHE_HINTS(longlong2, long long, 2)
HEDDLE_CACHE_HINTS(ulonglong2, unsigned long long, 2)
HEDDLE_CACHE_HINTS(float2, float, 2)
HEDDLE_CACHE_HINTS(float4, float, 4)
HEDDLE_CACHE_HINTS(double2, double, 2)
#undef HEDDLE_CACHE_HINTS
#undef HEDDLE_STREAMING
