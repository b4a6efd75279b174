// What versions 2 to 4, and moe-layer, share. A block has a part of the tokens, one after the other. Slot token * top +
// i is the i-th choice of a token; its place is the row that its copy takes among the rows of its expert, which are in
// the order of their tokens. So places follow from how many slots of the expert lie in front: in other experts, in
// blocks in front, in the block.
#pragma once
#include "experts.cuh"
#define WARPS (BLOCK / 32)
// The most experts: what lies in shared memory.
#define EXPERTS 256

struct Part {
  int first, end;
};
__device__ __forceinline__ Part partOf(int tokens) {
  int each = (tokens + gridDim.x - 1) / gridDim.x, first = min(tokens, (int)blockIdx.x * each);
  return {first, min(tokens, first + each)};
}
// The experts of a block's tokens, and how often it chose each of them: counts[block][expert].
template <int LANES, int PER>
__device__ __forceinline__ void chooseAndCount(Part part, const float *logits, float *weights, int *chosen, int *counts,
                                               int experts, int top, bool normalized) {
  __shared__ int own[EXPERTS];
  for (int i = threadIdx.x; i < experts; i += BLOCK) own[i] = 0;
  __syncthreads();
  int lane = threadIdx.x % LANES;
  for (int first = part.first; first < part.end; first += BLOCK / LANES) {
    int token = first + threadIdx.x / LANES;
    bool isThere = token < part.end;
    Choice choice = choiceOf<LANES, PER>(logits + (size_t)token * experts, isThere, experts, top, normalized);
    if (!isThere || lane >= top) continue;
    chosen[(size_t)token * top + lane] = choice.expert;
    weights[(size_t)token * top + lane] = choice.weight;
    atomicAdd(own + choice.expert, 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < experts; i += BLOCK) counts[blockIdx.x * experts + i] = own[i];
}
// begins: where rows of each expert begin for this block. The last block writes where each expert's rows end.
__device__ __forceinline__ void findBegins(int (&begins)[EXPERTS], const int *counts, int *ends, int experts) {
  __shared__ int totals[EXPERTS];
  for (int i = threadIdx.x; i < experts; i += BLOCK) begins[i] = totals[i] = 0;
  __syncthreads();
  // Neighbouring threads read neighbouring experts of a block's row of counts.
  int parts = BLOCK / experts, part = threadIdx.x / experts, expert = threadIdx.x % experts, total = 0, before = 0;
  if (part < parts) {
    for (int block = part; block < gridDim.x; block += parts) {
      int count = counts[block * experts + expert];
      total += count;
      if (block < blockIdx.x) before += count;
    }
    atomicAdd(totals + expert, total), atomicAdd(begins + expert, before);
  }
  __syncthreads();
  // One warp adds up what other experts have.
  if (threadIdx.x < 32) {
    int carry = 0;
    for (int first = 0; first < experts; first += 32) {
      int at = first + threadIdx.x, value = at < experts ? totals[at] : 0, sum = value;
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(~0u, sum, distance);
        if (threadIdx.x >= distance) sum += other;
      }
      if (at < experts) begins[at] += carry + sum - value;
      if (at < experts && blockIdx.x == gridDim.x - 1) ends[at] = carry + sum;
      carry += __shfl_sync(~0u, sum, 31);
    }
  }
  __syncthreads();
}
// Places of a block's slots, BLOCK at a time: a lane's rank among the slots of its warp with the same expert, behind
// those of the warps in front.
__device__ __forceinline__ void findPlaces(Part part, int (&begins)[EXPERTS], const int *chosen, int *places,
                                           int experts, int top) {
  __shared__ int counts[WARPS][EXPERTS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, end = part.end * top;
  for (int first = part.first * top; first < end; first += BLOCK) {
    for (int i = threadIdx.x; i < WARPS * experts; i += BLOCK) counts[i / experts][i % experts] = 0;
    __syncthreads();
    int slot = first + threadIdx.x, expert = slot < end ? chosen[slot] : -1;
    unsigned same = __match_any_sync(~0u, expert);
    int rank = __popc(same & ((1u << lane) - 1));
    if (expert >= 0 && rank == 0) counts[warp][expert] = __popc(same);
    __syncthreads();
    for (int i = threadIdx.x; i < experts; i += BLOCK) {
      int at = begins[i];
      for (int w = 0; w < WARPS; w++) {
        int count = counts[w][i];
        counts[w][i] = at;
        at += count;
      }
      begins[i] = at;
    }
    __syncthreads();
    if (expert >= 0) places[slot] = counts[warp][expert] + rank;
    __syncthreads();
  }
}
// Each row of x is read once, by a warp, and written to all of its places; `hidden` is a multiple of 8.
__device__ __forceinline__ void spreadRows(Part part, const int *places, const __nv_bfloat16 *x, __nv_bfloat16 *rows,
                                           int top, int hidden) {
  int lane = threadIdx.x % 32, chunks = hidden / 8;
  const uint4 *from = (const uint4 *)x;
  uint4 *to = (uint4 *)rows;
  for (int token = part.first + threadIdx.x / 32; token < part.end; token += WARPS) {
    const int *own = places + (size_t)token * top;
    for (int first = lane; first < chunks; first += 32 * AHEAD) {
      uint4 piece[AHEAD];
#pragma unroll
      for (int i = 0; i < AHEAD; i++)
        if (first + 32 * i < chunks) piece[i] = __ldcs(from + (size_t)token * chunks + first + 32 * i);
      for (int slot = 0; slot < top; slot++) {
        uint4 *row = to + (size_t)own[slot] * chunks;
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
          if (first + 32 * i < chunks) row[first + 32 * i] = piece[i];
      }
    }
  }
}
