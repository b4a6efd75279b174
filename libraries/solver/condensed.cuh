// Bidiagonal and tridiagonal forms and their orthogonal factors (LAPACK Users' Guide: gebrd, orgbr, sytrd, orgtr,
// ormtr), and the triangular factor of a block of reflectors (larft).
#pragma once
#include "factors.cuh"

namespace heddle_solver {

/// A = Q B P^H for m >= n, B upper bidiagonal. Reflectors of Q are below the diagonal, those of P, conjugated, right of
/// the superdiagonal (gebd2).
template <class T>
__device__ void bidiagonal(T *A, i64 lda, i64 m, i64 n, Real<T> *d, Real<T> *e, T *tauq, T *taup) {
  for (i64 k = 0; k < n; k++) {
    Reflector<T> left = reflect(A + k * lda, k, m);
    apply_left(A + k * lda, k, m, conjugate(left.tau), A, lda, k + 1, n);
    if (threadIdx.x == 0) {
      d[k] = left.beta;
      tauq[k] = left.tau;
      A[k + k * lda] = Number<T>::of(left.beta, 0);
      if (k == n - 1) taup[k] = zero<T>();
    }
    if (k == n - 1) break;
    T *row = A + k;
    for (i64 j = k + 1 + threadIdx.x; j < n; j += THREADS) row[j * lda] = conjugate(row[j * lda]);
    __syncthreads();
    Reflector<T> right = reflect(row, k + 1, n, lda);
    for (i64 i = k + 1 + threadIdx.x; i < m; i += THREADS) {
      T sum = A[i + (k + 1) * lda];
      for (i64 j = k + 2; j < n; j++) sum = sum + A[i + j * lda] * row[j * lda];
      sum = sum * right.tau;
      A[i + (k + 1) * lda] = difference(A[i + (k + 1) * lda], sum);
      for (i64 j = k + 2; j < n; j++) A[i + j * lda] = difference(A[i + j * lda], sum * conjugate(row[j * lda]));
    }
    __syncthreads();
    for (i64 j = k + 2 + threadIdx.x; j < n; j += THREADS) row[j * lda] = conjugate(row[j * lda]);
    if (threadIdx.x == 0) {
      e[k] = right.beta;
      taup[k] = right.tau;
      row[(k + 1) * lda] = Number<T>::of(right.beta, 0);
    }
    __syncthreads();
  }
  __syncthreads();
}
/// The first m rows of P^H, in place of the k reflectors in rows (ungl2).
template <class T> __device__ void form_rows(T *A, i64 lda, i64 m, i64 n, i64 k, const T *tau) {
  for (i64 j = threadIdx.x; j < n; j += THREADS)
    for (i64 i = k; i < m; i++) A[i + j * lda] = i == j ? one<T>() : zero<T>();
  __syncthreads();
  for (i64 k1 = k; k1 > 0; k1--) {
    i64 i = k1 - 1;
    T *row = A + i, factor = conjugate(tau[i]);
    for (i64 r = i + 1 + threadIdx.x; r < m; r += THREADS) {
      T sum = A[r + i * lda];
      for (i64 j = i + 1; j < n; j++) sum = sum + A[r + j * lda] * conjugate(row[j * lda]);
      sum = sum * factor;
      A[r + i * lda] = difference(A[r + i * lda], sum);
      for (i64 j = i + 1; j < n; j++) A[r + j * lda] = difference(A[r + j * lda], sum * row[j * lda]);
    }
    __syncthreads();
    for (i64 j = threadIdx.x; j < n; j += THREADS) {
      T &a = row[j * lda];
      a = j < i ? zero<T>() : j == i ? difference(one<T>(), factor) : minus(factor * a);
    }
    __syncthreads();
  }
}
/// Moves reflectors one column on; the first row and column become those of the identity.
template <int STEP = 1, class T> __device__ void shift_columns(T *A, i64 lda, i64 n) {
  for (i64 i = threadIdx.x; i < n; i += THREADS) {
    for (i64 j = i - 1; j > 0; j--) A[i * STEP + j * lda] = A[i * STEP + (j - 1) * lda];
    if (i == 0)
      for (i64 j = 1; j < n; j++) A[j * lda] = zero<T>();
    A[i * STEP] = i == 0 ? one<T>() : zero<T>();
  }
  __syncthreads();
}
/// The same for reflectors in rows.
template <class T> __device__ void shift_rows(T *A, i64 lda, i64 n) {
  for (i64 j = threadIdx.x; j < n; j += THREADS) {
    for (i64 i = j - 1; i > 0; i--) A[i + j * lda] = A[i - 1 + j * lda];
    if (j == 0)
      for (i64 i = 1; i < n; i++) A[i] = zero<T>();
    A[j * lda] = j == 0 ? one<T>() : zero<T>();
  }
  __syncthreads();
}

/// A = Q T Q^H by the lower triangle alone; reflectors below the subdiagonal (hetd2). STEP -1: by the upper one, with
/// all indices backwards.
template <int STEP, class T>
__device__ void reduce_hermitian(T *A, i64 lda, i64 n, Real<T> *d, Real<T> *e, T *tau) {
  auto at = [&](i64 i, i64 j) -> T & { return A[i * STEP + j * lda]; };
  for (i64 k = 0; k + 1 < n; k++) {
    Reflector<T> r = reflect(A + k * lda, k + 1, n, STEP);
    if (threadIdx.x == 0) at(k + 1, k) = one<T>();
    __syncthreads();
    T *w = tau - STEP; // of row i: w[i * STEP]
    T own = zero<T>();
    for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) {
      T sum = scaled(at(i, k), real_part(at(i, i)));
      for (i64 j = k + 1; j < i; j++) sum = sum + at(i, j) * at(j, k);
      for (i64 j = i + 1; j < n; j++) sum = sum + conjugate(at(j, i)) * at(j, k);
      w[i * STEP] = r.tau * sum;
      own = own + conjugate(w[i * STEP]) * at(i, k);
    }
    T factor = scaled(r.tau * block_sum(own), Real<T>(-0.5));
    for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) w[i * STEP] = w[i * STEP] + factor * at(i, k);
    __syncthreads();
    for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) {
      T vi = at(i, k), wi = w[i * STEP];
      for (i64 j = k + 1; j <= i; j++) {
        T a = difference(difference(at(i, j), vi * conjugate(w[j * STEP])), wi * conjugate(at(j, k)));
        at(i, j) = i == j ? Number<T>::of(real_part(a), 0) : a;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      d[k * STEP] = real_part(at(k, k));
      e[k * STEP] = r.beta;
      tau[k * STEP] = r.tau;
      at(k, k) = Number<T>::of(real_part(at(k, k)), 0);
      at(k + 1, k) = Number<T>::of(r.beta, 0);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0 && n > 0) {
    i64 last = n - 1;
    d[last * STEP] = real_part(at(last, last));
    at(last, last) = Number<T>::of(real_part(at(last, last)), 0);
  }
}

/// H(0) … H(k - 1) = I - V T V^H for reflectors in the columns of V.
template <class T>
__device__ void triangular_factor(const T *V, i64 ldv, i64 n, i64 k, const T *tau, T *F, i64 ldf) {
  int lane = threadIdx.x % 32;
  for (i64 i = 0; i < k; i++) {
    const T *v = V + i * ldv;
    T factor = minus(tau[i]);
    for (i64 j = threadIdx.x / 32; j < i; j += WARPS) {
      const T *u = V + j * ldv;
      T sum = zero<T>();
      for (i64 row = i + 1 + lane; row < n; row += 32) sum = sum + conjugate(u[row]) * v[row];
      sum = warp_sum(sum) + conjugate(u[i]);
      if (lane == 0) F[j + i * ldf] = factor * sum;
    }
    __syncthreads();
    for (i64 first = 0; first < i; first += THREADS) {
      i64 row = first + threadIdx.x;
      T sum = zero<T>();
      for (i64 j = row; j < i; j++) sum = sum + F[row + j * ldf] * F[j + i * ldf];
      __syncthreads();
      if (row < i) F[row + i * ldf] = sum;
      __syncthreads();
    }
    if (threadIdx.x == 0) F[i + i * ldf] = tau[i];
    __syncthreads();
  }
}

template <class T>
__global__ void gebrd_kernel(T *A, i64 lda, i64 m, i64 n, Real<T> *d, Real<T> *e, T *tauq, T *taup, int *info) {
  bidiagonal(A, lda, m, n, d, e, tauq, taup);
  if (threadIdx.x == 0) *info = 0;
}
template <class T>
__global__ void orgbr_kernel(T *A, i64 lda, i64 m, i64 n, i64 k, const T *tau, bool isQ, int *info) {
  if (isQ && m >= k) form_q(A, lda, m, n, k, tau);
  else if (isQ) {
    shift_columns(A, lda, m);
    form_q(A + 1 + lda, lda, m - 1, m - 1, m - 1, tau);
  } else if (k < n) form_rows(A, lda, m, n, k, tau);
  else {
    shift_rows(A, lda, n);
    form_rows(A + 1 + lda, lda, n - 1, n - 1, n - 1, tau);
  }
  if (threadIdx.x == 0) *info = 0;
}
template <class T>
__global__ void sytrd_kernel(T *A, i64 lda, i64 n, bool isLower, Real<T> *d, Real<T> *e, T *tau, int *info) {
  if (isLower) reduce_hermitian<1>(A, lda, n, d, e, tau);
  else reduce_hermitian<-1>(A + (n - 1) * (lda + 1), -lda, n, d + n - 1, e + n - 2, tau + n - 2);
  if (threadIdx.x == 0) *info = 0;
}
template <class T> __global__ void orgtr_kernel(T *A, i64 lda, i64 n, bool isLower, const T *tau, int *info) {
  if (isLower) {
    shift_columns(A, lda, n);
    form_q(A + 1 + lda, lda, n - 1, n - 1, n - 1, tau);
  } else {
    T *last = A + (n - 1) * (lda + 1);
    shift_columns<-1>(last, -lda, n);
    form_q<-1>(last - 1 - lda, -lda, n - 1, n - 1, n - 1, tau + n - 2);
  }
  if (threadIdx.x == 0) *info = 0;
}
template <class T>
__global__ void ormtr_kernel(const T *A, i64 lda, bool isLower, const T *tau, bool isLeft, bool isConjugated, T *C,
                             i64 ldc, i64 m, i64 n, int *info) {
  i64 rows = isLeft ? m : n;
  if (isLower) apply_q(A, lda, rows - 1, tau, isLeft, isConjugated, C, ldc, m, n, 1);
  else if (isLeft)
    apply_q<-1>(A + (rows - 1) * (lda + 1), -lda, rows - 1, tau + rows - 2, true, isConjugated, C + m - 1, ldc, m, n,
                1);
  else
    apply_q<-1>(A + (rows - 1) * (lda + 1), -lda, rows - 1, tau + rows - 2, false, isConjugated, C + (n - 1) * ldc,
                -ldc, m, n, 1);
  if (threadIdx.x == 0) *info = 0;
}
template <class T> __global__ void lauum_kernel(T *A, i64 lda, i64 n, bool isLower, int *info) {
  multiply_triangle(A, lda, n, isLower);
  if (threadIdx.x == 0) *info = 0;
}
template <class T> __global__ void larft_kernel(const T *V, i64 ldv, i64 n, i64 k, const T *tau, T *F, i64 ldf) {
  triangular_factor(V, ldv, n, k, tau, F, ldf);
}

} // namespace heddle_solver
