// MT19937 in cuRAND's order, found by its results: 8192 lanes, each 2^2048 steps behind the one before. Number n
// belongs to lane n mod 65536 / 8. Eight threads of a lane take turns; each has 78 of its 624 words (`elementOf`).
//
// Matsumoto and Nishimura, "Mersenne Twister", 1998, with the initialisation of 2002; jumps as in Haramoto, Matsumoto,
// Nishimura, Panneton and L'Ecuyer, "Efficient Jump Ahead for F2-Linear Random Number Generators", 2008.
#pragma once
#include <stdint.h>
#include <string.h>
#include <vector>
#include "twister-jump.h"

namespace {
struct Twister {
  static constexpr uint32_t WORDS = 624, MIDDLE = 397, DEGREE = 19937, THREADS = 8, LANES = 8192;
  static constexpr uint32_t ROUND = LANES * THREADS, TURNS = WORDS / THREADS;
  struct Lane {
    uint32_t state[WORDS];
    // How often all words were replaced.
    uint64_t twists;
  };
  // A lane's state before its first twist is its start; only those that were asked for are there.
  std::vector<Lane> lanes;
  // The start of the lane behind them.
  alignas(16) uint32_t start[WORDS];
  uint32_t element[TURNS][THREADS];

  void seed(uint64_t seed) {
    start[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < WORDS; i++) start[i] = 1812433253u * (start[i - 1] ^ (start[i - 1] >> 30)) + i;
    lanes.clear();
    for (uint32_t turn = 0; turn < TURNS; turn++)
      for (uint32_t thread = 0; thread < THREADS; thread++) element[turn][thread] = elementOf(turn, thread);
  }
  // Number n of the order.
  uint32_t at(uint64_t n) {
    const uint64_t turn = n / ROUND, lane = n % ROUND / THREADS;
    while (lanes.size() <= lane) addLane();
    Lane &here = lanes[lane];
    // Numbers are asked for in ascending order.
    while (here.twists <= turn / TURNS) twist(here);
    return temper(here.state[element[turn % TURNS][n % THREADS]]);
  }

private:
  // First one word each, then eleven times seven successive ones.
  static uint32_t elementOf(uint32_t turn, uint32_t thread) {
    static const uint32_t first[THREADS] = {0, 113, 170, 283, 340, 397, 510, 567};
    static const uint32_t group[11] = {1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568};
    return turn == 0 ? first[thread] : group[(turn - 1) / 7] + 7 * thread + (turn - 1) % 7;
  }
  static uint32_t temper(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  static uint32_t step(uint32_t word, uint32_t next, uint32_t middle) {
    uint32_t y = (word & 0x80000000u) | (next & 0x7fffffffu);
    return middle ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  static void twist(Lane &lane) {
    uint32_t *x = lane.state;
    for (uint32_t i = 0; i < WORDS; i++) x[i] = step(x[i], x[(i + 1) % WORDS], x[(i + MIDDLE) % WORDS]);
    lane.twists++;
  }
  void addLane() {
    Lane lane;
    memcpy(lane.state, start, sizeof start);
    lane.twists = 0;
    lanes.push_back(lane);
    if (lanes.size() < LANES) jump(start);
  }
  // The jumped word k is the sum of the words k + i of the sequence for all coefficients i. Eight coefficients at a
  // time: their windows are summed by the value of the eight, and the values' sums are combined once, at the end.
  __attribute__((target("simd128"))) static void jump(uint32_t *state) {
    typedef uint32_t Four __attribute__((vector_size(16)));
    constexpr uint32_t BYTES = (DEGREE + 7) / 8, WIDTH = WORDS + 8, LENGTH = BYTES * 8 + WIDTH;
    static Four sequence[LENGTH / 4], sums[256][WIDTH / 4];
    uint32_t *x = (uint32_t *)sequence;
    memcpy(x, state, WORDS * sizeof *x);
    for (uint32_t i = 0; i + WORDS < LENGTH; i++) x[i + WORDS] = step(x[i], x[i + 1], x[i + MIDDLE]);
    memset(sums, 0, sizeof sums);
    const uint8_t *coefficients = (const uint8_t *)TWISTER_JUMP;
    for (uint32_t j = 0; j < BYTES; j++) {
      Four *to = sums[coefficients[j]];
      const Four *from = sequence + 2 * j;
      for (uint32_t k = 0; k < WIDTH / 4; k++) to[k] ^= from[k];
    }
    memset(state, 0, WORDS * sizeof *state);
    // Bit by bit: the values with this bit, then the others take what they had without it.
    for (int bit = 7; bit >= 0; bit--) {
      Four *all = sums[0];
      const uint32_t half = 1u << bit;
      static Four sum[WIDTH / 4];
      memset(sum, 0, sizeof sum);
      for (uint32_t value = 0; value < half; value++)
        for (uint32_t k = 0; k < WIDTH / 4; k++) {
          Four more = sums[value + half][k];
          sum[k] ^= more;
          all[value * (WIDTH / 4) + k] ^= more;
        }
      const uint32_t *words = (const uint32_t *)sum + bit;
      for (uint32_t k = 0; k < WORDS; k++) state[k] ^= words[k];
    }
  }
};
} // namespace
