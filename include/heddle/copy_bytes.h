/*
 * The copies of memcpy_async(), made at the call: each thread of a group copies what is its own. ALIGNMENT is what the
 * caller promises of both addresses and the size; 1: nothing, then they are looked at.
 */
#pragma once
#include "aligned_size.h"

namespace __heddle {

template <typename SIZE>
constexpr size_t promised_alignment = 1;
template <size_t ALIGNMENT>
constexpr size_t promised_alignment<cuda::aligned_size_t<ALIGNMENT>> = ALIGNMENT;

template <typename WORD>
__device__ inline __attribute__((always_inline)) void copy_words(size_t rank, size_t size, void *destination,
                                                                 const void *source, size_t bytes) {
  for (size_t i = rank; i < bytes / sizeof(WORD); i += size) ((WORD *)destination)[i] = ((const WORD *)source)[i];
}
template <size_t ALIGNMENT>
__device__ inline __attribute__((always_inline)) void copy_bytes(size_t rank, size_t size, void *destination,
                                                                 const void *source, size_t bytes) {
  const size_t both = ALIGNMENT % 16 == 0 ? 0 : (size_t)destination | (size_t)source | bytes;
  if (ALIGNMENT % 16 == 0 || both % 16 == 0) copy_words<uint4>(rank, size, destination, source, bytes);
  else if (ALIGNMENT % 8 == 0 || both % 8 == 0) copy_words<uint2>(rank, size, destination, source, bytes);
  else if (ALIGNMENT % 4 == 0 || both % 4 == 0) copy_words<unsigned>(rank, size, destination, source, bytes);
  else copy_words<unsigned char>(rank, size, destination, source, bytes);
}

}  // namespace __heddle
