// What versions 3 and 4 share (matmul-bf16/persistent.cuh explains the parts). ROWS: of a warpgroup's tile, 64 or 128;
// 128 are two products that read the same columns of B. PING_PONG: each warpgroup has a tile of its own.
#pragma once
#define CONSUMERS 2
#define TILE_M (PING_PONG ? ROWS : CONSUMERS * ROWS)
#include "fp8.cuh"
#define TURN 3
// Columns of a tile that are in shared memory at a time, of each warpgroup: boxes of 64 rows x 64 columns.
#define OUT_N 128
#define OUT_BYTES (OUT_N * 128)

struct Place { int top, left; };
// GROUP rows of tiles at a time, so that what runs together shares A and B in L2.
__device__ __forceinline__ Place placeOf(int tile, int down, int across) {
  int band = tile / (GROUP * across), rest = tile % (GROUP * across), high = min(GROUP, down - band * GROUP);
  return {(band * GROUP + rest % high) * TILE_M, rest / high * TILE_N};
}
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

// 64 rows of a warpgroup's sums, OUT_N columns at a time.
__device__ __forceinline__ void storeByAccelerator(const TensorMap &map, const float (&sum)[TILE_N / 2], float scale,
                                                   unsigned out, int top, int left, int barrier) {
  int thread = threadIdx.x % WARPGROUP, lane = thread % 32;
#pragma unroll
  for (int part = 0; part < TILE_N / OUT_N; part++) {
    // The accelerator has read what the part before wrote.
    if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    syncNamed(barrier, WARPGROUP);
#pragma unroll
    for (int pair = 0; pair < OUT_N / 16; pair++) {
      int row = thread / 32 * 16 + lane % 16, chunk = pair % 4 * 2 + lane / 16;
      const float *s = sum + OUT_N / 2 * part + 8 * pair;
      storeMatrices(out + pair / 4 * 8192 + row * 128 + (chunk ^ row % 8) * 16, packed(s[0] * scale, s[1] * scale),
                    packed(s[2] * scale, s[3] * scale), packed(s[4] * scale, s[5] * scale),
                    packed(s[6] * scale, s[7] * scale));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    syncNamed(barrier, WARPGROUP);
    if (thread == 0) {
#pragma unroll
      for (int box = 0; box < OUT_N / 64; box++)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"
                     ::"l"(&map), "r"(out + box * 8192), "r"(left + OUT_N * part + 64 * box), "r"(top)
                     : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
}

__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB,
           const __grid_constant__ TensorMap mapC, const float *scale, int m, int n, int k) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
  unsigned tiles = alignedTo1024(raw), full = addressOf(barriers), empty = full + 8 * STAGES;
  int group = threadIdx.x / WARPGROUP, steps = (k + DEPTH - 1) / DEPTH, blocks = gridDim.x;
  int down = (m + TILE_M - 1) / TILE_M, across = (n + TILE_N - 1) / TILE_N;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      initBarrier(full + 8 * s, 1);
      initBarrier(empty + 8 * s, PING_PONG ? 1 : CONSUMERS);
    }
    publishBarriers();
  }
  __syncthreads();
  if (group == CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x % WARPGROUP == 0) {
      // The first round finds empty buffers: the phase before the first counts as over.
      Ring ring = {0, 1};
      for (int tile = blockIdx.x; tile < down * across; tile += blocks) {
        Place place = placeOf(tile, down, across);
        for (int step = 0; step < steps; step++, ring.next()) {
          unsigned to = tiles + ring.stage * STAGE_BYTES, barrier = full + 8 * ring.stage;
          waitFor(empty + 8 * ring.stage, ring.phase);
          arriveAndExpect(barrier, STAGE_BYTES);
          loadBox(to, mapA, step * DEPTH, place.top, barrier);
          loadBox(to + A_BYTES, mapB, step * DEPTH, place.left, barrier);
        }
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  unsigned out = tiles + STAGES * STAGE_BYTES + group * OUT_BYTES;
  int thread = threadIdx.x % WARPGROUP;
  float factor = *scale;
  Ring ring = {0, 0};
  // With ping-pong, the buffers of the first tile are the other warpgroup's, which has the first turn.
  if (PING_PONG && group == 1) {
    ring.advance(steps);
    if (blockIdx.x < down * across) arriveNamed(TURN, 2 * WARPGROUP);
  }
  for (int tile = blockIdx.x + PING_PONG * group * blocks; tile < down * across; tile += (1 + PING_PONG) * blocks) {
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
      unsigned at = tiles + ring.stage * STAGE_BYTES, a = at + (PING_PONG ? 0 : group * ROWS * DEPTH);
      waitFor(full + 8 * ring.stage, ring.phase);
      beginProducts();
#pragma unroll
      for (int part = 0; part < DEPTH / 32; part++)
#pragma unroll
        for (int half = 0; half < ROWS / 64; half++)
          multiplyAdd(sum[half], descriptorOf(a + half * 64 * DEPTH + 32 * part, 0, 1024),
                      descriptorOf(at + A_BYTES + 32 * part, 0, 1024), 1);
      commitProducts();
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      // The products of the step before are done.
      if (step > 0 && thread == 0) arrive(empty + 8 * before);
      before = ring.stage;
      ring.next();
    } while (++step < steps);
    if (PING_PONG) arriveNamed(TURN + 1 - group, 2 * WARPGROUP);
#pragma unroll
    for (int half = 0; half < ROWS / 64; half++) waitForAllBut<0>(sum[half]);
    if (thread == 0) arrive(empty + 8 * before);
    if (PING_PONG) ring.advance(steps);
#pragma unroll
    for (int half = 0; half < ROWS / 64; half++)
      storeByAccelerator(mapC, sum[half], factor, out, place.top + (PING_PONG ? 0 : ROWS * group) + 64 * half,
                         place.left, 1 + group);
  }
  if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
