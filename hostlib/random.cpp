// rand() and srand() with the sequence of Linux's C library: programs fill their arrays with it, and have the same data
// and results as there. An additive feedback generator, x[n] = x[n - 3] + x[n - 31] modulo 2^32, without its lowest bit
// (glibc manual, "ISO C Random Number Functions"; random(3), TYPE_3).
#include <stdint.h>
#include <stdlib.h>

namespace {
constexpr int DEGREE = 31;
constexpr int SEPARATION = 3;
/// Numbers after srand() that nobody sees.
constexpr int SKIPPED = 10 * DEGREE;

uint32_t state[DEGREE];
int front;
bool isSeeded;

int next() {
  int rear = front >= SEPARATION ? front - SEPARATION : front + DEGREE - SEPARATION;
  uint32_t sum = state[front] += state[rear];
  front = front + 1 == DEGREE ? 0 : front + 1;
  return static_cast<int>(sum >> 1);
}

void seed(unsigned value) {
  // Park and Miller's generator fills the state.
  int64_t word = static_cast<int32_t>(value == 0 ? 1 : value);
  for (int i = 0; i < DEGREE; i++) {
    state[i] = static_cast<uint32_t>(word);
    word = word * 16807 % 2147483647;
    if (word < 0) word += 2147483647;
  }
  front = SEPARATION;
  isSeeded = true;
  for (int i = 0; i < SKIPPED; i++) next();
}
} // namespace

extern "C" {
void srand(unsigned value) { seed(value); }
int rand(void) {
  if (!isSeeded) seed(1);
  return next();
}
}
