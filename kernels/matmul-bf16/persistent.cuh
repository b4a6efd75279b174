// What versions 8 to 10 share: as many blocks as multiprocessors, each of which computes tile after tile. The copying
// warp begins with the next tile while the last one is written. The result goes through shared memory: stmatrix puts 16
// bytes of a row side by side, and the accelerator writes boxes of 64 x 64.
//
// ROWS: of a warpgroup's tile, 64 or 128; 128 are two products that read the same columns of B.
// PING_PONG: each warpgroup has a tile of its own; they take turns with the tensor cores.
// CLUSTER: so many blocks compute tiles one below the other, which need the same columns of B: each loads its part of
// them, and the copy arrives in all (multicast).
#pragma once
#define CONSUMERS 2
#define TILE_M (PING_PONG ? ROWS : CONSUMERS * ROWS)
#include "hopper.cuh"
#define TURN 3
// Columns of a tile that are in shared memory at a time, of each warpgroup.
#define OUT_BYTES (OUT_N * 128)

__device__ __forceinline__ void syncAll() {
#if CLUSTER == 1
  __syncthreads();
#else
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}
__device__ __forceinline__ unsigned rankInCluster() {
  unsigned rank = 0;
#if CLUSTER > 1
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}
__device__ __forceinline__ void loadBoxForAll(unsigned to, const TensorMap &map, int x, int y, unsigned barrier) {
#if CLUSTER == 1
  loadBox(to, map, x, y, barrier);
#else
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%3, %4}], [%2], %5;"
               ::"r"(to), "l"(&map), "r"(barrier), "r"(x), "r"(y), "h"((unsigned short)((1 << CLUSTER) - 1))
               : "memory");
#endif
}
// A buffer is free when the warpgroups of all blocks that the copy reaches are done: thread i tells block i. Products
// have read the buffer, no thread has written: with `.release.cluster` each arrival waited for memory (MEMBAR.ALL.GPU),
// which took a third of the time.
__device__ __forceinline__ void release(unsigned barrier, int thread) {
#if CLUSTER == 1
  if (thread == 0) arrive(barrier);
#else
  if (thread < CLUSTER)
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n}\n"
                 ::"r"(barrier), "r"(thread) : "memory");
#endif
}
// Where a cluster's tile lies: GROUP rows of tiles at a time, so that what runs together shares A and B in L2.
struct Place { int top, left; };
__device__ __forceinline__ Place placeOf(int tile, int down, int across) {
  int band = tile / (GROUP * across), rest = tile % (GROUP * across), high = min(GROUP, down - band * GROUP);
  return {(band * GROUP + rest % high) * TILE_M * CLUSTER, rest / high * TILE_N};
}
// The buffer that comes next, and the parity of its barriers.
struct Ring {
  int stage, phase;
  __device__ __forceinline__ void advance(int steps = 1) {
    int at = (stage + phase * STAGES + steps) % (2 * STAGES);
    stage = at % STAGES, phase = at / STAGES;
  }
};
__device__ __forceinline__ void next(Ring &ring) {
  if (++ring.stage == STAGES) ring.stage = 0, ring.phase ^= 1;
}

// 64 rows of a warpgroup's sums, OUT_N columns at a time.
__device__ __forceinline__ void storeByAccelerator(const TensorMap &map, const float (&sum)[TILE_N / 2], unsigned out,
                                                   int top, int left, int barrier) {
  int thread = threadIdx.x % WARPGROUP, lane = thread % 32;
#pragma unroll
  for (int part = 0; part < TILE_N / OUT_N; part++) {
    // The accelerator has read what the part before wrote.
    if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    syncNamed(barrier, WARPGROUP);
#pragma unroll
    for (int pair = 0; pair < OUT_N / 16; pair++) {
      // 16 rows x 16 columns: lane l gives the address of row l % 16, the left or the right eight columns.
      int row = thread / 32 * 16 + lane % 16, chunk = pair % 4 * 2 + lane / 16;
      const float *s = sum + OUT_N / 2 * part + 8 * pair;
      storeMatrices(out + pair / 4 * BOX_BYTES + row * 128 + (chunk ^ row % 8) * 16, packed(s[0], s[1]),
                    packed(s[2], s[3]), packed(s[4], s[5]), packed(s[6], s[7]));
    }
    // The accelerator sees what the threads wrote.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    syncNamed(barrier, WARPGROUP);
    if (thread == 0) {
#pragma unroll
      for (int box = 0; box < OUT_N / 64; box++)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"
                     ::"l"(&map), "r"(out + box * BOX_BYTES), "r"(left + OUT_N * part + 64 * box), "r"(top)
                     : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
}

__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
#if CLUSTER > 1
    __cluster_dims__(CLUSTER, 1, 1)
#endif
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB,
           const __grid_constant__ TensorMap mapC, int m, int n, int k) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
  unsigned tiles = alignedTo1024(raw), full = addressOf(barriers), empty = full + 8 * STAGES;
  int rank = rankInCluster(), group = threadIdx.x / WARPGROUP, steps = (k + DEPTH - 1) / DEPTH;
  int down = (m + TILE_M * CLUSTER - 1) / (TILE_M * CLUSTER), across = (n + TILE_N - 1) / TILE_N;
  int first = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      initBarrier(full + 8 * s, 1);
      initBarrier(empty + 8 * s, (PING_PONG ? 1 : CONSUMERS) * CLUSTER);
    }
    publishBarriers();
  }
  syncAll();
  if (group == CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x % WARPGROUP == 0) {
      // The first round finds empty buffers: the phase before the first counts as over.
      Ring ring = {0, 1};
      for (int tile = first; tile < down * across; tile += clusters) {
        Place place = placeOf(tile, down, across);
        for (int step = 0; step < steps; step++, next(ring)) {
          unsigned to = tiles + ring.stage * STAGE_BYTES, barrier = full + 8 * ring.stage;
          waitFor(empty + 8 * ring.stage, ring.phase);
          arriveAndExpect(barrier, STAGE_BYTES);
          loadBox(to, mapA, step * DEPTH, place.top + rank * TILE_M, barrier);
          // Of each box the rows that are this block's.
#pragma unroll
          for (int box = 0; box < TILE_N / 64; box++)
            loadBoxForAll(to + A_BYTES + box * BOX_BYTES + rank * (BOX_BYTES / CLUSTER), mapB, place.left + 64 * box,
                          step * DEPTH + rank * (DEPTH / CLUSTER), barrier);
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    unsigned out = tiles + STAGES * STAGE_BYTES + group * OUT_BYTES;
    int thread = threadIdx.x % WARPGROUP;
    Ring ring = {0, 0};
    // With ping-pong, the buffers of the first tile are the other warpgroup's, which has the first turn.
    if (PING_PONG && group == 1) {
      ring.advance(steps);
      if (first < down * across) arriveNamed(TURN, 2 * WARPGROUP);
    }
    for (int tile = first + PING_PONG * group * clusters; tile < down * across; tile += (1 + PING_PONG) * clusters) {
      Place place = placeOf(tile, down, across);
      // Sums begin at zero by moves: left undefined, the compiler keeps products of two tiles apart by waiting.
      float sum[ROWS / 64][TILE_N / 2];
#pragma unroll
      for (int half = 0; half < ROWS / 64; half++)
#pragma unroll
        for (int i = 0; i < TILE_N / 2; i++) sum[half][i] = 0;
      int before = ring.stage;
      if (PING_PONG) syncNamed(TURN + group, 2 * WARPGROUP);
      int step = 0;
      do {
        unsigned at = tiles + ring.stage * STAGE_BYTES, a = at + (PING_PONG ? 0 : group * (ROWS / 64) * BOX_BYTES);
        waitFor(full + 8 * ring.stage, ring.phase);
        beginProducts();
#pragma unroll
        for (int part = 0; part < DEPTH / 16; part++)
#pragma unroll
          for (int half = 0; half < ROWS / 64; half++)
            multiplyAdd(sum[half], descriptorOf(a + half * BOX_BYTES + 32 * part, 0, 1024),
                        descriptorOf(at + A_BYTES + 2048 * part, BOX_BYTES, 1024), 1);
        commitProducts();
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        // The products of the step before are done.
        if (step > 0) release(empty + 8 * before, thread);
        before = ring.stage;
        next(ring);
      } while (++step < steps);
      if (PING_PONG) arriveNamed(TURN + 1 - group, 2 * WARPGROUP);
#pragma unroll
      for (int half = 0; half < ROWS / 64; half++) waitForAllBut<0>(sum[half]);
      release(empty + 8 * before, thread);
      if (PING_PONG) ring.advance(steps);
#pragma unroll
      for (int half = 0; half < ROWS / 64; half++)
        storeByAccelerator(mapC, sum[half], out,
                           place.top + rank * TILE_M + (PING_PONG ? 0 : ROWS * group) + 64 * half, place.left,
                           1 + group);
    }
    if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  // No block leaves while another may still write into its shared memory.
  if (CLUSTER > 1) syncAll();
}
