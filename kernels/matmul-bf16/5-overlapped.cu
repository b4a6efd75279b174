// Two sets of operands in registers: while the tensor cores multiply 16 of the depth, ldmatrix loads the next 16, also
// across the barrier between steps. So the tensor cores never wait for shared memory. Blocks that run at the same time
// cover GROUP rows of tiles instead of one: they share rows of A and columns of B in the L2 cache.
#include "tile.cuh"

__global__ void __launch_bounds__(THREADS)
    matmul(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k) {
  extern __shared__ __align__(128) unsigned char tiles[];
  unsigned at = (unsigned)__cvta_generic_to_shared(tiles);
  int down = (m + TILE_M - 1) / TILE_M, across = (n + TILE_N - 1) / TILE_N, group = blockIdx.x / (GROUP * across),
      rest = blockIdx.x % (GROUP * across);
  int high = min(GROUP, down - group * GROUP), top = (group * GROUP + rest % high) * TILE_M,
      left = rest / high * TILE_N;
  int warp = threadIdx.x / 32, row = warp / WARPS_ACROSS * 64, column = warp % WARPS_ACROSS * WARP_N;
  Copies copies = copiesOf(a, b, m, n, k, top, left);
  Sums sum = {};
  Fragments f[2];
#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) beginCopies(copies, at + s * STAGE_BYTES);
  waitForAllBut<STAGES - 2>();
  __syncthreads();
  load(f[0], at, 0, row, column);
  unsigned now = at, next = at + (STAGES - 1) * STAGE_BYTES, end = at + STAGES * STAGE_BYTES;
  for (int start = 0; start < k; start += DEPTH) {
#pragma unroll
    for (int part = 0; part < DEPTH / 16; part++) {
      if (part + 1 < DEPTH / 16) load(f[(part + 1) % 2], now, part + 1, row, column);
      if (part == 0) {
        // All warps have finished the step that used this buffer: they have passed the barrier below.
        beginCopies(copies, next);
        next = next + STAGE_BYTES == end ? at : next + STAGE_BYTES;
      }
      if (part + 1 == DEPTH / 16) {
        waitForAllBut<STAGES - 2>();
        __syncthreads();
        now = now + STAGE_BYTES == end ? at : now + STAGE_BYTES;
        // The step after the last one holds zeros.
        load(f[(part + 1) % 2], now, 0, row, column);
      }
      multiply(sum, f[part % 2]);
    }
  }
  store(c, sum, m, n, top + row, left + column);
}
