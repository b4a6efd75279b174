// A warp for each query of each head: it goes through the keys one by one, a quarter of a row of 16 bytes for each
// lane, with an online softmax. Every query reads all keys and values of its sequence again.
#include "../common/warp-rows.cuh"

template <bool CAUSAL>
__global__ void attention(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, const int *starts,
                          __nv_bfloat16 *o, int tokens, int heads, int kvHeads) {
  int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32, token = row / heads, head = row % heads;
  if (token >= tokens) return;
  int sequence = sequenceOf(starts, token);
  int end = CAUSAL ? token + 1 : starts[sequence + 1];
  Four query = fourOf(q, row), sum = {};
  float most = -__int_as_float(0x7f800000), total = 0;
  for (int key = starts[sequence]; key < end; key++) {
    size_t at = (size_t)key * kvHeads + head / (heads / kvHeads);
    Four value = fourOf(v, at);
    float score = dot(query, fourOf(k, at)) * rsqrtf(SIZE);
    float next = fmaxf(most, score), keep = expf(most - next), weight = expf(score - next);
    most = next, total = total * keep + weight;
    for (int i = 0; i < 4; i++) sum.x[i] = sum.x[i] * keep + weight * value.x[i];
  }
  store(o, row, sum, 1 / total);
}
