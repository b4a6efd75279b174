// The sums over points are a product of matrices: shares (components x points) times 1, x, y, xx, xy and yy (points x
// 6). Each lane of a warp computes the shares that it has to hand over to the tensor cores (mma.sync of 16 x 16 and
// 16 x 8): four components of four points. Numbers of 8 bits are too short: shares and powers are sums of two such
// numbers each, and three products of them give 16 bits. Only eight lanes have a point in common: its sum takes three
// exchanges.
#include <cuda_bf16.h>
#include "mixture.cuh"
#define WARPS (BLOCK / 32)

__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// Two floats as pairs of 8 bits, the upper and the lower part.
__device__ __forceinline__ void split(float first, float second, unsigned &high, unsigned &low) {
  __nv_bfloat162 upper = __floats2bfloat162_rn(first, second);
  high = *(unsigned *)&upper;
  __nv_bfloat162 lower = __floats2bfloat162_rn(first - __uint_as_float(high << 16),
                                               second - __uint_as_float(high & 0xffff0000));
  low = *(unsigned *)&lower;
}

__global__ void __launch_bounds__(BLOCK)
    step(const float2 *points, const int *starts, const float *means, const float *spreads, const float *weights,
         float *shares, float *copies, int grid) {
  __shared__ float parts[WARPS][COMPONENTS][8], logs[WARPS];
  int cell = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = lane / 4, column = lane % 4;
  float2 middle = middleOf(cell, grid);
  // Components row, row + 8, row + 16 and row + 24.
  Component own[4];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    own[j] = componentAt(means, spreads, row + 8 * j, middle.x, middle.y);
    own[j].level += log2f(weights[cell * COMPONENTS + row + 8 * j]);
  }
  // Power `row` is a product of two of 1, x and y.
  float left1 = row == 0, leftX = row == 1 || row == 3 || row == 4, leftY = row == 2 || row == 5;
  float right1 = row < 3, rightX = row == 3, rightY = row == 4 || row == 5;
  float sums[2][4] = {}, log = 0;
  int first = starts[cell], last = starts[cell + 1];
#pragma unroll 1
  for (int base = first + 16 * warp; base < last; base += 16 * WARPS) {
    float share[4][4], power[4];
#pragma unroll
    for (int p = 0; p < 4; p++) {
      int i = base + 2 * column + p % 2 + p / 2 * 8;
      float2 point = points[min(i, last - 1)];
      float x = point.x - middle.x, y = point.y - middle.y, most = -1e30f, sum = 0;
      power[p] = (left1 + leftX * x + leftY * y) * (right1 + rightX * x + rightY * y);
#pragma unroll
      for (int j = 0; j < 4; j++) most = fmaxf(most, share[j][p] = levelOf(own[j], x, y));
#pragma unroll
      for (int distance = 4; distance < 32; distance *= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, distance));
#pragma unroll
      for (int j = 0; j < 4; j++) sum += share[j][p] = exp2Of(share[j][p] - most);
#pragma unroll
      for (int distance = 4; distance < 32; distance *= 2) sum += __shfl_xor_sync(~0u, sum, distance);
      float factor = i < last ? __fdividef(1, sum) : 0;
      if (i < last && row == 0) log += most + __log2f(sum);
#pragma unroll
      for (int j = 0; j < 4; j++) share[j][p] *= factor;
    }
    unsigned powers[2], lowPowers[2];
    split(power[0], power[1], powers[0], lowPowers[0]);
    split(power[2], power[3], powers[1], lowPowers[1]);
#pragma unroll
    for (int half = 0; half < 2; half++) {
      unsigned a[4], low[4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float *pair = share[2 * half + i % 2] + i / 2 * 2;
        split(pair[0], pair[1], a[i], low[i]);
      }
      multiply(sums[half], a, powers);
      multiply(sums[half], low, powers);
      multiply(sums[half], a, lowPowers);
    }
  }
#pragma unroll
  for (int half = 0; half < 2; half++)
#pragma unroll
    for (int i = 0; i < 4; i++) parts[warp][16 * half + i / 2 * 8 + row][2 * column + i % 2] = sums[half][i];
#pragma unroll
  for (int distance = 1; distance < 4; distance *= 2) log += __shfl_xor_sync(~0u, log, distance);
  if (lane == 0) logs[warp] = log;
  __syncthreads();
  if (threadIdx.x >= COMPONENTS) return;
  float s[SUMS] = {}, all = 0;
  for (int w = 0; w < WARPS; w++) {
    for (int i = 0; i < SUMS; i++) s[i] += parts[w][threadIdx.x][i];
    all += logs[w];
  }
  shares[cell * COMPONENTS + threadIdx.x] = s[0];
  addSums(copies, means, threadIdx.x, cell, middle, s);
  if (threadIdx.x == 0) atomicAdd(copies + cell % COPIES * COPY + COPY - 1, all);
}
