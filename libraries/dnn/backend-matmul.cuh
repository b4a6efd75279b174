// Products of matrices in graphs: C = A B for all matrices of a batch, of any types and strides.
//
// A and the transpose of B first become panels in the type of the sum (pack_panels): PANEL rows each, and neighbouring
// rows side by side for one index of the sum after the other. A warp then makes one panel of C's rows by WIDTH of its
// columns (multiply_panels), as in libraries/blas/gemm.cuh.
#pragma once
#include "backend-elements.cuh"

namespace heddle_dnn {

constexpr int PANEL = 32;      // rows of a panel: one for each lane of a warp
constexpr int WIDTH = 8;       // columns that a thread makes, unless there is one only
constexpr int PANEL_WARPS = 4; // panels of a block
constexpr int PACK_WARPS = 8;

/// Elements of a matrix of so many rows, as panels.
__host__ __device__ inline i64 panel_elements(int rows, int depth) {
  return (i64)((rows + PANEL - 1) / PANEL * PANEL) * depth;
}
__host__ __device__ inline int matrices_of(const View &v) {
  int all = 1;
  for (int i = 0; i < v.rank - 2; i++) all *= v.dim[i];
  return all;
}

/// An operand by its rows and the index of the sum.
struct Operand {
  View v;
  int rows, depth;
  i64 rowStride, depthStride;
};
/// Where a matrix of the operand begins, and its index of the first dimension: that of its sequence.
__device__ __forceinline__ i64 matrix_place(const View &v, int matrix, int &batch) {
  i64 at = 0;
  batch = 0;
  for (int i = v.rank - 3; i >= 0; i--) {
    int index = matrix % v.dim[i];
    matrix /= v.dim[i];
    if (i == 0) batch = index;
    if (i > 0 || !v.ragged) at += index * v.stride[i];
  }
  return at;
}
/// Element (i, k) to i / PANEL * PANEL * depth + k * PANEL + i % PANEL, and zeros behind the last row. A block makes
/// 32 x 32 elements; its warps read the operand in the order that it has.
template <class S> __global__ void __launch_bounds__(32 * PACK_WARPS) pack_panels(S *target, Operand p) {
  int batch, panels = (p.rows + PANEL - 1) / PANEL, lane = threadIdx.x;
  int row0 = blockIdx.x % panels * PANEL, column0 = blockIdx.x / panels * 32;
  i64 from = matrix_place(p.v, blockIdx.z, batch);
  S *to = target + panel_elements(p.rows, p.depth) * blockIdx.z + (i64)row0 * p.depth;
  if (p.rowStride <= p.depthStride) {
    i64 at = from + (row0 + lane) * p.rowStride;
    for (int k = column0 + threadIdx.y; k < p.depth && k < column0 + 32; k += PACK_WARPS) {
      S value = 0;
      if (row0 + lane < p.rows) value = read_view<S>(p.v, at + k * p.depthStride, batch);
      to[k * PANEL + lane] = value;
    }
    return;
  }
  int k = column0 + lane;
  for (int i = threadIdx.y; i < PANEL; i += PACK_WARPS) {
    if (k >= p.depth) continue;
    S value = 0;
    if (row0 + i < p.rows) value = read_view<S>(p.v, from + (row0 + i) * p.rowStride + k * p.depthStride, batch);
    to[k * PANEL + i] = value;
  }
}

struct Matmul {
  const void *left, *right; // panels
  View a, b, c;
  int rows, columns, depth;
  i64 rowStride, columnStride; // of C
  /// Numbers of rows, columns and products that count, for each index of the first dimension; elements behind the
  /// rows and columns become `padding`.
  View limitRows, limitColumns, limitDepth;
  double padding;
};
/// The number of an operand's matrix. Of k and k * n indices of a dimension of the batch, n have the same matrix
/// (queries that share keys).
__device__ __forceinline__ int matrix_number(const View &v, const View &c, int matrix) {
  int number = 0, all = 1;
  for (int i = c.rank - 3; i >= 0; i--) {
    int index = matrix % c.dim[i];
    matrix /= c.dim[i];
    number += index / (c.dim[i] / v.dim[i]) * all;
    all *= v.dim[i];
  }
  return number;
}
__device__ __forceinline__ int limit_of(const View &v, int batch, int all) {
  if (!v.rank) return all;
  int limit = v.data ? (int)read_element<double>(v.data, v.type, v.dim[0] > 1 ? batch * v.stride[0] : 0) : (int)v.value;
  return limit < all ? limit : all;
}

/// A thread makes W elements of a row.
template <class S, int W> __global__ void __launch_bounds__(PANEL *PANEL_WARPS) multiply_panels(Matmul p) {
  int panel = blockIdx.x * PANEL_WARPS + threadIdx.y, row = panel * PANEL + threadIdx.x, column = blockIdx.y * W;
  if (panel * PANEL >= p.rows) return;
  int batch;
  i64 c = matrix_place(p.c, blockIdx.z, batch);
  int rows = limit_of(p.limitRows, batch, p.rows), columns = limit_of(p.limitColumns, batch, p.columns);
  int depth = limit_of(p.limitDepth, batch, p.depth);
  if (panel * PANEL >= rows || column >= columns) depth = 0;
  const S *a = (const S *)p.left + matrix_number(p.a, p.c, blockIdx.z) * panel_elements(p.rows, p.depth) +
               (i64)panel * PANEL * p.depth + threadIdx.x;
  const S *b = (const S *)p.right + matrix_number(p.b, p.c, blockIdx.z) * panel_elements(p.columns, p.depth) +
               (i64)(column / PANEL) * PANEL * p.depth + column % PANEL;
  S sum[W];
#pragma unroll
  for (int j = 0; j < W; j++) sum[j] = 0;
#pragma unroll 1
  for (int k = 0; k < depth; k++) {
    S left = a[k * PANEL];
#pragma unroll
    for (int j = 0; j < W; j++) sum[j] += left * b[k * PANEL + j];
  }
  if (row >= p.rows) return;
#pragma unroll
  for (int j = 0; j < W; j++) {
    if (column + j >= p.columns) continue;
    S value = row < rows && column + j < columns ? sum[j] : (S)p.padding;
    write_view<S>(p.c, c + row * p.rowStride + (column + j) * p.columnStride, batch, value);
  }
}

} // namespace heddle_dnn
