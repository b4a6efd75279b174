// Where some hundred blocks are on their way, the nearest known prefix is some hundred parts back, and each look at 32 of them takes as long as a load from the L2 cache. All are loaded
// together here, 32 WINDOWS at a time; and of those only the ones that are needed are waited for.
#include "look-back.cuh"

__global__ void __launch_bounds__(BLOCK, RESIDENT / BLOCK) scan(const int *x, int *y, unsigned long long *states, int n) {
  __shared__ int warps[32], parts;
  // Parts are taken in the order in which blocks begin: whoever is waited for is running.
  if (threadIdx.x == 0) parts = atomicAdd((unsigned *)states, 1);
  __syncthreads();
  int part = parts, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  states++;
  // A warp's elements are neighbours, QUADS times four from each lane.
  int first = ((part * WARPS + warp) * QUADS * 32 + lane) * 4, sum = 0;
  int4 v[QUADS];
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int i = first + q * 128;
    v[q] = i + 3 < n ? *(const int4 *)(x + i) : make_int4(i < n ? x[i] : 0, i + 1 < n ? x[i + 1] : 0, i + 2 < n ? x[i + 2] : 0, 0);
  }
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    v[q].y += v[q].x, v[q].z += v[q].y, v[q].w += v[q].z;
    int upTo = warpScan(v[q].w), before = sum + upTo - v[q].w;
    v[q].x += before, v[q].y += before, v[q].z += before, v[q].w += before;
    sum += __shfl_sync(0xffffffff, upTo, 31);
  }
  if (lane == 0) warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int own = lane < WARPS ? warps[lane] : 0, upTo = warpScan(own), all = __shfl_sync(0xffffffff, upTo, 31);
    volatile unsigned long long *told = states;
    if (lane == 0) told[part] = (part == 0 ? PREFIX : SUM) | (unsigned)all;
    int before = part == 0 ? 0 : lookBack(told, part);
    if (lane == 0 && part > 0) told[part] = PREFIX | (unsigned)(before + all);
    warps[lane] = before + upTo - own;
  }
  __syncthreads();
  int before = warps[warp];
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
