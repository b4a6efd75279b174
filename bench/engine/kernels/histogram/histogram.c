#include "loop.h"

static void histogram(int n, const unsigned char *restrict pixels, unsigned *restrict bins) {
  for (int i = 0; i < n; i++) bins[pixels[i]]++;
}

void loop(const union argument *args) { histogram(args[0].i, args[1].data, args[2].data); }
