// Products of sparse matrices by rows (Gustavson, Two fast algorithms for sparse matrices, 1978): each worker, a
// thread, has a dense row of sums.
#pragma once
#include "entries.cuh"

namespace heddle_sparse {

struct Rows {
  Indices offsets, indices;
  int base;
  i64 rows, cols;
  __device__ i64 first(i64 row) const { return offsets[row] - base; }
  __device__ i64 last(i64 row) const { return offsets[row + 1] - base; }
};

/// By one block.
static __global__ void count_products(Rows a, Rows b, i64 *total) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned long long own = 0;
  for (i64 row = threadIdx.x; row < a.rows; row += blockDim.x)
    for (i64 at = a.first(row); at < a.last(row); at++) {
      i64 k = a.indices[at] - a.base;
      own += b.last(k) - b.first(k);
    }
  atomicAdd(&sum, own);
  __syncthreads();
  if (threadIdx.x == 0) *total = (i64)sum;
}
/// marks: for each worker, a place for each column of B.
static __global__ void count_product_rows(Rows a, Rows b, int *marks, i64 *counts) {
  i64 worker = thread_index(), workers = thread_count();
  int *own = marks + worker * b.cols;
  for (i64 column = 0; column < b.cols; column++) own[column] = -1;
  for (i64 row = worker; row < a.rows; row += workers) {
    i64 count = 0;
    for (i64 at = a.first(row); at < a.last(row); at++) {
      i64 k = a.indices[at] - a.base;
      for (i64 other = b.first(k); other < b.last(k); other++) {
        i64 column = b.indices[other] - b.base;
        if (own[column] == (int)row) continue;
        own[column] = (int)row;
        count++;
      }
    }
    counts[row] = count;
  }
}
/// Heap sort.
static __device__ inline void sort(int *list, i64 count) {
  auto sink = [&](i64 root, i64 end) {
    int value = list[root];
    for (i64 child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && list[child + 1] > list[child]) child++;
      if (list[child] <= value) break;
      list[root] = list[child];
    }
    list[root] = value;
  };
  bool isSorted = true;
  for (i64 i = 1; i < count && isSorted; i++) isSorted = list[i - 1] <= list[i];
  if (isSorted) return;
  for (i64 i = count / 2; i-- > 0;) sink(i, count);
  for (i64 end = count - 1; end > 0; end--) {
    int largest = list[0];
    list[0] = list[end];
    list[end] = largest;
    sink(0, end);
  }
}
static __global__ void list_product_columns(Rows a, Rows b, int *marks, const i64 *offsets, int *columns) {
  i64 worker = thread_index(), workers = thread_count();
  int *own = marks + worker * b.cols;
  for (i64 column = 0; column < b.cols; column++) own[column] = -1;
  for (i64 row = worker; row < a.rows; row += workers) {
    i64 to = offsets[row];
    for (i64 at = a.first(row); at < a.last(row); at++) {
      i64 k = a.indices[at] - a.base;
      for (i64 other = b.first(k); other < b.last(k); other++) {
        i64 column = b.indices[other] - b.base;
        if (own[column] == (int)row) continue;
        own[column] = (int)row;
        columns[to++] = (int)column;
      }
    }
    sort(columns + offsets[row], to - offsets[row]);
  }
}
/// The values at the places in `columns`; sums: for each worker, one for each column of B. From `old` beta times.
template <class T, class C>
__global__ void product_values(Rows a, const T *aValues, Rows b, const T *bValues, C *sums, const i64 *offsets,
                               const int *columns, Factor<C> alpha, T *values) {
  i64 worker = thread_index(), workers = thread_count();
  C *own = sums + worker * b.cols, factor = alpha.get();
  for (i64 row = worker; row < a.rows; row += workers) {
    for (i64 at = offsets[row]; at < offsets[row + 1]; at++) own[columns[at]] = zero<C>();
    for (i64 at = a.first(row); at < a.last(row); at++) {
      i64 k = a.indices[at] - a.base;
      C left = convert<C>(aValues[at]);
      for (i64 other = b.first(k); other < b.last(k); other++) {
        C &sum = own[b.indices[other] - b.base];
        sum = sum + left * convert<C>(bValues[other]);
      }
    }
    for (i64 at = offsets[row]; at < offsets[row + 1]; at++) values[at] = convert<T>(factor * own[columns[at]]);
  }
}
/// Without offsets there is no entry.
static __global__ void store_structure(const i64 *offsets, const int *columns, i64 rows, i64 nnz, int base,
                                       Indices toOffsets, Indices toColumns) {
  for (i64 i = thread_index(); i <= rows; i += thread_count()) toOffsets.set(i, (offsets ? offsets[i] : 0) + base);
  if (toColumns.data)
    for (i64 i = thread_index(); i < nnz; i += thread_count()) toColumns.set(i, columns[i] + base);
}
template <class T, class C> __global__ void add_values(const T *values, i64 nnz, Factor<C> beta, T *target) {
  C factor = beta.get();
  for (i64 i = thread_index(); i < nnz; i += thread_count())
    target[i] = is_zero(factor) ? values[i] : convert<T>(convert<C>(values[i]) + factor * convert<C>(target[i]));
}

} // namespace heddle_sparse
