// What 4-flash does, for kernels that differ in where they store.
#pragma once
#include "warp.cuh"
// Of a row.
#define CHUNKS (SIZE / 8)

// `own` and `to`: of the thread's first chunk. Rows that are not there, beyond `left`, are zeros, and nothing is read.
template <int COUNT>
__device__ __forceinline__ void beginCopy(unsigned to, const __nv_bfloat16 *own, int left) {
#pragma unroll
  for (int q = 0; q < COUNT * CHUNKS / THREADS; q++) {
    const int further = q * (THREADS / CHUNKS);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + further * ROW_BYTES),
                 "l"(own + further * SIZE), "r"(further < left ? 16 : 0) : "memory");
  }
}
__device__ __forceinline__ void endOfGroup() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ __forceinline__ void waitForAll() {
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
}

// Of head blockIdx.y, queries that blockIdx.x says. Returns the warp's first.
template <bool CAUSAL>
__device__ __forceinline__ int attend(State &state, const __nv_bfloat16 *q, const __nv_bfloat16 *k,
                                      const __nv_bfloat16 *v, int length) {
  extern __shared__ __align__(256) unsigned char shared[];
  unsigned queries = (unsigned)__cvta_generic_to_shared(shared), keys = queries + QUERIES * ROW_BYTES,
      values = keys + KEYS * ROW_BYTES;
  size_t head = (size_t)blockIdx.y * length * SIZE;
  q += head, k += head, v += head;
  int first = (CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * QUERIES, row = threadIdx.x / 32 * ROWS,
      end = CAUSAL ? min(length, first + QUERIES) : length;
  int copied = threadIdx.x / CHUNKS;
  unsigned to = place(copied, threadIdx.x % CHUNKS);
  int own = copied * SIZE + threadIdx.x % CHUNKS * 8;
  beginCopy<QUERIES>(queries + to, q + own + first * SIZE, length - first - copied);
  beginCopy<KEYS>(keys + to, k + own, length - copied);
  endOfGroup();
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
  return first + row;
}
