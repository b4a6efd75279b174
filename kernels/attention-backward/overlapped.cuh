// The loop of versions 2 and 3: one tile of queries after the other.
#pragma once
#include "wgmma.cuh"

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
__device__ __forceinline__ void addRows(float *out, const float (&sum)[32], int row) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < 8; j++)
#pragma unroll
    for (int half = 0; half < 2; half++)
      asm volatile("red.global.add.v2.f32 [%0], {%1, %2};"
                   ::"l"(out + (size_t)(row + 8 * half) * SIZE + 8 * j + lane % 4 * 2), "f"(sum[4 * j + 2 * half]),
                     "f"(sum[4 * j + 2 * half + 1]) : "memory");
}

template <bool CAUSAL>
__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    gradients(const __grid_constant__ TensorMap mapQ, const __grid_constant__ TensorMap mapK,
              const __grid_constant__ TensorMap mapV, const __grid_constant__ TensorMap mapGo, const float *stats,
              float *sums, __nv_bfloat16 *gk, __nv_bfloat16 *gv, int length, int padded) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES + 1];
  // Of a head, keys that many queries see come first.
  Block own = blockAt<CAUSAL>(raw, barriers, blockIdx.y, blockIdx.x * KEYS, padded);
  int group = threadIdx.x / WARPGROUP, thread = threadIdx.x % WARPGROUP, lane = thread % 32;
  if (group == CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (thread == 0) copyTiles(own, mapQ, mapK, mapV, mapGo, stats, padded);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  float sumK[64], sumV[64], s[32], g[32];
#pragma unroll
  for (int i = 0; i < 64; i++) sumK[i] = sumV[i] = 0;
  int key = own.top + 64 * group + thread / 32 * 16 + lane / 4;
  waitFor(own.kvFull, 0);
#pragma unroll 1
  for (int tile = own.first; tile < own.tiles; tile++) {
    int stage = (tile - own.first) % STAGES, round = (tile - own.first) / STAGES;
    unsigned qs = own.stages + stage * STAGE_BYTES, gos = qs + Q_BYTES;
    const float2 *numbers = (const float2 *)(raw + (qs - addressOf(raw)) + 2 * Q_BYTES) + lane % 4;
    unsigned p[16], d[16];
    waitFor(own.full + 8 * stage, round & 1);
    beginProducts();
    multiplyScores(s, own, group, qs);
    commitProducts();
    if (!OVERLAP) waitForProducts<0>();
    multiplyWeightGradients(g, own, group, gos);
    commitProducts();
    waitForProducts<1>();
    pin(s);
    weigh<CAUSAL>(s, p, numbers, own.top, tile, key);
    waitForProducts<0>();
    pin(g);
    scoreGradients(s, g, d, numbers);
    beginProducts();
    multiplyByRows(sumV, p, gos);
    commitProducts();
    if (!OVERLAP) waitForProducts<0>();
    // Both warpgroups are done with the gradients of scores of the tile before.
    syncNamed(1, CONSUMERS * WARPGROUP);
    storeScoreGradients(d, own.gs + group * 8192);
    syncNamed(2, CONSUMERS * WARPGROUP);
    beginProducts();
    multiplyQueries(g, own, group);
    commitProducts();
    if (!OVERLAP) waitForProducts<0>();
    multiplyByRows(sumK, d, qs);
    commitProducts();
    waitForProducts<1>();
    pin(g);
    addRows(sums + (size_t)own.head * padded * SIZE + 64 * group, g, tile * QUERIES + thread / 32 * 16 + lane / 4);
    waitForProducts<0>();
    if (thread == 0) arrive(own.empty + 8 * stage);
  }
  pin(sumK);
  pin(sumV);
  size_t at = (size_t)own.head * length * SIZE;
  storeRows(gk + at, sumK, ROOT, key, length);
  storeRows(gv + at, sumV, 1, key, length);
}
