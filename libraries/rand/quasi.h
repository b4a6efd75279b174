// The quasirandom generators of cuRAND's host API (curand.cpp): Sobol' sequences in order, and distributions that take
// one number of theirs each. cuRAND's documentation says the order: of n results in d dimensions, n / d of the first
// dimension, then n / d of the second, and so on.
#pragma once
#include <curand.h>
#include <math.h>
#include "sobol.h"

// Successive points of dimension 0, `perDimension` of them, then those of dimension 1, and so on.
template <class Word> class QuasiPoints {
  uint64_t first, perDimension, left;
  bool scrambled;
  unsigned dimension = 0;
  sobol::Points<Word> points;

public:
 QuasiPoints(uint64_t first, uint64_t perDimension, bool scrambled)
     : first(first),
       perDimension(perDimension),
       left(perDimension),
       scrambled(scrambled),
       points(0, first, scrambled) {}
 Word next() {
   if (left == 0) {
     points = sobol::Points<Word>(++dimension, first, scrambled);
     left = perDimension;
   }
   left--;
   return points.next();
  }
};

struct QuasiGenerator {
  curandRngType_t type;
  unsigned dimensions = 1;
  // The next point of every dimension.
  uint64_t position = 0;
  bool wide() const { return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64; }
  // n: a multiple of the dimensions.
  template <class Word> QuasiPoints<Word> points(uint64_t n) const {
    bool scrambled = type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
    return QuasiPoints<Word>(position, n / dimensions, scrambled);
  }
};

// As in kernels: include/heddle/sobol.h.
namespace quasi {
inline float uniform(uint32_t x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
inline float uniform(unsigned long long x) { return uniform((uint32_t)(x >> 32)); }
inline double uniformDouble(uint32_t x) { return x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
inline double uniformDouble(unsigned long long x) {
  return (x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}

// z with P(Z > z) = p, 0 < p <= 1/2: Abramowitz and Stegun 26.2.23, then Halley's method until it is exact.
inline double upperNormalQuantile(double p) {
  double t = sqrt(-2.0 * log(p));
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int i = 0; i < 2; i++) {
    double step = (0.5 * erfc(z * 0.7071067811865476) - p) * 2.5066282746310002 * exp(0.5 * z * z);
    z += step / (1.0 - 0.5 * z * step);
  }
  return z;
}
inline double normal(uint32_t x, bool isDouble) {
  bool upper = x > 0x80000000u;
  uint32_t mirrored = upper ? ~x : x;
  double z = upperNormalQuantile(isDouble ? mirrored * 2.3283064365386963e-10 + 2.3283064365386963e-10 / 2.0
                                          : (double)uniform(mirrored));
  return upper ? z : -z;
}
inline double normal(unsigned long long x, bool isDouble) {
  if (!isDouble) return normal((uint32_t)(x >> 32), false);
  bool upper = x > 0x8000000000000000ull;
  double z = upperNormalQuantile(uniformDouble(upper ? ~x : x));
  return upper ? z : -z;
}
// The least k with P(X <= k) >= u. Below the first k that is tried lies less than the last bit of u.
inline uint32_t poisson(double u, double lambda) {
  double k = fmax(0.0, floor(lambda - 9.0 * sqrt(lambda) - 10.0)), p = exp(k * log(lambda) - lambda - lgamma(k + 1.0)),
         sum = p;
  while (sum < u && (k < lambda || p > 1e-18)) {
    k += 1.0;
    p *= lambda / k;
    sum += p;
  }
  return (uint32_t)k;
}
} // namespace quasi
