// Tiles in shared memory: a block, not each warp, reads every element of A and B once from global memory. Products are
// mma.sync on registers. ldmatrix loads an operand of 16 x 16 by one instruction, without bank conflicts because chunks
// of 16 bytes are swizzled. A warp computes 64 x 64 of C and uses each operand four times.
#include "tile.cuh"

__global__ void __launch_bounds__(THREADS)
    matmul(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k) {
  extern __shared__ __align__(128) unsigned char tiles[];
  unsigned at = (unsigned)__cvta_generic_to_shared(tiles);
  int warp = threadIdx.x / 32, row = warp / WARPS_ACROSS * 64, column = warp % WARPS_ACROSS * WARP_N,
      top = blockIdx.y * TILE_M, left = blockIdx.x * TILE_N;
  Sums sum = {};
  for (int start = 0; start < k; start += DEPTH) {
    uint4 fromA[A_COPIES], fromB[B_COPIES];
#pragma unroll
    for (int q = 0; q < A_COPIES; q++) {
      int i = threadIdx.x + q * THREADS, y = top + i / A_CHUNKS, x = start + i % A_CHUNKS * 8;
      fromA[q] = y < m && x < k ? *(const uint4 *)(a + (size_t)y * k + x) : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (int q = 0; q < B_COPIES; q++) {
      int i = threadIdx.x + q * THREADS, y = start + i / B_CHUNKS, x = left + i % B_CHUNKS * 8;
      fromB[q] = y < k && x < n ? *(const uint4 *)(b + (size_t)y * n + x) : make_uint4(0, 0, 0, 0);
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < A_COPIES; q++) {
      int i = threadIdx.x + q * THREADS;
      *(uint4 *)(tiles + placeA(i / A_CHUNKS, i % A_CHUNKS)) = fromA[q];
    }
#pragma unroll
    for (int q = 0; q < B_COPIES; q++) {
      int i = threadIdx.x + q * THREADS;
      *(uint4 *)(tiles + A_BYTES + placeB(i / B_CHUNKS, i % B_CHUNKS)) = fromB[q];
    }
    __syncthreads();
#pragma unroll
    for (int part = 0; part < DEPTH / 16; part++) {
      Fragments f;
      load(f, at, part, row, column);
      multiply(sum, f);
    }
  }
  store(c, sum, m, n, top + row, left + column);
}
