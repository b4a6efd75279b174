/*
 * Sobol' sequences in kernels, for curand_kernel.h: of 32 and 64 bits, plain and scrambled, by the Gray code (Antonov
 * and Saleev, 1979). The caller brings the direction vectors (curandGetDirectionVectors32 and 64). Integers and uniform
 * numbers are the GPU's own; normal and Poisson numbers are the inverse of their distribution at one number of the
 * sequence each, so that its even spacing is kept.
 */
#ifndef HEDDLE_SOBOL_H
#define HEDDLE_SOBOL_H

namespace heddle_random {
template <class Word, bool SCRAMBLED> struct Sobol {
  /* the next point's index, the point, what all points are scrambled with */
  Word i, x, c, direction_vectors[8 * sizeof(Word)];
};
} // namespace heddle_random
typedef heddle_random::Sobol<unsigned int, false> curandStateSobol32, curandStateSobol32_t;
typedef heddle_random::Sobol<unsigned int, true> curandStateScrambledSobol32, curandStateScrambledSobol32_t;
typedef heddle_random::Sobol<unsigned long long, false> curandStateSobol64, curandStateSobol64_t;
typedef heddle_random::Sobol<unsigned long long, true> curandStateScrambledSobol64, curandStateScrambledSobol64_t;

#ifdef __CUDACC__
#define HEDDLE_SOBOL static __device__ __forceinline__

namespace heddle_random {
template <class Word, bool S> HEDDLE_SOBOL void sobol_skip(Word n, Sobol<Word, S> *state) {
  state->i += n;
  Word gray = state->i ^ (state->i >> 1);
  state->x = state->c;
  for (int bit = 0; bit < 8 * (int)sizeof(Word); bit++) state->x ^= gray >> bit & 1 ? state->direction_vectors[bit] : 0;
}
template <class Word, bool S>
HEDDLE_SOBOL void sobol_start(const Word* vectors, Word scramble, Word offset, Sobol<Word, S>* state) {
  for (int bit = 0; bit < 8 * (int)sizeof(Word); bit++) state->direction_vectors[bit] = vectors[bit];
  state->i = 0;
  state->c = scramble;
  sobol_skip(offset, state);
}
HEDDLE_SOBOL int lowest_bit(unsigned int x) { return __ffs(x) - 1; }
HEDDLE_SOBOL int lowest_bit(unsigned long long x) { return __ffsll(x) - 1; }

/* The upper 32 bits, or all there are, as a number in (0, 1); the same with the bits of a double. */
HEDDLE_SOBOL float sobol_uniform(unsigned int x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
HEDDLE_SOBOL float sobol_uniform(unsigned long long x) { return sobol_uniform((unsigned int)(x >> 32)); }
HEDDLE_SOBOL double sobol_uniform_double(unsigned int x) { return x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
HEDDLE_SOBOL double sobol_uniform_double(unsigned long long x) {
  return (x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}

/* The upper half of the distribution mirrors the lower, where small numbers keep their digits. */
HEDDLE_SOBOL float sobol_normal(unsigned int x) {
  bool upper = x > 0x80000000u;
  float z = 1.4142135f * erfcinvf(2.0f * sobol_uniform(upper ? ~x : x));
  return upper ? z : -z;
}
HEDDLE_SOBOL float sobol_normal(unsigned long long x) { return sobol_normal((unsigned int)(x >> 32)); }
HEDDLE_SOBOL double sobol_normal_double(unsigned int x) {
  bool upper = x > 0x80000000u;
  double z =
      1.4142135623730951 * erfcinv(2.0 * ((upper ? ~x : x) * 2.3283064365386963e-10 + 2.3283064365386963e-10 / 2.0));
  return upper ? z : -z;
}
HEDDLE_SOBOL double sobol_normal_double(unsigned long long x) {
  bool upper = x > 0x8000000000000000ull;
  double z = 1.4142135623730951 * erfcinv(2.0 * sobol_uniform_double(upper ? ~x : x));
  return upper ? z : -z;
}
/* The least k with P(X <= k) >= u. Below the first k that is tried lies less than the last bit of u. */
static __device__ unsigned int sobol_poisson(double u, double lambda) {
  if (!(lambda > 0.0)) return 0;
  double k = fmax(0.0, floor(lambda - 9.0 * sqrt(lambda) - 10.0)), p = exp(k * log(lambda) - lambda - lgamma(k + 1.0)),
         sum = p;
  while (sum < u && (k < lambda || p > 1e-18)) {
    k += 1.0;
    p *= lambda / k;
    sum += p;
  }
  return (unsigned int)k;
}
} // namespace heddle_random

HEDDLE_SOBOL void skipahead(unsigned int n, curandStateSobol32_t *state) { heddle_random::sobol_skip(n, state); }
HEDDLE_SOBOL void skipahead(unsigned int n, curandStateScrambledSobol32_t* state) {
  heddle_random::sobol_skip(n, state);
}
HEDDLE_SOBOL void skipahead(unsigned long long n, curandStateSobol64_t *state) { heddle_random::sobol_skip(n, state); }
HEDDLE_SOBOL void skipahead(unsigned long long n, curandStateScrambledSobol64_t* state) {
  heddle_random::sobol_skip(n, state);
}

HEDDLE_SOBOL void curand_init(curandDirectionVectors32_t vectors, unsigned int offset, curandStateSobol32_t *state) {
  heddle_random::sobol_start(vectors, 0u, offset, state);
}
HEDDLE_SOBOL void curand_init(curandDirectionVectors32_t vectors, unsigned int scramble, unsigned int offset,
                              curandStateScrambledSobol32_t* state) {
  heddle_random::sobol_start(vectors, scramble, offset, state);
}
HEDDLE_SOBOL void curand_init(curandDirectionVectors64_t vectors, unsigned long long offset,
                              curandStateSobol64_t* state) {
  heddle_random::sobol_start(vectors, 0ull, offset, state);
}
HEDDLE_SOBOL void curand_init(curandDirectionVectors64_t vectors, unsigned long long scramble,
                              unsigned long long offset, curandStateScrambledSobol64_t* state) {
  heddle_random::sobol_start(vectors, scramble, offset, state);
}

template <class Word, bool S> HEDDLE_SOBOL Word curand(heddle_random::Sobol<Word, S> *state) {
  Word result = state->x;
  int bit = heddle_random::lowest_bit((Word)~state->i);
  if (bit >= 0) state->x ^= state->direction_vectors[bit];
  state->i++;
  return result;
}
template <class Word, bool S>
HEDDLE_SOBOL float curand_uniform(heddle_random::Sobol<Word, S>* state) {
  return heddle_random::sobol_uniform(curand(state));
}
template <class Word, bool S>
HEDDLE_SOBOL double curand_uniform_double(heddle_random::Sobol<Word, S>* state) {
  return heddle_random::sobol_uniform_double(curand(state));
}
template <class Word, bool S>
HEDDLE_SOBOL float curand_normal(heddle_random::Sobol<Word, S>* state) {
  return heddle_random::sobol_normal(curand(state));
}
template <class Word, bool S>
HEDDLE_SOBOL double curand_normal_double(heddle_random::Sobol<Word, S>* state) {
  return heddle_random::sobol_normal_double(curand(state));
}
template <class Word, bool S>
HEDDLE_SOBOL unsigned int curand_poisson(heddle_random::Sobol<Word, S>* state, double lambda) {
  return heddle_random::sobol_poisson(curand_uniform_double(state), lambda);
}
#undef HEDDLE_SOBOL
#endif // __CUDACC__
#endif
