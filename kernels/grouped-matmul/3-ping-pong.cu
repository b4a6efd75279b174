// As many blocks as multiprocessors walk through the tiles of all groups: one warp copies, two warpgroups take turns
// with the tensor cores, a tile for each. Groups of few rows cost a tile, and no block waits for the longest group.
// Whole tiles leave by the accelerator; the last rows of a group are written by threads, since the next rows are
// another group's.
#define CONSUMERS 2
#define TILE_M ROWS
#include "groups.cuh"
#define TURN 3
#define OUT_BYTES (TILE_N * 128)

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

// 64 rows of a warpgroup's sums.
__device__ __forceinline__ void storeByAccelerator(const TensorMap &map, const float (&sum)[TILE_N / 2], unsigned out,
                                                   int top, int left, int barrier) {
  int thread = threadIdx.x % WARPGROUP, lane = thread % 32;
  // The accelerator has read what the rows before wrote.
  if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  syncNamed(barrier, WARPGROUP);
#pragma unroll
  for (int pair = 0; pair < TILE_N / 16; pair++) {
    int row = thread / 32 * 16 + lane % 16, chunk = pair % 4 * 2 + lane / 16;
    const float *s = sum + 8 * pair;
    storeMatrices(out + pair / 4 * BOX_BYTES + row * 128 + (chunk ^ row % 8) * 16, packed(s[0], s[1]),
                  packed(s[2], s[3]), packed(s[4], s[5]), packed(s[6], s[7]));
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  syncNamed(barrier, WARPGROUP);
  if (thread != 0) return;
#pragma unroll
  for (int box = 0; box < TILE_N / 64; box++)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"
                 ::"l"(&map), "r"(out + box * BOX_BYTES), "r"(left + 64 * box), "r"(top) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB,
           const __grid_constant__ TensorMap mapC, const int *ends, __nv_bfloat16 *c, int groups, int n, int k) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
  unsigned tiles = alignedTo1024(raw), full = addressOf(barriers), empty = full + 8 * STAGES;
  int part = threadIdx.x / WARPGROUP, steps = (k + DEPTH - 1) / DEPTH, blocks = gridDim.x;
  Walk walk(ends, groups, (n + TILE_N - 1) / TILE_N);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(full + 8 * s, 1), initBarrier(empty + 8 * s, 1);
    publishBarriers();
  }
  __syncthreads();
  if (part == CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x % WARPGROUP == 0) {
      // The first round finds empty buffers: the phase before the first counts as over.
      Ring ring = {0, 1};
      for (int tile = blockIdx.x; walk.find(tile); tile += blocks) {
        int top = walk.rowOf(tile), left = walk.columnOf(tile);
        for (int step = 0; step < steps; step++, ring.next()) {
          unsigned to = tiles + ring.stage * STAGE_BYTES, barrier = full + 8 * ring.stage;
          waitFor(empty + 8 * ring.stage, ring.phase);
          arriveAndExpect(barrier, STAGE_BYTES);
          loadBox(to, mapA, step * DEPTH, top, barrier);
#pragma unroll
          for (int box = 0; box < TILE_N / 64; box++)
            loadBox(to + A_BYTES + box * BOX_BYTES, mapB, left + 64 * box, step * DEPTH, walk.group, barrier);
        }
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  unsigned out = tiles + STAGES * STAGE_BYTES + part * OUT_BYTES;
  int thread = threadIdx.x % WARPGROUP;
  Ring ring = {0, 0};
  // The buffers of the first tile are the other warpgroup's, which has the first turn.
  if (part == 1) {
    ring.advance(steps);
    Walk first = walk;
    if (first.find(blockIdx.x)) arriveNamed(TURN, 2 * WARPGROUP);
  }
  for (int tile = blockIdx.x + part * blocks; walk.find(tile); tile += 2 * blocks) {
    int top = walk.rowOf(tile), left = walk.columnOf(tile), before = ring.stage, step = 0;
    // Sums begin at zero by moves: left undefined, the compiler keeps products of two tiles apart by waiting.
    float sum[ROWS / 64][TILE_N / 2];
#pragma unroll
    for (int half = 0; half < ROWS / 64; half++)
#pragma unroll
      for (int i = 0; i < TILE_N / 2; i++) sum[half][i] = 0;
    syncNamed(TURN + part, 2 * WARPGROUP);
    do {
      unsigned at = tiles + ring.stage * STAGE_BYTES;
      waitFor(full + 8 * ring.stage, ring.phase);
      beginProducts();
#pragma unroll
      for (int slice = 0; slice < DEPTH / 16; slice++)
#pragma unroll
        for (int half = 0; half < ROWS / 64; half++)
          multiplyAdd(sum[half], descriptorOf(at + half * BOX_BYTES + 32 * slice, 0, 1024),
                      descriptorOf(at + A_BYTES + 2048 * slice, BOX_BYTES, 1024), 1);
      commitProducts();
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      // The products of the step before are done.
      if (step > 0 && thread == 0) arrive(empty + 8 * before);
      before = ring.stage;
      ring.next();
    } while (++step < steps);
    arriveNamed(TURN + 1 - part, 2 * WARPGROUP);
#pragma unroll
    for (int half = 0; half < ROWS / 64; half++) waitForAllBut<0>(sum[half]);
    if (thread == 0) arrive(empty + 8 * before);
    ring.advance(steps);
#pragma unroll
    for (int half = 0; half < ROWS / 64; half++) {
      int row = top + 64 * half;
      if (row + 64 <= walk.bottom) storeByAccelerator(mapC, sum[half], out, row, left, 1 + part);
      else storeSums(c, sum[half], walk.bottom, n, row, left);
    }
  }
  if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
