// Sixteen bytes at a time, of float or __nv_bfloat16: the widest load and store that a thread has, and a quarter or an
// eighth of the memory instructions (CUDA C++ Programming Guide, "Device Memory Accesses"). Arithmetic is in float.
#pragma once
#include <cuda_bf16.h>

__device__ __forceinline__ float toFloat(float value) { return value; }
__device__ __forceinline__ float toFloat(__nv_bfloat16 value) { return __bfloat162float(value); }
template <class T> __device__ __forceinline__ T fromFloat(float value);
template <> __device__ __forceinline__ float fromFloat<float>(float value) { return value; }
template <>
__device__ __forceinline__ __nv_bfloat16 fromFloat<__nv_bfloat16>(float value) { return __float2bfloat16_rn(value); }

template <class T> struct alignas(16) Packed {
  static constexpr int size = 16 / sizeof(T);
  T element[size];
  __device__ __forceinline__ float operator[](int i) const { return toFloat(element[i]); }
  __device__ __forceinline__ void set(int i, float value) { element[i] = fromFloat<T>(value); }
};

template <class T> __device__ __forceinline__ Packed<T> unpacked(uint4 bits) {
  Packed<T> result;
  memcpy(&result, &bits, sizeof(bits));
  return result;
}
template <class T> __device__ __forceinline__ uint4 bitsOf(const Packed<T> &value) {
  uint4 bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Addresses are multiples of 16.
template <class T>
__device__ __forceinline__ Packed<T> load(const T *from) { return unpacked<T>(*reinterpret_cast<const uint4 *>(from)); }
template <class T>
__device__ __forceinline__ void store(T *to, const Packed<T> &value) { *reinterpret_cast<uint4 *>(to) = bitsOf(value); }
// For what is read or written once: it is the first to leave the caches.
template <class T>
__device__ __forceinline__ Packed<T> loadStreaming(const T *from) {
  return unpacked<T>(__ldcs(reinterpret_cast<const uint4 *>(from)));
}
template <class T>
__device__ __forceinline__ void storeStreaming(T *to, const Packed<T> &value) {
  __stcs(reinterpret_cast<uint4 *>(to), bitsOf(value));
}

// Elements at … at + size - 1 of a row; zeros beyond its end. WIDE: rows have a multiple of `size` elements and begin
// at a multiple of 16 bytes; else they lie anywhere, and elements are loaded one by one.
template <bool WIDE, class T> __device__ __forceinline__ Packed<T> loadPart(const T *row, int at, int columns) {
  if constexpr (WIDE) return at < columns ? load(row + at) : unpacked<T>(make_uint4(0, 0, 0, 0));
  Packed<T> result;
#pragma unroll
  for (int e = 0; e < Packed<T>::size; e++) result.element[e] = at + e < columns ? row[at + e] : fromFloat<T>(0);
  return result;
}
// The same of what is read once.
template <bool WIDE, class T>
__device__ __forceinline__ Packed<T> loadPartStreaming(const T *row, int at, int columns) {
  if constexpr (WIDE) return at < columns ? loadStreaming(row + at) : unpacked<T>(make_uint4(0, 0, 0, 0));
  else return loadPart<WIDE>(row, at, columns);
}
template <bool WIDE, class T>
__device__ __forceinline__ void storePart(T *row, int at, int columns, const Packed<T> &value) {
  if constexpr (WIDE) {
    if (at < columns) store(row + at, value);
  } else {
#pragma unroll
    for (int e = 0; e < Packed<T>::size; e++)
      if (at + e < columns) row[at + e] = value.element[e];
  }
}
