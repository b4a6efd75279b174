// Blocks stay, and take one part after the other: while the first warp of a block looks back, and while results are stored, the next part is on its way into shared memory by cp.async, which
// needs no registers. A thread reads what it has copied itself, so that no barrier is needed for it.
#include "look-back.cuh"

// The first of a thread's elements in a part: those of a warp are neighbours, QUADS times four from each lane.
__device__ __forceinline__ int place(int part) { return ((part * WARPS + (int)threadIdx.x / 32) * QUADS * 32 + (int)threadIdx.x % 32) * 4; }

// Beyond the end, zeros are written and nothing is read.
__device__ __forceinline__ void beginCopies(int4 *buffer, const int *x, int first, int n) {
  unsigned to = (unsigned)__cvta_generic_to_shared(buffer + threadIdx.x);
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int i = first + q * 128, bytes = max(0, min(16, 4 * (n - i)));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + q * BLOCK * 16), "l"(bytes > 0 ? x + i : x), "r"(bytes) : "memory");
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

__global__ void __launch_bounds__(BLOCK, RESIDENT / BLOCK) scan(const int *x, int *y, unsigned long long *states, int n, int parts) {
  extern __shared__ int4 buffer[];
  __shared__ int warps[32], prefixes[32], next;
  unsigned *taken = (unsigned *)states;
  volatile unsigned long long *told = states + 1;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // Parts are taken in the order in which blocks ask for them: whoever is waited for is running.
  if (threadIdx.x == 0) next = atomicAdd(taken, 1);
  __syncthreads();
  int part = next;
  __syncthreads();
  if (part < parts) beginCopies(buffer, x, place(part), n);
  while (part < parts) {
    int coming = threadIdx.x == 0 ? atomicAdd(taken, 1) : 0, sum = 0;
    int4 v[QUADS];
    asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
      v[q] = buffer[q * BLOCK + threadIdx.x];
      v[q].y += v[q].x, v[q].z += v[q].y, v[q].w += v[q].z;
      int upTo = warpScan(v[q].w), before = sum + upTo - v[q].w;
      v[q].x += before, v[q].y += before, v[q].z += before, v[q].w += before;
      sum += __shfl_sync(0xffffffff, upTo, 31);
    }
    if (lane == 0) warps[warp] = sum;
    if (threadIdx.x == 0) next = coming;
    __syncthreads();
    coming = next;
    int all = 0, own = 0;
    if (warp == 0) {
      own = lane < WARPS ? warps[lane] : 0;
      int upTo = warpScan(own);
      all = __shfl_sync(0xffffffff, upTo, 31), own = upTo - own;
      if (lane == 0) told[part] = (part == 0 ? PREFIX : SUM) | (unsigned)all;
    }
    if (coming < parts) beginCopies(buffer, x, place(coming), n);
    if (warp == 0) {
      int before = part == 0 ? 0 : lookBack(told, part);
      if (lane == 0 && part > 0) told[part] = PREFIX | (unsigned)(before + all);
      prefixes[lane] = before + own;
    }
    __syncthreads();
    int before = prefixes[warp], first = place(part);
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
    part = coming;
  }
}
