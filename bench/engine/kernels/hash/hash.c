#include "loop.h"

static unsigned rotate_left(unsigned x, int bits) { return (x << bits) | (x >> (32 - bits)); }

static void hash(int n, const unsigned *restrict keys, unsigned *restrict out) {
  for (int i = 0; i < n; i++) {
    unsigned h = 0;
    for (int word = 0; word < 4; word++) {
      unsigned k = keys[word * n + i] * 0xcc9e2d51u;
      k = rotate_left(k, 15) * 0x1b873593u;
      h = rotate_left(h ^ k, 13) * 5 + 0xe6546b64u;
    }
    h ^= 16;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    out[i] = h ^ (h >> 16);
  }
}

void loop(const union argument *args) { hash(args[0].i, args[1].data, args[2].data); }
