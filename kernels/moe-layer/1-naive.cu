// A thread chooses a token's experts, and a thread computes an element of the result: it reads a row of x, and for each
// of the token's experts a column of weights. Nothing is sorted, and no tile of weights serves several tokens.
#include <cuda_bf16.h>

__global__ void choose(const float *logits, float *weights, int *chosen, int tokens, int experts, int top) {
  int token = blockIdx.x * BLOCK + threadIdx.x;
  if (token >= tokens) return;
  const float *own = logits + (size_t)token * experts;
  float taken = 0;
  for (int round = 0; round < top; round++) {
    int best = -1;
    for (int i = 0; i < experts; i++) {
      bool isTaken = false;
      for (int before = 0; before < round; before++) isTaken |= chosen[(size_t)token * top + before] == i;
      if (!isTaken && (best < 0 || own[i] > own[best])) best = i;
    }
    float weight = expf(own[best] - own[round == 0 ? best : chosen[(size_t)token * top]]);
    chosen[(size_t)token * top + round] = best;
    weights[(size_t)token * top + round] = weight;
    taken += weight;
  }
  for (int round = 0; round < top; round++) weights[(size_t)token * top + round] /= taken;
}
__global__ void __launch_bounds__(BLOCK)
    layer(const __nv_bfloat16 *x, const __nv_bfloat16 *w, const float *weights, const int *chosen, __nv_bfloat16 *y,
          int top, int n, int k) {
  int column = blockIdx.y * BLOCK + threadIdx.x, token = blockIdx.x;
  if (column >= n) return;
  float sum = 0;
  for (int slot = token * top; slot < (token + 1) * top; slot++) {
    const __nv_bfloat16 *own = w + (size_t)chosen[slot] * k * n + column;
    float product = 0;
    for (int i = 0; i < k; i++)
      product += __bfloat162float(x[(size_t)token * k + i]) * __bfloat162float(own[(size_t)i * n]);
    sum += weights[slot] * product;
  }
  y[(size_t)token * n + column] = __float2bfloat16(sum);
}
