/* at::numeric_limits: bounds of element types in kernels. */
#pragma once
#include <heddle/torch.h>

namespace at {
template <typename T> struct numeric_limits {
  static inline __host__ __device__ T lowest() { return std::numeric_limits<T>::lowest(); }
  static inline __host__ __device__ T max() { return std::numeric_limits<T>::max(); }
  static inline __host__ __device__ T lower_bound() {
    return std::numeric_limits<T>::has_infinity ? T(-std::numeric_limits<T>::infinity()) : lowest();
  }
  static inline __host__ __device__ T upper_bound() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : max();
  }
};
} // namespace at
