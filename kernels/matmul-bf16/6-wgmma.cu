// The products of a warpgroup: 128 threads multiply 64 x TILE_N x 16 with one instruction, which reads both operands
// from shared memory by itself. No thread loads fragments any more. Two groups of products are in flight at most: the
// buffer of a step is free when the step after it has been issued and its own products are done.
#include "hopper.cuh"

__global__ void __launch_bounds__(TILE_M * 2)
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB, __nv_bfloat16 *c, int m,
           int n, int k) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[STAGES];
  unsigned tiles = alignedTo1024(raw), full = addressOf(barriers);
  int top = blockIdx.y * TILE_M, left = blockIdx.x * TILE_N, group = threadIdx.x / WARPGROUP;
  int steps = (k + DEPTH - 1) / DEPTH;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(full + 8 * s, 1);
    publishBarriers();
    for (int s = 0; s < STAGES - 1 && s < steps; s++) {
      arriveAndExpect(full + 8 * s, STAGE_BYTES);
      loadTiles(tiles + s * STAGE_BYTES, mapA, mapB, top, left, s * DEPTH, full + 8 * s);
    }
  }
  __syncthreads();
  float sum[TILE_N / 2];
  for (int step = 0; step < steps; step++) {
    int stage = step % STAGES, next = step + STAGES - 1;
    unsigned at = tiles + stage * STAGE_BYTES;
    waitFor(full + 8 * stage, step / STAGES & 1);
    beginProducts();
    multiplyTiles(sum, at + group * BOX_BYTES, at + A_BYTES, step > 0);
    commitProducts();
    waitForAllBut<1>(sum);
    // All warps are done with the step before this one: its buffer takes the step that comes next.
    __syncthreads();
    if (threadIdx.x == 0 && next < steps) {
      int to = next % STAGES;
      arriveAndExpect(full + 8 * to, STAGE_BYTES);
      loadTiles(tiles + to * STAGE_BYTES, mapA, mapB, top, left, next * DEPTH, full + 8 * to);
    }
  }
  waitForAllBut<0>(sum);
  storeSums(c, sum, m, n, top + 64 * group, left);
}
