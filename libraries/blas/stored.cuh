// Matrices of level 2 as they are stored: full, as a band of diagonals, or as a packed triangle.
#pragma once
#include "../common/numbers.cuh"

namespace heddle_blas {

using namespace heddle_numbers;

enum Storage { STORED_FULL, STORED_BAND, STORED_PACKED };
enum Kind { KIND_GENERAL, KIND_SYMMETRIC, KIND_HERMITIAN, KIND_TRIANGULAR, KIND_UNIT };

/// Where element (i, j) of a packed triangle of n rows stands.
__host__ __device__ inline long long packed_place(int i, int j, int n, bool isLower) {
  return isLower ? i + (2LL * n - j - 1) * j / 2 : i + (j + 1LL) * j / 2;
}

/// op(A): `rows` and `columns`, `below` and `above` are A's own. below, above: diagonals that are stored.
template <class T> struct Stored {
  const T *data;
  Storage storage;
  Kind kind;
  int rows, columns, below, above;
  long long ld;
  bool isLower, isTransposed, isConjugated;

  __host__ __device__ int units() const { return isTransposed ? columns : rows; }
  /// Element (i, j) of A, which is stored.
  __device__ T own(int i, int j) const {
    if (storage == STORED_PACKED) return data[packed_place(i, j, rows, isLower)];
    return data[(storage == STORED_BAND ? above + i - j : i) + j * ld];
  }
  /// Element (i, j) of op(A), between first(i) and last(i).
  __device__ T at(int i, int j) const {
    if (isTransposed) { int kept = i; i = j; j = kept; }
    if (kind == KIND_UNIT && i == j) return one<T>();
    bool isMirrored = (kind == KIND_SYMMETRIC || kind == KIND_HERMITIAN) && (isLower ? j > i : j < i);
    T value = isMirrored ? own(j, i) : own(i, j);
    if (kind == KIND_HERMITIAN) {
      if (i == j) value = Number<T>::of(real_part(value), 0);
      if (isMirrored) value = conjugate(value);
    }
    return isConjugated ? conjugate(value) : value;
  }
  __device__ bool isFullRow() const { return kind == KIND_SYMMETRIC || kind == KIND_HERMITIAN; }
  /// The columns of row i of op(A) that are not 0.
  __device__ int first(int i) const {
    int reach = isFullRow() ? below + above : isTransposed ? above : below;
    return i > reach ? i - reach : 0;
  }
  __device__ int last(int i) const {
    int reach = isFullRow() ? below + above : isTransposed ? below : above;
    int count = isTransposed ? rows : columns;
    return i < count - 1 - reach ? i + reach : count - 1;
  }
};

/// y = alpha op(A) x + beta y, a thread for each row.
template <class T>
__global__ void stored_product(Stored<T> a, Factor<T> alpha, const T *x, int incx, Factor<T> beta, T *y, int incy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= a.units()) return;
  T value = zero<T>(), by = beta.get();
  if (!is_zero(alpha.get())) {
    for (int j = a.first(i); j <= a.last(i); j++) value = value + a.at(i, j) * x[(long long)j * incx];
    value = alpha.get() * value;
  }
  if (!is_zero(by)) value = value + by * y[(long long)i * incy];
  y[(long long)i * incy] = value;
}

/// Solves op(A) x = x, by one block: a step for each unknown, which is then taken from those behind it.
template <class T> __global__ void stored_solve(Stored<T> a, T *x, int incx) {
  int n = a.rows;
  bool isForward = a.isLower != a.isTransposed;
  for (int step = 0; step < n; step++) {
    int j = isForward ? step : n - 1 - step;
    T *own = x + (long long)j * incx;
    if (threadIdx.x == 0 && a.kind != KIND_UNIT) *own = over(*own, a.at(j, j));
    __syncthreads();
    T value = *own;
    // The rows of column j that are behind it: the reach of a column is that of its diagonal.
    int reach = a.isLower ? a.below : a.above;
    int count = isForward ? n - 1 - j : j;
    if (count > reach) count = reach;
    for (int k = 1 + threadIdx.x; k <= count; k += blockDim.x) {
      int i = isForward ? j + k : j - k;
      x[(long long)i * incx] = x[(long long)i * incx] + minus(a.at(i, j) * value);
    }
    __syncthreads();
  }
}

/// What A grows by: alpha x y^T, alpha x y^H, or with isTwice also the same with x and y exchanged.
struct Update {
  int rows, columns;
  bool isTriangle, isLower, isPacked, isConjugated, isTwice;
  long long ld;
};
template <class T>
__global__ void rank_update(Update how, Factor<T> alpha, const T *x, int incx, const T *y, int incy, T *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= how.rows) return;
  T by = alpha.get();
  if (is_zero(by)) return;
  for (int j = blockIdx.y; j < how.columns; j += gridDim.y) {
    if (how.isTriangle && (how.isLower ? i < j : i > j)) continue;
    T xi = x[(long long)i * incx], yj = y[(long long)j * incy];
    T value = by * xi * (how.isConjugated ? conjugate(yj) : yj);
    if (how.isTwice) {
      T yi = y[(long long)i * incy], xj = x[(long long)j * incx];
      value = value + (how.isConjugated ? conjugate(by) : by) * yi * (how.isConjugated ? conjugate(xj) : xj);
    }
    T *place = a + (how.isPacked ? packed_place(i, j, how.rows, how.isLower) : i + j * how.ld);
    T sum = *place + value;
    if (how.isTriangle && how.isConjugated && i == j) sum = Number<T>::of(real_part(sum), 0);
    *place = sum;
  }
}

/// Between a packed triangle and the same triangle of a full matrix.
template <class T> __global__ void unpack_triangle(int n, bool isLower, const T *packed, T *full, int ld) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i < n && (isLower ? i >= j : i <= j)) full[i + (long long)j * ld] = packed[packed_place(i, j, n, isLower)];
}
template <class T> __global__ void pack_triangle(int n, bool isLower, const T *full, int ld, T *packed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i < n && (isLower ? i >= j : i <= j)) packed[packed_place(i, j, n, isLower)] = full[i + (long long)j * ld];
}

} // namespace heddle_blas
