// What comes two parts later is on its way to the L2 cache (cp.async.bulk.prefetch.L2), so that memory has work while
// blocks wait for one another. All blocks run at the same time and take every gridDim.x-th part, without a counter.
// Each clears states of its own, and while the blocks wait until all have done so, the first parts are on their way:
// the launch that cleared states is gone.
#include <cooperative_groups.h>
#include "resident.cuh"

// Blocks of BLOCK threads that scan, and one more warp.
__global__ void __launch_bounds__(BLOCK + 32) scan(const int *x, int *y, unsigned long long *states, int n, int parts) {
  extern __shared__ uint4 data[];
  __shared__ int sums[2][32], prefixes[32];
  Thread own = threadOf(x, data, n);
  volatile unsigned long long *published = states + FIRST_STATE;
  int step = gridDim.x, part = blockIdx.x, buffer = 0;
  auto prefetch = [&](int part) {
    int from = part * CHUNKS * 4, count = min(CHUNKS * 4, n - from);
    if (AHEAD > 0 && part < parts && count >= 4 && own.leads && own.lane == 0)
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(x + from), "r"(count / 4 * 16) : "memory");
  };
  load(own, 0, part, parts);
  load(own, 1, part + step, parts);
  for (int ahead = 2; ahead < 2 + AHEAD; ahead++) prefetch(part + ahead * step);
  for (int i = blockIdx.x * (BLOCK + 32) + threadIdx.x; i < parts; i += step * (BLOCK + 32)) published[i] = 0;
  cooperative_groups::this_grid().sync();
  waitForAllBut<1>();
  if (!own.leads && part < parts) addPart(own, 0, sums[0]);
  __syncthreads();
  if (own.leads) publish(published, part, parts, sums[0]);
  for (; part < parts; part += step, buffer ^= 1) {
    int next = part + step;
    waitForAllBut<0>();
    if (!own.leads && next < parts) addPart(own, buffer ^ 1, sums[buffer ^ 1]);
    __syncthreads();
    int4 v[QUADS];
    if (own.leads) {
      publish(published, next, parts, sums[buffer ^ 1]);
      prefetch(next + (1 + AHEAD) * step);
      findPrefixes(published, part, sums[buffer], prefixes);
    } else {
      scanPart(own, buffer, v);
      load(own, buffer, next + step, parts);
    }
    __syncthreads();
    if (!own.leads) storePart(own, y, part, v, prefixes);
  }
}
