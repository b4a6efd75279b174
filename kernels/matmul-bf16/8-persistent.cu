// As many blocks as multiprocessors, each of which computes tile after tile: while the warpgroups write a tile, the
// copies of the next one are on their way. The result goes through shared memory: stmatrix puts 16 bytes of a row side
// by side, and the accelerator writes boxes of 64 x 64. The two blocks of a cluster compute tiles one below the other,
// which need the same columns of B: each loads half of them, and the copy arrives in both (multicast).
#include "hopper.cuh"
#define CONSUMERS (TILE_M / 64)
#define B_BOXES (TILE_N / 64)
#define HALVES (TILE_N / 128)

__device__ __forceinline__ unsigned rankInCluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ void syncCluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
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
__device__ __forceinline__ void arriveAt(unsigned barrier, int rank) {
  asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}\n"
               ::"r"(barrier), "r"(rank) : "memory");
}
__device__ __forceinline__ void storeMatrices(unsigned to, unsigned r0, unsigned r1, unsigned r2, unsigned r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};"
               ::"r"(to), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}
__device__ __forceinline__ unsigned packed(float low, float high) {
  __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *(unsigned *)&pair;
}

// Where a cluster's next tile lies: GROUP rows of tiles at a time, so that what runs together shares A and B in L2.
struct Place { int top, left; };
__device__ __forceinline__ Place placeOf(int tile, int down, int across) {
  int band = tile / (GROUP * across), rest = tile % (GROUP * across), high = min(GROUP, down - band * GROUP);
  return {(band * GROUP + rest % high) * TILE_M * CLUSTER, rest / high * TILE_N};
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
      initBarrier(empty + 8 * s, CONSUMERS * CLUSTER);
    }
    publishBarriers();
  }
  syncCluster();
  if (group == CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x % WARPGROUP == 0) {
      int round = 0;
      for (int tile = first; tile < down * across; tile += clusters) {
        Place place = placeOf(tile, down, across);
        for (int step = 0; step < steps; step++, round++) {
          int stage = round % STAGES;
          unsigned to = tiles + stage * STAGE_BYTES, barrier = full + 8 * stage;
          waitFor(empty + 8 * stage, (round / STAGES & 1) ^ 1);
          arriveAndExpect(barrier, STAGE_BYTES);
          loadBox(to, mapA, step * DEPTH, place.top + rank * TILE_M, barrier);
#pragma unroll
          for (int box = 0; box < B_BOXES / CLUSTER; box++) {
            int own = rank * (B_BOXES / CLUSTER) + box;
            loadBoxForAll(to + A_BYTES + own * BOX_BYTES, mapB, place.left + 64 * own, step * DEPTH, barrier);
          }
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    // Behind the buffers: 64 x 128 of the result for each warpgroup.
    unsigned out = tiles + STAGES * STAGE_BYTES + group * 2 * BOX_BYTES;
    int thread = threadIdx.x % WARPGROUP, lane = thread % 32, round = 0;
    for (int tile = first; tile < down * across; tile += clusters) {
      Place place = placeOf(tile, down, across);
      // Sums begin at zero by moves: left undefined, the compiler keeps products of two tiles apart by waiting.
      float sum[TILE_N / 2] = {};
      for (int step = 0; step < steps; step++, round++) {
        int stage = round % STAGES;
        unsigned at = tiles + stage * STAGE_BYTES;
        waitFor(full + 8 * stage, round / STAGES & 1);
        beginProducts();
        multiplyTiles(sum, at + group * BOX_BYTES, at + A_BYTES, 1);
        commitProducts();
        waitForAllBut<1>(sum);
        if (step > 0 && thread < CLUSTER) arriveAt(empty + 8 * ((round - 1) % STAGES), thread);
      }
      waitForAllBut<0>(sum);
      if (thread < CLUSTER) arriveAt(empty + 8 * ((round - 1) % STAGES), thread);
      int top = place.top + rank * TILE_M + 64 * group;
#pragma unroll
      for (int half = 0; half < HALVES; half++) {
        // The accelerator has read what the half before wrote.
        if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
#pragma unroll
        for (int pair = 0; pair < 8; pair++) {
          // 16 rows x 16 columns: lane l gives the address of row l % 16, the left or the right eight columns.
          int row = thread / 32 * 16 + lane % 16, chunk = pair % 4 * 2 + lane / 16;
          const float *s = sum + 64 * half + 8 * pair;
          storeMatrices(out + pair / 4 * BOX_BYTES + row * 128 + (chunk ^ row % 8) * 16, packed(s[0], s[1]),
                        packed(s[2], s[3]), packed(s[4], s[5]), packed(s[6], s[7]));
        }
        // The accelerator sees what the threads wrote.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
        if (thread == 0) {
#pragma unroll
          for (int box = 0; box < 2; box++)
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"
                         ::"l"(&mapC), "r"(out + box * BOX_BYTES), "r"(place.left + 128 * half + 64 * box), "r"(top)
                         : "memory");
          asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
      }
    }
    if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  // No block leaves while another may still write into its shared memory.
  syncCluster();
}
