// ::min and ::max for every pair of arithmetic types CUDA overloads them for, on both sides
// (CUDA Math API, "Integer Mathematical Functions", "Single/Double Precision Mathematical Functions").
#pragma once

#define HEDDLE_MIN_MAX_2(R, A, B)                                                    \
  static inline __host__ __device__ __attribute__((always_inline)) R min(A a, B b) { \
    R x = (R)a, y = (R)b;                                                            \
    return y < x ? y : x;                                                            \
  }                                                                                  \
  static inline __host__ __device__ __attribute__((always_inline)) R max(A a, B b) { \
    R x = (R)a, y = (R)b;                                                            \
    return x < y ? y : x;                                                            \
  }
#define HEDDLE_MIN_MAX(R) HEDDLE_MIN_MAX_2(R, R, R)
HEDDLE_MIN_MAX(int)
HEDDLE_MIN_MAX(unsigned int)
HEDDLE_MIN_MAX_2(unsigned int, int, unsigned int)
HEDDLE_MIN_MAX_2(unsigned int, unsigned int, int)
HEDDLE_MIN_MAX(long)
HEDDLE_MIN_MAX(unsigned long)
HEDDLE_MIN_MAX_2(unsigned long, long, unsigned long)
HEDDLE_MIN_MAX_2(unsigned long, unsigned long, long)
HEDDLE_MIN_MAX(long long)
HEDDLE_MIN_MAX(unsigned long long)
HEDDLE_MIN_MAX_2(unsigned long long, long long, unsigned long long)
HEDDLE_MIN_MAX_2(unsigned long long, unsigned long long, long long)
// size_t is unsigned long here: mixtures that are one type with nvcc's 64-bit long.
HEDDLE_MIN_MAX_2(long, int, long)
HEDDLE_MIN_MAX_2(long, long, int)
HEDDLE_MIN_MAX_2(unsigned long, unsigned int, unsigned long)
HEDDLE_MIN_MAX_2(unsigned long, unsigned long, unsigned int)
#undef HEDDLE_MIN_MAX
#undef HEDDLE_MIN_MAX_2

// A NaN is ignored in favour of a number, as by fminf and fmaxf.
#define HEDDLE_MIN_MAX_FLOAT(R, A, B, MIN, MAX)                                                                    \
  static inline __host__ __device__ __attribute__((always_inline)) R min(A a, B b) { return MIN((R)a, (R)b); } \
  static inline __host__ __device__ __attribute__((always_inline)) R max(A a, B b) { return MAX((R)a, (R)b); }
HEDDLE_MIN_MAX_FLOAT(float, float, float, fminf, fmaxf)
HEDDLE_MIN_MAX_FLOAT(double, double, double, fmin, fmax)
HEDDLE_MIN_MAX_FLOAT(double, float, double, fmin, fmax)
HEDDLE_MIN_MAX_FLOAT(double, double, float, fmin, fmax)
#undef HEDDLE_MIN_MAX_FLOAT
