// By the formula, in three kernels: a thread computes one score, one row's softmax, or one element of the output. All
// length x length scores of every head go to memory and come back three times, and each is computed by plain
// multiply-adds.
#include <cuda_bf16.h>

template <bool CAUSAL>
__global__ void scores(const __nv_bfloat16 *q, const __nv_bfloat16 *k, float *s, int length) {
  int key = blockIdx.x * BLOCK + threadIdx.x, query = blockIdx.y;
  if (key >= length) return;
  size_t head = blockIdx.z, row = head * length + query;
  if (CAUSAL && key > query) {
    s[row * length + key] = -__int_as_float(0x7f800000);
    return;
  }
  float sum = 0;
  for (int d = 0; d < 128; d++)
    sum += __bfloat162float(q[row * 128 + d]) * __bfloat162float(k[(head * length + key) * 128 + d]);
  s[row * length + key] = sum * rsqrtf(128);
}

__global__ void softmax(float *s, int rows, int length) {
  int row = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= rows) return;
  float *own = s + (size_t)row * length, most = own[0], sum = 0;
  for (int i = 1; i < length; i++) most = fmaxf(most, own[i]);
  for (int i = 0; i < length; i++) sum += own[i] = expf(own[i] - most);
  for (int i = 0; i < length; i++) own[i] /= sum;
}

__global__ void weigh(const float *s, const __nv_bfloat16 *v, __nv_bfloat16 *o, int length) {
  int d = threadIdx.x, query = blockIdx.x;
  size_t head = blockIdx.y, row = head * length + query;
  float sum = 0;
  for (int i = 0; i < length; i++) sum += s[row * length + i] * __bfloat162float(v[(head * length + i) * 128 + d]);
  o[row * 128 + d] = __float2bfloat16(sum);
}
