// By the formulas, a thread for each element: weights and their gradients go to memory, length x length numbers of
// every head, and each gradient of an input reads them again. Everything is computed by plain multiply-adds.
#include <cuda_bf16.h>
#define SIZE 128

__device__ __forceinline__ float dot(const __nv_bfloat16 *x, const __nv_bfloat16 *y) {
  float sum = 0;
  for (int d = 0; d < SIZE; d++) sum += __bfloat162float(x[d]) * __bfloat162float(y[d]);
  return sum;
}

// The weight of a key for a query, and the gradient of its score.
template <bool CAUSAL>
__global__ void weights(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, const __nv_bfloat16 *o,
                        const __nv_bfloat16 *go, const float *lse, __nv_bfloat16 *p, __nv_bfloat16 *gs,
                        int length) {
  int key = blockIdx.x * BLOCK + threadIdx.x;
  if (key >= length) return;
  size_t head = (size_t)blockIdx.z * length, row = head + blockIdx.y, at = row * length + key;
  float weight = CAUSAL && key > blockIdx.y
                     ? 0
                     : expf(dot(q + row * SIZE, k + (head + key) * SIZE) * rsqrtf(SIZE) - lse[row]);
  p[at] = __float2bfloat16(weight);
  gs[at] = __float2bfloat16(
      weight * (dot(go + row * SIZE, v + (head + key) * SIZE) - dot(go + row * SIZE, o + row * SIZE)));
}
__global__ void queries(const __nv_bfloat16 *gs, const __nv_bfloat16 *k, __nv_bfloat16 *gq, int length) {
  size_t head = (size_t)blockIdx.y * length, row = head + blockIdx.x;
  float sum = 0;
  for (int key = 0; key < length; key++)
    sum += __bfloat162float(gs[row * length + key]) * __bfloat162float(k[(head + key) * SIZE + threadIdx.x]);
  gq[row * SIZE + threadIdx.x] = __float2bfloat16(sum * rsqrtf(SIZE));
}
__global__ void keys(const __nv_bfloat16 *p, const __nv_bfloat16 *gs, const __nv_bfloat16 *q, const __nv_bfloat16 *go,
                     __nv_bfloat16 *gk, __nv_bfloat16 *gv, int length) {
  size_t head = (size_t)blockIdx.y * length, row = head + blockIdx.x;
  float sumK = 0, sumV = 0;
  for (int query = 0; query < length; query++) {
    size_t at = (head + query) * length + blockIdx.x, from = (head + query) * SIZE + threadIdx.x;
    sumK += __bfloat162float(gs[at]) * __bfloat162float(q[from]);
    sumV += __bfloat162float(p[at]) * __bfloat162float(go[from]);
  }
  gk[row * SIZE + threadIdx.x] = __float2bfloat16(sumK * rsqrtf(SIZE));
  gv[row * SIZE + threadIdx.x] = __float2bfloat16(sumV);
}
