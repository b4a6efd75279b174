// Products of a warpgroup from tiles that the accelerator loads, one block for each tile that there may be: a block
// finds its group by walking through the ends. B is one tensor of three dimensions. Rows of A behind the group's end
// are loaded, multiplied, and not written.
#include "groups.cuh"

__device__ __forceinline__ void loadTiles(unsigned to, const TensorMap &a, const TensorMap &b, int top, int left,
                                          int group, int depth, unsigned barrier) {
  arriveAndExpect(barrier, STAGE_BYTES);
  loadBox(to, a, depth, top, barrier);
#pragma unroll
  for (int box = 0; box < TILE_N / 64; box++)
    loadBox(to + A_BYTES + box * BOX_BYTES, b, left + 64 * box, depth, group, barrier);
}

__global__ void __launch_bounds__(TILE_M * 2)
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB, const int *ends,
           __nv_bfloat16 *c, int groups, int n, int k) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[STAGES];
  unsigned tiles = alignedTo1024(raw), full = addressOf(barriers);
  Walk walk(ends, groups, (n + TILE_N - 1) / TILE_N);
  if (!walk.find(blockIdx.x)) return;
  int top = walk.rowOf(blockIdx.x), left = walk.columnOf(blockIdx.x), part = threadIdx.x / WARPGROUP;
  int steps = (k + DEPTH - 1) / DEPTH;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(full + 8 * s, 1);
    publishBarriers();
    for (int s = 0; s < STAGES - 1 && s < steps; s++)
      loadTiles(tiles + s * STAGE_BYTES, mapA, mapB, top, left, walk.group, s * DEPTH, full + 8 * s);
  }
  __syncthreads();
  float sum[TILE_N / 2];
  for (int step = 0; step < steps; step++) {
    int stage = step % STAGES, next = step + STAGES - 1, to = next % STAGES;
    unsigned at = tiles + stage * STAGE_BYTES;
    waitFor(full + 8 * stage, step / STAGES & 1);
    beginProducts();
    multiplyTiles(sum, at + part * BOX_BYTES, at + A_BYTES, step > 0);
    commitProducts();
    waitForAllBut<1>(sum);
    // All warps are done with the step before this one: its buffer takes the step that comes next.
    __syncthreads();
    if (threadIdx.x == 0 && next < steps)
      loadTiles(tiles + to * STAGE_BYTES, mapA, mapB, top, left, walk.group, next * DEPTH, full + 8 * to);
  }
  waitForAllBut<0>(sum);
  storeSums(c, sum, walk.bottom, n, top + 64 * part, left);
}
