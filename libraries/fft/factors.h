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

/// The radices of transform_mixed (mixed.cuh): which of them a pass has, after passes of s elements.
class MixedRadices {
public:
  /// Empty if the kernel is not for n elements.
  static std::vector<int> of(int n) {
    std::vector<int> found;
    if (n <= MOST && cost(n, 1, &found) < NEVER) return found;
    return {};
  }
  static constexpr int MOST = 4096, LANES = 32;

private:
  static constexpr double NEVER = 1e30;
  static bool has(int s, int radix) {
    switch (s) {
      case 1: return radix == 5 || radix >= 7;
      case 5: return radix == 5;
      case 7: return radix == 5 || radix == 7;
      case 8: return radix >= 4;
      case 9: return radix >= 4 && radix != 8;
      case 25: return radix >= 3 && radix <= 5;
      default: return s >= LANES;
    }
  }
  /// Instructions for four threads.
  static int butterfly(int radix) {
    switch (radix) {
      case 2: return 4;
      case 3: return 14;
      case 4: return 16;
      case 5: return 36;
      case 7: return 84;
      case 8: return 56;
      case 12: return 104;
      default: return 76;
    }
  }
  /// The least cost of the passes that are left, and their radices.
  static double cost(int n, int s, std::vector<int> *radices) {
    if (s == n) return 0;
    double least = NEVER;
    for (int radix : {2, 3, 4, 5, 7, 8, 9, 12}) {
      bool isLast = s * radix == n;
      if (radix == 12 && !isLast) continue;
      if (n / s % radix || n / radix < LANES || !has(s, radix) || (isLast && s < LANES)) continue;
      // A warp has one p, or a multiple of s threads.
      int m = n / radix, width = s < LANES ? LANES / s * s : LANES;
      int warps = s < LANES ? (m + width - 1) / width : m / s * ((s + LANES - 1) / LANES);
      double each = 12 + 4 * radix + butterfly(radix) + (isLast ? 0 : 4 * (radix - 1));
      if (s < LANES && s % 4) each += s == 1 ? 2 * radix : 6 * radix; // lanes that store one after the other
      std::vector<int> rest;
      double all = warps * each + cost(n, s * radix, &rest);
      if (all >= least) continue;
      least = all;
      radices->assign(1, radix);
      radices->insert(radices->end(), rest.begin(), rest.end());
    }
    return least;
  }
};

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
