// Direction vectors of Sobol' sequences: sobol.h, and the functions of cuRAND that hand them out.
#include <curand.h>
#include <vector>
#include "sobol.h"
#include "sobol-numbers.h"

namespace sobol {
extern const unsigned MAX_DIMENSIONS = SOBOL_DIMENSIONS;

namespace {
class NumberReader {
  const char *at = SOBOL_NUMBERS;
  unsigned held = 0;
  int bits = 0;
  static unsigned sixBits(char c) {
    return c >= 'a' ? c - 'a' + 26 : c >= 'A' ? c - 'A' : c >= '0' ? c - '0' + 52 : c == '+' ? 62 : 63;
  }

public:
  unsigned take(int width) {
    for (; bits < width; bits += 6) held = held << 6 | sixBits(*at++);
    bits -= width;
    unsigned value = held >> bits;
    held &= (1u << bits) - 1;
    return value;
  }
};

// The recurrence of Bratley and Fox, "Algorithm 659: implementing Sobol's quasirandom sequence generator", 1988.
template <class Word> void fill(Word *vectors) {
  constexpr int bits = 8 * sizeof(Word);
  for (int i = 0; i < bits; i++) vectors[i] = (Word)1 << (bits - 1 - i);
  NumberReader numbers;
  Word *v = vectors + bits;
  int degree = 0;
  for (int count : SOBOL_DEGREES) {
    degree++;
    for (; count > 0; count--, v += bits) {
      unsigned inner = numbers.take(degree - 1);
      for (int i = 0; i < degree; i++) v[i] = (Word)(numbers.take(i) << 1 | 1) << (bits - 1 - i);
      for (int i = degree; i < bits; i++) {
        v[i] = v[i - degree] ^ v[i - degree] >> degree;
        for (int k = 1; k < degree; k++)
          if (inner >> (degree - 1 - k) & 1) v[i] ^= v[i - k];
      }
    }
  }
}

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (SplitMix), 2014.
class Mixer {
  uint64_t state;

public:
  explicit Mixer(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
};

// Matousek's linear scrambling ("On the L2-discrepancy for anchored boxes", 1998): each dimension's vectors times a
// random lower triangular matrix with ones on its diagonal, which keeps every digital net a net. NVIDIA does not
// publish the matrices of cuRAND; these are not they.
template <class Word> void scramble(Word *vectors) {
  constexpr int bits = 8 * sizeof(Word);
  Mixer random(bits);
  for (int dimension = 0; dimension < SOBOL_DIMENSIONS; dimension++) {
    Word columns[bits]; // of bit i: itself, and random bits below it
    for (int i = 0; i < bits; i++) columns[i] = (Word)1 << i | ((Word)random.next() & (((Word)1 << i) - 1));
    for (int k = 0; k < bits; k++) {
      Word &v = vectors[dimension * bits + k], product = 0;
      for (Word rest = v; rest != 0; rest &= rest - 1) product ^= columns[__builtin_ctzll(rest)];
      v = product;
    }
  }
}
} // namespace

template <class Word> const Word *directions(bool scrambled) {
  static std::vector<Word> tables[2];
  std::vector<Word> &table = tables[scrambled];
  if (table.empty()) {
    table.resize((size_t)SOBOL_DIMENSIONS * 8 * sizeof(Word));
    fill(table.data());
    if (scrambled) scramble(table.data());
  }
  return table.data();
}
template <class Word> const Word *scrambleConstants() {
  static std::vector<Word> table;
  if (table.empty()) {
    Mixer random(8 * sizeof(Word) + 1);
    for (int dimension = 0; dimension < SOBOL_DIMENSIONS; dimension++) table.push_back((Word)random.next());
  }
  return table.data();
}
template const uint32_t *directions<uint32_t>(bool);
template const unsigned long long *directions<unsigned long long>(bool);
template const uint32_t *scrambleConstants<uint32_t>();
template const unsigned long long *scrambleConstants<unsigned long long>();
} // namespace sobol

namespace {
template <class Word, class Vectors> curandStatus_t hand(Vectors **vectors, bool plain, bool scrambled) {
  if (!plain && !scrambled) return CURAND_STATUS_OUT_OF_RANGE;
  *vectors = (Vectors *)sobol::directions<Word>(scrambled);
  return CURAND_STATUS_SUCCESS;
}
} // namespace

extern "C" {
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set) {
  return hand<uint32_t>(vectors, set == CURAND_DIRECTION_VECTORS_32_JOEKUO6,
                        set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set) {
  return hand<unsigned long long>(vectors, set == CURAND_DIRECTION_VECTORS_64_JOEKUO6,
                                  set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
}
curandStatus_t curandGetScrambleConstants32(unsigned int **constants) {
  if (!constants) return CURAND_STATUS_OUT_OF_RANGE;
  *constants = (unsigned int *)sobol::scrambleConstants<uint32_t>();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetScrambleConstants64(unsigned long long **constants) {
  if (!constants) return CURAND_STATUS_OUT_OF_RANGE;
  *constants = (unsigned long long *)sobol::scrambleConstants<unsigned long long>();
  return CURAND_STATUS_SUCCESS;
}
}
