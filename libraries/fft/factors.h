// How a transform of n elements is cut: into steps of at most MOST_LINE elements, and a step into passes.
#pragma once
#include <math.h>
#include <vector>

namespace heddle_fft {

/// Larger prime factors go by a convolution.
constexpr int LARGEST_RADIX = 61;

/// The radices of a step, or an empty list if it has a larger prime factor.
inline std::vector<int> radices_of(int n) {
  std::vector<int> found;
  int twos = 0;
  while (n % 2 == 0) { n /= 2; twos++; }
  for (int odd : {7, 5, 3}) while (n % odd == 0) { n /= odd; found.push_back(odd); }
  for (int prime = 11; n > 1; prime += 2) {
    if (prime > LARGEST_RADIX) return {};
    while (n % prime == 0) { n /= prime; found.push_back(prime); }
  }
  if (twos % 3 == 1 && twos > 1) { found.push_back(4); found.push_back(4); twos -= 4; }
  if (twos % 3 == 2) { found.push_back(4); twos -= 2; }
  if (twos == 1) { found.push_back(2); twos = 0; }
  for (; twos > 0; twos -= 3) found.push_back(8);
  return found;
}

inline bool is_smooth(int n) {
  for (int prime = 2; prime <= LARGEST_RADIX && n > 1; prime++) while (n % prime == 0) n /= prime;
  return n == 1;
}

/// Costs of a step for each element, about in cycles of a core: what decides between factorisations.
struct StepCosts {
  int mostLine;
  long long blocks; // lines beside those of this dimension
  double of(int R, long long s, long long m) const {
    double cost = 3;
    for (int radix : radices_of(R)) cost += radix <= 8 ? 1.5 + 0.3 * radix : radix;
    cost += s * m % 32 == 0 ? 1 : s * m == 1 && R >= 32 ? 2 : 4;
    cost += s % 32 == 0 ? 1 : s == 1 && R >= 32 ? 2 : 4;
    if (m > 1) cost += 1;
    double lines = (double)blocks * s * m;
    return cost * ceil(lines / 32) * 32 / lines;
  }
};

/// The cheapest steps for n elements with s elements inside of them. Adds to the cost.
inline std::vector<int> cut_into_steps(const StepCosts& costs, int n, long long s, double *cost) {
  std::vector<int> best;
  double least = 1e300;
  for (int R = n == 1 ? 1 : 2; R <= costs.mostLine && R <= n; R++) {
    if (n % R || (R > 1 && radices_of(R).empty())) continue;
    double here = costs.of(R, s, n / R);
    if (here >= least) continue;
    std::vector<int> rest;
    if (R < n) {
      rest = cut_into_steps(costs, n / R, s * R, &here);
      if (rest.empty() || here >= least) continue;
    }
    least = here;
    best.assign(1, R);
    best.insert(best.end(), rest.begin(), rest.end());
  }
  *cost += least;
  return best;
}

} // namespace heddle_fft
