// Tensor cores: one pass over qkv rounds it to bfloat16 and sorts it by heads, so that what is read many times is half
// as large and lies together; then flash attention as in attention-forward/4-flash, which leaves single precision in
// the order that the caller wants.
#define SIZE 64
#include "../attention-forward/flash.cuh"

// Eight elements a thread. Afterwards queries of all heads lie first, then keys, then values.
template <int HEADS>
__global__ void sortByHeads(const float *qkv, __nv_bfloat16 *sorted, int length, int rows) {
  int i = blockIdx.x * 256 + threadIdx.x, chunk = i % 8, head = i / 8 % HEADS, part = i / 8 / HEADS % 3,
      row = i / 24 / HEADS;
  if (row >= rows) return;
  const float4 *from = (const float4 *)(qkv + (size_t)i * 8);
  float4 a = from[0], b = from[1];
  size_t to = (((size_t)part * (rows / length) + row / length) * HEADS + head) * length + row % length;
  *(uint4 *)(sorted + to * SIZE + chunk * 8) =
      make_uint4(pack(a.x, a.y), pack(a.z, a.w), pack(b.x, b.y), pack(b.z, b.w));
}

template <int HEADS>
__global__ void __launch_bounds__(THREADS) attention(const __nv_bfloat16 *sorted, float *out, int length, int rows) {
  State state;
  size_t part = (size_t)rows * HEADS * SIZE;
  int row = attend<true>(state, sorted, sorted + part, sorted + 2 * part, length), lane = threadIdx.x % 32,
      batch = blockIdx.y / HEADS, head = blockIdx.y % HEADS;
#pragma unroll
  for (int i = 0; i < ROW_TILES; i++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      float factor = factorOf(state, i, half);
      int query = row + 16 * i + 8 * half + lane / 4;
      if (query >= length) continue;
      float2 *to = (float2 *)(out + ((size_t)batch * length + query) * HEADS * SIZE + head * SIZE) + lane % 4;
#pragma unroll
      for (int d = 0; d < SIZE / 8; d++)
        to[4 * d] = make_float2(state.out[i][d][2 * half] * factor, state.out[i][d][2 * half + 1] * factor);
    }
}
