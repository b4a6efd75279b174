// The element types of the BLAS, and the type of sums of their products.
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace heddle_blas {

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
template <class To, class From> __host__ __device__ inline To convert(From a) { return Convert<To, From>::of(a); }

// A factor that the host gives as a value or, in the device pointer mode, by its address.
template <class T> struct Factor {
  T value;
  const T *address;
  __device__ T get() const { return address ? *address : value; }
};

} // namespace heddle_blas
