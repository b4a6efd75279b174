// A thread adds its part of the gradient of the queries to memory as its registers hold it, 16 bytes at a time, and 512
// side by side for a warp: half as many instructions, and half as many lines of memory, as by rows. Only the last
// kernel reads these sums, and it knows the order. With a mask, the keys that many queries see come first of all heads,
// not of each: short blocks are left for the end.
#include "in-order.cuh"

template <bool CAUSAL>
__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    gradients(const __grid_constant__ TensorMap mapQ, const __grid_constant__ TensorMap mapK,
              const __grid_constant__ TensorMap mapV, const __grid_constant__ TensorMap mapGo, const float *stats,
              float *sums, __nv_bfloat16 *gk, __nv_bfloat16 *gv, int length, int padded) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES + 1];
  Block own = blockAt<CAUSAL>(raw, barriers, blockIdx.x, blockIdx.y * KEYS, padded);
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
    // Both warpgroups are done with the gradients of scores of the tile before.
    syncNamed(1, CONSUMERS * WARPGROUP);
    storeScoreGradients(d, own.gs + group * 8192);
    syncNamed(2, CONSUMERS * WARPGROUP);
    beginProducts();
    multiplyQueries(g, own, group);
    commitProducts();
    multiplyByRows(sumK, d, qs);
    commitProducts();
    waitForProducts<1>();
    pin(g);
    addInOrder(placeOf(sums + (size_t)own.head * padded * SIZE, tile, group), g);
    waitForProducts<0>();
    if (thread == 0) arrive(own.empty + 8 * stage);
  }
  pin(sumK);
  pin(sumV);
  size_t at = (size_t)own.head * length * SIZE;
  storeRows(gk + at, sumK, ROOT, key, length);
  storeRows(gv + at, sumV, 1, key, length);
}
