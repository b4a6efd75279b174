// Eigenvalues and eigenvectors of Hermitian matrices: reduction to a tridiagonal matrix and implicit QL (Bowdler,
// Martin, Reinsch, Wilkinson, The QR and QL algorithms for symmetric matrices, 1968), or Jacobi's rotations.
#pragma once
#include "factors.cuh"

namespace heddle_solver {

/// The other triangle of a Hermitian matrix.
template <class T> __device__ void mirror(T *A, i64 lda, i64 n, bool isLower) {
  for (i64 j = 0; j < n; j++)
    for (i64 i = j + threadIdx.x; i < n; i += THREADS) {
      T a = isLower ? A[i + j * lda] : conjugate(A[j + i * lda]);
      if (i == j) a = Number<T>::of(real_part(a), 0);
      A[i + j * lda] = a;
      A[j + i * lda] = conjugate(a);
    }
  __syncthreads();
}
/// A = Q T Q^H for a whole Hermitian matrix: d and e of T; the reflectors stay below the subdiagonal. w: n elements.
template <class T> __device__ void tridiagonal(T *A, i64 lda, i64 n, Real<T> *d, Real<T> *e, T *tau, T *w) {
  for (i64 k = 0; k + 1 < n; k++) {
    T *v = A + k * lda;
    Reflector<T> r = reflect(v, k + 1, n);
    if (threadIdx.x == 0) {
      d[k] = real_part(v[k]);
      e[k] = r.beta;
      tau[k] = r.tau;
      v[k + 1] = one<T>();
    }
    __syncthreads();
    T own = zero<T>();
    for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) {
      T sum = zero<T>();
      for (i64 j = k + 1; j < n; j++) sum = sum + A[i + j * lda] * v[j];
      w[i] = r.tau * sum;
      own = own + conjugate(w[i]) * v[i];
    }
    T factor = scaled(r.tau * block_sum(own), Real<T>(-0.5));
    for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) w[i] = w[i] + factor * v[i];
    __syncthreads();
    for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) {
      T vi = v[i], wi = w[i];
      for (i64 j = k + 1; j < n; j++)
        A[i + j * lda] = difference(difference(A[i + j * lda], vi * conjugate(w[j])), wi * conjugate(v[j]));
    }
    __syncthreads();
  }
  if (threadIdx.x == 0 && n > 0) d[n - 1] = real_part(A[n - 1 + (n - 1) * lda]);
  __syncthreads();
}
/// QL with implicit shifts; Z (null: none) is multiplied by the rotations. c and s: n elements. Returns the number of
/// values that did not converge.
template <class T> __device__ int implicit_ql(Real<T> *d, Real<T> *e, i64 n, T *Z, i64 ldz, Real<T> *c, Real<T> *s) {
  typedef Real<T> R;
  __shared__ i64 from, to;
  int failed = 0;
  if (threadIdx.x == 0 && n > 0) e[n - 1] = 0;
  __syncthreads();
  for (i64 l = 0; l < n; l++)
    for (int turn = 0;; turn++) {
      if (threadIdx.x == 0) {
        i64 m = l;
        for (; m + 1 < n; m++) {
          R around = fabs(d[m]) + fabs(d[m + 1]);
          if (fabs(e[m]) <= epsilon<R>() * around) break;
        }
        to = m;
        if (m != l && turn < 60) {
          R g = (d[l + 1] - d[l]) / (2 * e[l]), r = root(g * g + 1);
          g = d[m] - d[l] + e[l] / (g + (g >= 0 ? fabs(r) : -fabs(r)));
          R sine = 1, cosine = 1, p = 0;
          i64 i = m - 1;
          for (; i >= l; i--) {
            R f = sine * e[i], b = cosine * e[i];
            r = root(f * f + g * g);
            e[i + 1] = r;
            if (r == 0) {
              d[i + 1] -= p;
              e[m] = 0;
              break;
            }
            sine = f / r;
            cosine = g / r;
            g = d[i + 1] - p;
            r = (d[i] - g) * sine + 2 * cosine * b;
            p = sine * r;
            d[i + 1] = g + p;
            g = cosine * r - b;
            c[i] = cosine;
            s[i] = sine;
          }
          from = i + 1;
          if (!(r == 0 && i >= l)) {
            d[l] -= p;
            e[l] = g;
            e[m] = 0;
          }
        }
      }
      __syncthreads();
      i64 m = to;
      __syncthreads(); // the first thread goes on to the next value
      if (m == l) break;
      if (turn >= 60) {
        failed++;
        break;
      }
      if (Z)
        for (i64 row = threadIdx.x; row < n; row += THREADS) {
          T upper = Z[row + m * ldz];
          for (i64 i = m - 1; i >= from; i--) {
            T lower = Z[row + i * ldz];
            Z[row + (i + 1) * ldz] = scaled(lower, s[i]) + scaled(upper, c[i]);
            upper = difference(scaled(lower, c[i]), scaled(upper, s[i]));
          }
          Z[row + from * ldz] = upper;
        }
      __syncthreads();
    }
  __syncthreads();
  return failed;
}
/// Ascending, with the columns of Z.
template <class T> __device__ void sort_values(Real<T> *d, i64 n, T *Z, i64 ldz, bool isDescending = false) {
  __shared__ i64 place;
  for (i64 k = 0; k + 1 < n; k++) {
    if (threadIdx.x == 0) {
      i64 best = k;
      for (i64 i = k + 1; i < n; i++) if (isDescending ? d[i] > d[best] : d[i] < d[best]) best = i;
      Real<T> t = d[k];
      d[k] = d[best];
      d[best] = t;
      place = best;
    }
    __syncthreads();
    if (Z && place != k) exchange_columns(Z, ldz, n, k, place);
    __syncthreads();
  }
}

/// Cyclic Jacobi on a whole Hermitian matrix; V becomes the product of the rotations. Returns the sweeps.
template <class T>
__device__ int jacobi(T *A, i64 lda, i64 n, T *V, i64 ldv, Real<T> tolerance, int mostSweeps, Real<T> *residual) {
  typedef Real<T> R;
  if (V)
    for (i64 at = threadIdx.x; at < n * n; at += THREADS)
      V[at % n + at / n * ldv] = at % n == at / n ? one<T>() : zero<T>();
  R all = 0;
  for (i64 at = threadIdx.x; at < n * n; at += THREADS) all += square(A[at % n + at / n * lda]);
  R norm = root(block_sum(all));
  int sweep = 0;
  for (;; sweep++) {
    R off = 0;
    for (i64 at = threadIdx.x; at < n * n; at += THREADS)
      if (at % n != at / n) off += square(A[at % n + at / n * lda]);
    R outside = root(block_sum(off));
    *residual = outside;
    if (outside <= tolerance * norm || sweep >= mostSweeps || !(outside > 0)) break;
    for (i64 p = 0; p + 1 < n; p++)
      for (i64 q = p + 1; q < n; q++) {
        T apq = A[p + q * lda];
        R size = size_of(apq), app = real_part(A[p + p * lda]), aqq = real_part(A[q + q * lda]);
        __syncthreads();
        if (size <= epsilon<R>() * R(0.01) * root(fabs(app) * fabs(aqq)) || size == 0) continue;
        R theta = (aqq - app) / (2 * size);
        R t = (theta >= 0 ? 1 : -1) / (fabs(theta) + root(theta * theta + 1));
        R c = 1 / root(t * t + 1), s = t * c;
        T phase = over(apq, Number<T>::of(size, 0)); // a(p, q) = size * phase
        // x' = c x - s conj(phase) y, y' = s phase x + c y
        for (i64 i = threadIdx.x; i < n; i += THREADS) {
          if (V) {
            T x = V[i + p * ldv], y = V[i + q * ldv];
            V[i + p * ldv] = difference(scaled(x, c), scaled(conjugate(phase) * y, s));
            V[i + q * ldv] = scaled(phase * x, s) + scaled(y, c);
          }
          if (i == p || i == q) continue;
          T x = A[i + p * lda], y = A[i + q * lda];
          T left = difference(scaled(x, c), scaled(conjugate(phase) * y, s)),
            right = scaled(phase * x, s) + scaled(y, c);
          A[i + p * lda] = left;
          A[p + i * lda] = conjugate(left);
          A[i + q * lda] = right;
          A[q + i * lda] = conjugate(right);
        }
        if (threadIdx.x == 0) {
          A[p + p * lda] = Number<T>::of(app - t * size, 0);
          A[q + q * lda] = Number<T>::of(aqq + t * size, 0);
          A[p + q * lda] = A[q + p * lda] = zero<T>();
        }
        __syncthreads();
      }
  }
  return sweep;
}

/// L from U = L^H, or U from L: into the other triangle, each element once.
template <class T> __device__ void mirror_triangle(T *B, i64 ldb, i64 n) {
  __syncthreads();
  for (i64 j = 0; j < n; j++)
    for (i64 i = j + 1 + threadIdx.x; i < n; i += THREADS) {
      T t = B[i + j * ldb];
      B[i + j * ldb] = conjugate(B[j + i * ldb]);
      B[j + i * ldb] = conjugate(t);
    }
  __syncthreads();
}

/// What an eigenvalue function asks for. B: for A x = w B x and its kin, by Cholesky.
template <class T> struct EigenJob {
  Matrices<T> A, B;
  i64 lda, ldb, n;
  Real<T> *w; // n a matrix
  bool hasVectors, isLower, isJacobi, isSorted;
  int type;    // 0: no B; 1 A x = w B x, 2 A B x = w x, 3 B A x = w x
  int range;   // 0 all, 1 by value in (vl, vu], 2 by index from 1
  Real<T> vl, vu;
  i64 il, iu;
  i64 *found;  // how many, in device memory
  Real<T> tolerance;
  int mostSweeps;
  int *sweeps;          // of each matrix
  double *residuals;
  T *work;              // (n n + 2 n) elements and 3 n real ones a matrix
  int *info;
};
template <class T> __host__ __device__ inline i64 eigen_elements(i64 n) { return n * n + 2 * n + 4 * n + 2; }

/// A becomes inverse(L) A inverse(L)^H or L^H A L, for B = L L^H (sygst); A is whole, L in the lower triangle of B.
template <class T> __device__ void to_standard(T *A, i64 lda, const T *L, i64 ldl, i64 n, int type) {
  if (type == 1) {
    solve_triangle(L, ldl, n, true, false, 0, A, lda, n);
    // From the right: rows of A, each by a thread.
    for (i64 i = threadIdx.x; i < n; i += THREADS)
      for (i64 j = 0; j < n; j++) {
        T sum = A[i + j * lda];
        for (i64 k = 0; k < j; k++) sum = difference(sum, A[i + k * lda] * conjugate(L[j + k * ldl]));
        A[i + j * lda] = over(sum, conjugate(L[j + j * ldl]));
      }
  } else {
    for (i64 i = threadIdx.x; i < n; i += THREADS)
      for (i64 j = 0; j < n; j++) {
        T sum = zero<T>();
        for (i64 k = j; k < n; k++) sum = sum + A[i + k * lda] * L[k + j * ldl];
        A[i + j * lda] = sum;
      }
    __syncthreads();
    for (i64 j = threadIdx.x; j < n; j += THREADS)
      for (i64 i = 0; i < n; i++) {
        T sum = zero<T>();
        for (i64 k = i; k < n; k++) sum = sum + conjugate(L[k + i * ldl]) * A[k + j * lda];
        A[i + j * lda] = sum;
      }
  }
  __syncthreads();
}

template <class T> __global__ void eigen_kernel(EigenJob<T> job) {
  typedef Real<T> R;
  i64 n = job.n, batch = blockIdx.x;
  T *A = job.A.at(batch), *work = job.work + batch * eigen_elements<T>(n);
  R *w = job.w + batch * n;
  T *Z = work, *tau = Z + n * n, *column = tau + n;
  R *e = (R *)(column + n), *c = e + n, *s = c + n;
  int *info = job.info + batch;
  T *B = nullptr;
  if (job.type) {
    B = job.B.at(batch);
    factor_cholesky(B, job.ldb, n, job.isLower, info);
    __syncthreads();
    int bad = *info;
    __syncthreads();
    if (bad) {
      if (threadIdx.x == 0) *info = (int)n + bad;
      return;
    }
    // The lower factor for what follows; U is put back at the end.
    if (!job.isLower) mirror_triangle(B, job.ldb, n);
  }
  mirror(A, job.lda, n, job.isLower);
  if (job.type) to_standard(A, job.lda, B, job.ldb, n, job.type);
  if (job.isJacobi) {
    R residual = 0;
    int sweeps = jacobi(A, job.lda, n, job.hasVectors ? Z : (T *)nullptr, n, job.tolerance, job.mostSweeps, &residual);
    for (i64 i = threadIdx.x; i < n; i += THREADS) w[i] = real_part(A[i + i * job.lda]);
    if (threadIdx.x == 0) {
      *info = sweeps >= job.mostSweeps && residual > 0 ? (int)n + 1 : 0;
      if (job.sweeps) job.sweeps[batch] = sweeps;
      if (job.residuals) job.residuals[batch] = (double)residual;
    }
    __syncthreads();
  } else {
    tridiagonal(A, job.lda, n, w, e, tau, column);
    if (job.hasVectors) {
      for (i64 at = threadIdx.x; at < n * n; at += THREADS) Z[at] = at % n == at / n ? one<T>() : zero<T>();
      __syncthreads();
      for (i64 k = n - 2; k >= 0; k--) apply_left(A + k * job.lda, k + 1, n, tau[k], Z, n, k + 1, n);
    }
    int failed = implicit_ql<T>(w, e, n, job.hasVectors ? Z : (T *)nullptr, n, c, s);
    if (threadIdx.x == 0) *info = failed;
  }
  if (job.isSorted) sort_values<T>(w, n, job.hasVectors ? Z : (T *)nullptr, n);
  __syncthreads();
  i64 first = 0, last = n;
  if (job.range == 1) {
    while (first < n && !(w[first] > job.vl)) first++;
    last = first;
    while (last < n && w[last] <= job.vu) last++;
  } else if (job.range == 2) {
    first = job.il - 1;
    last = job.iu;
  }
  __syncthreads();
  if (job.found && threadIdx.x == 0) *job.found = last - first;
  if (first > 0 && threadIdx.x == 0)
    for (i64 i = first; i < last; i++) w[i - first] = w[i];
  if (job.hasVectors) {
    if (job.type == 1 || job.type == 2) solve_triangle(B, job.ldb, n, true, false, 2, Z, n, n);
    if (job.type == 3)
      for (i64 j = threadIdx.x; j < n; j += THREADS)
        for (i64 i = n - 1; i >= 0; i--) {
          T sum = zero<T>();
          for (i64 k = 0; k <= i; k++) sum = sum + B[i + k * job.ldb] * Z[k + j * n];
          Z[i + j * n] = sum;
        }
    __syncthreads();
    for (i64 at = threadIdx.x; at < n * (last - first); at += THREADS)
      A[at % n + at / n * job.lda] = Z[at % n + (first + at / n) * n];
  }
  if (job.type && !job.isLower) mirror_triangle(B, job.ldb, n);
}
} // namespace heddle_solver
