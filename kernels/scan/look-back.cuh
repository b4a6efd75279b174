// What versions 5 and 6 of scan share.
#pragma once
#define WARPS (BLOCK / 32)
// Threads on a multiprocessor that registers must do for: with more elements a thread fewer are needed to keep memory busy.
#define RESIDENT (QUADS > 4 ? 1024 : 1280)
// A state is a word of 64 bits, so that what is told and its value come together: 0 nothing yet, else the value with one of these above it.
#define SUM (1ull << 32)
#define PREFIX (2ull << 32)

__global__ void clear(unsigned long long *states, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) states[i] = 0;
}

__device__ __forceinline__ int warpScan(int value) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    int other = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

// What comes before a part, by the 32 lanes of a warp. Their loads of 32 WINDOWS states are on the way together; those that had nothing to tell are asked again, if they are needed.
__device__ __forceinline__ int lookBack(volatile unsigned long long *states, int part) {
  int lane = threadIdx.x % 32, value = 0;
  for (int first = part - 1 - lane;; first -= 32 * WINDOWS) {
    unsigned long long state[WINDOWS];
#pragma unroll
    for (int w = 0; w < WINDOWS; w++) state[w] = first - 32 * w < 0 ? PREFIX : states[first - 32 * w];
#pragma unroll
    for (int w = 0; w < WINDOWS; w++) {
      unsigned known, needed;
      for (;;) {
        known = __ballot_sync(0xffffffff, state[w] >= PREFIX);
        // All lanes up to the nearest that knows its prefix, or all.
        needed = known ^ (known - 1);
        if ((__ballot_sync(0xffffffff, state[w] == 0) & needed) == 0) break;
        if (state[w] == 0) state[w] = states[first - 32 * w];
      }
      if (needed >> lane & 1) value += (int)(unsigned)state[w];
      if (known != 0) {
#pragma unroll
        for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
        return value;
      }
    }
  }
}
