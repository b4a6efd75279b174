// No atomic operations: a block does a whole row, and as many rows as it takes for few blocks to do them all. A thread
// keeps its eight columns of PACKS times for all of them, with the sums for weight and bias in registers; at the end
// each block writes one row of sums, and a second launch adds those. A row is read once, sixteen bytes at a time, and
// waits in registers while the block adds up.
#include "../common/packed.cuh"
#include "../common/sums.cuh"
#include "columns.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

template <bool WIDE>
__global__ void __launch_bounds__(BLOCK)
    backward(Element *dinp, float *partial, const Element *dout, const Element *inp, const Element *weight,
             const float *mean, const float *rstd, int rows, int columns) {
  // Two of each, used alternately: a thread that reads one late is safe, as no thread writes it before the next row's
  // barrier.
  __shared__ float sumPart[2][BLOCK / 32], productPart[2][BLOCK / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, parity = 0;
  float weightSum[PACKS][SIZE] = {}, biasSum[PACKS][SIZE] = {};
  Packed<Element> w[PACKS];
#pragma unroll
  for (int p = 0; p < PACKS; p++) w[p] = loadPart<WIDE>(weight, SIZE * (threadIdx.x + p * BLOCK), columns);
  for (int row = blockIdx.x; row < rows; row += gridDim.x, parity ^= 1) {
    size_t begin = (size_t)row * columns;
    Packed<Element> d[PACKS], x[PACKS], before[PACKS];
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
      int at = SIZE * (threadIdx.x + p * BLOCK);
      d[p] = loadPart<WIDE>(dout + begin, at, columns), x[p] = loadPart<WIDE>(inp + begin, at, columns),
          before[p] = loadPart<WIDE>(dinp + begin, at, columns);
    }
    float m = mean[row], s = rstd[row], sum = 0, product = 0;
#pragma unroll
    for (int p = 0; p < PACKS; p++)
#pragma unroll
      for (int e = 0; e < SIZE; e++) {
        float normalized = (x[p][e] - m) * s, scaled = w[p][e] * d[p][e];
        sum += scaled;
        product += scaled * normalized;
        // Beyond the row's end d is zero.
        weightSum[p][e] += d[p][e] * normalized;
        biasSum[p][e] += d[p][e];
      }
    sum = warpSum(sum), product = warpSum(product);
    if (lane == 0) sumPart[parity][warp] = sum, productPart[parity][warp] = product;
    __syncthreads();
    sum = warpSum(lane < BLOCK / 32 ? sumPart[parity][lane] : 0) / columns;
    product = warpSum(lane < BLOCK / 32 ? productPart[parity][lane] : 0) / columns;
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
#pragma unroll
      for (int e = 0; e < SIZE; e++)
        before[p].set(e, before[p][e] + (w[p][e] * d[p][e] - sum - (x[p][e] - m) * s * product) * s);
      storePart<WIDE>(dinp + begin, SIZE * (threadIdx.x + p * BLOCK), columns, before[p]);
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
