// Tensor cores compute both products, from tiles in shared memory by ldmatrix (T. Dao et al., "FlashAttention", 2022;
// its partition of queries over warps as in "FlashAttention-2", 2023). A warp has whole rows, so that maxima and sums
// need two shuffles and no barrier, and the results of softmax are in the registers that the second product reads.
// Weights are powers of 2, for which the hardware has a function. Keys that no query may see are skipped.
#include "warp.cuh"

template <int COUNT>
__device__ __forceinline__ void copy(unsigned char *to, const __nv_bfloat16 *from, int first, int length) {
#pragma unroll
  for (int q = 0; q < COUNT * 16 / THREADS; q++) {
    int i = threadIdx.x + q * THREADS, row = i / 16, chunk = i % 16;
    *(uint4 *)(to + place(row, chunk)) =
        first + row < length ? *(const uint4 *)(from + (size_t)(first + row) * SIZE + 8 * chunk)
        : make_uint4(0, 0, 0, 0);
  }
}

template <bool CAUSAL>
__global__ void __launch_bounds__(THREADS)
    attention(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, __nv_bfloat16 *o, int length) {
  extern __shared__ __align__(256) unsigned char shared[];
  unsigned char *keysAt = shared + QUERIES * 256, *valuesAt = keysAt + KEYS * 256;
  unsigned queries = (unsigned)__cvta_generic_to_shared(shared), keys = queries + QUERIES * 256,
      values = keys + KEYS * 256;
  size_t head = (size_t)blockIdx.y * length * SIZE;
  int first = blockIdx.x * QUERIES, row = threadIdx.x / 32 * ROWS, end = CAUSAL ? min(length, first + QUERIES) : length;
  copy<QUERIES>(shared, q + head, first, length);
  State state;
  for (int start = 0; start < end; start += KEYS) {
    __syncthreads();
    copy<KEYS>(keysAt, k + head, start, length);
    copy<KEYS>(valuesAt, v + head, start, length);
    __syncthreads();
    Scores s = {};
    multiplyKeys(s, queries, keys, row);
    mask<CAUSAL>(s, first + row, start, length);
    weigh(s, state);
    multiplyValues(state, s, values);
  }
  store(o + head, state, first + row, length);
}
