// One kernel, and no score is ever in memory: softmax is computed online (M. Milakov, N. Gimelshein, "Online normalizer
// calculation for softmax", 2018), so that keys and values can be gone through once, by 32 at a time in shared memory,
// which all queries of a block use. Eight threads have a query, eight of its 64 elements each.
#define KEYS 32
#define QUERIES (BLOCK / 8)

struct Part { float x[8]; };
// Two times four elements, as far apart as lets neighbouring threads read neighbouring ones.
__device__ __forceinline__ Part load(const float *row, int part) {
  float4 a = *(const float4 *)(row + 4 * part), b = *(const float4 *)(row + 4 * part + 32);
  return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
}

template <int HEADS>
__global__ void __launch_bounds__(BLOCK) attention(const float *qkv, float *out, int length) {
  __shared__ __align__(16) float keys[KEYS][64], values[KEYS][64];
  int batch = blockIdx.y / HEADS, head = blockIdx.y % HEADS, first = blockIdx.x * QUERIES, part = threadIdx.x % 8,
      query = first + threadIdx.x / 8, row = min(query, length - 1);
  const float *from = qkv + (size_t)batch * length * 3 * HEADS * 64 + head * 64;
  Part own = load(from + (size_t)row * 3 * HEADS * 64, part), sum = {};
  float most = -__int_as_float(0x7f800000), total = 0;
  int end = min(length, first + QUERIES);
  for (int start = 0; start < end; start += KEYS) {
    __syncthreads();
    for (int i = threadIdx.x; i < KEYS * 16; i += BLOCK) {
      const float *key = from + ((size_t)min(start + i / 16, length - 1) * 3 + 1) * HEADS * 64 + i % 16 * 4;
      *(float4 *)&keys[i / 16][i % 16 * 4] = *(const float4 *)key;
      *(float4 *)&values[i / 16][i % 16 * 4] = *(const float4 *)(key + HEADS * 64);
    }
    __syncthreads();
    int count = min(KEYS, end - start);
    for (int i = 0; i < count; i++) {
      Part key = load(keys[i], part);
      float score = 0;
#pragma unroll
      for (int d = 0; d < 8; d++) score += own.x[d] * key.x[d];
      for (int offset = 4; offset > 0; offset /= 2) score += __shfl_xor_sync(0xffffffff, score, offset);
      score = start + i > row ? -__int_as_float(0x7f800000) : score * 0.125f;
      if (score > most) {
        float before = __expf(most - score);
        most = score, total *= before;
#pragma unroll
        for (int d = 0; d < 8; d++) sum.x[d] *= before;
      }
      float weight = __expf(score - most);
      total += weight;
      Part value = load(values[i], part);
#pragma unroll
      for (int d = 0; d < 8; d++) sum.x[d] += weight * value.x[d];
    }
  }
  if (query >= length) return;
  float4 *to = (float4 *)(out + ((size_t)batch * length + query) * HEADS * 64 + head * 64 + 4 * part);
  to[0] = make_float4(sum.x[0] / total, sum.x[1] / total, sum.x[2] / total, sum.x[3] / total);
  to[8] = make_float4(sum.x[4] / total, sum.x[5] / total, sum.x[6] / total, sum.x[7] / total);
}
