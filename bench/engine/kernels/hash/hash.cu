// MurmurHash3 (x86, 32 bits, seed 0) of n keys of four words each.
__device__ unsigned int rotate_left(unsigned int x, int bits) { return (x << bits) | (x >> (32 - bits)); }

__global__ void hash(int n, const unsigned int* keys, unsigned int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int h = 0;
  for (int word = 0; word < 4; word++) {
    unsigned int k = keys[word * n + i] * 0xcc9e2d51u;
    k = rotate_left(k, 15) * 0x1b873593u;
    h = rotate_left(h ^ k, 13) * 5 + 0xe6546b64u;
  }
  h ^= 16;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  out[i] = h ^ (h >> 16);
}
