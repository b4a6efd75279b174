// What versions 5 and 6 share, for heads of SIZE 64 or 128. One warp copies; each warpgroup has 64 queries, whose
// scores, weights and outputs stay in its registers: the weights of KEYS keys are an operand from registers of the next
// product. Scores of the next keys are asked for before the values of the last ones are weighed, so that the softmax of
// the one runs beside the product of the other (J. Shah and others, "FlashAttention-3", 2024).
//
// TURNS: a warpgroup issues products when it is its turn; the others do their softmax meanwhile.
// QUEUE: a block takes the next tile when it is done with one. Else tiles are dealt out in turn.
//
// Where heads and sequences lie in memory is in a Layout: equal.cuh, and varlen.cuh of attention-varlen.
#pragma once
#include "../common/exp2.cuh"
#include "../common/hopper.cuh"
#ifndef SIZE
#define SIZE 128
#endif
#define BOXES (SIZE / 64)
#define QUERIES (64 * WARPGROUPS)
#define Q_BYTES (64 * SIZE * 2)
#define KV_BYTES (KEYS * SIZE * 2)
#define STAGES 2
#define TURN 8
#define MINUS_INFINITY (-__int_as_float(0x7f800000))
// exp(x / sqrt(SIZE)) is 2 to the power of x times this, and the hardware's function is the power of 2.
#define SCALE ((SIZE == 128 ? 0.08838834764831845f : 0.125f) * 1.4426950408889634f)


// 64 queries and KEYS keys, 16 elements of each, by rows both.
#if KEYS == 64
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
#elif KEYS == 128
__device__ __forceinline__ void multiply(float (&sum)[64], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63}, "
      "%64, %65, keep, 1, 1, 0, 0;\n}\n"
            : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56)
      : "l"(a), "l"(b), "r"(keep));
}
#elif KEYS == 176
__device__ __forceinline__ void multiply(float (&sum)[88], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %90, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n176k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
      "%82, %83, %84, %85, %86, %87}, "
      "%88, %89, keep, 1, 1, 0, 0;\n}\n"
            : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56), SUMS8(64),
        SUMS8(72), SUMS8(80)
      : "l"(a), "l"(b), "r"(keep));
}
#endif
// 64 x 16 weights in registers and 16 rows of values.
#if SIZE == 64
__device__ __forceinline__ void multiplyRegisters(float (&sum)[32], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                                  unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, 1, 1, 1, 1;\n"
            : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b));
}
#else
__device__ __forceinline__ void multiplyRegisters(float (&sum)[64], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                                  unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63}, "
      "{%64, %65, %66, %67}, %68, 1, 1, 1, 1;\n"
            : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b));
}
#endif
// A tile: 64 queries for each warpgroup, from `top` on, of a head and a sequence. Its keys are `blocks` times KEYS; the
// maps have the sequence's tokens from `start` on. No blocks: there is no such tile.
struct Work {
  int head, kvHead, start, length, top, blocks;
  // With a mask a query sees the keys up to its own.
  template <bool CAUSAL>
  __device__ static __forceinline__ Work of(int head, int kvHead, int start, int length, int top) {
    int keys = CAUSAL ? min(top + QUERIES, length) : length;
    return {head, kvHead, start, length, top, top >= length ? 0 : (keys + KEYS - 1) / KEYS};
  }
};

__global__ void begin(unsigned *taken) { *taken = 0; }

struct Ring {
  int stage, phase;
  __device__ __forceinline__ void next() {
    if (++stage == STAGES) stage = 0, phase ^= 1;
  }
};

__device__ __forceinline__ int nextTile(int tile, unsigned *taken) {
  return QUEUE ? atomicAdd(taken, 1) + gridDim.x : tile + gridDim.x;
}

template <bool CAUSAL, class Layout>
__device__ __forceinline__ void attend(const TensorMap &mapQ, const TensorMap &mapK, const TensorMap &mapV,
                                       const TensorMap &mapO, const Layout &layout, unsigned *taken) {
  extern __shared__ unsigned char raw[];
  __shared__ __align__(8) unsigned long long barriers[2 * WARPGROUPS + 4 * STAGES + 4];
  __shared__ int slots[2];
  unsigned qs = alignedTo1024(raw), ks = qs + WARPGROUPS * Q_BYTES, vs = ks + STAGES * KV_BYTES,
           os = vs + STAGES * KV_BYTES;
  unsigned qFull = addressOf(barriers), qEmpty = qFull + 8 * WARPGROUPS, kFull = qEmpty + 8 * WARPGROUPS,
           kEmpty = kFull + 8 * STAGES, vFull = kEmpty + 8 * STAGES, vEmpty = vFull + 8 * STAGES,
           tFull = vEmpty + 8 * STAGES, tEmpty = tFull + 16;
  int group = threadIdx.x / WARPGROUP, thread = threadIdx.x % WARPGROUP, lane = thread % 32;
  const int tiles = layout.tiles();
  if (threadIdx.x == 0) {
    for (int i = 0; i < WARPGROUPS; i++) initBarrier(qFull + 8 * i, 1), initBarrier(qEmpty + 8 * i, 1);
    for (int s = 0; s < STAGES; s++) {
      initBarrier(kFull + 8 * s, 1), initBarrier(kEmpty + 8 * s, WARPGROUPS);
      initBarrier(vFull + 8 * s, 1), initBarrier(vEmpty + 8 * s, WARPGROUPS);
    }
    for (int s = 0; s < 2; s++) initBarrier(tFull + 8 * s, 1), initBarrier(tEmpty + 8 * s, WARPGROUPS);
    publishBarriers();
  }
  __syncthreads();
  if (group == WARPGROUPS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(WARPGROUPS == 2 ? 24 : 32));
    if (thread == 0) {
      // The first round finds empty buffers: the phase before the first counts as over.
      Ring k = {0, 1}, v = {0, 1};
      int tile = blockIdx.x;
      Work w = {};
      for (int count = 0;; count++) {
        while (tile < tiles && !(w = layout.template workOf<CAUSAL>(tile)).blocks) tile = nextTile(tile, taken);
        if (QUEUE) {
          waitFor(tEmpty + 8 * (count & 1), (count >> 1 & 1) ^ 1);
          slots[count & 1] = tile;
          arrive(tFull + 8 * (count & 1));
        }
        if (tile >= tiles) break;
        for (int block = w.blocks - 1; block >= 0; block--) {
          if (block == w.blocks - 1)
            for (int i = 0; i < WARPGROUPS; i++) {
              waitFor(qEmpty + 8 * i, (count & 1) ^ 1);
              arriveAndExpect(qFull + 8 * i, Q_BYTES);
              for (int box = 0; box < BOXES; box++)
                loadBox(qs + i * Q_BYTES + box * 8192, mapQ, 64 * box, w.start + w.top + 64 * i, w.head,
                        qFull + 8 * i);
            }
          waitFor(kEmpty + 8 * k.stage, k.phase);
          arriveAndExpect(kFull + 8 * k.stage, KV_BYTES);
          for (int box = 0; box < BOXES; box++)
            loadBox(ks + k.stage * KV_BYTES + box * (KEYS * 128), mapK, 64 * box, w.start + block * KEYS,
                    w.kvHead, kFull + 8 * k.stage);
          k.next();
          waitFor(vEmpty + 8 * v.stage, v.phase);
          arriveAndExpect(vFull + 8 * v.stage, KV_BYTES);
          for (int box = 0; box < BOXES; box++)
            loadBox(vs + v.stage * KV_BYTES + box * (KEYS * 128), mapV, 64 * box, w.start + block * KEYS,
                    w.kvHead, vFull + 8 * v.stage);
          v.next();
        }
        tile = nextTile(tile, taken);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(WARPGROUPS == 2 ? 240 : 160));
  Ring k = {0, 0}, v = {0, 0};
  float s[KEYS / 2], o[SIZE / 2], most[2], total[2], keep[2];
  unsigned p[KEYS / 4], q = qs + group * Q_BYTES, out = os + group * Q_BYTES;
  int tile = blockIdx.x;
  if (TURNS && group == WARPGROUPS - 1) arriveNamed(TURN, 2 * WARPGROUP);
  for (int count = 0;; count++) {
    if (QUEUE) {
      waitFor(tFull + 8 * (count & 1), count >> 1 & 1);
      tile = slots[count & 1];
      syncNamed(1 + group, WARPGROUP);
      if (thread == 0) arrive(tEmpty + 8 * (count & 1));
    }
    if (tile >= tiles) break;
    const Work w = layout.template workOf<CAUSAL>(tile);
    if (!QUEUE && w.blocks == 0) {
      tile += gridDim.x, count--;
      continue;
    }
    int row = w.top + 64 * group + thread / 32 * 16 + lane / 4;
    most[0] = most[1] = MINUS_INFINITY, total[0] = total[1] = 0;
    auto scores = [&]() {
      unsigned at = ks + k.stage * KV_BYTES;
#pragma unroll
      for (int part = 0; part < SIZE / 16; part++)
        multiply(s, descriptorOf(q + part / 4 * 8192 + part % 4 * 32, 0, 1024),
                 descriptorOf(at + part / 4 * (KEYS * 128) + part % 4 * 32, 0, 1024), part > 0);
      commitProducts();
    };
    auto weigh = [&]() {
      unsigned at = vs + v.stage * KV_BYTES;
#pragma unroll
      for (int part = 0; part < KEYS / 16; part++)
        multiplyRegisters(o, p[4 * part], p[4 * part + 1], p[4 * part + 2], p[4 * part + 3],
                          descriptorOf(at + 2048 * part, KEYS * 128, 1024));
      commitProducts();
    };
    auto freeK = [&]() {
      if (thread == 0) arrive(kEmpty + 8 * k.stage);
      k.next();
    };
    auto freeV = [&]() {
      if (thread == 0) arrive(vEmpty + 8 * v.stage);
      v.next();
    };
    auto mask = [&](int block) {
      if (!(CAUSAL && block * KEYS + KEYS - 1 > w.top + 64 * group) && block * KEYS + KEYS <= w.length) return;
#pragma unroll
      for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
          int key = block * KEYS + 8 * j + lane % 4 * 2 + e % 2;
          if (key >= w.length || (CAUSAL && key > row + e / 2 * 8)) s[4 * j + e] = MINUS_INFINITY;
        }
    };
    auto softmax = [&](bool mayBeEmpty) {
#pragma unroll
      for (int h = 0; h < 2; h++) {
        float m = most[h], sum = 0;
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++) m = fmaxf(m, fmaxf(s[4 * j + 2 * h], s[4 * j + 2 * h + 1]));
        m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
        m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
        float zero = mayBeEmpty && m == MINUS_INFINITY ? 0 : m * SCALE;
        keep[h] = exp2Of(fmaf(most[h], SCALE, -zero));
        most[h] = m;
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
          for (int e = 0; e < 2; e++) {
            float &x = s[4 * j + 2 * h + e];
            x = exp2Of(fmaf(x, SCALE, -zero));
            sum += x;
          }
        total[h] = total[h] * keep[h] + sum;
      }
    };
    auto pack = [&]() {
#pragma unroll
      for (int i = 0; i < KEYS / 4; i++) p[i] = packed(s[2 * i], s[2 * i + 1]);
    };
    waitFor(qFull + 8 * group, count & 1);
    waitFor(kFull + 8 * k.stage, k.phase);
    if (TURNS) syncNamed(TURN + group, 2 * WARPGROUP);
    beginProducts();
    scores();
    if (TURNS) arriveNamed(TURN + (group + 1) % WARPGROUPS, 2 * WARPGROUP);
    waitForProducts<0>();
    pin(s);
    freeK();
    mask(w.blocks - 1);
    softmax(true);
    pack();
#pragma unroll
    for (int i = 0; i < SIZE / 2; i++) o[i] = 0;
#pragma unroll 1
    for (int block = w.blocks - 2; block >= 0; block--) {
      waitFor(kFull + 8 * k.stage, k.phase);
      if (TURNS) syncNamed(TURN + group, 2 * WARPGROUP);
      beginProducts();
      scores();
      waitFor(vFull + 8 * v.stage, v.phase);
      beginProducts();
      weigh();
      if (TURNS) arriveNamed(TURN + (group + 1) % WARPGROUPS, 2 * WARPGROUP);
      // The scores are done; the weighted values need not be.
      waitForProducts<1>();
      pin(s);
      freeK();
      if (CAUSAL) mask(block);
      softmax(CAUSAL);
      waitForProducts<0>();
      pin(o);
      freeV();
#pragma unroll
      for (int i = 0; i < SIZE / 2; i++) o[i] *= keep[i / 2 % 2];
      pack();
    }
    waitFor(vFull + 8 * v.stage, v.phase);
    beginProducts();
    weigh();
    // All scores of this tile are done: the next queries may come.
    if (thread == 0) arrive(qEmpty + 8 * group);
#pragma unroll
    for (int h = 0; h < 2; h++) {
      total[h] += __shfl_xor_sync(~0u, total[h], 1);
      total[h] += __shfl_xor_sync(~0u, total[h], 2);
      total[h] = total[h] == 0 ? 0 : 1 / total[h];
    }
    waitForProducts<0>();
    pin(o);
    freeV();
    if (layout.isWhole(w, group)) {
      // The accelerator has read what the tile before wrote.
      if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      syncNamed(1 + group, WARPGROUP);
#pragma unroll
      for (int pair = 0; pair < SIZE / 16; pair++) {
        int at = thread / 32 * 16 + lane % 16, chunk = pair % 4 * 2 + lane / 16;
        const float *x = o + 8 * pair;
        storeMatrices(out + pair / 4 * 8192 + at * 128 + (chunk ^ at % 8) * 16,
                      packed(x[0] * total[0], x[1] * total[0]), packed(x[2] * total[1], x[3] * total[1]),
                      packed(x[4] * total[0], x[5] * total[0]), packed(x[6] * total[1], x[7] * total[1]));
      }
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      syncNamed(1 + group, WARPGROUP);
      if (thread == 0) {
#pragma unroll
        for (int box = 0; box < BOXES; box++)
          asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];"
                       ::"l"(&mapO), "r"(out + box * 8192), "r"(64 * box), "r"(w.start + w.top + 64 * group),
                       "r"(w.head) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      }
    } else {
      layout.store(w, row, o, total);
    }
    if (!QUEUE) tile += gridDim.x;
  }
  if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
