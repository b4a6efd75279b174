// Warps with roles: one warp only starts copies, the warpgroups only multiply. Each buffer has two barriers: "full"
// says that the copies are there, "empty" that all warpgroups are done with it. No barrier of the whole block is left,
// so that the copies run ahead as far as there are buffers. The copying warp gives its registers to the others.
#include "hopper.cuh"
#define CONSUMERS (TILE_M / 64)

__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB, __nv_bfloat16 *c, int m,
           int n, int k) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
  unsigned tiles = alignedTo1024(raw), full = addressOf(barriers), empty = full + 8 * STAGES;
  int down = (m + TILE_M - 1) / TILE_M, across = (n + TILE_N - 1) / TILE_N;
  int band = blockIdx.x / (GROUP * across), rest = blockIdx.x % (GROUP * across);
  int high = min(GROUP, down - band * GROUP), top = (band * GROUP + rest % high) * TILE_M, left = rest / high * TILE_N;
  int group = threadIdx.x / WARPGROUP, steps = (k + DEPTH - 1) / DEPTH;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      initBarrier(full + 8 * s, 1);
      initBarrier(empty + 8 * s, CONSUMERS);
    }
    publishBarriers();
  }
  __syncthreads();
  if (group == CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x % WARPGROUP == 0) {
      for (int step = 0; step < steps; step++) {
        int stage = step % STAGES;
        // The first round finds empty buffers: the phase before the first counts as over.
        waitFor(empty + 8 * stage, (step / STAGES & 1) ^ 1);
        arriveAndExpect(full + 8 * stage, STAGE_BYTES);
        loadTiles(tiles + stage * STAGE_BYTES, mapA, mapB, top, left, step * DEPTH, full + 8 * stage);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float sum[TILE_N / 2];
    for (int step = 0; step < steps; step++) {
      int stage = step % STAGES;
      unsigned at = tiles + stage * STAGE_BYTES;
      waitFor(full + 8 * stage, step / STAGES & 1);
      beginProducts();
      multiplyTiles(sum, at + group * BOX_BYTES, at + A_BYTES, step > 0);
      commitProducts();
      waitForAllBut<1>(sum);
      // The products of the step before are done: one thread says so.
      if (step > 0 && threadIdx.x % WARPGROUP == 0) arrive(empty + 8 * ((step - 1) % STAGES));
    }
    waitForAllBut<0>(sum);
    storeSums(c, sum, m, n, top + 64 * group, left);
  }
}
