// Where a thread adds its part of the gradient of the queries to memory, and the kernel that rounds these sums: by rows
// (versions 2 and 3), or as registers hold them (IN_ORDER, version 4).
#pragma once
#include "wgmma.cuh"

#if IN_ORDER
// Of a tile, half of the columns and quarter i, thread t has the floats 4 t to 4 t + 3.
__device__ __forceinline__ void addQueries(float *sums, int tile, int group, const float (&sum)[32]) {
  float *out = sums + (size_t)(tile * 2 + group) * (QUERIES * 64) + threadIdx.x % WARPGROUP * 4;
#pragma unroll
  for (int i = 0; i < 8; i++)
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 ::"l"(out + i * (4 * WARPGROUP)), "f"(sum[4 * i]), "f"(sum[4 * i + 1]), "f"(sum[4 * i + 2]),
                   "f"(sum[4 * i + 3]) : "memory");
}
// Eight columns of rows r and r + 8 of 16: four lanes have had them.
template <class Layout>
__device__ __forceinline__ void finishQueries(const Layout &layout, const float *sums, __nv_bfloat16 *gq, int padded) {
  int i = blockIdx.x * 256 + threadIdx.x, head = blockIdx.y;
  if (i >= padded * (SIZE / 16)) return;
  // Neighbours write neighbouring columns: 128 bytes of a row in all.
  int eighth = i % 8, quad = i / 8 % 32, group = i / 256 % 2, tile = i / 512;
  int row = quad / 8 * 16 + quad % 8, column = 64 * group + 8 * eighth;
  const float4 *from =
      (const float4 *)(sums + (size_t)head * padded * SIZE + (size_t)(tile * 2 + group) * (QUERIES * 64)) +
      eighth * WARPGROUP + 4 * quad;
  Packed<__nv_bfloat16> upper, lower;
#pragma unroll
  for (int lane = 0; lane < 4; lane++) {
    float4 x = from[lane];
    upper.set(2 * lane, x.x * ROOT), upper.set(2 * lane + 1, x.y * ROOT);
    lower.set(2 * lane, x.z * ROOT), lower.set(2 * lane + 1, x.w * ROOT);
  }
  const Tile in = layout.tileOf(tile);
  if (row < in.left) store(gq + layout.row(head, in.first + row) * SIZE + column, upper);
  if (row + 8 < in.left) store(gq + layout.row(head, in.first + row + 8) * SIZE + column, lower);
}
#else
// The sums of a row of the head lie side by side; rows are padded to tiles.
__global__ void __launch_bounds__(256) finish(const float *sums, __nv_bfloat16 *gq, int length, int padded) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= length * (SIZE / 8)) return;
  const float *from = sums + (size_t)blockIdx.y * padded * SIZE + 8 * i;
  Packed<__nv_bfloat16> out;
#pragma unroll
  for (int e = 0; e < 8; e++) out.set(e, from[e] * ROOT);
  store(gq + (size_t)blockIdx.y * length * SIZE + 8 * i, out);
}

// 64 queries x 64 columns of sums of the gradient of the queries.
__device__ __forceinline__ void addQueries(float *sums, int tile, int group, const float (&sum)[32]) {
  int lane = threadIdx.x % 32, row = tile * QUERIES + threadIdx.x % WARPGROUP / 32 * 16 + lane / 4;
  float *out = sums + 64 * group;
#pragma unroll
  for (int j = 0; j < 8; j++)
#pragma unroll
    for (int half = 0; half < 2; half++)
      asm volatile("red.global.add.v2.f32 [%0], {%1, %2};"
                   ::"l"(out + (size_t)(row + 8 * half) * SIZE + 8 * j + lane % 4 * 2), "f"(sum[4 * j + 2 * half]),
                     "f"(sum[4 * j + 2 * half + 1]) : "memory");
}
#endif
