// Copies by cp.async behind the arithmetic: values come while scores are computed, the next keys while values are multiplied. A mask is laid only where keys end or the diagonal
// passes, a warp leaves out squares beyond its diagonal, and blocks with many keys begin first so that the last ones are short. ROWS=32 uses each operand from shared memory
// for two products, which is what limits otherwise.
#include "warp.cuh"

// `own` and `to`: of the thread's first chunk. Rows that are not there, beyond `left`, are zeros, and nothing is read.
template <int COUNT>
__device__ __forceinline__ void beginCopy(unsigned to, const __nv_bfloat16 *own, int left) {
#pragma unroll
  for (int q = 0; q < COUNT * 16 / THREADS; q++) {
    const int further = q * (THREADS / 16);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + further * 256), "l"(own + further * SIZE), "r"(further < left ? 16 : 0) : "memory");
  }
}
__device__ __forceinline__ void endOfGroup() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ __forceinline__ void waitForAll() {
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
}

template <bool CAUSAL>
__global__ void __launch_bounds__(THREADS) attention(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, __nv_bfloat16 *o, int length) {
  extern __shared__ __align__(256) unsigned char shared[];
  unsigned queries = (unsigned)__cvta_generic_to_shared(shared), keys = queries + QUERIES * 256, values = keys + KEYS * 256;
  size_t head = (size_t)blockIdx.y * length * SIZE;
  q += head, k += head, v += head;
  int first = (CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * QUERIES, row = threadIdx.x / 32 * ROWS, end = CAUSAL ? min(length, first + QUERIES) : length;
  int copied = threadIdx.x / 16;
  unsigned to = place(copied, threadIdx.x % 16);
  int own = copied * SIZE + threadIdx.x % 16 * 8;
  beginCopy<QUERIES>(queries + to, q + own + first * SIZE, length - first - copied);
  beginCopy<KEYS>(keys + to, k + own, length - copied);
  endOfGroup();
  State state;
  for (int start = 0; start < end; start += KEYS) {
    waitForAll();
    beginCopy<KEYS>(values + to, v + own + start * SIZE, length - start - copied);
    endOfGroup();
    bool seen = !CAUSAL || start < first + row + ROWS;
    Scores s = {};
    if (seen) {
      multiplyKeys(s, queries, keys, row);
      if (start + KEYS > (CAUSAL ? min(length, first + row + 1) : length)) mask<CAUSAL>(s, first + row, start, length);
      weigh(s, state);
    }
    waitForAll();
    if (start + KEYS < end) beginCopy<KEYS>(keys + to, k + own + (start + KEYS) * SIZE, length - start - KEYS - copied);
    endOfGroup();
    if (seen) multiplyValues(state, s, values);
  }
  store(o + head, state, first + row, length);
}
