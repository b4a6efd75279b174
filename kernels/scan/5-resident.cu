// Blocks stay resident, with two parts each in shared memory: while a block scans one part, asynchronous copies bring
// the next, without registers. A block publishes the sum of a part as soon as the part is there, before it looks back
// for the part in front. The sooner a sum is published, the less other blocks wait. A warp of its own takes parts,
// publishes sums and looks back.
#include "resident.cuh"

// PREFETCH: so many MiB of x are asked for meanwhile, a line of 128 bytes by a thread.
__global__ void clear(unsigned long long *states, int count, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) states[i] = 0;
  if (i < PREFETCH * 8192 && i * 32 < n) asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i * 32));
}

// Blocks of BLOCK threads that scan, and one more warp.
__global__ void __launch_bounds__(BLOCK + 32) scan(const int *x, int *y, unsigned long long *states, int n, int parts) {
  extern __shared__ uint4 data[];
  __shared__ int sums[2][32], prefixes[32], partOf[2];
  Thread own = threadOf(x, data, n);
  volatile unsigned long long *published = states + FIRST_STATE;
  // Blocks take parts in order, so the block that another waits for has begun to load.
  if (own.leads && own.lane < 2) partOf[own.lane] = atomicAdd((unsigned *)states, 1);
  __syncthreads();
  int part = partOf[0], buffer = 0;
  load(own, 0, part, parts);
  load(own, 1, partOf[1], parts);
  waitForAllBut<1>();
  if (!own.leads && part < parts) addPart(own, 0, sums[0]);
  __syncthreads();
  if (own.leads) publish(published, part, parts, sums[0]);
  while (part < parts) {
    int next = partOf[buffer ^ 1], ticket;
    if (own.leads && own.lane == 0) ticket = atomicAdd((unsigned *)states, 1);
    waitForAllBut<0>();
    if (!own.leads && next < parts) addPart(own, buffer ^ 1, sums[buffer ^ 1]);
    __syncthreads();
    int4 v[QUADS];
    if (own.leads) {
      publish(published, next, parts, sums[buffer ^ 1]);
      // The others copy into what they have read, while this one looks back.
      if (own.lane == 0) partOf[buffer] = ticket;
      asm volatile("bar.arrive 1, %0;" ::"n"(BLOCK + 32) : "memory");
      findPrefixes(published, part, sums[buffer], prefixes);
    } else {
      scanPart(own, buffer, v);
      asm volatile("bar.sync 1, %0;" ::"n"(BLOCK + 32) : "memory");
      load(own, buffer, partOf[buffer], parts);
    }
    __syncthreads();
    if (!own.leads) storePart(own, y, part, v, prefixes);
    part = next, buffer ^= 1;
  }
}
