#include "loop.h"

static void saxpy(int n, float a, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

void loop(const union argument *args) { saxpy(args[0].i, args[1].f, args[2].data, args[3].data); }
