// What versions 3 and 4 share, and attention-forward-packed: a warp's ROWS queries, whose scores with KEYS keys and
// whose outputs are in its registers as 16 x 8 of mma.sync.m16n8k16 (PTX ISA 8.5, 9.7.13.4.8). A lane has two
// neighbouring elements of rows lane / 4 and lane / 4 + 8 of each.
#pragma once
#include <cuda_bf16.h>
// Elements of a query, key or value.
#ifndef SIZE
#define SIZE 128
#endif
#define ROW_BYTES (2 * SIZE)
#define ROW_TILES (ROWS / 16)
#define QUERIES (WARPS * ROWS)
#define THREADS (32 * WARPS)
#define MINUS_INFINITY (-__int_as_float(0x7f800000))
// exp(x / sqrt(SIZE)) is 2 to the power of x times this, and the hardware's function is the power of 2.
#define SCALE ((SIZE == 128 ? 0.08838834764831845f : 0.125f) * 1.4426950408889634f)
static_assert(SIZE == 128 || SIZE == 64);

// Rows of 8 or 16 chunks of 16 bytes; an exclusive or with the row's number puts eight rows' chunks of one column,
// which ldmatrix reads at once, into different banks.
__device__ __forceinline__ int place(int row, int chunk) { return row * ROW_BYTES + (chunk ^ row % 8) * 16; }

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
__device__ __forceinline__ float powerOf2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ unsigned pack(float low, float high) {
  __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return *(unsigned *)&both;
}

using Scores = float[ROW_TILES][KEYS / 8][4];
struct State {
  float out[ROW_TILES][SIZE / 8][4] = {};
  // Of rows lane / 4 and lane / 4 + 8 of each tile; totals are of the lane's own columns until the end.
  float most[ROW_TILES][2], total[ROW_TILES][2] = {};
  __device__ State() {
#pragma unroll
    for (int i = 0; i < ROW_TILES * 2; i++) most[i / 2][i % 2] = MINUS_INFINITY;
  }
};

// Scores before scaling, of queries and keys in shared memory. `row`: the warp's first. Addresses of further chunks
// differ from the first by an exclusive or with a constant, since rows begin at multiples of 128 bytes.
__device__ __forceinline__ void multiplyKeys(Scores &s, unsigned queries, unsigned keys, int row) {
  int lane = threadIdx.x % 32;
  unsigned ownQueries = queries + place(row + lane % 16, lane / 16),
      ownKeys = keys + place(lane / 16 * 8 + lane % 8, lane / 8 % 2);
#pragma unroll
  for (int d = 0; d < SIZE / 16; d++) {
    unsigned a[ROW_TILES][4];
#pragma unroll
    for (int i = 0; i < ROW_TILES; i++) loadMatrices(a[i], (ownQueries ^ 32 * d) + i * 16 * ROW_BYTES);
#pragma unroll
    for (int j = 0; j < KEYS / 16; j++) {
      unsigned b[4];
      loadMatrices(b, (ownKeys ^ 32 * d) + j * 16 * ROW_BYTES);
#pragma unroll
      for (int i = 0; i < ROW_TILES; i++)
        multiplyAdd(s[i][2 * j], a[i], b[0], b[1]), multiplyAdd(s[i][2 * j + 1], a[i], b[2], b[3]);
    }
  }
}

// Keys that a query must not see, or that are not there. `row`: the warp's first query; `key`: the first key of these.
template <bool CAUSAL>
__device__ __forceinline__ void mask(Scores &s, int row, int key, int length) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_TILES; i++)
#pragma unroll
    for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        int query = row + 16 * i + lane / 4 + e / 2 * 8, at = key + 8 * j + lane % 4 * 2 + e % 2;
        if (at >= length || (CAUSAL && at > query)) s[i][j][e] = MINUS_INFINITY;
      }
}

// Online softmax: scores become weights relative to the largest score so far, and what was summed up with a smaller one
// is scaled down.
__device__ __forceinline__ void weigh(Scores &s, State &state) {
#pragma unroll
  for (int i = 0; i < ROW_TILES; i++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      float most = state.most[i][half];
#pragma unroll
      for (int j = 0; j < KEYS / 8; j++) most = fmaxf(most, fmaxf(s[i][j][2 * half], s[i][j][2 * half + 1]));
      most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, 1));
      most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, 2));
      float before = powerOf2((state.most[i][half] - most) * SCALE), shift = most * SCALE,
          total = state.total[i][half] * before;
      state.most[i][half] = most;
#pragma unroll
      for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
        for (int e = 2 * half; e < 2 * half + 2; e++) total += s[i][j][e] = powerOf2(s[i][j][e] * SCALE - shift);
      state.total[i][half] = total;
#pragma unroll
      for (int d = 0; d < SIZE / 8; d++) state.out[i][d][2 * half] *= before, state.out[i][d][2 * half + 1] *= before;
    }
}

// The weights are in the lanes that need them: two neighbouring 16 x 8 of sums are what a 16 x 16 operand is.
__device__ __forceinline__ void multiplyValues(State &state, const Scores &s, unsigned values) {
  int lane = threadIdx.x % 32;
  unsigned own = values + place(lane % 16, lane / 16);
#pragma unroll
  for (int j = 0; j < KEYS / 16; j++) {
    unsigned a[ROW_TILES][4];
#pragma unroll
    for (int i = 0; i < ROW_TILES; i++)
#pragma unroll
      for (int r = 0; r < 4; r++) a[i][r] = pack(s[i][2 * j + r / 2][r % 2 * 2], s[i][2 * j + r / 2][r % 2 * 2 + 1]);
#pragma unroll
    for (int d = 0; d < SIZE / 16; d++) {
      unsigned b[4];
      loadTransposed(b, (own ^ 32 * d) + j * 16 * ROW_BYTES);
#pragma unroll
      for (int i = 0; i < ROW_TILES; i++)
        multiplyAdd(state.out[i][2 * d], a[i], b[0], b[1]), multiplyAdd(state.out[i][2 * d + 1], a[i], b[2], b[3]);
    }
  }
}

// One over the sum of a row's weights: a lane has those of its columns.
__device__ __forceinline__ float factorOf(const State &state, int i, int half) {
  float total = state.total[i][half];
  total += __shfl_xor_sync(0xffffffff, total, 1);
  total += __shfl_xor_sync(0xffffffff, total, 2);
  return 1 / total;
}

__device__ __forceinline__ void store(__nv_bfloat16 *o, const State &state, int row, int length) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_TILES; i++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      float factor = factorOf(state, i, half);
      int query = row + 16 * i + 8 * half + lane / 4;
      if (query >= length) continue;
      unsigned *to = (unsigned *)(o + (size_t)query * SIZE) + lane % 4;
#pragma unroll
      for (int d = 0; d < SIZE / 8; d++)
        to[4 * d] = pack(state.out[i][d][2 * half] * factor, state.out[i][d][2 * half + 1] * factor);
    }
}
