// Sobol' sequences as cuRAND has them: 20,000 dimensions, of 32 or 64 bits, plain or scrambled. Word is uint32_t or
// unsigned long long.
#pragma once
#include <stdint.h>

namespace sobol {
extern const unsigned MAX_DIMENSIONS;

// The direction vectors of all dimensions, one behind the other: of each, as many as Word has bits.
template <class Word> const Word *directions(bool scrambled);
// What the scrambled points of each dimension begin with.
template <class Word> const Word *scrambleConstants();

// Point n of a dimension is the XOR of the direction vectors that the bits of n's Gray code choose; from one point to
// the next, one vector changes (Antonov and Saleev, 1979).
template <class Word> class Points {
  const Word *vectors;
  uint64_t index;
  Word point;

public:
 Points(unsigned dimension, uint64_t first, bool scrambled)
     : vectors(directions<Word>(scrambled) + dimension * (8 * sizeof(Word))),
       index(first),
       point(scrambled ? scrambleConstants<Word>()[dimension] : 0) {
   uint64_t gray = first ^ (first >> 1);
   for (unsigned bit = 0; bit < 8 * sizeof(Word); bit++)
     if (gray >> bit & 1) point ^= vectors[bit];
 }
  Word next() {
    Word result = point;
    if (~(Word)index != 0) point ^= vectors[__builtin_ctzll(~index)];
    index++;
    return result;
  }
};
} // namespace sobol
