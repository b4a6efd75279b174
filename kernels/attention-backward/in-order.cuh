// What versions 4 and 5 share: sums of the gradient of the queries lie as registers hold them.
#pragma once
#include "wgmma.cuh"

// Of a tile, half of the columns and quarter i, thread t has the floats 4 t to 4 t + 3.
__device__ __forceinline__ float *placeOf(float *sums, int tile, int group) {
  return sums + (size_t)(tile * 2 + group) * (QUERIES * 64) + threadIdx.x % WARPGROUP * 4;
}
__device__ __forceinline__ void addInOrder(float *out, const float (&sum)[32]) {
#pragma unroll
  for (int i = 0; i < 8; i++)
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 ::"l"(out + i * (4 * WARPGROUP)), "f"(sum[4 * i]), "f"(sum[4 * i + 1]), "f"(sum[4 * i + 2]),
                   "f"(sum[4 * i + 3]) : "memory");
}
// Eight columns of rows r and r + 8 of 16: four lanes have had them.
__global__ void __launch_bounds__(256) finish(const float *sums, __nv_bfloat16 *gq, int length, int padded) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= padded * (SIZE / 16)) return;
  // Neighbours write neighbouring columns: 128 bytes of a row in all.
  int eighth = i % 8, quad = i / 8 % 32, group = i / 256 % 2, tile = i / 512;
  int row = tile * QUERIES + quad / 8 * 16 + quad % 8, column = 64 * group + 8 * eighth;
  const float4 *from =
      (const float4 *)(sums + (size_t)blockIdx.y * padded * SIZE + (size_t)(tile * 2 + group) * (QUERIES * 64)) +
      eighth * WARPGROUP + 4 * quad;
  Packed<__nv_bfloat16> upper, lower;
#pragma unroll
  for (int lane = 0; lane < 4; lane++) {
    float4 x = from[lane];
    upper.set(2 * lane, x.x * ROOT), upper.set(2 * lane + 1, x.y * ROOT);
    lower.set(2 * lane, x.z * ROOT), lower.set(2 * lane + 1, x.w * ROOT);
  }
  __nv_bfloat16 *to = gq + (size_t)blockIdx.y * length * SIZE + column;
  if (row < length) store(to + (size_t)row * SIZE, upper);
  if (row + 8 < length) store(to + (size_t)(row + 8) * SIZE, lower);
}
