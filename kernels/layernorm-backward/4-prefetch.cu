// The loads of the block's next row are on their way while this row's sums are exchanged: in version 3 all warps of a block wait for memory at the same time, and then at
// the barrier. The gradient that is added to is asked for with its own row: it is needed last, and waiting it would fill registers. What comes and goes once is marked as streaming, so that the blocks' sums stay in the L2 cache for the second launch.
#include "../common/packed.cuh"
#include "../common/sums.cuh"
#include "columns.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

struct Row {
  Packed<Element> d[PACKS], x[PACKS];
  float mean, rstd;
};

template <bool WIDE> __device__ __forceinline__ void fetch(Row &to, const Element *dout, const Element *inp, const float *mean, const float *rstd, int row, int columns) {
  size_t begin = (size_t)row * columns;
#pragma unroll
  for (int p = 0; p < PACKS; p++) {
    int at = SIZE * (threadIdx.x + p * BLOCK);
    to.d[p] = loadPartStreaming<WIDE>(dout + begin, at, columns), to.x[p] = loadPartStreaming<WIDE>(inp + begin, at, columns);
  }
  to.mean = mean[row], to.rstd = rstd[row];
}

template <bool WIDE> __global__ void __launch_bounds__(BLOCK) backward(Element *dinp, float *partial, const Element *dout, const Element *inp, const Element *weight, const float *mean, const float *rstd, int rows, int columns) {
  __shared__ float sumPart[2][BLOCK / 32], productPart[2][BLOCK / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, turn = 0;
  float weightSum[PACKS][SIZE] = {}, biasSum[PACKS][SIZE] = {};
  Packed<Element> w[PACKS];
#pragma unroll
  for (int p = 0; p < PACKS; p++) w[p] = loadPart<WIDE>(weight, SIZE * (threadIdx.x + p * BLOCK), columns);
  Row now, next = {};
  if (blockIdx.x < rows) fetch<WIDE>(next, dout, inp, mean, rstd, blockIdx.x, columns);
  for (int row = blockIdx.x; row < rows; row += gridDim.x, turn ^= 1) {
    now = next;
    Element *out = dinp + (size_t)row * columns;
    Packed<Element> before[PACKS];
#pragma unroll
    for (int p = 0; p < PACKS; p++) before[p] = loadPartStreaming<WIDE>(out, SIZE * (threadIdx.x + p * BLOCK), columns);
    if (row + (int)gridDim.x < rows) fetch<WIDE>(next, dout, inp, mean, rstd, row + gridDim.x, columns);
    float m = now.mean, s = now.rstd, sum = 0, product = 0;
#pragma unroll
    for (int p = 0; p < PACKS; p++)
#pragma unroll
      for (int e = 0; e < SIZE; e++) {
        float normalized = (now.x[p][e] - m) * s, scaled = w[p][e] * now.d[p][e];
        sum += scaled;
        product += scaled * normalized;
        weightSum[p][e] += now.d[p][e] * normalized;
        biasSum[p][e] += now.d[p][e];
      }
    sum = warpSum(sum), product = warpSum(product);
    if (lane == 0) sumPart[turn][warp] = sum, productPart[turn][warp] = product;
    __syncthreads();
    sum = warpSum(lane < BLOCK / 32 ? sumPart[turn][lane] : 0) / columns;
    product = warpSum(lane < BLOCK / 32 ? productPart[turn][lane] : 0) / columns;
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
      int at = SIZE * (threadIdx.x + p * BLOCK);
#pragma unroll
      for (int e = 0; e < SIZE; e++) before[p].set(e, before[p][e] + (w[p][e] * now.d[p][e] - sum - (now.x[p][e] - m) * s * product) * s);
      storePart<WIDE>(out, at, columns, before[p]);
    }
  }
  float *mine = partial + (size_t)blockIdx.x * 2 * columns;
#pragma unroll
  for (int p = 0; p < PACKS; p++)
#pragma unroll
    for (int e = 0; e < SIZE; e++) {
      int column = SIZE * (threadIdx.x + p * BLOCK) + e;
      if (column < columns) mine[column] = weightSum[p][e], mine[columns + column] = biasSum[p][e];
    }
}
