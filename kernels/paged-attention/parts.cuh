// What a part of a sequence's keys leaves in memory, its largest score, its sum, and its output, and the kernel that
// joins the parts.
#pragma once
#include "pages.cuh"
#define MINUS_INFINITY (-__int_as_float(0x7f800000))
// exp(x / sqrt(SIZE)) is 2 to the power of x times this.
#define SCALE (0.08838834764831845f * 1.4426950408889634f)

__device__ __forceinline__ float exp2Of(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// The parts of all sequences: a row of partial is { most, total, SIZE outputs } of a query in a part.
#define ROW (SIZE + 2)

// A block joins the parts of a query, PARTS of them. All that it reads is asked for at once: a thread's outputs of
// every GROUPS-th part, and in the first warp what each part counts.
#define GROUPS (PARTS > 16 ? 8 : 4)
__global__ void __launch_bounds__(GROUPS *SIZE) finish(const float *partial, __nv_bfloat16 *o, int parts) {
  constexpr int OWN = (PARTS + GROUPS - 1) / GROUPS, BY_LANES = (PARTS + 31) / 32;
  __shared__ float shares[PARTS], sums[GROUPS][SIZE], whole;
  const float *rows = partial + (size_t)blockIdx.x * parts * ROW;
  int lane = threadIdx.x % 32, group = threadIdx.x / SIZE, column = threadIdx.x % SIZE;
  float values[OWN];
#pragma unroll
  for (int i = 0; i < OWN; i++)
    values[i] = group + i * GROUPS < parts ? rows[(group + i * GROUPS) * ROW + 2 + column] : 0;
  if (threadIdx.x < 32) {
    // A part's largest score and its sum.
    float2 counts[BY_LANES];
    float most = MINUS_INFINITY, total = 0;
#pragma unroll
    for (int i = 0; i < BY_LANES; i++) {
      counts[i] = lane + 32 * i < parts ? *(const float2 *)(rows + (lane + 32 * i) * ROW)
                                        : make_float2(MINUS_INFINITY, 0);
      most = fmaxf(most, counts[i].x);
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, offset));
#pragma unroll
    for (int i = 0; i < BY_LANES; i++) {
      float share = exp2Of(counts[i].x - most);
      if (lane + 32 * i < parts) shares[lane + 32 * i] = share;
      total += counts[i].y * share;
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) total += __shfl_xor_sync(~0u, total, offset);
    if (lane == 0) whole = total;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < OWN; i++)
    if (group + i * GROUPS < parts) sum += values[i] * shares[group + i * GROUPS];
  sums[group][column] = sum;
  __syncthreads();
  if (group > 0) return;
#pragma unroll
  for (int g = 1; g < GROUPS; g++) sum += sums[g][column];
  o[(size_t)blockIdx.x * SIZE + column] = __float2bfloat16(sum / whole);
}
