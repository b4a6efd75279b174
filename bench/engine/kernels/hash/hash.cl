uint rotate_left(uint x, int bits) { return (x << bits) | (x >> (32 - bits)); }

__kernel void hash(int n, __global const uint* keys, __global uint* out) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint h = 0;
  for (int word = 0; word < 4; word++) {
    uint k = keys[word * n + i] * 0xcc9e2d51u;
    k = rotate_left(k, 15) * 0x1b873593u;
    h = rotate_left(h ^ k, 13) * 5 + 0xe6546b64u;
  }
  h ^= 16;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  out[i] = h ^ (h >> 16);
}
