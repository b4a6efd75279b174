/*
 * Where the stored elements of a sparse A belong in the dense one (PTX ISA 8.5, 9.7.14.6.1): a nibble of metadata says
 * it for a chunk. A chunk is a register of stored elements of 16 or 32 bits, or half a register of bytes; a pair of
 * 4-bit integers counts as a byte.
 *
 * `odd`: which of a chunk's two dense registers is wanted; for bytes, which half of `stored` is the chunk.
 *
 * Metadata, by its figures: a word has both rows' nibbles of four chunks (low half: row g, high half: row g + 8), or
 * for bytes one row's nibbles of eight.
 */
#pragma once
#include "prelude.h"

struct SparseHalves {
  static constexpr bool BOTH_ROWS = true;
  INLINE u32 placed(u32 stored, u32 nibble, u32 odd) {
    const u32 i = nibble & 3u, j = nibble >> 2;
    const u32 low = i >> 1 == odd ? (stored & 0xffffu) << 16 * (i & 1u) : 0;
    return low | (j >> 1 == odd ? stored >> 16 << 16 * (j & 1u) : 0);
  }
};
struct SparseWords {
  static constexpr bool BOTH_ROWS = true;
  INLINE u32 placed(u32 stored, u32 nibble, u32 odd) { return nibble >> 3 == odd ? stored : 0; }
};
struct SparseBytes {
  static constexpr bool BOTH_ROWS = false;
  INLINE u32 placed(u32 stored, u32 nibble, u32 odd) {
    const u32 pair = stored >> 16 * odd;
    return (pair & 0xffu) << 8 * (nibble & 3u) | (pair >> 8 & 0xffu) << 8 * (nibble >> 2);
  }
};
