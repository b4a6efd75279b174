// One kernel, and no score is ever in memory: softmax is computed online (M. Milakov, N. Gimelshein, "Online normalizer
// calculation for softmax", 2018), so that keys and values can be gone through once, by 32 at a time in shared memory,
// which all queries of a block use. Eight threads have a query, 16 of its 128 elements each.
#include <cuda_bf16.h>
#define KEYS 32
#define QUERIES (BLOCK / 8)

// Two chunks of eight elements, as far apart as lets neighbouring threads read neighbouring ones.
struct Part { float x[16]; };
__device__ __forceinline__ Part load(const __nv_bfloat16 *row, int part) {
  Part p;
#pragma unroll
  for (int half = 0; half < 2; half++) {
    uint4 chunk = *(const uint4 *)(row + 8 * part + 64 * half);
    unsigned words[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
      p.x[8 * half + 2 * i] = __uint_as_float(words[i] << 16),
          p.x[8 * half + 2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
  return p;
}

template <bool CAUSAL>
__global__ void __launch_bounds__(BLOCK)
    attention(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, __nv_bfloat16 *o, int length) {
  __shared__ __align__(16) __nv_bfloat16 keys[KEYS][128], values[KEYS][128];
  size_t head = (size_t)blockIdx.y * length * 128;
  int first = blockIdx.x * QUERIES, part = threadIdx.x % 8, query = first + threadIdx.x / 8,
      row = min(query, length - 1);
  Part own = load(q + head + (size_t)row * 128, part), sum = {};
  float most = -__int_as_float(0x7f800000), total = 0;
  int end = CAUSAL ? min(length, first + QUERIES) : length;
  for (int start = 0; start < end; start += KEYS) {
    __syncthreads();
    for (int i = threadIdx.x; i < KEYS * 16; i += BLOCK) {
      size_t from = head + (size_t)min(start + i / 16, length - 1) * 128 + i % 16 * 8;
      *(uint4 *)&keys[i / 16][i % 16 * 8] = *(const uint4 *)(k + from);
      *(uint4 *)&values[i / 16][i % 16 * 8] = *(const uint4 *)(v + from);
    }
    __syncthreads();
    int count = min(KEYS, end - start);
    for (int i = 0; i < count; i++) {
      Part key = load(keys[i], part);
      float score = 0;
#pragma unroll
      for (int d = 0; d < 16; d++) score += own.x[d] * key.x[d];
      for (int offset = 4; offset > 0; offset /= 2) score += __shfl_xor_sync(0xffffffff, score, offset);
      score *= 0.08838834764831845f; // 1 / sqrt(128)
      if (CAUSAL && start + i > row) score = -__int_as_float(0x7f800000);
      if (score > most) {
        float before = __expf(most - score);
        most = score, total *= before;
#pragma unroll
        for (int d = 0; d < 16; d++) sum.x[d] *= before;
      }
      float weight = __expf(score - most);
      total += weight;
      Part value = load(values[i], part);
#pragma unroll
      for (int d = 0; d < 16; d++) sum.x[d] += weight * value.x[d];
    }
  }
  if (query >= length) return;
  __nv_bfloat162 *to = (__nv_bfloat162 *)(o + head + (size_t)query * 128 + 8 * part);
#pragma unroll
  for (int d = 0; d < 16; d += 2)
    to[d / 8 * 32 + d % 8 / 2] = __floats2bfloat162_rn(sum.x[d] / total, sum.x[d + 1] / total);
}
