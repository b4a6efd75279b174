// Included by Clang's __clang_cuda_intrinsics.h: the warp match functions (CUDA C++ Programming Guide, "Warp Match
// Functions").
#pragma once

#define HEDDLE_MATCH32(T)                                                                  \
  inline __device__ unsigned int __match_any_sync(unsigned int mask, T value) {            \
    return __match32_any_sync(mask, (unsigned int)value);                                  \
  }                                                                                        \
  inline __device__ unsigned int __match_all_sync(unsigned int mask, T value, int* pred) { \
    return __match32_all_sync(mask, (unsigned int)value, pred);                            \
  }
#define HEDDLE_MATCH64(T)                                                                  \
  inline __device__ unsigned int __match_any_sync(unsigned int mask, T value) {            \
    return __match64_any_sync(mask, (unsigned long long)value);                            \
  }                                                                                        \
  inline __device__ unsigned int __match_all_sync(unsigned int mask, T value, int* pred) { \
    return __match64_all_sync(mask, (unsigned long long)value, pred);                      \
  }
HEDDLE_MATCH32(int)
HEDDLE_MATCH32(unsigned int)
HEDDLE_MATCH32(long)
HEDDLE_MATCH32(unsigned long)
HEDDLE_MATCH64(long long)
HEDDLE_MATCH64(unsigned long long)
#undef HEDDLE_MATCH32
#undef HEDDLE_MATCH64

inline __device__ unsigned int __match_any_sync(unsigned int mask, float value) {
  return __match32_any_sync(mask, __builtin_bit_cast(unsigned int, value));
}
inline __device__ unsigned int __match_all_sync(unsigned int mask, float value, int* pred) {
  return __match32_all_sync(mask, __builtin_bit_cast(unsigned int, value), pred);
}
inline __device__ unsigned int __match_any_sync(unsigned int mask, double value) {
  return __match64_any_sync(mask, __builtin_bit_cast(unsigned long long, value));
}
inline __device__ unsigned int __match_all_sync(unsigned int mask, double value, int* pred) {
  return __match64_all_sync(mask, __builtin_bit_cast(unsigned long long, value), pred);
}

inline __device__ void __nanosleep(unsigned int nanoseconds) { __nvvm_nanosleep(nanoseconds); }


