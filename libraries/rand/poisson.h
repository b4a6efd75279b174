// Numbers of the Poisson distribution, one for each uniform number, in cuRAND's way (found by its results): a table of
// columns of one width, each shared by its own number and one other ("square histogram": Marsaglia, Tsang and Wang,
// "Fast Generation of Discrete Random Variables", 2004).
#pragma once
#include <math.h>
#include <stdint.h>
#include <vector>

// From here on normal numbers are scaled and rounded.
constexpr double POISSON_TABLES_END = 2000;

struct PoissonTable {
  double lambda = 0;
  // The number of the first column.
  uint32_t shift = 0;
  // Up to where a column is its own number's, and whose the rest is.
  std::vector<double> border;
  std::vector<uint32_t> other;

  PoissonTable() {}
  explicit PoissonTable(double lambda) : lambda(lambda) {
    std::vector<double> left; // of each number's probability; the numbers are those that have any, as doubles
    uint32_t k = 0;
    auto probability = [=](uint32_t k) { return exp(k * log(lambda) - lambda - lgamma(k + 1.0)); };
    while (probability(k) == 0) k++;
    shift = k;
    for (double p; (p = probability(k)) > 0; k++) left.push_back(p);
    fill(left);
  }
  uint32_t at(double u) const {
    // MRG32k3a's greatest number is 1.
    const uint32_t all = (uint32_t)border.size(), found = (uint32_t)(u * all), column = found < all ? found : all - 1;
    return shift + (u < border[column] ? column : other[column]);
  }

private:
  // Columns with too little are filled from the left, again and again; the last number that has too much gives.
  void fill(std::vector<double> &left) {
    const size_t count = left.size();
    const double width = 1.0 / count;
    border.resize(count);
    other.resize(count);
    std::vector<bool> isFull(count, false);
    for (size_t i = 0; i < count; i++) border[i] = (i + 1) * width, other[i] = (uint32_t)i;
    size_t giver = count;
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (size_t i = 0; i < count; i++) {
        if (isFull[i] || left[i] >= width) continue;
        while (giver > 0 && (isFull[giver - 1] || left[giver - 1] <= width)) giver--;
        if (giver == 0) return;
        border[i] = i * width + left[i];
        other[i] = (uint32_t)(giver - 1);
        left[giver - 1] -= width - left[i];
        isFull[i] = isChanged = true;
      }
    }
  }
};
