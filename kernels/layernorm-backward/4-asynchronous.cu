// Rows come by asynchronous copies into a ring of STAGES rows in shared memory, so that each block has several of them
// on their way all the time: in version 3 a block waits for memory, then computes, then waits again, a microsecond for
// each row, and more blocks do not fit beside each other. A thread copies what it reads itself, so that the ring needs
// no barrier; the row's mean and deviation come a row ahead, in registers.
#include "../common/async.cuh"
#include "../common/packed.cuh"
#include "../common/sums.cuh"
#include "columns.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size, ARRAYS = 3;

// A stage of the ring holds, for each of three arrays and PACKS, sixteen bytes of each thread.
template <bool WIDE>
__device__ __forceinline__ void fetch(uint4 *ring, int stage, const Element *dout, const Element *inp,
                                      const Element *dinp, int row, int rows, int columns) {
  if (row < rows) {
    size_t begin = (size_t)row * columns;
    const Element *from[ARRAYS] = {dout + begin, inp + begin, dinp + begin};
#pragma unroll
    for (int a = 0; a < ARRAYS; a++)
#pragma unroll
      for (int p = 0; p < PACKS; p++) {
        int at = SIZE * (threadIdx.x + p * BLOCK);
        uint4 *to = ring + ((stage * ARRAYS + a) * PACKS + p) * BLOCK + threadIdx.x;
        if constexpr (WIDE) copyAsync(to, at < columns ? from[a] + at : from[a], at < columns);
        else *to = bitsOf(loadPart<WIDE>(from[a], at, columns));
      }
  }
  // Also an empty one: groups are counted.
  endGroup();
}

template <bool WIDE>
__global__ void __launch_bounds__(BLOCK)
    backward(Element *dinp, float *partial, const Element *dout, const Element *inp, const Element *weight,
             const float *mean, const float *rstd, int rows, int columns) {
  extern __shared__ uint4 ring[];
  // Two of each, used alternately: a thread that reads one late is safe, as no thread writes it before the next row's
  // barrier.
  __shared__ float sumPart[2][BLOCK / 32], productPart[2][BLOCK / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, parity = 0, stage = 0, step = gridDim.x;
  float weightSum[PACKS][SIZE] = {}, biasSum[PACKS][SIZE] = {};
  Packed<Element> w[PACKS];
#pragma unroll
  for (int p = 0; p < PACKS; p++) w[p] = loadPart<WIDE>(weight, SIZE * (threadIdx.x + p * BLOCK), columns);
#pragma unroll
  for (int k = 0; k < STAGES - 1; k++) fetch<WIDE>(ring, k, dout, inp, dinp, blockIdx.x + k * step, rows, columns);
  float nextMean = 0, nextScale = 0;
  if (blockIdx.x < rows) nextMean = mean[blockIdx.x], nextScale = rstd[blockIdx.x];
  for (int row = blockIdx.x; row < rows; row += step, parity ^= 1, stage = stage == STAGES - 1 ? 0 : stage + 1) {
    fetch<WIDE>(ring, stage == 0 ? STAGES - 1 : stage - 1, dout, inp, dinp, row + (STAGES - 1) * step, rows, columns);
    float m = nextMean, s = nextScale, sum = 0, product = 0;
    if (row + step < rows) nextMean = mean[row + step], nextScale = rstd[row + step];
    waitForAllBut<STAGES - 1>();
    Packed<Element> d[PACKS], x[PACKS], before[PACKS];
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
      const uint4 *mine = ring + (stage * ARRAYS * PACKS + p) * BLOCK + threadIdx.x;
      d[p] = unpacked<Element>(mine[0]), x[p] = unpacked<Element>(mine[PACKS * BLOCK]),
          before[p] = unpacked<Element>(mine[2 * PACKS * BLOCK]);
#pragma unroll
      for (int e = 0; e < SIZE; e++) {
        float normalized = (x[p][e] - m) * s, scaled = w[p][e] * d[p][e];
        sum += scaled;
        product += scaled * normalized;
        // Beyond the row's end d is zero.
        weightSum[p][e] += d[p][e] * normalized;
        biasSum[p][e] += d[p][e];
      }
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
      storePart<WIDE>(dinp + (size_t)row * columns, SIZE * (threadIdx.x + p * BLOCK), columns, before[p]);
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
