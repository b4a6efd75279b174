// What versions 2 to 4 share. A block has 128 keys of a head, 64 for each of two warpgroups, and goes through the
// queries, 64 at a time; a third warpgroup copies. With keys as rows of scores, a thread's weights are just what the
// next product takes from registers.
//
// The gradient of the queries needs the other order: gradients of scores go to shared memory, keys as rows, and are
// read as columns. Each block adds its part to floats in memory; a last kernel rounds them. (T. Dao,
// "FlashAttention-2", 2023; J. Shah and others, "FlashAttention-3", 2024.)
//
// Where heads and sequences lie in memory is in a Layout: equal.cuh, and varlen.cuh of attention-varlen-backward.
#pragma once
#include "../common/exp2.cuh"
#include "../common/hopper.cuh"
#include "../common/packed.cuh"
#include "../common/sums.cuh"
#define SIZE 128
#define KEYS 128
#define QUERIES 64
#define CONSUMERS 2
#define KV_BYTES (KEYS * SIZE * 2)
#define Q_BYTES (QUERIES * SIZE * 2)
// Queries, gradients of the output, and two numbers for each query.
#define STAGE_BYTES (2 * Q_BYTES + 1024)
#define LOADED_BYTES (2 * Q_BYTES + 2 * QUERIES * 4)
#define GS_BYTES (KEYS * QUERIES * 2)
#define INFINITE (__int_as_float(0x7f800000))
#define LOG2E 1.4426950408889634f
#define ROOT 0.08838834764831845f
// How sums of the gradient of the queries lie in memory, and how blocks take keys: query-sums.cuh.
#ifndef IN_ORDER
#define IN_ORDER 0
#endif

__device__ __forceinline__ void loadBytes(unsigned to, const void *from, int bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               ::"r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}
// Both operands from shared memory along what is summed: 64 keys and 64 queries.
__device__ __forceinline__ void multiply(float (&sum)[32], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, keep, 1, 1, 0, 0;\n}\n"
      : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24)
      : "l"(a), "l"(b), "r"(keep));
}
// The same with both operands across: rows of shared memory are what is summed.
__device__ __forceinline__ void multiplyAcross(float (&sum)[32], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, keep, 1, 1, 1, 1;\n}\n"
      : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24)
      : "l"(a), "l"(b), "r"(keep));
}
// 64 keys x 16 queries from registers, and 16 rows of SIZE numbers.
__device__ __forceinline__ void multiplyRegisters(float (&sum)[64], const unsigned *a, unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63}, "
      "{%64, %65, %66, %67}, %68, 1, 1, 1, 1;\n"
      : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// Of two pairs.
__device__ __forceinline__ float productSum(unsigned a, unsigned b) {
  float2 x = __bfloat1622float2(*(const __nv_bfloat162 *)&a), y = __bfloat1622float2(*(const __nv_bfloat162 *)&b);
  return x.x * y.x + x.y * y.y;
}
// A tile of queries: its first token, and how many tokens of its sequence there are from there on.
struct Tile { int first, left; };
// For each query, padded to tiles: its lse by powers of 2 (infinite: no query), and what all its gradients of weights
// have in common, the product of the output and its gradient. And zeros where gradients are added. A warp a query.
template <class Layout>
__device__ __forceinline__ void prepareQueries(const Layout &layout, const __nv_bfloat16 *o, const __nv_bfloat16 *go,
                                               const float *lse, float *stats, float *sums, int padded) {
  int query = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, head = blockIdx.y;
  if (query >= padded) return;
  float sum = 0, own = INFINITE;
  *(float4 *)(sums + ((size_t)head * padded + query) * SIZE + 4 * lane) = make_float4(0, 0, 0, 0);
  const Tile in = layout.tileOf(query / QUERIES);
  if (query % QUERIES < in.left) {
    int token = in.first + query % QUERIES;
    size_t at = layout.row(head, token) * SIZE + 4 * lane;
    own = lse[layout.lseAt(head, token)] * LOG2E;
    uint2 x = *(const uint2 *)(o + at), y = *(const uint2 *)(go + at);
    sum = productSum(x.x, y.x) + productSum(x.y, y.y);
  }
  sum = warpSum(sum);
  // 64 numbers of the one kind, then 64 of the other: a tile of queries has both side by side.
  float *tile = stats + ((size_t)head * padded + query / QUERIES * QUERIES) * 2 + query % QUERIES;
  if (lane == 0) tile[0] = own, tile[QUERIES] = sum;
}
// Lane 4 g + t of a warp has the columns 8 j + 2 t and 8 j + 2 t + 1 of rows g and g + 8 of the warp's 16.
__device__ __forceinline__ void storeRows(__nv_bfloat16 *out, int stride, const float (&sum)[64], float scale,
                                          int row, int rows) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < SIZE / 8; j++)
#pragma unroll
    for (int half = 0; half < 2; half++)
      if (row + 8 * half < rows)
        *(unsigned *)(out + (size_t)(row + 8 * half) * stride + 8 * j + lane % 4 * 2) =
            packed(sum[4 * j + 2 * half] * scale, sum[4 * j + 2 * half + 1] * scale);
}

// Where a block works: keys of a head, and the heads of queries that use them, from firstHead on. The maps have the
// sequence's tokens from `start` on. Numbers and sums of queries have `tilesOfHead` tiles for each head, the sequence's
// from `tile0` on.
struct Place {
  int kvHead, firstHead, start, length, tile0, tilesOfHead;
  __device__ __forceinline__ size_t tileOf(int head, int tile) const {
    return (size_t)(firstHead + head) * tilesOfHead + tile0 + tile;
  }
};
// What a block has in shared memory, and which queries of its sequence see its keys.
struct Block {
  unsigned ks, vs, gs, stages, full, empty, kvFull;
  int top, first, tiles;
};
template <bool CAUSAL>
__device__ __forceinline__ Block blockAt(const void *raw, const void *barriers, int top, int length) {
  Block own;
  own.ks = alignedTo1024(raw), own.vs = own.ks + KV_BYTES, own.gs = own.vs + KV_BYTES, own.stages = own.gs + GS_BYTES;
  own.full = addressOf(barriers), own.empty = own.full + 8 * STAGES, own.kvFull = own.empty + 8 * STAGES;
  own.top = top, own.tiles = (length + QUERIES - 1) / QUERIES, own.first = CAUSAL ? top / QUERIES : 0;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(own.full + 8 * s, 1), initBarrier(own.empty + 8 * s, CONSUMERS);
    initBarrier(own.kvFull, 1);
    publishBarriers();
  }
  __syncthreads();
  return own;
}
// The part of one thread: keys and values, then the tiles of queries.
__device__ __forceinline__ void copyTiles(const Block &own, const Place &place, int heads, const TensorMap &mapQ,
                                          const TensorMap &mapK, const TensorMap &mapV, const TensorMap &mapGo,
                                          const float *stats) {
  arriveAndExpect(own.kvFull, 2 * KV_BYTES);
  for (int box = 0; box < 2; box++) {
    loadBox(own.ks + box * (KEYS * 128), mapK, 64 * box, place.start + own.top, place.kvHead, own.kvFull);
    loadBox(own.vs + box * (KEYS * 128), mapV, 64 * box, place.start + own.top, place.kvHead, own.kvFull);
  }
  int step = 0;
  for (int head = 0; head < heads; head++)
    for (int tile = own.first; tile < own.tiles; tile++, step++) {
      int stage = step % STAGES, round = step / STAGES, row = place.start + tile * QUERIES;
      unsigned to = own.stages + stage * STAGE_BYTES, full = own.full + 8 * stage;
      // The first round finds empty buffers: the phase before the first counts as over.
      waitFor(own.empty + 8 * stage, (round & 1) ^ 1);
      arriveAndExpect(full, LOADED_BYTES);
      for (int box = 0; box < 2; box++) {
        loadBox(to + box * 8192, mapQ, 64 * box, row, place.firstHead + head, full);
        loadBox(to + Q_BYTES + box * 8192, mapGo, 64 * box, row, place.firstHead + head, full);
      }
      loadBytes(to + 2 * Q_BYTES, stats + place.tileOf(head, tile) * (2 * QUERIES), 2 * QUERIES * 4, full);
    }
}

// ---- the five products of a warpgroup
__device__ __forceinline__ void multiplyScores(float (&s)[32], const Block &own, int group, unsigned qs) {
#pragma unroll
  for (int part = 0; part < SIZE / 16; part++)
    multiply(s, descriptorOf(own.ks + part / 4 * (KEYS * 128) + group * 8192 + part % 4 * 32, 0, 1024),
             descriptorOf(qs + part / 4 * 8192 + part % 4 * 32, 0, 1024), part > 0);
}
__device__ __forceinline__ void multiplyWeightGradients(float (&g)[32], const Block &own, int group, unsigned gos) {
#pragma unroll
  for (int part = 0; part < SIZE / 16; part++)
    multiply(g, descriptorOf(own.vs + part / 4 * (KEYS * 128) + group * 8192 + part % 4 * 32, 0, 1024),
             descriptorOf(gos + part / 4 * 8192 + part % 4 * 32, 0, 1024), part > 0);
}
// Of values by weights and gradients of the output, of keys by gradients of scores and queries.
__device__ __forceinline__ void multiplyByRows(float (&sum)[64], const unsigned (&a)[16], unsigned rows) {
#pragma unroll
  for (int part = 0; part < QUERIES / 16; part++)
    multiplyRegisters(sum, a + 4 * part, descriptorOf(rows + 2048 * part, 8192, 1024));
}
// A warpgroup has half of the columns of the gradient of the queries, for all keys.
__device__ __forceinline__ void multiplyQueries(float (&g)[32], const Block &own, int group) {
#pragma unroll
  for (int part = 0; part < KEYS / 16; part++)
    multiplyAcross(g, descriptorOf(own.gs + 2048 * part, 8192, 1024),
                   descriptorOf(own.ks + group * (KEYS * 128) + 2048 * part, 8192, 1024), part > 0);
}

// ---- what happens to scores. Columns are queries: 8 j + 2 t and the next.
// Keys behind the end of the sequence are zeros, and add nothing, unless they are SHARED: of the next sequence.
template <bool CAUSAL, bool SHARED>
__device__ __forceinline__ void weigh(float (&s)[32], unsigned (&p)[16], const float2 *own, int top, int tile, int key,
                                      int length) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    float2 lse = own[4 * j];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      float &x = s[4 * j + e];
      x = exp2Of(fmaf(x, ROOT * LOG2E, -(e % 2 ? lse.y : lse.x)));
      int query = tile * QUERIES + 8 * j + lane % 4 * 2 + e % 2;
      if (CAUSAL && tile * QUERIES < top + KEYS && query < key + e / 2 * 8) x = 0;
      if (SHARED && top + KEYS > length && key + e / 2 * 8 >= length) x = 0;
    }
    p[2 * j] = packed(s[4 * j], s[4 * j + 1]), p[2 * j + 1] = packed(s[4 * j + 2], s[4 * j + 3]);
  }
}
__device__ __forceinline__ void scoreGradients(const float (&s)[32], float (&g)[32], unsigned (&d)[16],
                                               const float2 *own) {
#pragma unroll
  for (int j = 0; j < 8; j++) {
    float2 common = own[QUERIES / 2 + 4 * j];
#pragma unroll
    for (int e = 0; e < 4; e++) g[4 * j + e] = s[4 * j + e] * (g[4 * j + e] - (e % 2 ? common.y : common.x));
    d[2 * j] = packed(g[4 * j], g[4 * j + 1]), d[2 * j + 1] = packed(g[4 * j + 2], g[4 * j + 3]);
  }
}
// To shared memory, keys as rows: the other warpgroup needs them, too.
__device__ __forceinline__ void storeScoreGradients(const unsigned (&d)[16], unsigned gs) {
  int thread = threadIdx.x % WARPGROUP, lane = thread % 32;
#pragma unroll
  for (int pair = 0; pair < QUERIES / 16; pair++) {
    int row = thread / 32 * 16 + lane % 16, chunk = pair * 2 + lane / 16;
    storeMatrices(gs + row * 128 + (chunk ^ row % 8) * 16, d[4 * pair], d[4 * pair + 1], d[4 * pair + 2],
                  d[4 * pair + 3]);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- the kernel. What a version does with the tiles of queries:
template <bool CAUSAL, class Layout>
__device__ __forceinline__ void addTiles(const Layout &layout, const Place &place, const Block &own,
                                         const unsigned char *raw, float *sums, float (&sumK)[64], float (&sumV)[64]);
// The first of a thread's two keys; the second is 8 further.
__device__ __forceinline__ int keyOf(const Block &own) {
  return own.top + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
}
// Two numbers of each of the thread's queries, which are behind queries and gradients of the output.
__device__ __forceinline__ const float2 *numbersOf(const unsigned char *raw, unsigned qs) {
  return (const float2 *)(raw + (qs - addressOf(raw)) + 2 * Q_BYTES) + threadIdx.x % 4;
}

template <bool CAUSAL, class Layout>
__device__ __forceinline__ void addGradients(const Layout &layout, const Place &place, int top, const TensorMap &mapQ,
                                             const TensorMap &mapK, const TensorMap &mapV, const TensorMap &mapGo,
                                             const float *stats, float *sums, __nv_bfloat16 *gk, __nv_bfloat16 *gv) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES + 1];
  Block own = blockAt<CAUSAL>(raw, barriers, top, place.length);
  if (threadIdx.x / WARPGROUP == CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x % WARPGROUP == 0) copyTiles(own, place, layout.headsOfBlock(), mapQ, mapK, mapV, mapGo, stats);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  float sumK[64], sumV[64];
#pragma unroll
  for (int i = 0; i < 64; i++) sumK[i] = sumV[i] = 0;
  waitFor(own.kvFull, 0);
  addTiles<CAUSAL>(layout, place, own, raw, sums, sumK, sumV);
  pin(sumK);
  pin(sumV);
  size_t at = layout.kvRow(place.kvHead, place.start) * SIZE;
  storeRows(gk + at, layout.kvStride(), sumK, ROOT, keyOf(own), place.length);
  storeRows(gv + at, layout.kvStride(), sumV, 1, keyOf(own), place.length);
}
