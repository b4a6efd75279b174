// Integers that are narrower than a byte, as LLVM makes them of switches (bitmaps in an i4 or i5) and of _BitInt.
#include <cstdio>

typedef unsigned _BitInt(4) u4;
typedef _BitInt(4) s4;
typedef _BitInt(3) s3;
typedef unsigned _BitInt(12) u12;
typedef _BitInt(6) s6;

constexpr int THREADS = 32, VALUES = 10;

template <unsigned BITS> __device__ bool pick(unsigned x) {
  switch (x) {
    case 0: return BITS & 1;
    case 1: return BITS >> 1 & 1;
    case 2: return BITS >> 2 & 1;
    case 3: return BITS >> 3 & 1;
    case 4: return BITS >> 4 & 1;
    default: return false;
  }
}

__global__ void compute(const int *in, int *out) {
  const int x = in[threadIdx.x];
  int *to = out + VALUES * threadIdx.x;
  int number = 0;
  bool flag = false;
  switch (x) {
    case 0: number = 1; break;
    case 1: number = 0; break;
    case 2: number = 1; break;
    case 3: number = 1; break;
  }
  switch (x & 3) {
    case 0: flag = true; break;
    case 1: flag = false; break;
    case 2: flag = false; break;
    case 3: flag = true; break;
  }
  const u4 u = (u4)x * (u4)5 + (u4)9;
  const s4 s = (s4)((u4)x + (u4)3);
  const s6 v = (s6)(x * 9);
  to[0] = number;
  to[1] = flag;
  to[2] = pick<22>(x);
  to[3] = (int)u;
  to[4] = (int)s;
  to[5] = (int)(s4)(s >> 1) + (s < (s4)-2);
  to[6] = (int)(s3)x * 3;
  to[7] = (int)((u12)(x * 1000) / (u12)7);
  to[8] = (int)(s6)(v / (s6)-3) + (v > (s6)5);
  to[9] = x & 1 ? (int)(u4)((u4)x >> (u4)2) : (int)(u4)(u << (u4)1);
}

/** The lowest bits of a number, as a signed one. */
int narrowed(int value, int bits) {
  value &= (1 << bits) - 1;
  return value >= 1 << (bits - 1) ? value - (1 << bits) : value;
}

int main() {
  int in[THREADS], out[THREADS * VALUES], *d_in, *d_out, wrong = 0;
  for (int i = 0; i < THREADS; i++) in[i] = i;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  compute<<<1, THREADS>>>(d_in, d_out);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int x = 0; x < THREADS; x++) {
    const int numbers[] = {1, 0, 1, 1}, flags[] = {1, 0, 0, 1};
    const int u = (x * 5 + 9) & 15, s = narrowed(x + 3, 4), v = narrowed(x * 9, 6);
    const int expected[VALUES] = {x < 4 ? numbers[x] : 0,
                                  flags[x & 3],
                                  x < 5 ? 22 >> x & 1 : 0,
                                  u,
                                  s,
                                  narrowed(s >> 1, 4) + (s < -2),
                                  narrowed(x, 3) * 3,
                                  (x * 1000 & 4095) / 7,
                                  narrowed(v / -3, 6) + (v > 5),
                                  x & 1 ? (x & 15) >> 2 : (u << 1) & 15};
    for (int k = 0; k < VALUES; k++) {
      const int found = out[VALUES * x + k];
      if (found != expected[k] && wrong++ < 5) printf("value %d of %d: %d, not %d\n", k, x, found, expected[k]);
    }
  }
  puts(wrong > 0 || cudaGetLastError() != cudaSuccess ? "FAILED" : "PASSED");
}
