// The element types of matrices, and the type of sums of their products.
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace heddle_numbers {

struct c32 { float x, y; };
struct c64 { double x, y; };

template <class T> __host__ __device__ inline T zero() { return T(0); }
template <> __host__ __device__ inline c32 zero<c32>() { return {0.0f, 0.0f}; }
template <> __host__ __device__ inline c64 zero<c64>() { return {0.0, 0.0}; }
template <class T> __host__ __device__ inline T one() { return T(1); }
template <> __host__ __device__ inline c32 one<c32>() { return {1.0f, 0.0f}; }
template <> __host__ __device__ inline c64 one<c64>() { return {1.0, 0.0}; }

__host__ __device__ inline c32 operator+(c32 a, c32 b) { return {a.x + b.x, a.y + b.y}; }
__host__ __device__ inline c64 operator+(c64 a, c64 b) { return {a.x + b.x, a.y + b.y}; }
__host__ __device__ inline c32 operator*(c32 a, c32 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__host__ __device__ inline c64 operator*(c64 a, c64 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
template <class T> __host__ __device__ inline T minus(T a) { return -a; }
__host__ __device__ inline c32 minus(c32 a) { return {-a.x, -a.y}; }
__host__ __device__ inline c64 minus(c64 a) { return {-a.x, -a.y}; }
template <class T> __host__ __device__ inline T over(T a, T b) { return a / b; }
template <class T> __host__ __device__ inline T over_complex(T a, T b) {
  auto n = b.x * b.x + b.y * b.y;
  return {(a.x * b.x + a.y * b.y) / n, (a.y * b.x - a.x * b.y) / n};
}
__host__ __device__ inline c32 over(c32 a, c32 b) { return over_complex(a, b); }
__host__ __device__ inline c64 over(c64 a, c64 b) { return over_complex(a, b); }
template <class T> __host__ __device__ inline bool is_zero(T a) { return a == T(0); }
__host__ __device__ inline bool is_zero(c32 a) { return a.x == 0 && a.y == 0; }
__host__ __device__ inline bool is_zero(c64 a) { return a.x == 0 && a.y == 0; }
template <class T> __host__ __device__ inline T conjugate(T a) { return a; }
__host__ __device__ inline c32 conjugate(c32 a) { return {a.x, -a.y}; }
__host__ __device__ inline c64 conjugate(c64 a) { return {a.x, -a.y}; }

// Conversion of a stored element to the type of the sum and back; sums are rounded once, when they are stored.
template <class To, class From> struct Convert { static __host__ __device__ To of(From a) { return (To)a; } };
template <> struct Convert<float, __half> { static __host__ __device__ float of(__half a) { return __half2float(a); } };
template <>
struct Convert<float, __nv_bfloat16> {
  static __host__ __device__ float of(__nv_bfloat16 a) { return __bfloat162float(a); }
};
template <> struct Convert<__half, float> { static __host__ __device__ __half of(float a) { return __float2half(a); } };
template <>
struct Convert<__nv_bfloat16, float> {
  static __host__ __device__ __nv_bfloat16 of(float a) { return __float2bfloat16(a); }
};
template <> struct Convert<c32, float> { static __host__ __device__ c32 of(float a) { return {a, 0.0f}; } };
template <> struct Convert<c64, double> { static __host__ __device__ c64 of(double a) { return {a, 0.0}; } };
template <class To, class From> __host__ __device__ inline To convert(From a) { return Convert<To, From>::of(a); }

template <class T> struct RealOf { typedef T type; };
template <> struct RealOf<c32> { typedef float type; };
template <> struct RealOf<c64> { typedef double type; };
template <class T> __host__ __device__ inline T one_norm(T a) { return a < T(0) ? -a : a; }
__host__ __device__ inline float one_norm(c32 a) { return fabsf(a.x) + fabsf(a.y); }
__host__ __device__ inline double one_norm(c64 a) { return fabs(a.x) + fabs(a.y); }
template <class T> __host__ __device__ inline T real_part(T a) { return a; }
__host__ __device__ inline float real_part(c32 a) { return a.x; }
__host__ __device__ inline double real_part(c64 a) { return a.x; }
template <class T> __host__ __device__ inline T imaginary_part(T) { return T(0); }
__host__ __device__ inline float imaginary_part(c32 a) { return a.y; }
__host__ __device__ inline double imaginary_part(c64 a) { return a.y; }
template <class T> struct Number {
  static __host__ __device__ T of(T re, T) { return re; }
};
template <> struct Number<c32> {
  static __host__ __device__ c32 of(float re, float im) { return {re, im}; }
};
template <> struct Number<c64> {
  static __host__ __device__ c64 of(double re, double im) { return {re, im}; }
};

// A factor that the host gives as a value or, in the device pointer mode, by its address.
template <class T> struct Factor {
  T value;
  const T *address;
  __device__ T get() const { return address ? *address : value; }
};

} // namespace heddle_numbers
