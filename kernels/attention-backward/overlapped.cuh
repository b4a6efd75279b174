// The loop of all versions: one tile of queries after the other, of one head after the other.
#pragma once
#include "query-sums.cuh"

template <bool CAUSAL, class Layout>
__device__ __forceinline__ void addTiles(const Layout &layout, const Place &place, const Block &own,
                                         const unsigned char *raw, float *sums, float (&sumK)[64], float (&sumV)[64]) {
  int group = threadIdx.x / WARPGROUP, step = 0;
  float s[32], g[32];
#pragma unroll 1
  for (int head = 0; head < layout.headsOfBlock(); head++)
#pragma unroll 1
    for (int tile = own.first; tile < own.tiles; tile++, step++) {
      int stage = step % STAGES, round = step / STAGES;
      unsigned qs = own.stages + stage * STAGE_BYTES, gos = qs + Q_BYTES;
      const float2 *numbers = numbersOf(raw, qs);
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
      weigh<CAUSAL, Layout::IS_SHARED>(s, p, numbers, own.top, tile, keyOf(own), place.length);
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
      addQueries(sums + place.tileOf(head, 0) * (QUERIES * SIZE), tile, group, g);
      waitForProducts<0>();
      if (threadIdx.x % WARPGROUP == 0) arrive(own.empty + 8 * stage);
    }
}
