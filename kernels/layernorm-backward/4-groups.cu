// A block is GROUPS groups of BLOCK threads, each with a row of its own, which add their sums for weight and bias in shared memory before the block writes them: as many rows are on their way as with as many
// blocks, but only a part of the sums goes to memory and back in the second launch, where nothing else is done in the meantime. Rows are not fetched ahead, so that registers leave room for all these groups.
#include "../common/packed.cuh"
#include "../common/sums.cuh"
#include "columns.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size, WARPS = BLOCK / 32;

template <bool WIDE> __global__ void __launch_bounds__(BLOCK * GROUPS) backward(Element *dinp, float *partial, const Element *dout, const Element *inp, const Element *weight, const float *mean, const float *rstd, int rows, int columns) {
  __shared__ float sumPart[2][GROUPS][WARPS], productPart[2][GROUPS][WARPS];
  __shared__ float together[2][PACKS][SIZE][BLOCK];
  int lane = threadIdx.x % 32, thread = threadIdx.x % BLOCK, group = threadIdx.x / BLOCK, warp = thread / 32, turn = 0, step = gridDim.x * GROUPS;
  float weightSum[PACKS][SIZE] = {}, biasSum[PACKS][SIZE] = {};
  Packed<Element> w[PACKS];
#pragma unroll
  for (int p = 0; p < PACKS; p++) w[p] = loadPart<WIDE>(weight, SIZE * (thread + p * BLOCK), columns);
  // All groups come to every barrier, also those that have no row left.
  for (int base = blockIdx.x * GROUPS; base < rows; base += step, turn ^= 1) {
    int row = base + group;
    bool mine = row < rows;
    size_t begin = (size_t)row * columns;
    Packed<Element> d[PACKS], x[PACKS], before[PACKS];
    float m = 0, s = 0, sum = 0, product = 0;
    if (mine) {
#pragma unroll
      for (int p = 0; p < PACKS; p++) {
        int at = SIZE * (thread + p * BLOCK);
        d[p] = loadPartStreaming<WIDE>(dout + begin, at, columns), x[p] = loadPartStreaming<WIDE>(inp + begin, at, columns), before[p] = loadPartStreaming<WIDE>(dinp + begin, at, columns);
      }
      m = mean[row], s = rstd[row];
#pragma unroll
      for (int p = 0; p < PACKS; p++)
#pragma unroll
        for (int e = 0; e < SIZE; e++) {
          float normalized = (x[p][e] - m) * s, scaled = w[p][e] * d[p][e];
          sum += scaled;
          product += scaled * normalized;
          weightSum[p][e] += d[p][e] * normalized;
          biasSum[p][e] += d[p][e];
        }
    }
    sum = warpSum(sum), product = warpSum(product);
    if (lane == 0) sumPart[turn][group][warp] = sum, productPart[turn][group][warp] = product;
    __syncthreads();
    if (!mine) continue;
    sum = warpSum(lane < WARPS ? sumPart[turn][group][lane] : 0) / columns;
    product = warpSum(lane < WARPS ? productPart[turn][group][lane] : 0) / columns;
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
#pragma unroll
      for (int e = 0; e < SIZE; e++) before[p].set(e, before[p][e] + (w[p][e] * d[p][e] - sum - (x[p][e] - m) * s * product) * s);
      storePart<WIDE>(dinp + begin, SIZE * (thread + p * BLOCK), columns, before[p]);
    }
  }
  // One group after the other, so that the order is always the same.
  for (int g = GROUPS - 1; g > 0; g--) {
    if (group == g)
#pragma unroll
      for (int p = 0; p < PACKS; p++)
#pragma unroll
        for (int e = 0; e < SIZE; e++) together[0][p][e][thread] = weightSum[p][e], together[1][p][e][thread] = biasSum[p][e];
    __syncthreads();
    if (group == g - 1)
#pragma unroll
      for (int p = 0; p < PACKS; p++)
#pragma unroll
        for (int e = 0; e < SIZE; e++) weightSum[p][e] += together[0][p][e][thread], biasSum[p][e] += together[1][p][e][thread];
    __syncthreads();
  }
  if (group > 0) return;
  float *mine = partial + (size_t)blockIdx.x * 2 * columns;
#pragma unroll
  for (int p = 0; p < PACKS; p++)
#pragma unroll
    for (int e = 0; e < SIZE; e++) {
      int column = SIZE * (thread + p * BLOCK) + e;
      if (column < columns) mine[column] = weightSum[p][e], mine[columns + column] = biasSum[p][e];
    }
}
