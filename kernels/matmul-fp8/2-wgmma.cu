// Tiles by the tensor memory accelerator, products of a warpgroup: 64 x TILE_N x 32 with one instruction, twice as many
// operations as with bfloat16. The buffer of a step is free when the step after it has been issued and its own products
// are done.
#include "fp8.cuh"

__device__ __forceinline__ void loadTiles(unsigned to, const TensorMap &a, const TensorMap &b, int top, int left,
                                          int depth, unsigned barrier) {
  arriveAndExpect(barrier, STAGE_BYTES);
  loadBox(to, a, depth, top, barrier);
  loadBox(to + A_BYTES, b, depth, left, barrier);
}

__global__ void __launch_bounds__(TILE_M * 2)
    matmul(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB, const float *scale,
           __nv_bfloat16 *c, int m, int n, int k) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[STAGES];
  unsigned tiles = alignedTo1024(raw), full = addressOf(barriers);
  int top = blockIdx.y * TILE_M, left = blockIdx.x * TILE_N, group = threadIdx.x / WARPGROUP;
  int steps = (k + DEPTH - 1) / DEPTH;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(full + 8 * s, 1);
    publishBarriers();
    for (int s = 0; s < STAGES - 1 && s < steps; s++)
      loadTiles(tiles + s * STAGE_BYTES, mapA, mapB, top, left, s * DEPTH, full + 8 * s);
  }
  __syncthreads();
  float sum[TILE_N / 2];
  for (int step = 0; step < steps; step++) {
    int stage = step % STAGES, next = step + STAGES - 1, to = next % STAGES;
    unsigned at = tiles + stage * STAGE_BYTES;
    waitFor(full + 8 * stage, step / STAGES & 1);
    beginProducts();
    multiplyTiles(sum, at + group * 64 * DEPTH, at + A_BYTES, step > 0);
    commitProducts();
    waitForAllBut<1>(sum);
    // All warps are done with the step before this one: its buffer takes the step that comes next.
    __syncthreads();
    if (threadIdx.x == 0 && next < steps)
      loadTiles(tiles + to * STAGE_BYTES, mapA, mapB, top, left, next * DEPTH, full + 8 * to);
  }
  waitForAllBut<0>(sum);
  int lane = threadIdx.x % 32, row = top + 64 * group + threadIdx.x % WARPGROUP / 32 * 16 + lane / 4;
  float factor = *scale;
#pragma unroll
  for (int j = 0; j < TILE_N / 8; j++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      int column = left + 8 * j + lane % 4 * 2;
      if (row + 8 * half < m && column < n)
        *(__nv_bfloat162 *)(c + (size_t)(row + 8 * half) * n + column) =
            __floats2bfloat162_rn(sum[4 * j + 2 * half] * factor, sum[4 * j + 2 * half + 1] * factor);
    }
}
