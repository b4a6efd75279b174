// Neighbouring lanes choose a token's experts together, by shuffles. Blocks count their own choices in shared memory,
// one block adds the counts up, and ranks within a warp come from __match_any_sync: no thread walks through all
// choices. Rows move 16 bytes at a time, a warp for each copy.
#define AHEAD 1
#include "routing.cuh"

template <int LANES, int PER>
__global__ void __launch_bounds__(BLOCK)
    choose(const float *logits, float *weights, int *chosen, int *counts, int tokens, int experts, int top,
           int normalized) {
  chooseAndCount<LANES, PER>(partOf(tokens), logits, weights, chosen, counts, experts, top, normalized);
}
// Counts become the begins of their blocks.
__global__ void __launch_bounds__(EXPERTS) add(int *counts, int *ends, int blocks, int experts) {
  __shared__ int totals[EXPERTS];
  int expert = threadIdx.x, total = 0, begin = 0;
  if (expert < experts)
    for (int block = 0; block < blocks; block++) total += counts[block * experts + expert];
  totals[expert] = total;
  __syncthreads();
  if (expert >= experts) return;
  for (int i = 0; i < expert; i++) begin += totals[i];
  ends[expert] = begin + total;
  for (int block = 0; block < blocks; block++) {
    int count = counts[block * experts + expert];
    counts[block * experts + expert] = begin;
    begin += count;
  }
}
__global__ void __launch_bounds__(BLOCK)
    place(const int *chosen, const int *counts, int *places, int tokens, int experts, int top) {
  __shared__ int begins[EXPERTS];
  for (int i = threadIdx.x; i < experts; i += BLOCK) begins[i] = counts[blockIdx.x * experts + i];
  findPlaces(partOf(tokens), begins, chosen, places, experts, top);
}
__global__ void __launch_bounds__(BLOCK)
    spread(const __nv_bfloat16 *x, const int *places, __nv_bfloat16 *rows, int slots, int top, int hidden) {
  int slot = blockIdx.x * WARPS + threadIdx.x / 32, chunks = hidden / 8;
  if (slot >= slots) return;
  const uint4 *from = (const uint4 *)x + (size_t)(slot / top) * chunks;
  uint4 *to = (uint4 *)rows + (size_t)places[slot] * chunks;
  for (int i = threadIdx.x % 32; i < chunks; i += 32) to[i] = from[i];
}
