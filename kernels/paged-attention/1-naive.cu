// A block for each query head and sequence: scores of all its keys in shared memory, then the softmax, then the
// weighted sum, a thread for each element of the output. Queries that share keys read them again, and with few
// sequences most multiprocessors have nothing to do.
#include "pages.cuh"

__global__ void __launch_bounds__(SIZE) attend(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v,
                                               const int *table, const int *lengths, __nv_bfloat16 *o, int heads,
                                               int kvHeads, int pages) {
  extern __shared__ float scores[];
  __shared__ float most, total;
  int sequence = blockIdx.y, head = blockIdx.x, kv = head / (heads / kvHeads), length = lengths[sequence];
  const int *own = table + (size_t)sequence * pages;
  const __nv_bfloat16 *query = q + ((size_t)sequence * heads + head) * SIZE;
  for (int key = threadIdx.x; key < length; key += SIZE) {
    const __nv_bfloat16 *row = k + rowOf(own, key, kv, kvHeads);
    float sum = 0;
    for (int d = 0; d < SIZE; d++) sum += __bfloat162float(query[d]) * __bfloat162float(row[d]);
    scores[key] = sum * rsqrtf(SIZE);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    most = scores[0], total = 0;
    for (int key = 1; key < length; key++) most = fmaxf(most, scores[key]);
    for (int key = 0; key < length; key++) total += scores[key] = expf(scores[key] - most);
  }
  __syncthreads();
  float sum = 0;
  for (int key = 0; key < length; key++)
    sum += scores[key] * __bfloat162float(v[rowOf(own, key, kv, kvHeads) + threadIdx.x]);
  o[((size_t)sequence * heads + head) * SIZE + threadIdx.x] = __float2bfloat16(sum / total);
}
