// By the formulas, a warp for each query (and then for each key) of each head, a quarter of a row of 16 bytes for each
// lane: it computes each weight and its gradient again, and adds what it needs of them.
#include "../common/warp-rows.cuh"

__device__ __forceinline__ void add(Four &sum, float factor, const Four &x) {
  for (int i = 0; i < 4; i++) sum.x[i] += factor * x.x[i];
}

template <bool CAUSAL>
__global__ void queries(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v,
                        const __nv_bfloat16 *o, const __nv_bfloat16 *go, const float *lse, const int *starts,
                        __nv_bfloat16 *gq, int tokens, int heads, int kvHeads) {
  int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32, token = row / heads, head = row % heads;
  if (token >= tokens) return;
  int sequence = sequenceOf(starts, token), end = CAUSAL ? token + 1 : starts[sequence + 1];
  Four query = fourOf(q, row), gradient = fourOf(go, row), sum = {};
  float common = dot(gradient, fourOf(o, row)), own = lse[(size_t)head * tokens + token];
  for (int key = starts[sequence]; key < end; key++) {
    size_t at = (size_t)key * kvHeads + head / (heads / kvHeads);
    Four other = fourOf(k, at);
    float weight = expf(dot(query, other) * rsqrtf(SIZE) - own);
    add(sum, weight * (dot(gradient, fourOf(v, at)) - common), other);
  }
  store(gq, row, sum, rsqrtf(SIZE));
}
template <bool CAUSAL>
__global__ void keys(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, const __nv_bfloat16 *o,
                     const __nv_bfloat16 *go, const float *lse, const int *starts, __nv_bfloat16 *gk,
                     __nv_bfloat16 *gv, int tokens, int heads, int kvHeads) {
  int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32, token = row / kvHeads, kvHead = row % kvHeads;
  if (token >= tokens) return;
  int sequence = sequenceOf(starts, token), group = heads / kvHeads;
  Four key = fourOf(k, row), value = fourOf(v, row), sumK = {}, sumV = {};
  for (int head = kvHead * group; head < (kvHead + 1) * group; head++)
    for (int query = CAUSAL ? token : starts[sequence]; query < starts[sequence + 1]; query++) {
      size_t at = (size_t)query * heads + head;
      Four other = fourOf(q, at), gradient = fourOf(go, at);
      float weight = expf(dot(key, other) * rsqrtf(SIZE) - lse[(size_t)head * tokens + query]);
      add(sumV, weight, gradient);
      add(sumK, weight * (dot(gradient, value) - dot(gradient, fourOf(o, at))), other);
    }
  store(gk, row, sumK, rsqrtf(SIZE)), store(gv, row, sumV, 1);
}
