// LU, Cholesky and QR factors, and what is solved with them (LAPACK Users' Guide; getrf, potrf, geqrf and their kin).
#pragma once
#include "block.cuh"

namespace heddle_solver {

/// Columns that are factored before the rest of the matrix is brought up to date.
constexpr int PANEL = 8;

/// P A = L U. Pivots count from 1; without pivots there are no exchanges. info: the first U(k, k) that is 0.
template <class T> __device__ void factor_lu(T *A, i64 lda, i64 m, i64 n, void *pivots, bool has64, int *info) {
  __shared__ Real<T> sizes[THREADS];
  __shared__ i64 rows[THREADS];
  i64 steps = m < n ? m : n;
  int bad = 0;
  for (i64 k0 = 0; k0 < steps; k0 += PANEL) {
    i64 kEnd = k0 + PANEL < steps ? k0 + PANEL : steps;
    for (i64 k = k0; k < kEnd; k++) {
      T *column = A + k * lda;
      i64 pivot = k;
      if (pivots) {
        Real<T> largest = -1;
        i64 row = k;
        for (i64 i = k + threadIdx.x; i < m; i += THREADS)
          if (one_norm(column[i]) > largest) { largest = one_norm(column[i]); row = i; }
        sizes[threadIdx.x] = largest;
        rows[threadIdx.x] = row;
        __syncthreads();
        for (int half = THREADS / 2; half > 0; half /= 2) {
          if (threadIdx.x < half) {
            Real<T> other = sizes[threadIdx.x + half];
            i64 otherRow = rows[threadIdx.x + half];
            if (other > sizes[threadIdx.x] || (other == sizes[threadIdx.x] && otherRow < rows[threadIdx.x])) {
              sizes[threadIdx.x] = other;
              rows[threadIdx.x] = otherRow;
            }
          }
          __syncthreads();
        }
        pivot = rows[0];
        if (threadIdx.x == 0) {
          if (has64) ((i64 *)pivots)[k] = pivot + 1;
          else ((int *)pivots)[k] = (int)pivot + 1;
        }
        if (pivot != k)
          for (i64 j = threadIdx.x; j < n; j += THREADS) {
            T t = A[k + j * lda];
            A[k + j * lda] = A[pivot + j * lda];
            A[pivot + j * lda] = t;
          }
        __syncthreads();
      }
      T diagonal = column[k];
      if (is_zero(diagonal)) {
        if (!bad) bad = (int)k + 1;
      } else
        for (i64 i = k + 1 + threadIdx.x; i < m; i += THREADS) column[i] = over(column[i], diagonal);
      __syncthreads();
      if (!is_zero(diagonal))
        for (i64 i = k + 1 + threadIdx.x; i < m; i += THREADS) {
          T left = column[i];
          for (i64 j = k + 1; j < kEnd; j++) A[i + j * lda] = difference(A[i + j * lda], left * A[k + j * lda]);
        }
      __syncthreads();
    }
    for (i64 j = kEnd + threadIdx.x; j < n; j += THREADS)
      for (i64 k = k0 + 1; k < kEnd; k++) {
        T sum = A[k + j * lda];
        for (i64 p = k0; p < k; p++) sum = difference(sum, A[k + p * lda] * A[p + j * lda]);
        A[k + j * lda] = sum;
      }
    __syncthreads();
    int width = (int)(kEnd - k0);
    for (i64 i = kEnd + threadIdx.x; i < m; i += THREADS) {
      T left[PANEL];
#pragma unroll
      for (int p = 0; p < PANEL; p++) left[p] = p < width ? A[i + (k0 + p) * lda] : zero<T>();
      for (i64 j = kEnd; j < n; j++) {
        T sum = A[i + j * lda];
        if (width == PANEL) {
#pragma unroll
          for (int p = 0; p < PANEL; p++) sum = difference(sum, left[p] * A[k0 + p + j * lda]);
        } else
          for (int p = 0; p < width; p++) sum = difference(sum, A[i + (k0 + p) * lda] * A[k0 + p + j * lda]);
        A[i + j * lda] = sum;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0 && info) *info = bad;
  __syncthreads();
}

/// op(A) X = B for a triangle of A, in place: a thread for each column of B. op: 0 A, 1 transposed, 2 that conjugated.
template <class T>
__device__ void solve_triangle(const T *A, i64 lda, i64 n, bool isLower, bool isUnit, int op, T *B, i64 ldb,
                               i64 columns) {
  bool isForward = isLower == (op == 0);
  for (i64 j = threadIdx.x; j < columns; j += THREADS) {
    T *b = B + j * ldb;
    for (i64 step = 0; step < n; step++) {
      i64 row = isForward ? step : n - 1 - step;
      T sum = b[row];
      for (i64 k = isForward ? 0 : row + 1; k < (isForward ? row : n); k++) {
        T a = op == 0 ? A[row + k * lda] : A[k + row * lda];
        sum = difference(sum, (op == 2 ? conjugate(a) : a) * b[k]);
      }
      T diagonal = A[row + row * lda];
      b[row] = isUnit ? sum : over(sum, op == 2 ? conjugate(diagonal) : diagonal);
    }
  }
  __syncthreads();
}
template <class T>
__device__ void solve_lu(const T *A, i64 lda, i64 n, const void *pivots, bool has64, int op, T *B, i64 ldb,
                         i64 columns) {
  auto exchange = [&](bool isForward) {
    for (i64 j = threadIdx.x; j < columns; j += THREADS)
      for (i64 step = 0; step < n; step++) {
        i64 k = isForward ? step : n - 1 - step, p = (has64 ? ((const i64 *)pivots)[k] : ((const int *)pivots)[k]) - 1;
        T t = B[k + j * ldb];
        B[k + j * ldb] = B[p + j * ldb];
        B[p + j * ldb] = t;
      }
    __syncthreads();
  };
  if (op == 0 && pivots) exchange(true);
  solve_triangle(A, lda, n, op == 0, op == 0, op, B, ldb, columns);
  solve_triangle(A, lda, n, op != 0, op != 0, op, B, ldb, columns);
  if (op != 0 && pivots) exchange(false);
}

/// A = L L^H, or U^H U: U is L^H in the other triangle. info: the first leading minor that is not positive.
template <class T> __device__ void factor_cholesky(T *A, i64 lda, i64 n, bool isLower, int *info) {
  auto at = [&](i64 i, i64 j) { return isLower ? A[i + j * lda] : conjugate(A[j + i * lda]); };
  auto put = [&](i64 i, i64 j, T value) {
    if (isLower) A[i + j * lda] = value;
    else A[j + i * lda] = conjugate(value);
  };
  for (i64 k0 = 0; k0 < n; k0 += PANEL) {
    i64 kEnd = k0 + PANEL < n ? k0 + PANEL : n;
    for (i64 k = k0; k < kEnd; k++) {
      Real<T> diagonal = real_part(at(k, k));
      __syncthreads();
      if (!(diagonal > 0)) {
        if (threadIdx.x == 0) *info = (int)k + 1;
        return;
      }
      Real<T> length = root(diagonal);
      if (threadIdx.x == 0) put(k, k, Number<T>::of(length, 0));
      for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) put(i, k, scaled(at(i, k), 1 / length));
      __syncthreads();
      for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS)
        for (i64 j = k + 1; j < kEnd && j <= i; j++) put(i, j, difference(at(i, j), at(i, k) * conjugate(at(j, k))));
      __syncthreads();
    }
    for (i64 i = kEnd + threadIdx.x; i < n; i += THREADS) {
      T left[PANEL];
      for (int p = 0; p < PANEL; p++) left[p] = k0 + p < kEnd ? at(i, k0 + p) : zero<T>();
      for (i64 j = kEnd; j <= i; j++) {
        T sum = at(i, j);
        for (int p = 0; p < PANEL && k0 + p < kEnd; p++) sum = difference(sum, left[p] * conjugate(at(j, k0 + p)));
        put(i, j, sum);
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *info = 0;
  __syncthreads();
}
/// The inverse of a triangle, in place: columns of op(A) X = I. info: the first diagonal element that is 0.
template <class T> __device__ void invert_triangle(T *A, i64 lda, i64 n, bool isLower, bool isUnit, int *info) {
  int bad = 0;
  for (i64 k = n - 1; k >= 0 && !isUnit; k--) if (is_zero(A[k + k * lda])) bad = (int)k + 1;
  __syncthreads();
  if (threadIdx.x == 0 && info) *info = bad;
  if (bad) return;
  // Rows of the result come from rows that are inverted already (trti2).
  for (i64 step = 0; step < n; step++) {
    i64 j = isLower ? n - 1 - step : step;
    T own = isUnit ? one<T>() : over(one<T>(), A[j + j * lda]);
    // x = -inverse(rest) a(:, j) / a(j, j), by a product with the triangle that is inverted.
    i64 first = isLower ? j + 1 : 0, last = isLower ? n : j;
    for (i64 turn = 0; turn < last - first; turn++) {
      // Element i needs the old elements on one side of it: from the far end on.
      i64 i = isLower ? last - 1 - turn : first + turn;
      T part = zero<T>();
      if (isLower)
        for (i64 k = first + threadIdx.x; k <= i; k += THREADS)
          part = part + (k == i && isUnit ? one<T>() : A[i + k * lda]) * A[k + j * lda];
      else
        for (i64 k = i + threadIdx.x; k < last; k += THREADS)
          part = part + (k == i && isUnit ? one<T>() : A[i + k * lda]) * A[k + j * lda];
      T sum = block_sum(part);
      if (threadIdx.x == 0) A[i + j * lda] = minus(sum * own);
      __syncthreads();
    }
    if (threadIdx.x == 0 && !isUnit) A[j + j * lda] = own;
    __syncthreads();
  }
}
/// The triangle of U U^H, or of L^H L (lauum), in place.
template <class T> __device__ void multiply_triangle(T *A, i64 lda, i64 n, bool isLower) {
  for (i64 i = 0; i < n; i++) {
    // Element (i, j) of L^H L has rows from i on; of U U^H columns from i on: row i is done with elements of later
    // rows.
    for (i64 j = 0; j <= i; j++) {
      T part = zero<T>();
      for (i64 k = i + threadIdx.x; k < n; k += THREADS)
        part =
            part + (isLower ? conjugate(A[k + i * lda]) * A[k + j * lda] : A[j + k * lda] * conjugate(A[i + k * lda]));
      T sum = block_sum(part);
      __syncthreads();
      if (threadIdx.x == 0) A[isLower ? i + j * lda : j + i * lda] = sum;
      __syncthreads();
    }
  }
}

template <class T> __device__ void factor_qr(T *A, i64 lda, i64 m, i64 n, T *tau) {
  i64 steps = m < n ? m : n;
  for (i64 k = 0; k < steps; k++) {
    Reflector<T> r = reflect(A + k * lda, k, m);
    apply_left(A + k * lda, k, m, conjugate(r.tau), A, lda, k + 1, n);
    if (threadIdx.x == 0) {
      tau[k] = r.tau;
      A[k + k * lda] = Number<T>::of(r.beta, 0);
    }
    __syncthreads();
  }
}
/// C = op(Q) C or C op(Q) for Q = H(0) H(1) …, k reflectors below the diagonal of A, `shift` rows lower. STEP -1:
/// reflectors, their factors and, from the left, C go backwards in memory.
template <int STEP = 1, class T>
__device__ void apply_q(const T *A, i64 lda, i64 k, const T *tau, bool isLeft, bool isConjugated, T *C, i64 ldc, i64 m,
                        i64 n, i64 shift = 0) {
  bool isForward = isLeft == isConjugated;
  for (i64 step = 0; step < k; step++) {
    i64 i = isForward ? step : k - 1 - step;
    T factor = isConjugated ? conjugate(tau[i * STEP]) : tau[i * STEP];
    if (isLeft) apply_left<STEP>(A + i * lda, i + shift, m, factor, C, ldc, 0, n);
    else apply_right<STEP>(A + i * lda, i + shift, n, factor, C, ldc, m);
  }
}
/// The first n columns of Q, in place of the reflectors (org2r).
template <int STEP = 1, class T> __device__ void form_q(T *A, i64 lda, i64 m, i64 n, i64 k, const T *tau) {
  for (i64 j = k; j < n; j++)
    for (i64 i = threadIdx.x; i < m; i += THREADS) A[i * STEP + j * lda] = i == j ? one<T>() : zero<T>();
  __syncthreads();
  for (i64 i = k - 1; i >= 0; i--) {
    T factor = tau[i * STEP];
    apply_left<STEP>(A + i * lda, i, m, factor, A, lda, i + 1, n);
    for (i64 row = threadIdx.x; row < m; row += THREADS) {
      T &a = A[row * STEP + i * lda];
      a = row < i ? zero<T>() : row == i ? difference(one<T>(), factor) : minus(factor * a);
    }
    __syncthreads();
  }
}

template <class T>
__global__ void getrf_kernel(Matrices<T> A, i64 lda, i64 m, i64 n, void *pivots, bool has64, int *info) {
  factor_lu(A.at(blockIdx.x), lda, m, n, pivots, has64, info + blockIdx.x);
}
template <class T>
__global__ void getrs_kernel(const T *A, i64 lda, i64 n, const void *pivots, bool has64, int op, T *B, i64 ldb,
                             i64 columns) {
  solve_lu(A, lda, n, pivots, has64, op, B, ldb, columns);
}
template <class T> __global__ void potrf_kernel(Matrices<T> A, i64 lda, i64 n, bool isLower, int *info) {
  factor_cholesky(A.at(blockIdx.x), lda, n, isLower, info + blockIdx.x);
}
template <class T>
__global__ void potrs_kernel(Matrices<T> A, i64 lda, i64 n, bool isLower, Matrices<T> B, i64 ldb, i64 columns) {
  const T *a = A.at(blockIdx.x);
  T *b = B.at(blockIdx.x);
  solve_triangle(a, lda, n, isLower, false, isLower ? 0 : 2, b, ldb, columns);
  solve_triangle(a, lda, n, isLower, false, isLower ? 2 : 0, b, ldb, columns);
}
template <class T> __global__ void potri_kernel(T *A, i64 lda, i64 n, bool isLower, int *info) {
  invert_triangle(A, lda, n, isLower, false, info);
  __syncthreads();
  if (*info == 0) multiply_triangle(A, lda, n, isLower);
}
template <class T> __global__ void trtri_kernel(T *A, i64 lda, i64 n, bool isLower, bool isUnit, int *info) {
  invert_triangle(A, lda, n, isLower, isUnit, info);
}
template <class T> __global__ void geqrf_kernel(T *A, i64 lda, i64 m, i64 n, T *tau, int *info) {
  factor_qr(A, lda, m, n, tau);
  if (threadIdx.x == 0) *info = 0;
}
template <class T>
__global__ void ormqr_kernel(const T *A, i64 lda, i64 k, const T *tau, bool isLeft, bool isConjugated, T *C, i64 ldc,
                             i64 m, i64 n, int *info) {
  apply_q(A, lda, k, tau, isLeft, isConjugated, C, ldc, m, n);
  if (threadIdx.x == 0) *info = 0;
}
template <class T> __global__ void orgqr_kernel(T *A, i64 lda, i64 m, i64 n, i64 k, const T *tau, int *info) {
  form_q(A, lda, m, n, k, tau);
  if (threadIdx.x == 0) *info = 0;
}
template <class T> __global__ void exchange_rows(T *A, i64 lda, i64 n, int k1, int k2, const int *pivots) {
  for (i64 j = threadIdx.x; j < n; j += THREADS)
    for (int k = k1 - 1; k < k2; k++) {
      T t = A[k + j * lda];
      A[k + j * lda] = A[pivots[k] - 1 + j * lda];
      A[pivots[k] - 1 + j * lda] = t;
    }
}
template <class T> __global__ void copy_matrix(const T *A, i64 lda, T *B, i64 ldb, i64 m, i64 n) {
  for (i64 at = blockIdx.x * (i64)blockDim.x + threadIdx.x; at < m * n; at += gridDim.x * (i64)blockDim.x)
    B[at % m + at / m * ldb] = A[at % m + at / m * lda];
}

} // namespace heddle_solver
