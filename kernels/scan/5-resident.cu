// Blocks stay resident, with two parts each in shared memory: while a block scans one part, asynchronous copies bring
// the next, without registers. A block publishes the sum of a part as soon as the part is there, before it looks back
// for the part in front. The sooner a sum is published, the less other blocks wait. A warp of its own takes parts,
// publishes sums and looks back.
#include "../common/async.cuh"
#define WARPS (BLOCK / 32)
#define CHUNKS (BLOCK * QUADS)
// A state is one word of 64 bits, so that a status and its value arrive together: 0 for nothing yet, else the value
// with one of these above it. The first sixteen words are the counter's.
#define SUM (1ull << 32)
#define PREFIX (2ull << 32)
#define FIRST_STATE 16

// PREFETCH: so many MiB of x are asked for meanwhile, a line of 128 bytes by a thread.
__global__ void clear(unsigned long long *states, int count, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) states[i] = 0;
  if (i < PREFETCH * 8192 && i * 32 < n) asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i * 32));
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

// Blocks of BLOCK threads that scan, and one more warp.
__global__ void __launch_bounds__(BLOCK + 32) scan(const int *x, int *y, unsigned long long *states, int n, int parts) {
  extern __shared__ uint4 data[];
  __shared__ int sums[2][32], prefixes[32], partOf[2];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, at = warp * QUADS * 32 + lane;
  bool leads = warp == WARPS;
  volatile unsigned long long *published = states + FIRST_STATE;
  unsigned long long policy = EVICT_FIRST ? evictFirst() : evictNormal();
  // Blocks take parts in order, so the block that another waits for has begun to load.
  if (leads && lane < 2) partOf[lane] = atomicAdd((unsigned *)states, 1);
  __syncthreads();

  // A warp's elements are neighbours, QUADS times four from each lane, which copies and reads what is its own: no
  // barrier is needed in between.
  auto load = [&](int buffer, int part) {
    if (!leads && part < parts)
#pragma unroll
      for (int q = 0; q < QUADS; q++) {
        int i = (part * CHUNKS + at + q * 32) * 4;
        copyAsyncPart(data + buffer * CHUNKS + at + q * 32, i < n ? x + i : x, max(0, min(16, (n - i) * 4)), policy);
      }
    endGroup();
  };
  auto add = [&](int buffer) {
    const int4 *own = (const int4 *)data + buffer * CHUNKS + at;
    int sum = 0;
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
      int4 v = own[q * 32];
      sum += v.x + v.y + v.z + v.w;
    }
    sum = __reduce_add_sync(0xffffffff, sum);
    if (lane == 0) sums[buffer][warp] = sum;
  };
  auto tell = [&](int buffer, int part) {
    if (part >= parts) return;
    int sum = __reduce_add_sync(0xffffffff, lane < WARPS ? sums[buffer][lane] : 0);
    if (lane == 0) published[part] = (part == 0 ? PREFIX : SUM) | (unsigned)sum;
  };

  int part = partOf[0], buffer = 0;
  load(0, part);
  load(1, partOf[1]);
  waitForAllBut<1>();
  if (!leads && part < parts) add(0);
  __syncthreads();
  if (leads) tell(0, part);
  while (part < parts) {
    int next = partOf[buffer ^ 1], ticket, before;
    if (leads && lane == 0) ticket = atomicAdd((unsigned *)states, 1);
    waitForAllBut<0>();
    if (!leads && next < parts) add(buffer ^ 1);
    __syncthreads();
    int4 v[QUADS];
    if (leads) {
      tell(buffer ^ 1, next);
      // The others copy into what they have read, while this one looks back.
      if (lane == 0) partOf[buffer] = ticket;
      asm volatile("bar.arrive 1, %0;" ::"n"(BLOCK + 32) : "memory");
      int own = lane < WARPS ? sums[buffer][lane] : 0, upTo = warpScan(own), all = __shfl_sync(0xffffffff, upTo, 31);
      before = part == 0 ? 0 : lookBack(published, part);
      if (lane == 0 && part > 0) published[part] = PREFIX | (unsigned)(before + all);
      prefixes[lane] = before + upTo - own;
    } else {
      const int4 *own = (const int4 *)data + buffer * CHUNKS + at;
      int sum = 0;
#pragma unroll
      for (int q = 0; q < QUADS; q++) {
        v[q] = own[q * 32];
        v[q].y += v[q].x, v[q].z += v[q].y, v[q].w += v[q].z;
        int upTo = warpScan(v[q].w), previous = sum + upTo - v[q].w;
        v[q].x += previous, v[q].y += previous, v[q].z += previous, v[q].w += previous;
        sum += __shfl_sync(0xffffffff, upTo, 31);
      }
      asm volatile("bar.sync 1, %0;" ::"n"(BLOCK + 32) : "memory");
      load(buffer, partOf[buffer]);
    }
    __syncthreads();
    if (!leads) {
      before = prefixes[warp];
      int first = (part * CHUNKS + at) * 4;
#pragma unroll
      for (int q = 0; q < QUADS; q++) {
        int i = first + q * 128;
        v[q].x += before, v[q].y += before, v[q].z += before, v[q].w += before;
        if (i + 3 < n) *(int4 *)(y + i) = v[q];
        else {
          if (i < n) y[i] = v[q].x;
          if (i + 1 < n) y[i + 1] = v[q].y;
          if (i + 2 < n) y[i + 2] = v[q].z;
        }
      }
    }
    part = next, buffer ^= 1;
  }
}
