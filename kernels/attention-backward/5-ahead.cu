// Two tiles of queries in each iteration: the scores of the second are computed while the first one's gradients of
// queries are added to memory. Registers have room for that because the gradients of scores, which are in shared memory
// anyway, are read from there for the gradient of the keys, too. (Across iterations ptxas would keep products apart.)
#include "in-order.cuh"

// 64 keys x 16 queries from shared memory, and 16 rows of SIZE numbers.
__device__ __forceinline__ void multiplyShared(float (&sum)[64], unsigned long long a, unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63}, "
      "%64, %65, 1, 1, 1, 0, 1;\n"
      : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56)
      : "l"(a), "l"(b));
}

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
  auto numbersOf = [&](unsigned qs) {
    return (const float2 *)(raw + (qs - addressOf(raw)) + 2 * Q_BYTES) + lane % 4;
  };
  // From scores to the products that are under way when it returns: of values, of queries (g) and of keys.
  auto middle = [&](int tile, unsigned qs) {
    unsigned p[16], d[16];
    weigh<CAUSAL>(s, p, numbersOf(qs), own.top, tile, key);
    waitForProducts<0>();
    pin(g);
    scoreGradients(s, g, d, numbersOf(qs));
    beginProducts();
    multiplyByRows(sumV, p, qs + Q_BYTES);
    commitProducts();
    // Both warpgroups are done with the gradients of scores of the tile before.
    syncNamed(1, CONSUMERS * WARPGROUP);
    storeScoreGradients(d, own.gs + group * 8192);
    syncNamed(2, CONSUMERS * WARPGROUP);
    waitForProducts<0>();
    beginProducts();
    multiplyQueries(g, own, group);
    commitProducts();
#pragma unroll
    for (int part = 0; part < QUERIES / 16; part++)
      multiplyShared(sumK, descriptorOf(own.gs + group * 8192 + 32 * part, 0, 1024),
                     descriptorOf(qs + 2048 * part, 8192, 1024));
    commitProducts();
  };
  float *to = sums + (size_t)own.head * padded * SIZE;
#pragma unroll 1
  for (int tile = own.first; tile < own.tiles; tile += 2) {
    int at = tile - own.first;
    unsigned first = at % STAGES, second = (at + 1) % STAGES;
    unsigned qs = own.stages + first * STAGE_BYTES, nextQs = own.stages + second * STAGE_BYTES;
    bool isPair = tile + 1 < own.tiles;
    waitFor(own.full + 8 * first, at / STAGES & 1);
    beginProducts();
    multiplyScores(s, own, group, qs);
    commitProducts();
    multiplyWeightGradients(g, own, group, qs + Q_BYTES);
    commitProducts();
    waitForProducts<1>();
    pin(s);
    // A last tile without a second one: its scores again, which nobody reads.
    if (isPair) waitFor(own.full + 8 * second, (at + 1) / STAGES & 1);
    else nextQs = qs;
    middle(tile, qs);
    multiplyScores(s, own, group, nextQs);
    commitProducts();
    waitForProducts<2>();
    pin(g);
    addInOrder(placeOf(to, tile, group), g);
    waitForProducts<0>();
    pin(s);
    if (thread == 0) arrive(own.empty + 8 * first);
    if (isPair) {
      beginProducts();
      multiplyWeightGradients(g, own, group, nextQs + Q_BYTES);
      commitProducts();
      middle(tile + 1, nextQs);
      waitForProducts<1>();
      pin(g);
      addInOrder(placeOf(to, tile + 1, group), g);
      waitForProducts<0>();
      if (thread == 0) arrive(own.empty + 8 * second);
    }
  }
  pin(sumK);
  pin(sumV);
  size_t at = (size_t)own.head * length * SIZE;
  storeRows(gk + at, sumK, ROOT, key, length);
  storeRows(gv + at, sumV, 1, key, length);
}
