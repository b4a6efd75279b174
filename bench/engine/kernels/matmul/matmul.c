#include "loop.h"

// The loop order that compilers vectorise: with k innermost a C loop is 40 times slower, and no rival.
static void matmul(int n, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int row = 0; row < n; row++) {
    for (int column = 0; column < n; column++) c[row * n + column] = 0.0f;
    for (int k = 0; k < n; k++) {
      for (int column = 0; column < n; column++) c[row * n + column] += a[row * n + k] * b[k * n + column];
    }
  }
}

void loop(const union argument *args) { matmul(args[0].i, args[1].data, args[2].data, args[3].data); }
