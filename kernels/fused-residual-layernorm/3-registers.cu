// The row stays in the registers of its warp, PACKS times eight elements in each lane, loaded and stored sixteen bytes
// at a time: what the sum gives is written once and not read again.
#include "../common/packed.cuh"
#include "../common/sums.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

template <bool WIDE>
__global__ void __launch_bounds__(BLOCK)
    fused(const Element *a, const Element *b, const Element *weight, const Element *bias, Element *residual,
          Element *normed, float *mean, float *rstd, int rows, int columns) {
  int lane = threadIdx.x % 32, row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  size_t begin = (size_t)row * columns;
  Packed<Element> x[PACKS], y[PACKS];
#pragma unroll
  for (int p = 0; p < PACKS; p++) {
    int at = SIZE * (lane + 32 * p);
    x[p] = loadPart<WIDE>(a + begin, at, columns), y[p] = loadPart<WIDE>(b + begin, at, columns);
  }
  float sum = 0, squares = 0;
#pragma unroll
  for (int p = 0; p < PACKS; p++) {
#pragma unroll
    for (int e = 0; e < SIZE; e++) x[p].set(e, x[p][e] + y[p][e]), sum += x[p][e];
    storePart<WIDE>(residual + begin, SIZE * (lane + 32 * p), columns, x[p]);
  }
  float m = warpSum(sum) / columns;
#pragma unroll
  for (int p = 0; p < PACKS; p++)
#pragma unroll
    for (int e = 0; e < SIZE; e++)
      if (SIZE * (lane + 32 * p) + e < columns) squares += (x[p][e] - m) * (x[p][e] - m);
  float s = 1 / sqrtf(warpSum(squares) / columns + 1e-5f);
#pragma unroll
  for (int p = 0; p < PACKS; p++) {
    int at = SIZE * (lane + 32 * p);
    Packed<Element> w = loadPart<WIDE>(weight, at, columns), offset = loadPart<WIDE>(bias, at, columns);
#pragma unroll
    for (int e = 0; e < SIZE; e++) x[p].set(e, (x[p][e] - m) * s * w[e] + offset[e]);
    storePart<WIDE>(normed + begin, at, columns, x[p]);
  }
  if (lane == 0) mean[row] = m, rstd[row] = s;
}
