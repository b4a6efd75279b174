// The choice of a token's experts: LANES neighbouring lanes have PER logits each, lane i those of experts i, i + LANES
// and so on. The largest one is taken `top` times, which is at most LANES; of equal logits the lower number wins.
#pragma once
#include <cuda_bf16.h>

// A number in the order of logits, with the expert in the low half. 0 stands for none.
__device__ __forceinline__ unsigned long long keyOf(float logit, int expert) {
  unsigned bits = __float_as_uint(logit);
  bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return (unsigned long long)bits << 32 | (0xffffffffu - expert);
}
__device__ __forceinline__ int expertOf(unsigned long long key) { return 0xffffffffu - (unsigned)key; }
__device__ __forceinline__ float logitOf(unsigned long long key) {
  unsigned bits = key >> 32;
  return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

// Called by whole warps: lanes without a token have none of its experts. Lane i returns the i-th expert and its weight.
struct Choice {
  int expert;
  float weight;
};
template <int LANES, int PER>
__device__ __forceinline__ Choice choiceOf(const float *logits, bool isThere, int experts, int top, bool normalized) {
  int lane = threadIdx.x % LANES;
  unsigned long long keys[PER];
#pragma unroll
  for (int i = 0; i < PER; i++) {
    int expert = lane + i * LANES;
    keys[i] = isThere && expert < experts ? keyOf(logits[expert], expert) : 0;
  }
  Choice mine = {0, 0};
  float largest = 0, all = 0, taken = 0;
  for (int round = 0; round < top; round++) {
    unsigned long long best = 0;
#pragma unroll
    for (int i = 0; i < PER; i++) best = max(best, keys[i]);
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
      best = max(best, __shfl_xor_sync(~0u, best, distance, LANES));
    float logit = logitOf(best);
    if (round == 0) {
      largest = logit;
#pragma unroll
      for (int i = 0; i < PER; i++)
        if (keys[i] != 0) all += __expf(logitOf(keys[i]) - largest);
#pragma unroll
      for (int distance = LANES / 2; distance > 0; distance /= 2)
        all += __shfl_xor_sync(~0u, all, distance, LANES);
    }
    float weight = __expf(logit - largest);
    taken += weight;
    if (round == lane) mine = {expertOf(best), weight};
#pragma unroll
    for (int i = 0; i < PER; i++)
      if (keys[i] == best) keys[i] = 0;
  }
  mine.weight /= normalized ? taken : all;
  return mine;
}
