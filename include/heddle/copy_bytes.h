/*
 * The copies of memcpy_async(), made at the call: each thread of a group copies what is its own. _Alignment is what the
 * caller promises of both addresses and the size; 1: nothing, then they are looked at.
 */
#pragma once
#include "aligned_size.h"

namespace __heddle {

template <typename _Size>
constexpr size_t promised_alignment = 1;
template <size_t _Alignment>
constexpr size_t promised_alignment<cuda::aligned_size_t<_Alignment>> = _Alignment;

template <typename _Word>
__device__ inline __attribute__((always_inline)) void copy_words(size_t rank, size_t size, void *destination,
                                                                 const void *source, size_t bytes) {
  for (size_t i = rank; i < bytes / sizeof(_Word); i += size) ((_Word *)destination)[i] = ((const _Word *)source)[i];
}
template <size_t _Alignment>
__device__ inline __attribute__((always_inline)) void copy_bytes(size_t rank, size_t size, void *destination,
                                                                 const void *source, size_t bytes) {
  const size_t both = _Alignment % 16 == 0 ? 0 : (size_t)destination | (size_t)source | bytes;
  if (_Alignment % 16 == 0 || both % 16 == 0) copy_words<uint4>(rank, size, destination, source, bytes);
  else if (_Alignment % 8 == 0 || both % 8 == 0) copy_words<uint2>(rank, size, destination, source, bytes);
  else if (_Alignment % 4 == 0 || both % 4 == 0) copy_words<unsigned>(rank, size, destination, source, bytes);
  else copy_words<unsigned char>(rank, size, destination, source, bytes);
}

}  // namespace __heddle
