// Systems and incomplete factors of matrices of blocks. A factor of blocks is the factor of the matrix whose pattern
// has all elements of the blocks. The rows of a system follow each other, so a thread has a whole right-hand side.
#pragma once
#include "entries.cuh"

namespace heddle_sparse {

/// A square matrix of square blocks (BSR); columns of a row are sorted.
template <class T> struct BlockMatrix {
  T *values;
  const int *offsets, *columns;
  int rows, size, base, isColumnOrder; // rows: of blocks

  __device__ int first(int row) const { return offsets[row] - base; }
  __device__ int last(int row) const { return offsets[row + 1] - base; }
  __device__ int column(int at) const { return columns[at] - base; }
  __device__ T &at(int block, int i, int j) const {
    return values[(i64)block * size * size + (isColumnOrder ? j * size + i : i * size + j)];
  }
};
/// position: the least row that was noted; -1, the greatest number without a sign, if there is none.
static __device__ inline void note_row(int *position, int row) { atomicMin((unsigned *)position, (unsigned)row); }

/// Where the block on the diagonal of each row is, or -1. Rows without one are noted.
static __global__ void find_diagonals(int rows, const int *offsets, const int *columns, int base, int *diagonals,
                                      int *position) {
  for (i64 row = thread_index(); row < rows; row += thread_count()) {
    int low = offsets[row] - base, end = offsets[row + 1] - base, found = -1;
    for (int at = low; at < end && found < 0; at++) if (columns[at] - base == row) found = at;
    if (diagonals) diagonals[row] = found;
    if (found < 0 && position) note_row(position, (int)row + base);
  }
}

/// A pivot that is at most `tolerance` becomes `value`.
template <class T> struct Boost { bool isOn; double tolerance; T value; };

/// block(target) = block(target) U^-1 for the upper triangle of block(pivot).
template <class T> __device__ void divide_by_upper(const BlockMatrix<T> &a, int target, int pivot) {
  for (int i = 0; i < a.size; i++)
    for (int j = 0; j < a.size; j++) {
      T sum = a.at(target, i, j);
      for (int k = 0; k < j; k++) sum = sum + minus(a.at(target, i, k) * a.at(pivot, k, j));
      a.at(target, i, j) = over(sum, a.at(pivot, j, j));
    }
}
/// block(target) = L^-1 block(target) for the lower triangle of block(pivot), whose diagonal counts as ones.
template <class T> __device__ void divide_by_lower(const BlockMatrix<T> &a, int target, int pivot) {
  for (int j = 0; j < a.size; j++)
    for (int i = 1; i < a.size; i++) {
      T sum = a.at(target, i, j);
      for (int k = 0; k < i; k++) sum = sum + minus(a.at(pivot, i, k) * a.at(target, k, j));
      a.at(target, i, j) = sum;
    }
}
template <class T> __device__ void subtract_product(const BlockMatrix<T> &a, int target, int left, int right) {
  for (int i = 0; i < a.size; i++)
    for (int k = 0; k < a.size; k++) {
      T factor = minus(a.at(left, i, k));
      for (int j = 0; j < a.size; j++) a.at(target, i, j) = a.at(target, i, j) + factor * a.at(right, k, j);
    }
}
/// Factors without pivoting. False: a pivot is zero.
template <class T> __device__ bool factor_block(const BlockMatrix<T> &a, int block, const Boost<T> &boost) {
  bool isFine = true;
  for (int k = 0; k < a.size; k++) {
    double re = real_part(a.at(block, k, k)), im = imaginary_part(a.at(block, k, k));
    if (boost.isOn && re * re + im * im <= boost.tolerance * boost.tolerance) a.at(block, k, k) = boost.value;
    if (is_zero(a.at(block, k, k))) isFine = false;
    for (int i = k + 1; i < a.size; i++) {
      T factor = over(a.at(block, i, k), a.at(block, k, k));
      a.at(block, i, k) = factor;
      for (int j = k + 1; j < a.size; j++)
        a.at(block, i, j) = a.at(block, i, j) + minus(factor * a.at(block, k, j));
    }
  }
  return isFine;
}
/// ILU(0) by rows (Saad, Iterative Methods for Sparse Linear Systems, algorithm 10.4). By one thread.
template <class T>
__global__ void incomplete_block_lu(BlockMatrix<T> a, const int *diagonals, int *position, Boost<T> boost) {
  for (int row = 0; row < a.rows; row++) {
    int last = a.last(row), diagonal = diagonals[row];
    for (int at = a.first(row); at < last && a.column(at) < row; at++) {
      int pivotRow = a.column(at), pivot = diagonals[pivotRow], target = at + 1;
      if (pivot < 0) continue;
      divide_by_upper(a, at, pivot);
      for (int other = pivot + 1; other < a.last(pivotRow); other++) {
        while (target < last && a.column(target) < a.column(other)) target++;
        if (target < last && a.column(target) == a.column(other)) subtract_product(a, target, at, other);
      }
    }
    if (diagonal < 0) continue;
    if (!factor_block(a, diagonal, boost)) note_row(position, row + a.base);
    for (int at = diagonal + 1; at < last; at++) divide_by_lower(a, at, diagonal);
  }
}

/// block(target) -= block(left) block(right)^H; of a block on the diagonal its lower triangle.
template <class T>
__device__ void subtract_adjoint(const BlockMatrix<T> &a, int target, int left, int right, bool isDiagonal) {
  for (int i = 0; i < a.size; i++)
    for (int j = 0; j < (isDiagonal ? i + 1 : a.size); j++) {
      T sum = a.at(target, i, j);
      for (int k = 0; k < a.size; k++) sum = sum + minus(a.at(left, i, k) * conjugate(a.at(right, j, k)));
      a.at(target, i, j) = sum;
    }
}
/// block(target) = block(target) L^-H for the lower triangle of block(pivot).
template <class T> __device__ void divide_by_adjoint(const BlockMatrix<T> &a, int target, int pivot) {
  for (int i = 0; i < a.size; i++)
    for (int j = 0; j < a.size; j++) {
      T sum = a.at(target, i, j);
      for (int k = 0; k < j; k++) sum = sum + minus(a.at(target, i, k) * conjugate(a.at(pivot, j, k)));
      a.at(target, i, j) = over(sum, conjugate(a.at(pivot, j, j)));
    }
}
/// The lower triangle becomes L with A = L L^H. False: the block is not positive definite.
template <class T> __device__ bool factor_positive(const BlockMatrix<T> &a, int block) {
  typedef typename RealOf<T>::type R;
  bool isFine = true;
  for (int k = 0; k < a.size; k++) {
    R rest = real_part(a.at(block, k, k));
    for (int j = 0; j < k; j++) {
      R re = real_part(a.at(block, k, j)), im = imaginary_part(a.at(block, k, j));
      rest -= re * re + im * im;
    }
    if (!(rest > 0)) isFine = false;
    T pivot = Number<T>::of((R)sqrt((double)rest), 0);
    a.at(block, k, k) = pivot;
    for (int i = k + 1; i < a.size; i++) {
      T sum = a.at(block, i, k);
      for (int j = 0; j < k; j++) sum = sum + minus(a.at(block, i, j) * conjugate(a.at(block, k, j)));
      a.at(block, i, k) = over(sum, pivot);
    }
  }
  return isFine;
}
/// IC(0): the lower triangle of A becomes L with A = L L^H. By one thread.
template <class T>
__global__ void incomplete_block_cholesky(BlockMatrix<T> a, const int *diagonals, int *position) {
  for (int row = 0; row < a.rows; row++) {
    int first = a.first(row), last = a.last(row);
    for (int at = first; at < last && a.column(at) <= row; at++) {
      int pivotRow = a.column(at), pivot = diagonals[pivotRow], other = a.first(pivotRow);
      for (int left = first; left < at; left++) {
        while (other < a.last(pivotRow) && a.column(other) < a.column(left)) other++;
        if (other < a.last(pivotRow) && a.column(other) == a.column(left))
          subtract_adjoint(a, at, left, other, pivotRow == row);
      }
      if (pivotRow == row) {
        if (!factor_positive(a, at)) note_row(position, row + a.base);
      } else if (pivot >= 0) {
        divide_by_adjoint(a, at, pivot);
      }
    }
  }
}

/// op(A) x = alpha b for a triangle of A, that is, of its elements.
template <class T> struct BlockTriangle {
  BlockMatrix<const T> a;
  bool isLower, isUnit, isTransposed, isConjugated;

  template <class Visit> __device__ void each(i64 row, Visit visit) const {
    int blockRow = (int)(row / a.size), i = (int)(row % a.size);
    for (int at = a.first(blockRow); at < a.last(blockRow); at++)
      for (int j = 0; j < a.size; j++) {
        T value = a.at(at, i, j);
        visit((i64)a.column(at) * a.size + j, isConjugated ? conjugate(value) : value);
      }
  }
};
/// A thread for each right-hand side.
template <class T>
__global__ void solve_block_triangle(BlockTriangle<T> system, const T *b, i64 bRow, i64 bColumn, T *x, i64 xRow,
                                     i64 xColumn, int columns, Factor<T> factor, int *position) {
  T alpha = factor.get();
  i64 rows = (i64)system.a.rows * system.a.size;
  bool isForward = system.isLower != system.isTransposed;
  for (i64 j = thread_index(); j < columns; j += thread_count()) {
    const T *right = b + j * bColumn;
    T *left = x + j * xColumn;
    if (system.isTransposed) for (i64 row = 0; row < rows; row++) left[row * xRow] = alpha * right[row * bRow];
    for (i64 step = 0; step < rows; step++) {
      i64 row = isForward ? step : rows - 1 - step;
      T diagonal = one<T>(), sum = system.isTransposed ? left[row * xRow] : alpha * right[row * bRow];
      system.each(row, [&](i64 column, T value) {
        if (column == row) diagonal = value;
        else if (!system.isTransposed && (column < row) == system.isLower)
          sum = sum + minus(value * left[column * xRow]);
      });
      if (!system.isUnit) {
        if (is_zero(diagonal) && j == 0) note_row(position, (int)(row / system.a.size) + system.a.base);
        sum = over(sum, diagonal);
      }
      left[row * xRow] = sum;
      if (!system.isTransposed) continue;
      system.each(row, [&](i64 column, T value) {
        if (column != row && (column < row) == system.isLower)
          left[column * xRow] = left[column * xRow] + minus(value * sum);
      });
    }
  }
}

/// y = alpha A x + beta y for the block rows that a list names; a row's blocks end where `ends` says.
template <class T> struct MaskedRows {
  BlockMatrix<const T> a;
  const int *mask, *ends;
  int count;
};
template <class T>
__global__ void multiply_masked(MaskedRows<T> given, const T *x, T *y, Factor<T> alphaOf, Factor<T> betaOf) {
  const BlockMatrix<const T> &a = given.a;
  T alpha = alphaOf.get(), beta = betaOf.get();
  for (i64 at = thread_index(); at < (i64)given.count * a.size; at += thread_count()) {
    int row = given.mask[at / a.size] - a.base, i = (int)(at % a.size);
    T sum = zero<T>();
    for (int block = a.first(row); block < given.ends[row] - a.base; block++)
      for (int j = 0; j < a.size; j++) sum = sum + a.at(block, i, j) * x[(i64)a.column(block) * a.size + j];
    T &target = y[(i64)row * a.size + i], value = alpha * sum;
    target = is_zero(beta) ? value : value + beta * target;
  }
}

} // namespace heddle_sparse
