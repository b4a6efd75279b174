// What versions 2 and 3 share. A block has one key head of one sequence, and a part of its keys: so keys are read once
// for all GROUP queries that share them, and short batches fill the GPU, too. Each warp goes through pages of its own
// with a running softmax; the lanes of a half warp have eight elements of a key each, so that a warp reads two keys of
// 256 bytes at a time.
#pragma once
#include "../common/packed.cuh"
#include "parts.cuh"
#define WARPS 4
#define HALF 16
// The sum over the lanes of a half warp.
__device__ __forceinline__ float halfSum(float x) {
#pragma unroll
  for (int offset = HALF / 2; offset > 0; offset /= 2) x += __shfl_xor_sync(~0u, x, offset);
  return x;
}
struct Running { float most, total, out[8]; };
__device__ __forceinline__ void join(Running &a, float most, float total, const float (&out)[8]) {
  float top = fmaxf(a.most, most), keep = top == MINUS_INFINITY ? 0 : exp2Of(a.most - top),
        add = top == MINUS_INFINITY ? 0 : exp2Of(most - top);
  a.most = top;
  a.total = a.total * keep + total * add;
#pragma unroll
  for (int e = 0; e < 8; e++) a.out[e] = a.out[e] * keep + out[e] * add;
}

__global__ void __launch_bounds__(32 * WARPS)
    attend(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, const int *table, const int *lengths,
           float *partial, int heads, int kvHeads, int pages, int parts) {
  __shared__ float joined[WARPS][GROUP][ROW];
  int part = blockIdx.x, kv = blockIdx.y, sequence = blockIdx.z, length = lengths[sequence];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, side = lane / HALF, column = lane % HALF * 8;
  int all = (length + PAGE - 1) / PAGE, each = (all + parts - 1) / parts;
  int first = part * each, last = min(all, first + each);
  const int *own = table + (size_t)sequence * pages;
  float query[GROUP][8];
  Running state[GROUP];
#pragma unroll
  for (int g = 0; g < GROUP; g++) {
    Packed<__nv_bfloat16> bits = load(q + ((size_t)sequence * heads + kv * GROUP + g) * SIZE + column);
#pragma unroll
    for (int e = 0; e < 8; e++) query[g][e] = bits[e] * SCALE, state[g].out[e] = 0;
    state[g].most = MINUS_INFINITY, state[g].total = 0;
  }
  for (int page = first + warp; page < last; page += WARPS) {
    size_t base = ((size_t)own[page] * PAGE * kvHeads + kv) * SIZE + column;
    int stride = kvHeads * SIZE;
#pragma unroll
    for (int begin = 0; begin < PAGE; begin += 2 * AHEAD) {
      // All loads before the first use: AHEAD keys and values of each half warp are on their way at a time.
      Packed<__nv_bfloat16> keys[AHEAD], values[AHEAD];
#pragma unroll
      for (int i = 0; i < AHEAD; i++) keys[i] = loadStreaming(k + base + (size_t)(begin + 2 * i + side) * stride);
#pragma unroll
      for (int i = 0; i < AHEAD; i++) values[i] = loadStreaming(v + base + (size_t)(begin + 2 * i + side) * stride);
#pragma unroll
      for (int g = 0; g < GROUP; g++) {
        float score[AHEAD], most = state[g].most;
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
          float sum = 0;
#pragma unroll
          for (int e = 0; e < 8; e++) sum += query[g][e] * keys[i][e];
          score[i] = page * PAGE + begin + 2 * i + side < length ? sum : 0;
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
          score[i] = halfSum(score[i]);
          if (page * PAGE + begin + 2 * i + side >= length) score[i] = MINUS_INFINITY;
          most = fmaxf(most, score[i]);
        }
        float zero = most == MINUS_INFINITY ? 0 : most, keep = exp2Of(state[g].most - zero), total = 0;
#pragma unroll
        for (int e = 0; e < 8; e++) state[g].out[e] *= keep;
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
          float weight = exp2Of(score[i] - zero);
          total += weight;
#pragma unroll
          for (int e = 0; e < 8; e++) state[g].out[e] += weight * values[i][e];
        }
        state[g].most = most;
        state[g].total = state[g].total * keep + total;
      }
    }
  }
#pragma unroll
  for (int g = 0; g < GROUP; g++) {
    float out[8];
    float most = __shfl_xor_sync(~0u, state[g].most, HALF), total = __shfl_xor_sync(~0u, state[g].total, HALF);
#pragma unroll
    for (int e = 0; e < 8; e++) out[e] = __shfl_xor_sync(~0u, state[g].out[e], HALF);
    join(state[g], most, total, out);
    if (side == 1) continue;
#pragma unroll
    for (int e = 0; e < 8; e++) joined[warp][g][2 + column + e] = state[g].out[e];
    if (column == 0) joined[warp][g][0] = state[g].most, joined[warp][g][1] = state[g].total;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < GROUP * SIZE; i += 32 * WARPS) {
    int g = i / SIZE, d = i % SIZE;
    float most = MINUS_INFINITY, total = 0, sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) most = fmaxf(most, joined[w][g][0]);
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
      float share = most == MINUS_INFINITY ? 0 : exp2Of(joined[w][g][0] - most);
      total += joined[w][g][1] * share;
      sum += joined[w][g][2 + d] * share;
    }
    float *row = partial + (((size_t)sequence * heads + kv * GROUP + g) * parts + part) * ROW;
    if (d == 0) row[0] = most, row[1] = total;
    row[2 + d] = sum;
  }
}
