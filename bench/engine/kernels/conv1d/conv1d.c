#include "loop.h"

#define RADIUS 8

static float at_edge(int n, const float *taps, const float *in, int i) {
  float sum = 0.0f;
  for (int k = 0; k <= 2 * RADIUS; k++) {
    int j = i + k - RADIUS;
    if (j >= 0 && j < n) sum += taps[k] * in[j];
  }
  return sum;
}

static void conv1d(int n, const float *restrict taps, const float *restrict in, float *restrict out) {
  int left = n < RADIUS ? n : RADIUS;
  int right = n - RADIUS < left ? left : n - RADIUS;
  for (int i = 0; i < left; i++) out[i] = at_edge(n, taps, in, i);
  for (int i = left; i < right; i++) {
    float sum = 0.0f;
    for (int k = 0; k <= 2 * RADIUS; k++) sum += taps[k] * in[i + k - RADIUS];
    out[i] = sum;
  }
  for (int i = right; i < n; i++) out[i] = at_edge(n, taps, in, i);
}

void loop(const union argument *args) { conv1d(args[0].i, args[1].data, args[2].data, args[3].data); }
