/* Random numbers of thrust: linear congruential engines (the parameters are the C++ standard's) and distributions,
 * usable on host and device. */
#pragma once

#include "detail/config.h"

namespace thrust {
namespace random {

template <typename UINT, UINT A, UINT C, UINT M>
class linear_congruential_engine {
  UINT __state;

 public:
  typedef UINT result_type;
  static constexpr UINT default_seed = 1, multiplier = A, increment = C, modulus = M;
  static constexpr UINT min = C == 0 ? 1 : 0, max = M - 1;
  __THRUST_HD explicit linear_congruential_engine(UINT s = default_seed) { seed(s); }
  __THRUST_HD void seed(UINT s = default_seed) { __state = C % M == 0 && s % M == 0 ? 1 : s % M; }
  __THRUST_HD UINT operator()() { return __state = (UINT)(((unsigned long long)A * __state + C) % M); }
  /** Skips z numbers in log z steps. */
  __THRUST_HD void discard(unsigned long long z) {
    unsigned long long a = A, c = C, state = __state;
    for (; z; z >>= 1) {
      if (z & 1) state = (a * state + c) % M;
      c = (a * c + c) % M;
      a = a * a % M;
    }
    __state = (UINT)state;
  }
};
typedef linear_congruential_engine<unsigned, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<unsigned, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;

template <typename REAL = double>
class uniform_real_distribution {
  REAL __a, __b;

 public:
  typedef REAL result_type;
  __THRUST_HD explicit uniform_real_distribution(REAL a = 0, REAL b = 1) : __a(a), __b(b) {}
  template <typename G>
  __THRUST_HD REAL operator()(G &g) const {
    const REAL unit = (REAL)(g() - G::min) / ((REAL)(G::max - G::min) + (REAL)1);
    return unit * (__b - __a) + __a;
  }
};
template <typename INT = int>
class uniform_int_distribution {
  INT __a, __b;

 public:
  typedef INT result_type;
  __THRUST_HD explicit uniform_int_distribution(INT a = 0, INT b = (INT)0x7fffffff) : __a(a), __b(b) {}
  template <typename G>
  __THRUST_HD INT operator()(G &g) const {
    const double unit = (double)(g() - G::min) / ((double)(G::max - G::min) + 1.0);
    return (INT)(__a + (INT)(unit * ((double)__b - (double)__a + 1.0)));
  }
};
/** By the polar form of Box and Muller's method, one number at a time. */
template <typename REAL = double>
class normal_distribution {
  REAL __mean, __deviation;

 public:
  typedef REAL result_type;
  __THRUST_HD explicit normal_distribution(REAL mean = 0, REAL deviation = 1) : __mean(mean), __deviation(deviation) {}
  template <typename G>
  __THRUST_HD REAL operator()(G &g) const {
    uniform_real_distribution<double> unit(-1.0, 1.0);
    double u, v, s;
    do {
      u = unit(g);
      v = unit(g);
      s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    return __mean + __deviation * (REAL)(u * ::sqrt(-2.0 * ::log(s) / s));
  }
};

}  // namespace random
using random::default_random_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
}  // namespace thrust
