// What versions 2 to 4 share: routing as in moe-routing, products as in grouped-matmul, and a kernel that adds up what
// a token's experts computed. Where rows end stays on the device: the products' blocks walk through it.
#pragma once
#define AHEAD 4
#define BLOCK 512
#define PING_PONG 1
#include "../moe-routing/routing.cuh"
#include "../grouped-matmul/persistent.cuh"
#include "../common/packed.cuh"

template <int LANES, int PER>
__global__ void __launch_bounds__(BLOCK)
    choose(const float *logits, float *weights, int *chosen, int *counts, int tokens, int experts, int top) {
  chooseAndCount<LANES, PER>(partOf(tokens), logits, weights, chosen, counts, experts, top, true);
}
// The rows of a token's experts, weighted; eight columns for a thread. n is a multiple of 8.
__global__ void __launch_bounds__(256)
    combine(const __nv_bfloat16 *products, const float *weights, const int *places, __nv_bfloat16 *y, int tokens,
            int top, int n) {
  int chunks = n / 8, at = blockIdx.x * 256 + threadIdx.x, token = at / chunks, chunk = at % chunks;
  if (token >= tokens) return;
  float sum[8] = {};
  for (int slot = token * top; slot < (token + 1) * top; slot++) {
    Packed<__nv_bfloat16> row = load(products + (size_t)places[slot] * n + chunk * 8);
    float weight = weights[slot];
#pragma unroll
    for (int i = 0; i < 8; i++) sum[i] += weight * row[i];
  }
  Packed<__nv_bfloat16> result;
#pragma unroll
  for (int i = 0; i < 8; i++) result.set(i, sum[i]);
  store(y + (size_t)token * n + chunk * 8, result);
}
