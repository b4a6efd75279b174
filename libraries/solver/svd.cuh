// Singular values by one-sided Jacobi rotations (Demmel, Veselic, Jacobi's method is more accurate than QR, 1992): the
// pairs of a step are disjoint, a warp has a pair.
#pragma once
#include "factors.cuh"

namespace heddle_solver {

template <class T> struct SvdJob {
  Matrices<T> A;
  i64 lda, m, n;
  Real<T> *S;           // `rank` values a matrix
  i64 rank, sStride;
  double *rest;         // null, or: the work memory of each matrix begins with the norm of what `rank` values leave
  T *U, *V;             // null: not wanted
  i64 ldu, uColumns, uStride, ldv, vColumns, vStride;
  bool isVTransposed;   // V^H is stored
  bool isSorted;
  Real<T> tolerance;
  int mostSweeps;
  int *sweeps;
  double *residuals;
  T *work;              // svd_elements(m, n) a matrix
  int *info;
};
template <class T> __host__ __device__ inline i64 svd_elements(i64 m, i64 n) {
  i64 most = m > n ? m : n, least = m > n ? n : m;
  return (2 * most * least + least * least + 3 * least + most + 5) / 4 * 4; // doubles of a batch stay aligned
}
/// Columns of W become orthogonal, and V gathers the rotations. Returns the sweeps; *residual: the largest cosine left.
template <class T>
__device__ int orthogonalise(T *W, i64 m, i64 n, T *V, Real<T> tolerance, int mostSweeps, Real<T> *residual) {
  typedef Real<T> R;
  __shared__ R largest[WARPS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (i64 at = threadIdx.x; at < n * n; at += THREADS) V[at] = at % n == at / n ? one<T>() : zero<T>();
  __syncthreads();
  R own = 0;
  for (i64 at = threadIdx.x; at < m * n; at += THREADS) own += square(W[at]);
  // What is below is rounding: such a column becomes 0, as its direction has no meaning.
  R least = 4 * epsilon<R>() * root(block_sum(own));
  i64 players = n + n % 2;
  int sweep = 0;
  for (;; sweep++) {
    R worst = 0;
    for (i64 step = 0; step + 1 < players; step++) {
      for (i64 pair = warp; pair < players / 2; pair += WARPS) {
        i64 p = pair == 0 ? players - 1 : (step + pair) % (players - 1),
            q = (step + players - 1 - pair) % (players - 1);
        if (p > q) { i64 t = p; p = q; q = t; }
        if (q >= n) continue;
        T *x = W + p * m, *y = W + q * m;
        R a = 0, b = 0;
        T g = zero<T>();
        for (i64 i = lane; i < m; i += 32) {
          a += square(x[i]);
          b += square(y[i]);
          g = g + conjugate(x[i]) * y[i];
        }
        a = warp_sum(a);
        b = warp_sum(b);
        g = warp_sum(g);
        if (a > 0 && root(a) <= least) {
          for (i64 i = lane; i < m; i += 32) x[i] = zero<T>();
          a = 0;
        }
        if (b > 0 && root(b) <= least) {
          for (i64 i = lane; i < m; i += 32) y[i] = zero<T>();
          b = 0;
        }
        R size = size_of(g), bound = root(a) * root(b);
        if (size == 0 || bound == 0) continue;
        R cosine = size / bound;
        if (cosine > worst) worst = cosine;
        if (cosine <= tolerance) continue;
        R theta = (b - a) / (2 * size);
        R t = (theta >= 0 ? 1 : -1) / (fabs(theta) + root(theta * theta + 1));
        R c = 1 / root(t * t + 1), s = t * c;
        T phase = over(g, Number<T>::of(size, 0));
        auto turn = [&](T *left, T *right, i64 count) {
          for (i64 i = lane; i < count; i += 32) {
            T l = left[i], r = right[i];
            left[i] = difference(scaled(l, c), scaled(conjugate(phase) * r, s));
            right[i] = scaled(phase * l, s) + scaled(r, c);
          }
        };
        turn(x, y, m);
        turn(V + p * n, V + q * n, n);
      }
      __syncthreads();
    }
    if (lane == 0) largest[warp] = worst;
    __syncthreads();
    for (int i = 0; i < WARPS; i++) if (largest[i] > worst) worst = largest[i];
    __syncthreads();
    *residual = worst;
    if (worst <= tolerance || sweep + 1 >= mostSweeps) break;
  }
  return sweep + 1;
}
template <class T> __global__ void svd_kernel(SvdJob<T> job) {
  typedef Real<T> R;
  i64 batch = blockIdx.x;
  bool isWide = job.m < job.n;
  i64 m = isWide ? job.n : job.m, n = isWide ? job.m : job.n;
  const T *A = job.A.at(batch);
  T *W = job.work + batch * svd_elements<T>(job.m, job.n), *copy = W + m * n, *V = copy + m * n, *tau = V + n * n;
  R *lengths = (R *)(tau + n);
  R *S = job.S + batch * (job.sStride ? job.sStride : job.rank);
  for (i64 at = threadIdx.x; at < m * n; at += THREADS) {
    i64 i = at % m, j = at / m;
    W[at] = isWide ? conjugate(A[j + i * job.lda]) : A[i + j * job.lda];
  }
  __syncthreads();
  R residual = 0;
  int sweeps = orthogonalise(W, m, n, V, job.tolerance, job.mostSweeps, &residual);
  for (i64 j = threadIdx.x / 32; j < n; j += WARPS) {
    R sum = 0;
    for (i64 i = threadIdx.x % 32; i < m; i += 32) sum += square(W[i + j * m]);
    R length = root(warp_sum(sum));
    if (threadIdx.x % 32 == 0) lengths[j] = length;
  }
  __syncthreads();
  __shared__ i64 place, rank;
  for (i64 k = 0; k + 1 < n && job.isSorted; k++) {
    if (threadIdx.x == 0) {
      i64 best = k;
      for (i64 i = k + 1; i < n; i++) if (lengths[i] > lengths[best]) best = i;
      R t = lengths[k];
      lengths[k] = lengths[best];
      lengths[best] = t;
      place = best;
    }
    __syncthreads();
    if (place != k) {
      exchange_columns(W, m, m, k, place);
      exchange_columns(V, n, n, k, place);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    R largest = 0;
    for (i64 j = 0; j < n; j++) if (lengths[j] > largest) largest = lengths[j];
    i64 r = 0;
    while (r < n && lengths[r] > largest * epsilon<R>() * R(0.25) && lengths[r] > 0) r++;
    rank = r;
    for (i64 j = 0; j < n && j < job.rank; j++) S[j] = lengths[j];
    job.info[batch] =
        residual > job.tolerance && sweeps >= job.mostSweeps && residual > R(64) * epsilon<R>() ? (int)n + 1 : 0;
    if (job.sweeps) job.sweeps[batch] = sweeps;
    if (job.residuals) job.residuals[batch] = (double)residual;
  }
  __syncthreads();
  i64 known = job.isSorted ? rank : n;
  // Left vectors: columns of W over their lengths; what is missing for a basis comes from QR factors of those.
  for (i64 at = threadIdx.x; at < m * known; at += THREADS) {
    R length = lengths[at / m];
    copy[at] = W[at] = length > 0 ? scaled(W[at], 1 / length) : zero<T>();
  }
  __syncthreads();
  T *left = isWide ? job.V : job.U, *right = isWide ? job.U : job.V;
  i64 leftLd = isWide ? job.ldv : job.ldu, rightLd = isWide ? job.ldu : job.ldv;
  i64 leftColumns = isWide ? job.vColumns : job.uColumns, rightColumns = isWide ? job.uColumns : job.vColumns;
  bool isLeftTransposed = isWide && job.isVTransposed, isRightTransposed = !isWide && job.isVTransposed;
  if (left) left += batch * (isWide ? job.vStride : job.uStride);
  if (right) right += batch * (isWide ? job.uStride : job.vStride);
  if (left) {
    bool needsMore = leftColumns > known;
    if (needsMore) factor_qr(copy, m, m, known, tau);
    T *column = (T *)(tau + 2 * n);
    for (i64 j = 0; j < leftColumns; j++) {
      const T *source = W + j * m;
      if (j >= known) {
        for (i64 i = threadIdx.x; i < m; i += THREADS) column[i] = i == j ? one<T>() : zero<T>();
        __syncthreads();
        apply_q(copy, m, known, tau, true, false, column, m, m, 1);
        source = column;
      }
      for (i64 i = threadIdx.x; i < m; i += THREADS) {
        if (isLeftTransposed) left[j + i * leftLd] = conjugate(source[i]);
        else left[i + j * leftLd] = source[i];
      }
      __syncthreads();
    }
  }
  if (right)
    for (i64 at = threadIdx.x; at < n * (rightColumns < n ? rightColumns : n); at += THREADS) {
      i64 i = at % n, j = at / n;
      if (isRightTransposed) right[j + i * rightLd] = conjugate(V[at]);
      else right[i + j * rightLd] = V[at];
    }
  __syncthreads();
  if (job.rest && threadIdx.x == 0) {
    double sum = 0;
    for (i64 j = job.rank; j < n; j++) sum += (double)lengths[j] * (double)lengths[j];
    *(double *)(job.work + batch * svd_elements<T>(job.m, job.n)) = sqrt(sum);
  }
}

} // namespace heddle_solver
