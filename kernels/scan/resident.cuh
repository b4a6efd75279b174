// What versions 5 and 6 share: blocks that stay, with two parts each in shared memory.
#pragma once
#include "../common/async.cuh"
#define WARPS (BLOCK / 32)
#define CHUNKS (BLOCK * QUADS)
// A state is one word of 64 bits, so that a status and its value arrive together: 0 for nothing yet, else the value
// with one of these above it. The first sixteen words are the counter's.
#define SUM (1ull << 32)
#define PREFIX (2ull << 32)
#define FIRST_STATE 16

__device__ __forceinline__ int warpScan(int value) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    int other = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

// What comes before a part, by the 32 lanes of a warp, which look at 32 parts at a time and wait only for those that
// they need.
__device__ int lookBack(volatile unsigned long long *states, int part) {
  int lane = threadIdx.x % 32, before = 0;
  for (int first = part - 1;; first -= 32) {
    int at = first - lane;
    unsigned long long state;
    unsigned known, needed;
    do {
      state = at < 0 ? PREFIX : states[at];
      known = __ballot_sync(0xffffffff, state >= PREFIX);
      // All lanes up to the nearest that knows its prefix, or all.
      needed = known ^ (known - 1);
    } while ((__ballot_sync(0xffffffff, state == 0) & needed) != 0);
    before += __reduce_add_sync(0xffffffff, needed >> lane & 1 ? (int)(unsigned)state : 0);
    if (known != 0) return before;
  }
}

// A warp's elements are neighbours, QUADS times four from each lane, which copies and reads what is its own: no barrier
// is needed in between. The last warp has none: it leads.
struct Thread {
  const int *x;
  uint4 *data;
  int n, lane, warp, at;
  bool leads;
  unsigned long long policy;
};
__device__ __forceinline__ Thread threadOf(const int *x, uint4 *data, int n) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  return {x, data, n, lane, warp, warp * QUADS * 32 + lane, warp == WARPS, EVICT_FIRST ? evictFirst() : evictNormal()};
}
__device__ __forceinline__ void load(const Thread &own, int buffer, int part, int parts) {
  if (!own.leads && part < parts)
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
      int i = (part * CHUNKS + own.at + q * 32) * 4, bytes = max(0, min(16, (own.n - i) * 4));
      copyAsyncPart(own.data + buffer * CHUNKS + own.at + q * 32, i < own.n ? own.x + i : own.x, bytes, own.policy);
    }
  endGroup();
}
__device__ __forceinline__ void addPart(const Thread &own, int buffer, int (&sums)[32]) {
  const int4 *from = (const int4 *)own.data + buffer * CHUNKS + own.at;
  int sum = 0;
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int4 v = from[q * 32];
    sum += v.x + v.y + v.z + v.w;
  }
  sum = __reduce_add_sync(0xffffffff, sum);
  if (own.lane == 0) sums[own.warp] = sum;
}
__device__ __forceinline__ void scanPart(const Thread &own, int buffer, int4 (&v)[QUADS]) {
  const int4 *from = (const int4 *)own.data + buffer * CHUNKS + own.at;
  int sum = 0;
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    v[q] = from[q * 32];
    v[q].y += v[q].x, v[q].z += v[q].y, v[q].w += v[q].z;
    int upTo = warpScan(v[q].w), previous = sum + upTo - v[q].w;
    v[q].x += previous, v[q].y += previous, v[q].z += previous, v[q].w += previous;
    sum += __shfl_sync(0xffffffff, upTo, 31);
  }
}
__device__ __forceinline__ void storePart(const Thread &own, int *y, int part, int4 (&v)[QUADS],
                                          const int (&prefixes)[32]) {
  int before = prefixes[own.warp], first = (part * CHUNKS + own.at) * 4;
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int i = first + q * 128;
    v[q].x += before, v[q].y += before, v[q].z += before, v[q].w += before;
    if (i + 3 < own.n) *(int4 *)(y + i) = v[q];
    else {
      if (i < own.n) y[i] = v[q].x;
      if (i + 1 < own.n) y[i + 1] = v[q].y;
      if (i + 2 < own.n) y[i + 2] = v[q].z;
    }
  }
}

// ---- what the warp that leads does
__device__ __forceinline__ void publish(volatile unsigned long long *published, int part, int parts,
                                        const int (&sums)[32]) {
  if (part >= parts) return;
  int lane = threadIdx.x % 32, sum = __reduce_add_sync(0xffffffff, lane < WARPS ? sums[lane] : 0);
  if (lane == 0) published[part] = (part == 0 ? PREFIX : SUM) | (unsigned)sum;
}
// What comes before each warp's elements of the part.
__device__ __forceinline__ void findPrefixes(volatile unsigned long long *published, int part, const int (&sums)[32],
                                             int (&prefixes)[32]) {
  int lane = threadIdx.x % 32, own = lane < WARPS ? sums[lane] : 0, upTo = warpScan(own),
      all = __shfl_sync(0xffffffff, upTo, 31), before = part == 0 ? 0 : lookBack(published, part);
  if (lane == 0 && part > 0) published[part] = PREFIX | (unsigned)(before + all);
  prefixes[lane] = before + upTo - own;
}
