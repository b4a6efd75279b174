// Persistent kernels of products by warpgroups, which matmul-bf16, matmul-fp8, grouped-matmul and linear share: as many
// blocks as multiprocessors, each of which computes tile after tile. One warp copies, two warpgroups multiply; the
// copying warp begins with the next tile while the last one is written. The result goes through shared memory: stmatrix
// puts 16 bytes of a row side by side, and the accelerator writes boxes of 64 x 64.
//
// Who includes this file defines before: STAGE_BYTES, A_BYTES, multiplyAdd and descriptorOfB of its types; and
// ROWS: of a warpgroup's tile, 64 or 128; 128 are two products that read the same columns of B.
// TILE_N: columns of a tile. OUT_N: so many of them are in shared memory at a time, of each warpgroup.
// STAGES: buffers for tiles. GROUP: rows of tiles that run together.
// PING_PONG: each warpgroup has a tile of its own; they take turns with the tensor cores.
// CLUSTER: so many blocks compute tiles one below the other, which need the same columns of B: each loads its part of
// them, and the copy arrives in all (multicast).
// TILE_M: rows of a block's tile, ROWS with PING_PONG, else CONSUMERS * ROWS.
#pragma once
#include "hopper.cuh"
#define TURN 3
// 64 rows of 128 bytes: of A, or of a result in bfloat16.
#define HALF_BYTES 8192
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
// Tiles of one matrix: GROUP rows of tiles at a time, so that what runs together shares A and B in L2.
struct Tiles {
  // Threads that ask for copies: one, or a warp.
  static constexpr int COPIERS = 1;
  int down, across, top, left;
  __device__ __forceinline__ Tiles(int m, int n)
      : down((m + TILE_M * CLUSTER - 1) / (TILE_M * CLUSTER)), across((n + TILE_N - 1) / TILE_N), top(0), left(0) {}
  __device__ __forceinline__ bool find(int tile) {
    if (tile >= down * across) return false;
    int band = tile / (GROUP * across), rest = tile % (GROUP * across), high = min(GROUP, down - band * GROUP);
    top = (band * GROUP + rest % high) * TILE_M * CLUSTER, left = rest / high * TILE_N;
    return true;
  }
  // Before the products of a tile.
  __device__ __forceinline__ void begin(unsigned, int, int) const {}
};
// The buffer that comes next, and the parity of its barriers.
struct Ring {
  int stage, phase;
  __device__ __forceinline__ void advance(int steps) {
    int at = (stage + phase * STAGES + steps) % (2 * STAGES);
    stage = at % STAGES, phase = at / STAGES;
  }
  __device__ __forceinline__ void next() {
    if (++stage == STAGES) stage = 0, phase ^= 1;
  }
};

// What becomes of sums before they are rounded: nothing. `request` may ask for something to be copied to the place that
// the result of 64 rows and OUT_N columns takes, and `arrived` waits for it; `operator()` gets 16 rows x 16 columns of
// a warp as registers have them, and the address that a lane gives to ldmatrix and stmatrix.
struct Unchanged {
  __device__ __forceinline__ void request(unsigned, int, int) {}
  __device__ __forceinline__ void arrived() {}
  __device__ __forceinline__ void operator()(float (&)[8], int, unsigned) const {}
};
// 64 rows of a warpgroup's sums, OUT_N columns at a time.
template <class Change>
__device__ __forceinline__ void storeByAccelerator(const TensorMap &map, const float (&sum)[TILE_N / 2], unsigned out,
                                                   int top, int left, int barrier, Change &change) {
  int thread = threadIdx.x % WARPGROUP, lane = thread % 32;
#pragma unroll
  for (int part = 0; part < TILE_N / OUT_N; part++) {
    if (thread == 0) {
      // The accelerator has read what the part before wrote.
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      change.request(out, top, left + OUT_N * part);
    }
    syncNamed(barrier, WARPGROUP);
    change.arrived();
#pragma unroll
    for (int pair = 0; pair < OUT_N / 16; pair++) {
      // 16 rows x 16 columns: lane l gives the address of row l % 16, the left or the right eight columns.
      int row = thread / 32 * 16 + lane % 16, chunk = pair % 4 * 2 + lane / 16;
      unsigned at = out + pair / 4 * HALF_BYTES + row * 128 + (chunk ^ row % 8) * 16;
      float s[8];
#pragma unroll
      for (int i = 0; i < 8; i++) s[i] = sum[OUT_N / 2 * part + 8 * pair + i];
      change(s, left + OUT_N * part + 16 * pair, at);
      storeMatrices(at, packed(s[0], s[1]), packed(s[2], s[3]), packed(s[4], s[5]), packed(s[6], s[7]));
    }
    // The accelerator sees what the threads wrote.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    syncNamed(barrier, WARPGROUP);
    if (thread == 0) {
#pragma unroll
      for (int box = 0; box < OUT_N / 64; box++)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"
                     ::"l"(&map), "r"(out + box * HALF_BYTES), "r"(left + OUT_N * part + 64 * box), "r"(top)
                     : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
}

// The copying threads: tiles of all steps, as buffers become free.
template <class Work>
__device__ __forceinline__ void copyTiles(Work &work, unsigned tiles, unsigned full, unsigned empty, int rank,
                                          int steps) {
  // The first round finds empty buffers: the phase before the first counts as over.
  Ring ring = {0, 1};
  for (int tile = blockIdx.x / CLUSTER; work.find(tile); tile += gridDim.x / CLUSTER)
    for (int step = 0; step < steps; step++, ring.next()) {
      unsigned barrier = full + 8 * ring.stage;
      waitFor(empty + 8 * ring.stage, ring.phase);
      if (threadIdx.x % WARPGROUP == 0) arriveAndExpect(barrier, STAGE_BYTES);
      if (Work::COPIERS > 1) __syncwarp();
      work.load(tiles + ring.stage * STAGE_BYTES, step * DEPTH, rank, barrier);
    }
}
// A warpgroup's products.
template <class Work>
__device__ __forceinline__ void multiplyAll(Work &work, unsigned tiles, unsigned full, unsigned empty, int rank,
                                            int steps) {
  int group = threadIdx.x / WARPGROUP, thread = threadIdx.x % WARPGROUP;
  int first = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
  unsigned out = tiles + STAGES * STAGE_BYTES + group * OUT_BYTES;
  Ring ring = {0, 0};
  // With ping-pong, the buffers of the first tile are the other warpgroup's, which has the first turn.
  if (PING_PONG && group == 1) {
    ring.advance(steps);
    Work other = work;
    if (other.find(first)) arriveNamed(TURN, 2 * WARPGROUP);
  }
  for (int tile = first + PING_PONG * group * clusters; work.find(tile); tile += (1 + PING_PONG) * clusters) {
    int top = work.top + rank * TILE_M + (PING_PONG ? 0 : ROWS * group), before = ring.stage, step = 0;
    work.begin(out, top, thread);
    // Sums begin at zero by moves: left undefined, the compiler keeps products of two tiles apart by waiting.
    float sum[ROWS / 64][TILE_N / 2];
#pragma unroll
    for (int half = 0; half < ROWS / 64; half++)
#pragma unroll
      for (int i = 0; i < TILE_N / 2; i++) sum[half][i] = 0;
    if (PING_PONG) syncNamed(TURN + group, 2 * WARPGROUP);
    do {
      unsigned at = tiles + ring.stage * STAGE_BYTES, a = at + (PING_PONG ? 0 : group * (ROWS / 64) * HALF_BYTES);
      waitFor(full + 8 * ring.stage, ring.phase);
      beginProducts();
#pragma unroll
      for (int part = 0; part < 4; part++)
#pragma unroll
        for (int half = 0; half < ROWS / 64; half++)
          multiplyAdd(sum[half], descriptorOf(a + half * HALF_BYTES + 32 * part, 0, 1024),
                      descriptorOfB(at + A_BYTES, part), 1);
      commitProducts();
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      // The products of the step before are done.
      if (step > 0) release(empty + 8 * before, thread);
      before = ring.stage;
      ring.next();
    } while (++step < steps);
    if (PING_PONG) arriveNamed(TURN + 1 - group, 2 * WARPGROUP);
#pragma unroll
    for (int half = 0; half < ROWS / 64; half++) waitForAllBut<0>(sum[half]);
    release(empty + 8 * before, thread);
    if (PING_PONG) ring.advance(steps);
#pragma unroll
    for (int half = 0; half < ROWS / 64; half++) work.store(sum[half], out, top + 64 * half, 1 + group);
  }
  if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
// All of a block. `Work` says where tiles lie (`find`, `top`, `left`), and loads and stores them.
template <class Work> __device__ __forceinline__ void computeTiles(Work work, int k) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
  unsigned tiles = alignedTo1024(raw), full = addressOf(barriers), empty = full + 8 * STAGES;
  int rank = rankInCluster(), steps = (k + DEPTH - 1) / DEPTH;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      initBarrier(full + 8 * s, 1);
      initBarrier(empty + 8 * s, (PING_PONG ? 1 : CONSUMERS) * CLUSTER);
    }
    publishBarriers();
  }
  syncAll();
  if (threadIdx.x / WARPGROUP == CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x % WARPGROUP < Work::COPIERS) copyTiles(work, tiles, full, empty, rank, steps);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    multiplyAll(work, tiles, full, empty, rank, steps);
  }
  // No block leaves while another may still write into its shared memory.
  if (CLUSTER > 1) syncAll();
}
