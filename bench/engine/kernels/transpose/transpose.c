#include "loop.h"

static void transpose(int n, const float *restrict in, float *restrict out) {
  for (int y = 0; y < n; y++) {
    for (int x = 0; x < n; x++) out[y * n + x] = in[x * n + y];
  }
}

void loop(const union argument *args) { transpose(args[0].i, args[1].data, args[2].data); }
