// Persistent warps: as many as are resident loop over the rows. The loads of the next row are under way while the sums
// of this row are exchanged and its results written. Data that is read once is marked as streaming, so that weight and
// bias, which every row needs, stay in L1.
#include "../common/packed.cuh"
#include "../common/sums.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

template <bool WIDE>
__device__ __forceinline__ void fetch(Packed<Element> (&to)[PACKS], const Element *from, int row, int columns) {
  const Element *begin = from + (size_t)row * columns;
#pragma unroll
  for (int p = 0; p < PACKS; p++) {
    int at = SIZE * (threadIdx.x % 32 + 32 * p);
    to[p] = loadPartStreaming<WIDE>(begin, at, columns);
  }
}

template <bool WIDE>
__global__ void __launch_bounds__(BLOCK)
    fused(const Element *a, const Element *b, const Element *weight, const Element *bias, Element *residual,
          Element *normed, float *mean, float *rstd, int rows, int columns) {
  int lane = threadIdx.x % 32, row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32, step = gridDim.x * (BLOCK / 32);
  if (row >= rows) return;
  Packed<Element> x[PACKS], y[PACKS];
  fetch<WIDE>(x, a, row, columns), fetch<WIDE>(y, b, row, columns);
  for (; row < rows; row += step) {
    size_t begin = (size_t)row * columns;
    Packed<Element> z[PACKS];
    float sum = 0, squares = 0;
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
#pragma unroll
      for (int e = 0; e < SIZE; e++) z[p].set(e, x[p][e] + y[p][e]), sum += z[p][e];
      storePart<WIDE>(residual + begin, SIZE * (lane + 32 * p), columns, z[p]);
    }
    if (row + step < rows) fetch<WIDE>(x, a, row + step, columns), fetch<WIDE>(y, b, row + step, columns);
    float m = warpSum(sum) / columns;
#pragma unroll
    for (int p = 0; p < PACKS; p++)
#pragma unroll
      for (int e = 0; e < SIZE; e++)
        if (SIZE * (lane + 32 * p) + e < columns) squares += (z[p][e] - m) * (z[p][e] - m);
    float s = 1 / sqrtf(warpSum(squares) / columns + 1e-5f);
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
      int at = SIZE * (lane + 32 * p);
      Packed<Element> w = loadPart<WIDE>(weight, at, columns), offset = loadPart<WIDE>(bias, at, columns);
#pragma unroll
      for (int e = 0; e < SIZE; e++) z[p].set(e, (z[p][e] - m) * s * w[e] + offset[e]);
      storePart<WIDE>(normed + begin, at, columns, z[p]);
    }
    if (lane == 0) mean[row] = m, rstd[row] = s;
  }
}
