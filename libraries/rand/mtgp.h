// MTGP32 (Saito and Matsumoto, "Variants of Mersenne Twister Suitable for Graphic Processors", 2012) with the
// parameters of mtgp-numbers.h, as cuRAND's host API orders it, found by its results: the generators take turns, 256
// numbers each.
#pragma once
#include <stdint.h>
#include <string.h>
#include <vector>
#include "mtgp-numbers.h"

namespace {
// The sum of the rows of `matrix` that the lowest four bits of x name.
constexpr uint32_t mtgpProduct(const uint32_t *matrix, uint32_t x) {
  uint32_t sum = 0;
  for (int bit = 0; bit < 4; bit++) if (x >> bit & 1) sum ^= matrix[bit];
  return sum;
}
constexpr uint32_t MTGP_MASK = 0xfff80000, MTGP_WORDS = 351, MTGP_THREADS = 256;
inline void mtgpSeed(uint32_t *state, const uint32_t *recursion, uint32_t seed) {
  const uint32_t hidden = recursion[2] ^ recursion[3] << 16;
  uint32_t sum = hidden + (hidden >> 16);
  sum += sum >> 8;
  memset(state, (int)(sum & 255), MTGP_WORDS * sizeof *state);
  state[0] = seed;
  state[1] = hidden;
  for (uint32_t i = 1; i < MTGP_WORDS; i++) state[i] ^= 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
}

class Mtgp {
  struct Lane {
    // The state, then the numbers that follow from it.
    uint32_t words[MTGP_WORDS + MTGP_THREADS], tempered[MTGP_THREADS];
    uint64_t turns;
  };
  std::vector<Lane> lanes;

  static void turn(Lane &lane, const MtgpNumbers &numbers) {
    if (lane.turns++ > 0) memmove(lane.words, lane.words + MTGP_THREADS, MTGP_WORDS * sizeof(uint32_t));
    const uint32_t *w = lane.words;
    for (uint32_t i = 0; i < MTGP_THREADS; i++, w++) {
      uint32_t x = (w[0] & MTGP_MASK) ^ w[1];
      x ^= x << numbers.shift1;
      x ^= w[numbers.position] >> numbers.shift2;
      const uint32_t made = lane.words[MTGP_WORDS + i] = x ^ mtgpProduct(numbers.recursion, x);
      uint32_t helper = w[numbers.position - 1];
      helper ^= helper >> 16;
      helper ^= helper >> 8;
      lane.tempered[i] = made ^ mtgpProduct(numbers.tempering, helper);
    }
  }

public:
  void seed(uint64_t seed, uint32_t count) {
    lanes.resize(count);
    for (uint32_t i = 0; i < count; i++) {
      mtgpSeed(lanes[i].words, MTGP_NUMBERS[i].recursion, (uint32_t)(seed ^ seed >> 32) + i + 1);
      lanes[i].turns = 0;
    }
  }
  // Number n of the order; they are asked for in ascending order.
  uint32_t at(uint64_t n) {
    const uint64_t part = n / MTGP_THREADS, lane = part % lanes.size();
    while (lanes[lane].turns <= part / lanes.size()) turn(lanes[lane], MTGP_NUMBERS[lane]);
    return lanes[lane].tempered[n % MTGP_THREADS];
  }
};
} // namespace
