// STAGES steps of A and B in a ring in shared memory, filled by cp.async, which needs no registers on the way: while
// the tensor cores work on one step, the next STAGES - 1 are being copied, and the latency of memory is hidden without
// a second block on the multiprocessor. One barrier a step: it says that the oldest step has come, and that everyone
// has done with the one before, whose place is filled next.
#include "tile.cuh"

__global__ void __launch_bounds__(THREADS)
    matmul(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k) {
  extern __shared__ __align__(128) unsigned char tiles[];
  unsigned at = (unsigned)__cvta_generic_to_shared(tiles);
  int warp = threadIdx.x / 32, row = warp / WARPS_ACROSS * 64, column = warp % WARPS_ACROSS * WARP_N,
      top = blockIdx.y * TILE_M, left = blockIdx.x * TILE_N;
  Copies copies = copiesOf(a, b, m, n, k, top, left);
  Sums sum = {};
#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) beginCopies(copies, at + s * STAGE_BYTES);
  int now = 0, next = STAGES - 1;
  for (int start = 0; start < k; start += DEPTH) {
    waitForAllBut<STAGES - 2>();
    __syncthreads();
    beginCopies(copies, at + next * STAGE_BYTES);
#pragma unroll
    for (int part = 0; part < DEPTH / 16; part++) {
      Fragments f;
      load(f, at + now * STAGE_BYTES, part, row, column);
      multiply(sum, f);
    }
    now = now + 1 == STAGES ? 0 : now + 1;
    next = next + 1 == STAGES ? 0 : next + 1;
  }
  store(c, sum, m, n, top + row, left + column);
}
