// Sparse matrices times vectors and dense matrices, and the products of dense matrices at the places of a sparse one.
#pragma once
#include "entries.cuh"

namespace heddle_sparse {

template <class T> struct Dense {
  T *data;
  i64 rowStride, columnStride, batchStride;
  __device__ T &at(i64 row, i64 column) const { return data[row * rowStride + column * columnStride]; }
  __device__ Dense of_batch(int batch) const { return {data + batch * batchStride, rowStride, columnStride, 0}; }
};

template <class To, class From> __device__ inline To element(From value, bool isConjugated) {
  To converted = convert<To>(value);
  return isConjugated ? conjugate(converted) : converted;
}

/// Some entries of a row, all in one block of code, so that one test of addresses serves all of them.
template <int N, class C, class Product> __device__ inline C sum_of(int at, Product product) {
#pragma clang fp contract(off)
  if constexpr (N == 0) return zero<C>();
  else if constexpr (N == 1) return product(at);
  else return sum_of<N / 2, C>(at, product) + sum_of<N - N / 2, C>(at + N / 2, product);
}

/// CSR with indices of 32 bits, each thread some rows side by side. Four sums hide the time of an addition, and eight
/// entries at a time the loop's own work.
template <class A, class X, class Y, class C>
__global__ void csr_vector(int rows, int perThread, int base, const int *offsets, const int *columns,
                           const A *values, const X *x, Y *y, bool isConjugated, Scalars<C> scalars) {
// The emulated device has fused operations of vectors only: for a thread alone they are slower than two plain ones.
#pragma clang fp contract(off)
  int first = (int)thread_index() * perThread, last = first + perThread < rows ? first + perThread : rows;
  if (first >= last) return;
  C alpha = scalars.alpha.get(), beta = scalars.beta.get();
  columns -= base;
  values -= base;
  x -= base;
  auto product = [&](int at) { return element<C>(values[at], isConjugated) * convert<C>(x[columns[at]]); };
  int at = offsets[first];
  for (int row = first; row < last; row++) {
    int end = offsets[row + 1];
    C sums[4] = {zero<C>(), zero<C>(), zero<C>(), zero<C>()};
    for (; at + 7 < end; at += 8) {
#pragma unroll
      for (int i = 0; i < 8; i++) sums[i % 4] = sums[i % 4] + product(at + i);
    }
    C rest = zero<C>();
    switch (end - at) {
      case 1: rest = sum_of<1, C>(at, product); break;
      case 2: rest = sum_of<2, C>(at, product); break;
      case 3: rest = sum_of<3, C>(at, product); break;
      case 4: rest = sum_of<4, C>(at, product); break;
      case 5: rest = sum_of<5, C>(at, product); break;
      case 6: rest = sum_of<6, C>(at, product); break;
      case 7: rest = sum_of<7, C>(at, product); break;
    }
    at = end;
    C value = alpha * (((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest);
    y[row] = convert<Y>(is_zero(beta) ? value : value + beta * convert<C>(y[row]));
  }
}

/// Units are rows of the result: a thread for each element, along a row; batches in z.
template <class A, class B, class Y, class C>
__global__ void gather_product(Entries entries, const A *values, bool isConjugated, bool isTransposed, Dense<const B> b,
                               bool isBConjugated, Dense<Y> y, i64 columns, Scalars<C> scalars) {
  int batch = blockIdx.z;
  Entries own = entries.of_batch(batch);
  values += batch * entries.valuesStride;
  b = b.of_batch(batch);
  y = y.of_batch(batch);
  C alpha = scalars.alpha.get(), beta = scalars.beta.get();
  for (i64 unit = blockIdx.y; unit < own.units; unit += gridDim.y)
    for (i64 j = thread_index(); j < columns; j += thread_count()) {
      C sum = zero<C>();
      own.each(unit, [&](i64 row, i64 column, i64 at) {
        sum = sum +
              element<C>(values[at], isConjugated) * element<C>(b.at(isTransposed ? row : column, j), isBConjugated);
      });
      Y &target = y.at(unit, j);
      C value = alpha * sum;
      target = convert<Y>(is_zero(beta) ? value : value + beta * convert<C>(target));
    }
}

/// Units are spread over the rows of the result: each thread adds up what falls into its part of one column.
template <class A, class B, class C>
__global__ void scatter_product(Entries entries, const A *values, bool isConjugated, bool isTransposed,
                                Dense<const B> b, bool isBConjugated, C *sums, i64 rows, i64 columns) {
  int batch = blockIdx.z;
  Entries own = entries.of_batch(batch);
  values += batch * entries.valuesStride;
  b = b.of_batch(batch);
  sums += batch * rows * columns;
  i64 part = (rows + gridDim.y - 1) / gridDim.y, first = blockIdx.y * part,
      last = first + part < rows ? first + part : rows;
  for (i64 j = thread_index(); j < columns; j += thread_count()) {
    C *column = sums + j * rows;
    for (i64 row = first; row < last; row++) column[row] = zero<C>();
    for (i64 unit = 0; unit < own.units; unit++)
      own.each(unit, [&](i64 r, i64 c, i64 at) {
        i64 target = isTransposed ? c : r;
        if (target < first || target >= last) return;
        column[target] = column[target] + element<C>(values[at], isConjugated) *
                                              element<C>(b.at(isTransposed ? r : c, j), isBConjugated);
      });
  }
}
template <class Y, class C>
__global__ void add_sums(const C *sums, Dense<Y> y, i64 rows, i64 columns, Scalars<C> scalars) {
  sums += blockIdx.z * rows * columns;
  y = y.of_batch(blockIdx.z);
  C alpha = scalars.alpha.get(), beta = scalars.beta.get();
  for (i64 at = thread_index(); at < rows * columns; at += thread_count()) {
    Y &target = y.at(at % rows, at / rows);
    C value = alpha * sums[at];
    target = convert<Y>(is_zero(beta) ? value : value + beta * convert<C>(target));
  }
}

/// Only the entries of C: their values become alpha A B + beta C.
template <class T, class C>
__global__ void sampled_product(Entries entries, T *values, Dense<const T> a, bool isAConjugated, Dense<const T> b,
                                bool isBConjugated, i64 depth, Scalars<C> scalars) {
  int batch = blockIdx.z;
  Entries own = entries.of_batch(batch);
  values += batch * entries.valuesStride;
  a = a.of_batch(batch);
  b = b.of_batch(batch);
  C alpha = scalars.alpha.get(), beta = scalars.beta.get();
  for (i64 unit = thread_index(); unit < own.units; unit += thread_count())
    own.each(unit, [&](i64 row, i64 column, i64 at) {
      C sum = zero<C>();
      for (i64 k = 0; k < depth; k++)
        sum = sum + element<C>(a.at(row, k), isAConjugated) * element<C>(b.at(k, column), isBConjugated);
      C value = alpha * sum;
      values[at] = convert<T>(is_zero(beta) ? value : value + beta * convert<C>(values[at]));
    });
}

// Sparse vectors.
template <class X, class Y, class C>
__global__ void scale_dense(Y *y, i64 size, Factor<C> beta) {
  C factor = beta.get();
  for (i64 i = thread_index(); i < size; i += thread_count())
    y[i] = is_zero(factor) ? convert<Y>(zero<C>()) : convert<Y>(factor * convert<C>(y[i]));
}
template <class X, class Y, class C>
__global__ void add_sparse(Indices indices, int base, const X *x, i64 nnz, Y *y, Factor<C> alpha) {
  C factor = alpha.get();
  for (i64 i = thread_index(); i < nnz; i += thread_count()) {
    Y &target = y[indices[i] - base];
    target = convert<Y>(convert<C>(target) + factor * convert<C>(x[i]));
  }
}
template <class T> __global__ void gather(Indices indices, int base, T *x, i64 nnz, const T *y) {
  for (i64 i = thread_index(); i < nnz; i += thread_count()) x[i] = y[indices[i] - base];
}
template <class T> __global__ void scatter(Indices indices, int base, const T *x, i64 nnz, T *y) {
  for (i64 i = thread_index(); i < nnz; i += thread_count()) y[indices[i] - base] = x[i];
}
template <class T, class C>
__global__ void rotate(Indices indices, int base, T *x, i64 nnz, T *y, Factor<C> cosine, Factor<C> sine) {
  C c = cosine.get(), s = sine.get();
  for (i64 i = thread_index(); i < nnz; i += thread_count()) {
    T &target = y[indices[i] - base];
    C a = convert<C>(x[i]), b = convert<C>(target);
    x[i] = convert<T>(c * a + s * b);
    target = convert<T>(c * b + minus(s * a));
  }
}
/// One block.
template <class X, class C>
__global__ void sparse_dot(Indices indices, int base, const X *x, i64 nnz, const X *y, bool isConjugated, C *result) {
  __shared__ alignas(16) char memory[128 * sizeof(C)];
  C *sums = (C *)memory, sum = zero<C>();
  for (i64 i = threadIdx.x; i < nnz; i += blockDim.x)
    sum = sum + element<C>(x[i], isConjugated) * convert<C>(y[indices[i] - base]);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = sums[0];
}

} // namespace heddle_sparse
