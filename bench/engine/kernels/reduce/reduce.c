#include "loop.h"

// The same partial sums: which elements a partial sum has is part of the result.
static void reduce(int blocks, int threads, int n, const float *restrict in, float *restrict out) {
  for (int block = 0; block < blocks; block++) {
    float sum = 0.0f;
    for (int start = block * threads; start < n; start += blocks * threads) {
      int end = start + threads < n ? start + threads : n;
      for (int i = start; i < end; i++) sum += in[i];
    }
    out[block] = sum;
  }
}

void loop(const union argument *args) { reduce(args[0].i, args[1].i, args[2].i, args[3].data, args[4].data); }
