/* cuda::aligned_size_t: a size in bytes with a promised alignment. */
#pragma once
#include <stddef.h>

/* NVIDIA's own libcudacxx, where the user has it, has its own. */
#if __has_include(<cuda/std/detail/__config>)
#include <cuda/barrier>
#else
namespace cuda {
template <size_t _Alignment>
struct aligned_size_t {
  static constexpr size_t align = _Alignment;
  size_t value;
  __attribute__((host)) __attribute__((device)) explicit constexpr aligned_size_t(size_t size) : value(size) {}
  __attribute__((host)) __attribute__((device)) constexpr operator size_t() const { return value; }
};
}  // namespace cuda
#endif
