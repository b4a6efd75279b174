// Triangular systems, incomplete factors, and banded systems. The rows of one system follow each other, so a thread has
// a whole right-hand side, or a whole system of a batch.
#pragma once
#include "entries.cuh"

namespace heddle_sparse {

/// op(A) x = alpha b for a triangle of compressed rows. `values` may be a copy of the matrix's.
template <class T> struct Triangle {
  Indices offsets, indices;
  int base;
  i64 n, sliceSize; // sliceSize: 0, or of SLICED_ELL
  const T *values;
  bool isLower, isUnit, isTransposed, isConjugated;

  template <class Visit> __device__ void each(i64 row, Visit visit) const {
    if (sliceSize == 0) {
      i64 end = offsets[row + 1] - base;
      for (i64 at = offsets[row] - base; at < end; at++) visit(indices[at] - base, at);
      return;
    }
    i64 slice = row / sliceSize, end = offsets[slice + 1] - base;
    for (i64 at = offsets[slice] - base + row % sliceSize; at < end; at += sliceSize)
      if (indices[at] >= base) visit(indices[at] - base, at);
  }
};

template <class T>
__global__ void solve_triangle(Triangle<T> a, const T *b, i64 bRow, i64 bColumn, bool isBConjugated, T *x, i64 xRow,
                               i64 xColumn, i64 columns, Factor<T> factor) {
  T alpha = factor.get();
  for (i64 j = thread_index(); j < columns; j += thread_count()) {
    const T *right = b + j * bColumn;
    T *left = x + j * xColumn;
    auto value = [&](i64 at) { return a.isConjugated ? conjugate(a.values[at]) : a.values[at]; };
    auto given = [&](i64 row) {
      T v = right[row * bRow];
      return alpha * (isBConjugated ? conjugate(v) : v);
    };
    bool isForward = a.isLower != a.isTransposed;
    if (a.isTransposed && (left != right || isBConjugated || xRow != bRow))
      for (i64 row = 0; row < a.n; row++) left[row * xRow] = given(row);
    else if (a.isTransposed)
      for (i64 row = 0; row < a.n; row++) left[row * xRow] = alpha * left[row * xRow];
    for (i64 step = 0; step < a.n; step++) {
      i64 row = isForward ? step : a.n - 1 - step;
      T diagonal = one<T>();
      if (!a.isTransposed) {
        T sum = given(row);
        a.each(row, [&](i64 column, i64 at) {
          if (column == row) diagonal = value(at);
          else if ((column < row) == a.isLower) sum = sum + minus(value(at) * left[column * xRow]);
        });
        left[row * xRow] = a.isUnit ? sum : over(sum, diagonal);
        continue;
      }
      if (!a.isUnit) {
        a.each(row, [&](i64 column, i64 at) { if (column == row) diagonal = value(at); });
        left[row * xRow] = over(left[row * xRow], diagonal);
      }
      T own = left[row * xRow];
      a.each(row, [&](i64 column, i64 at) {
        if (column != row && (column < row) == a.isLower)
          left[column * xRow] = left[column * xRow] + minus(value(at) * own);
      });
    }
  }
}
/// New values of the diagonal, in a copy of the matrix's values.
template <class T> __global__ void replace_diagonal(Triangle<T> a, T *values, const T *diagonal) {
  for (i64 row = thread_index(); row < a.n; row += thread_count())
    a.each(row, [&](i64 column, i64 at) { if (column == row) values[at] = diagonal[row]; });
}

/// The place of a column in a row, or -1.
static __device__ inline int place_of(const int *columns, int first, int last, int column) {
  for (int at = first; at < last; at++) if (columns[at] == column) return at;
  return -1;
}
/// The first row, counted from `base`, without an entry on the diagonal; -1: none.
static __global__ void missing_diagonal(int m, const int *offsets, const int *columns, int base, int *position) {
  *position = -1;
  for (int row = 0; row < m; row++)
    if (place_of(columns, offsets[row] - base, offsets[row + 1] - base, row + base) < 0) {
      *position = row + base;
      return;
    }
}
/// ILU(0) by rows (Saad, Iterative Methods for Sparse Linear Systems, algorithm 10.4). By one thread.
template <class T>
__global__ void incomplete_lu(int m, T *values, const int *offsets, const int *columns, int base, int *position,
                              bool isBoosted, double tolerance, T boost) {
  typedef typename RealOf<T>::type R;
  for (int row = 0; row < m; row++) {
    int first = offsets[row] - base, last = offsets[row + 1] - base;
    for (int at = first; at < last; at++) {
      int k = columns[at] - base;
      if (k >= row) continue;
      int kFirst = offsets[k] - base, kLast = offsets[k + 1] - base;
      int pivot = place_of(columns, kFirst, kLast, k + base);
      if (pivot < 0) continue;
      T factor = over(values[at], values[pivot]);
      values[at] = factor;
      for (int other = kFirst; other < kLast; other++) {
        if (columns[other] - base <= k) continue;
        int target = place_of(columns, first, last, columns[other]);
        if (target >= 0) values[target] = values[target] + minus(factor * values[other]);
      }
    }
    int diagonal = place_of(columns, first, last, row + base);
    if (diagonal < 0) {
      if (*position < 0) *position = row + base;
      continue;
    }
    R re = real_part(values[diagonal]), im = imaginary_part(values[diagonal]);
    if (isBoosted && (double)re * re + (double)im * im <= tolerance * tolerance) values[diagonal] = boost;
    if (is_zero(values[diagonal]) && *position < 0) *position = row + base;
  }
}
/// IC(0): the lower triangle of A becomes L with A = L L^H. By one thread.
template <class T>
__global__ void incomplete_cholesky(int m, T *values, const int *offsets, const int *columns, int base, int *position) {
  typedef typename RealOf<T>::type R;
  for (int row = 0; row < m; row++) {
    int first = offsets[row] - base, last = offsets[row + 1] - base, diagonal = -1;
    R square = 0;
    for (int at = first; at < last; at++) {
      int k = columns[at] - base;
      if (k > row) continue;
      if (k == row) { diagonal = at; continue; }
      int kFirst = offsets[k] - base, kLast = offsets[k + 1] - base;
      T sum = values[at];
      for (int other = first; other < last; other++) {
        if (columns[other] - base >= k) continue;
        int partner = place_of(columns, kFirst, kLast, columns[other]);
        if (partner >= 0) sum = sum + minus(values[other] * conjugate(values[partner]));
      }
      int pivot = place_of(columns, kFirst, kLast, k + base);
      if (pivot >= 0) sum = over(sum, values[pivot]);
      values[at] = sum;
      R re = real_part(sum), im = imaginary_part(sum);
      square += re * re + im * im;
    }
    R rest = diagonal < 0 ? 0 : real_part(values[diagonal]) - square;
    if (rest <= 0 && *position < 0) *position = row + base;
    if (diagonal >= 0) values[diagonal] = Number<T>::of((R)sqrt((double)rest), 0);
  }
}

/// A banded matrix of `below` diagonals under the main one and `above` over it; row i of diagonal d at
/// data[d][i * step]. Gaussian elimination with partial pivoting in work memory of (2 below + above + 1) n elements.
template <class T> struct Band {
  const T *diagonals[5];
  int below, above, n;
  i64 step;
};
template <class T> __device__ inline auto size_of(T value) { return one_norm(value); }

/// work[(i * width + j) * workStep]: row i, column i - below + j.
template <class T>
__device__ bool factor_band(const Band<T> &band, i64 offset, T *work, i64 workStep, int *pivots, i64 pivotStep,
                            bool hasPivots) {
  int n = band.n, below = band.below, reach = band.below + band.above, width = reach + below + 1;
  auto at = [&](int i, int column) -> T & { return work[((i64)i * width + column - i + below) * workStep]; };
  for (int i = 0; i < n; i++)
    for (int d = 0; d < width; d++) {
      int column = i - below + d;
      bool isThere = d <= reach && column >= 0 && column < n;
      work[((i64)i * width + d) * workStep] = isThere ? band.diagonals[d][offset + i * band.step] : zero<T>();
    }
  for (int k = 0; k < n; k++) {
    int last = k + below < n - 1 ? k + below : n - 1, right = k + reach < n - 1 ? k + reach : n - 1, pivot = k;
    if (hasPivots)
      for (int i = k + 1; i <= last; i++) if (size_of(at(i, k)) > size_of(at(pivot, k))) pivot = i;
    if (pivots) pivots[k * pivotStep] = pivot;
    if (pivot != k)
      for (int j = k; j <= right; j++) {
        T t = at(k, j);
        at(k, j) = at(pivot, j);
        at(pivot, j) = t;
      }
    for (int i = k + 1; i <= last; i++) {
      T factor = over(at(i, k), at(k, k));
      at(i, k) = factor;
      for (int j = k + 1; j <= (hasPivots ? right : (k + band.above < n - 1 ? k + band.above : n - 1)); j++)
        at(i, j) = at(i, j) + minus(factor * at(k, j));
    }
  }
  return true;
}
template <class T>
__device__ void solve_band(const Band<T> &band, const T *work, i64 workStep, const int *pivots, i64 pivotStep, T *x,
                           i64 xStep) {
  int n = band.n, below = band.below, reach = band.below + band.above, width = reach + below + 1;
  auto at = [&](int i, int column) { return work[((i64)i * width + column - i + below) * workStep]; };
  for (int k = 0; k < n; k++) {
    int pivot = pivots[k * pivotStep], last = k + below < n - 1 ? k + below : n - 1;
    T own = x[pivot * xStep];
    if (pivot != k) {
      x[pivot * xStep] = x[k * xStep];
      x[k * xStep] = own;
    }
    for (int i = k + 1; i <= last; i++) x[i * xStep] = x[i * xStep] + minus(at(i, k) * own);
  }
  for (int k = n - 1; k >= 0; k--) {
    T sum = x[k * xStep];
    int right = k + reach < n - 1 ? k + reach : n - 1;
    for (int j = k + 1; j <= right; j++) sum = sum + minus(at(k, j) * x[j * xStep]);
    x[k * xStep] = over(sum, at(k, k));
  }
}
/// One matrix by one thread, then a thread for each right-hand side.
template <class T> __global__ void factor_one_band(Band<T> band, T *work, int *pivots, bool hasPivots) {
  factor_band(band, 0, work, 1, pivots, 1, hasPivots);
}
template <class T>
__global__ void solve_one_band(Band<T> band, const T *work, const int *pivots, T *x, i64 ldx, int columns) {
  for (i64 j = thread_index(); j < columns; j += thread_count()) solve_band(band, work, 1, pivots, 1, x + j * ldx, 1);
}
/// A thread for each system: its elements `band.step` apart, systems `systemStep` apart. Work memory is interleaved.
template <class T>
__global__ void solve_bands(Band<T> band, i64 systemStep, int count, T *work, int *pivots, bool hasPivots, T *x) {
  for (i64 system = thread_index(); system < count; system += thread_count()) {
    factor_band(band, system * systemStep, work + system, count, pivots + system, count, hasPivots);
    solve_band(band, work + system, count, pivots + system, count, x + system * systemStep, band.step);
  }
}

} // namespace heddle_sparse
