// The sums of a thread's eight columns: each load is followed by the addition of what was asked for UNROLL loads ago.
#pragma once
#include "../common/packed.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

__device__ __forceinline__ uint4 bitsAt(const Element *from) { return __ldcs(reinterpret_cast<const uint4 *>(from)); }
__device__ __forceinline__ void addTo(float (&sum)[SIZE], uint4 bits) {
  Packed<Element> d = unpacked<Element>(bits);
#pragma unroll
  for (int e = 0; e < SIZE; e++) sum[e] += d[e];
}

// Columns from `column` on, of every step-th row from `row` on.
template <bool WIDE>
__device__ __forceinline__ void addRows(float (&sum)[SIZE], const Element *dout, int column, int row, int step,
                                        int rows, int columns) {
  if (WIDE && column < columns && row + (UNROLL - 1) * step < rows) {
    const Element *from = dout + (size_t)row * columns + column;
    size_t stride = (size_t)step * columns;
    uint4 d[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) d[u] = bitsAt(from + u * stride);
    for (row += UNROLL * step; row + (UNROLL - 1) * step < rows; row += UNROLL * step) {
      from += UNROLL * stride;
#pragma unroll
      for (int u = 0; u < UNROLL; u++) {
        addTo(sum, d[u]);
        d[u] = bitsAt(from + u * stride);
      }
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++) addTo(sum, d[u]);
  }
  for (; row < rows; row += step) addTo(sum, bitsOf(loadPart<WIDE>(dout + (size_t)row * columns, column, columns)));
}
