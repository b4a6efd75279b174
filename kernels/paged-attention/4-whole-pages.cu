// A block takes whole pages, keys and values of HEADS heads: tokens lie side by side then, as in a copy, where a block
// of one head jumps from 256 bytes to the next. One warp asks the accelerator for pages (cp.async.bulk), so that STAGES
// of them are on their way, and no register holds them. Each other warp has a head of keys, whose scores the tensor
// cores compute (mma.sync.m16n8k16, PTX ISA 8.5, 9.7.13.4.8): up to eight queries are rows 0 to 7.
//
// Rows 8 to 15 hold what a weight loses as a bfloat16, so that weights have 16 bits at no cost.
#include "../common/hopper.cuh"
#include "parts.cuh"
#define ROW_BYTES (HEADS * SIZE * 2)
// 16 bytes more: rows of eight tokens, which ldmatrix reads at once, begin in different banks.
#define STRIDE (ROW_BYTES + 16)
#define STAGE_BYTES (2 * PAGE * STRIDE)

__device__ __forceinline__ void loadMatrices(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}
__device__ __forceinline__ void loadTransposed(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}
__device__ __forceinline__ void multiplyAdd(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// The most, or the sum, over the four lanes that share a row.
__device__ __forceinline__ float quadMost(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float quadSum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}
// Two weights as bfloat16, and what is left of them.
__device__ __forceinline__ void split(float x, float y, unsigned &high, unsigned &low) {
  high = packed(x, y);
  float2 kept = __bfloat1622float2(*(__nv_bfloat162 *)&high);
  low = packed(x - kept.x, y - kept.y);
}

// The part of one warp: a lane copies a token's keys or values, of all HEADS heads.
__device__ __forceinline__ void copyPages(const __nv_bfloat16 *k, const __nv_bfloat16 *v, const int *table, int first,
                                          int last, int kvHeads, unsigned stages, unsigned full, unsigned empty) {
  int lane = threadIdx.x % 32, mine = 0;
  const __nv_bfloat16 *from = (lane < PAGE ? k : v) + blockIdx.y * (HEADS * SIZE);
  for (int at = 0; first + at < last; at++) {
    if (at % 32 == 0 && first + at + lane < last) mine = table[first + at + lane];
    size_t page = __shfl_sync(~0u, mine, at % 32);
    int stage = at % STAGES;
    // The first round finds empty buffers: the phase before the first counts as over.
    waitFor(empty + 8 * stage, (at / STAGES & 1) ^ 1);
    if (lane == 0) arriveAndExpect(full + 8 * stage, 2 * PAGE * ROW_BYTES);
    __syncwarp();
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(stages + stage * STAGE_BYTES + lane * STRIDE),
                   "l"(from + (page * PAGE + lane % PAGE) * kvHeads * SIZE), "r"(ROW_BYTES), "r"(full + 8 * stage)
                 : "memory");
  }
}

__global__ void __launch_bounds__(32 * (HEADS + 1))
    attend(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, const int *table, const int *lengths,
           float *partial, int heads, int kvHeads, int pages, int parts) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
  unsigned stages = addressOf(buffers), full = addressOf(barriers), empty = full + 8 * STAGES;
  int part = blockIdx.x, sequence = blockIdx.z, length = lengths[sequence], warp = threadIdx.x / 32;
  int all = (length + PAGE - 1) / PAGE, each = (all + parts - 1) / parts;
  int first = part * each, last = min(all, first + each);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(full + 8 * s, 1), initBarrier(empty + 8 * s, HEADS);
    publishBarriers();
  }
  __syncthreads();
  if (warp == HEADS)
    return copyPages(k, v, table + (size_t)sequence * pages, first, last, kvHeads, stages, full, empty);

  // A lane has row `row`, and columns 2 t and 2 t + 1 of every 8.
  int lane = threadIdx.x % 32, row = lane / 4, t = lane % 4, query = (blockIdx.y * HEADS + warp) * GROUP + row;
  unsigned queries[SIZE / 16][4];
#pragma unroll
  for (int i = 0; i < SIZE / 16; i++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const __nv_bfloat16 *from = q + ((size_t)sequence * heads + query) * SIZE + 16 * i + 8 * half + 2 * t;
      queries[i][2 * half] = row < GROUP ? *(const unsigned *)from : 0;
      queries[i][2 * half + 1] = 0;
    }
  float out[SIZE / 8][4] = {}, most = MINUS_INFINITY, total = 0;
  // What ldmatrix reads: matrices 0 and 1 are columns 0 to 7 and 8 to 15 of keys, or tokens 0 to 7 and 8 to 15 of
  // values.
  int matrix = lane / 8, head = warp * SIZE * 2;
  unsigned keyAt = (matrix / 2 * 8 + lane % 8) * STRIDE + matrix % 2 * 16 + head;
  unsigned valueAt = (PAGE + matrix % 2 * 8 + lane % 8) * STRIDE + matrix / 2 * 16 + head;
  for (int at = 0; first + at < last; at++) {
    unsigned page = stages + at % STAGES * STAGE_BYTES;
    waitFor(full + 8 * (at % STAGES), at / STAGES & 1);
    float s[2][4] = {};
#pragma unroll
    for (int i = 0; i < SIZE / 16; i++) {
      unsigned keys[4];
      loadMatrices(keys, page + keyAt + 32 * i);
      multiplyAdd(s[0], queries[i], keys[0], keys[1]);
      multiplyAdd(s[1], queries[i], keys[2], keys[3]);
    }
    float top = most;
#pragma unroll
    for (int n = 0; n < 2; n++)
#pragma unroll
      for (int e = 0; e < 2; e++) {
        bool isThere = (first + at) * PAGE + 8 * n + 2 * t + e < length;
        s[n][e] = isThere ? s[n][e] * SCALE : MINUS_INFINITY;
        top = fmaxf(top, s[n][e]);
      }
    // Each page has a token at least: this is finite.
    top = quadMost(top);
    float keep = exp2Of(most - top);
    most = top, total *= keep;
#pragma unroll
    for (int i = 0; i < SIZE / 8; i++)
#pragma unroll
      for (int e = 0; e < 4; e++) out[i][e] *= keep;
#pragma unroll
    for (int n = 0; n < 2; n++)
#pragma unroll
      for (int e = 0; e < 2; e++) total += s[n][e] = exp2Of(s[n][e] - top);
    unsigned weights[4];
    split(s[0][0], s[0][1], weights[0], weights[1]);
    split(s[1][0], s[1][1], weights[2], weights[3]);
#pragma unroll
    for (int i = 0; i < SIZE / 16; i++) {
      unsigned values[4];
      loadTransposed(values, page + valueAt + 32 * i);
      multiplyAdd(out[2 * i], weights, values[0], values[1]);
      multiplyAdd(out[2 * i + 1], weights, values[2], values[3]);
    }
    __syncwarp();
    if (lane == 0) arrive(empty + 8 * (at % STAGES));
  }
  total = quadSum(total);
  if (row >= GROUP) return;
  float *to = partial + (((size_t)sequence * heads + query) * parts + part) * ROW;
  if (t == 0) to[0] = most, to[1] = total;
#pragma unroll
  for (int i = 0; i < SIZE / 8; i++)
    *(float2 *)(to + 2 + 8 * i + 2 * t) = make_float2(out[i][0] + out[i][2], out[i][1] + out[i][3]);
}
