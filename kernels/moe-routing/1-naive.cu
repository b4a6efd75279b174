// A kernel for each step, a thread for each thing: for a token that looks through its logits for each expert that it
// takes; for an expert that looks through all choices for its own, twice; for an element of a row.
#include <cuda_bf16.h>

__global__ void choose(const float *logits, float *weights, int *chosen, int tokens, int experts, int top,
                       int normalized) {
  int token = blockIdx.x * BLOCK + threadIdx.x;
  if (token >= tokens) return;
  const float *own = logits + (size_t)token * experts;
  float largest = own[0], all = 0, taken = 0;
  for (int i = 1; i < experts; i++) largest = fmaxf(largest, own[i]);
  for (int i = 0; i < experts; i++) all += expf(own[i] - largest);
  for (int round = 0; round < top; round++) {
    int best = -1;
    for (int i = 0; i < experts; i++) {
      bool isTaken = false;
      for (int before = 0; before < round; before++) isTaken |= chosen[(size_t)token * top + before] == i;
      if (!isTaken && (best < 0 || own[i] > own[best])) best = i;
    }
    float weight = expf(own[best] - largest);
    chosen[(size_t)token * top + round] = best;
    weights[(size_t)token * top + round] = weight;
    taken += weight;
  }
  for (int round = 0; round < top; round++) weights[(size_t)token * top + round] /= normalized ? taken : all;
}
__global__ void count(const int *chosen, int *counts, int slots, int experts) {
  int expert = blockIdx.x * 32 + threadIdx.x, sum = 0;
  if (expert >= experts) return;
  for (int slot = 0; slot < slots; slot++) sum += chosen[slot] == expert;
  counts[expert] = sum;
}
__global__ void place(const int *chosen, const int *counts, int *places, int *ends, int slots, int experts) {
  int expert = blockIdx.x * 32 + threadIdx.x, at = 0;
  if (expert >= experts) return;
  for (int i = 0; i < expert; i++) at += counts[i];
  for (int slot = 0; slot < slots; slot++)
    if (chosen[slot] == expert) places[slot] = at++;
  ends[expert] = at;
}
__global__ void spread(const __nv_bfloat16 *x, const int *places, __nv_bfloat16 *rows, int top, int hidden) {
  int column = blockIdx.y * BLOCK + threadIdx.x, slot = blockIdx.x;
  if (column < hidden) rows[(size_t)places[slot] * hidden + column] = x[(size_t)(slot / top) * hidden + column];
}
