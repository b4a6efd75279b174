// Symmetric indefinite matrices: Bunch and Kaufman's factors (Some stable methods for calculating inertia and solving
// symmetric linear systems, 1977), their inverses and solutions, as LAPACK stores them (sytf2, sytri, sytrs). Complex
// matrices are symmetric, not Hermitian. All is said of the lower triangle; STEP -1 means the upper one, with all
// indices backwards.
#pragma once
#include "factors.cuh"

namespace heddle_solver {

/// Where size(i) is largest, i in [from, to): the first, or the last of equal ones.
template <class R, class Size> __device__ i64 largest(i64 from, i64 to, bool isLast, R &value, Size size) {
  __shared__ R sizes[THREADS];
  __shared__ i64 places[THREADS];
  auto isBetter = [&](R a, i64 atA, R b, i64 atB) { return a > b || (a == b && (isLast ? atA > atB : atA < atB)); };
  R most = -1;
  i64 at = from;
  for (i64 i = from + threadIdx.x; i < to; i += THREADS)
    if (isBetter(size(i), i, most, at)) {
      most = size(i);
      at = i;
    }
  __syncthreads();
  sizes[threadIdx.x] = most;
  places[threadIdx.x] = at;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && isBetter(sizes[threadIdx.x + half], places[threadIdx.x + half], sizes[threadIdx.x],
                                       places[threadIdx.x])) {
      sizes[threadIdx.x] = sizes[threadIdx.x + half];
      places[threadIdx.x] = places[threadIdx.x + half];
    }
    __syncthreads();
  }
  value = sizes[0] < 0 ? 0 : sizes[0];
  return places[0];
}

/// LAPACK's pivots: of row k, counted from 1; negative for both rows of a block of two. Null: no row moves.
struct Pivots {
  const void *first;
  bool has64;
  i64 n;
  /// Backwards if `step` is -1.
  __device__ i64 at(i64 k, int step) const {
    if (!first) return k + 1;
    i64 place = step > 0 ? k : n - 1 - k;
    i64 value = has64 ? ((const i64 *)first)[place] : ((const int *)first)[place];
    i64 row = (value < 0 ? -value : value) - 1, seen = (step > 0 ? row : n - 1 - row) + 1;
    return value < 0 ? -seen : seen;
  }
};

/// Exchanges rows and columns k and p of the rest of the matrix, p > k.
template <int STEP, class T> __device__ void exchange_symmetric(T *A, i64 lda, i64 n, i64 k, i64 p) {
  auto exchange = [&](i64 a, i64 b) {
    T t = A[a];
    A[a] = A[b];
    A[b] = t;
  };
  for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) {
    if (i > p) exchange(i * STEP + k * lda, i * STEP + p * lda);
    else if (i < p) exchange(i * STEP + k * lda, p * STEP + i * lda);
  }
  if (threadIdx.x == 0) exchange(k * STEP + k * lda, p * STEP + p * lda);
}
/// Whether row k is a pivot alone, and the row that it changes places with.
template <int STEP, class T> __device__ bool choose_pivot(T *A, i64 lda, i64 n, i64 k, Real<T> &colmax, i64 &p) {
  typedef Real<T> R;
  const R ALPHA = R(0.6403882032022076); // (1 + √17) / 8
  auto size = [&](i64 i, i64 j) { return one_norm(A[i * STEP + j * lda]); };
  R own = size(k, k);
  i64 row = largest(k + 1, n, STEP < 0, colmax, [&](i64 i) { return size(i, k); });
  p = k;
  if (own >= ALPHA * colmax) return true;
  R rowmax;
  largest(k, n, false, rowmax, [&](i64 i) { return i == row ? R(0) : i < row ? size(row, i) : size(i, row); });
  if (own >= ALPHA * colmax * (colmax / rowmax)) return true;
  p = row;
  return size(row, row) >= ALPHA * rowmax;
}
/// A = L D L^T. info: the first block of D that is 0.
template <int STEP, class T> __device__ void factor_indefinite(T *A, i64 lda, i64 n, int *pivots, int *info) {
  auto at = [&](i64 i, i64 j) -> T & { return A[i * STEP + j * lda]; };
  auto place = [&](i64 k) { return STEP > 0 ? k : n - 1 - k; };
  int bad = 0;
  for (i64 k = 0; k < n;) {
    Real<T> colmax = 0;
    i64 p = k;
    bool isOne = !pivots || choose_pivot<STEP>(A, lda, n, k, colmax, p);
    bool isZero = is_zero(at(k, k)) && (!pivots || colmax == 0);
    __syncthreads();
    i64 moved = isOne ? k : k + 1;
    if (isZero) {
      // NVIDIA's library never names row 1, but where no row moves
      if (!bad && (!pivots || place(k) > 0)) bad = (int)place(k) + 1;
    } else {
      if (p != moved) {
        exchange_symmetric<STEP>(A, lda, n, moved, p);
        if (!isOne && threadIdx.x == 0) {
          T t = at(k + 1, k);
          at(k + 1, k) = at(p, k);
          at(p, k) = t;
        }
        __syncthreads();
      }
      if (isOne) {
        T inverse = over(one<T>(), at(k, k));
        for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) {
          T factor = at(i, k) * inverse;
          for (i64 j = k + 1; j <= i; j++) at(i, j) = difference(at(i, j), factor * at(j, k));
        }
        __syncthreads();
        for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) at(i, k) = at(i, k) * inverse;
      } else {
        T d21 = at(k + 1, k), d11 = over(at(k + 1, k + 1), d21), d22 = over(at(k, k), d21);
        d21 = over(over(one<T>(), difference(d11 * d22, one<T>())), d21);
        for (i64 i = k + 2 + threadIdx.x; i < n; i += THREADS) {
          T first = d21 * difference(d11 * at(i, k), at(i, k + 1));
          T second = d21 * difference(d22 * at(i, k + 1), at(i, k));
          for (i64 j = k + 2; j <= i; j++)
            at(i, j) = difference(difference(at(i, j), first * at(j, k)), second * at(j, k + 1));
        }
        __syncthreads();
        for (i64 i = k + 2 + threadIdx.x; i < n; i += THREADS) {
          T first = d21 * difference(d11 * at(i, k), at(i, k + 1));
          at(i, k + 1) = d21 * difference(d22 * at(i, k + 1), at(i, k));
          at(i, k) = first;
        }
      }
    }
    if (pivots && threadIdx.x == 0) {
      int value = (int)place(p) + 1;
      pivots[place(k)] = isOne ? value : -value;
      if (!isOne) pivots[place(k + 1)] = -value;
    }
    __syncthreads();
    k += isOne ? 1 : 2;
  }
  if (threadIdx.x == 0) *info = bad;
}

/// A X = B by the factors: a warp for each column.
template <int STEP, class T>
__device__ void solve_indefinite(const T *A, i64 lda, i64 n, Pivots pivots, T *B, i64 ldb, i64 columns) {
  int lane = threadIdx.x % 32;
  auto at = [&](i64 i, i64 j) { return A[i * STEP + j * lda]; };
  for (i64 column = threadIdx.x / 32; column < columns; column += WARPS) {
    T *b = B + column * ldb;
    auto exchange = [&](i64 k, i64 p) {
      __syncwarp();
      if (lane == 0 && k != p) {
        T t = b[k * STEP];
        b[k * STEP] = b[p * STEP];
        b[p * STEP] = t;
      }
      __syncwarp();
    };
    auto product = [&](i64 from, i64 j) {
      T sum = zero<T>();
      for (i64 i = from + lane; i < n; i += 32) sum = sum + at(i, j) * b[i * STEP];
      return warp_sum(sum);
    };
    for (i64 k = 0; k < n;) {
      i64 pivot = pivots.at(k, STEP);
      bool isOne = pivot > 0;
      exchange(isOne ? k : k + 1, isOne ? pivot - 1 : -pivot - 1);
      T first = b[k * STEP], second = isOne ? zero<T>() : b[(k + 1) * STEP];
      for (i64 i = k + (isOne ? 1 : 2) + lane; i < n; i += 32) {
        T sum = difference(b[i * STEP], at(i, k) * first);
        b[i * STEP] = isOne ? sum : difference(sum, at(i, k + 1) * second);
      }
      __syncwarp();
      if (lane == 0 && isOne) b[k * STEP] = over(first, at(k, k));
      if (lane == 0 && !isOne) {
        T between = at(k + 1, k), d1 = over(at(k, k), between), d2 = over(at(k + 1, k + 1), between);
        T divisor = difference(d1 * d2, one<T>());
        first = over(first, between);
        second = over(second, between);
        b[k * STEP] = over(difference(d2 * first, second), divisor);
        b[(k + 1) * STEP] = over(difference(d1 * second, first), divisor);
      }
      __syncwarp();
      k += isOne ? 1 : 2;
    }
    for (i64 k = n - 1; k >= 0;) {
      i64 pivot = pivots.at(k, STEP);
      bool isOne = pivot > 0;
      T first = product(k + 1, k), second = isOne ? zero<T>() : product(k + 1, k - 1);
      __syncwarp();
      if (lane == 0) b[k * STEP] = difference(b[k * STEP], first);
      if (lane == 0 && !isOne) b[(k - 1) * STEP] = difference(b[(k - 1) * STEP], second);
      exchange(k, isOne ? pivot - 1 : -pivot - 1);
      k -= isOne ? 1 : 2;
    }
  }
}

/// The inverse by the factors, in place. x: n elements. info: the first diagonal element of D that is 0.
template <int STEP, class T> __device__ void invert_indefinite(T *A, i64 lda, i64 n, Pivots pivots, T *x, int *info) {
  auto at = [&](i64 i, i64 j) -> T & { return A[i * STEP + j * lda]; };
  // LAPACK looks from the end of D where the factors began, which is the first row of the lower triangle
  for (i64 k = 0; k < n; k++)
    if (pivots.at(k, STEP) > 0 && is_zero(at(k, k))) {
      if (threadIdx.x == 0) *info = (int)(STEP > 0 ? k : n - 1 - k) + 1;
      return;
    }
  // Column j, rows after k, becomes minus the inverse of what is after k, times itself.
  auto multiply = [&](i64 k, i64 j) {
    for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) x[i] = at(i, j);
    __syncthreads();
    T own = zero<T>();
    for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) {
      T sum = zero<T>();
      for (i64 p = k + 1; p < n; p++) sum = sum + (p <= i ? at(i, p) : at(p, i)) * x[p];
      at(i, j) = minus(sum);
      own = own + x[i] * sum;
    }
    T change = block_sum(own);
    if (threadIdx.x == 0) at(j, j) = at(j, j) + change;
    __syncthreads();
  };
  __syncthreads();
  for (i64 k = n - 1; k >= 0;) {
    i64 pivot = pivots.at(k, STEP);
    bool isOne = pivot > 0;
    if (isOne) {
      if (threadIdx.x == 0) at(k, k) = over(one<T>(), at(k, k));
      __syncthreads();
      multiply(k, k);
    } else {
      if (threadIdx.x == 0) {
        T t = at(k, k - 1), d1 = over(at(k - 1, k - 1), t), d2 = over(at(k, k), t);
        T d = t * difference(d1 * d2, one<T>());
        at(k - 1, k - 1) = over(d2, d);
        at(k, k) = over(d1, d);
        at(k, k - 1) = minus(over(one<T>(), d));
      }
      __syncthreads();
      multiply(k, k);
      T own = zero<T>();
      for (i64 i = k + 1 + threadIdx.x; i < n; i += THREADS) own = own + at(i, k) * at(i, k - 1);
      T change = block_sum(own);
      if (threadIdx.x == 0) at(k, k - 1) = difference(at(k, k - 1), change);
      __syncthreads();
      multiply(k, k - 1);
    }
    i64 p = isOne ? pivot - 1 : -pivot - 1;
    if (p != k) {
      exchange_symmetric<STEP>(A, lda, n, k, p);
      if (!isOne && threadIdx.x == 0) {
        T t = at(k, k - 1);
        at(k, k - 1) = at(p, k - 1);
        at(p, k - 1) = t;
      }
      __syncthreads();
    }
    k -= isOne ? 1 : 2;
  }
  if (threadIdx.x == 0) *info = 0;
}

template <class T> __global__ void sytrf_kernel(T *A, i64 lda, i64 n, bool isLower, int *pivots, int *info) {
  if (isLower) factor_indefinite<1>(A, lda, n, pivots, info);
  else factor_indefinite<-1>(A + (n - 1) * (lda + 1), -lda, n, pivots, info);
}
template <class T>
__global__ void sytri_kernel(T *A, i64 lda, i64 n, bool isLower, const int *pivots, T *work, int *info) {
  Pivots all{pivots, false, n};
  if (isLower) invert_indefinite<1>(A, lda, n, all, work, info);
  else invert_indefinite<-1>(A + (n - 1) * (lda + 1), -lda, n, all, work, info);
}
template <class T>
__global__ void sytrs_kernel(const T *A, i64 lda, i64 n, bool isLower, const void *pivots, T *B, i64 ldb, i64 columns,
                             int *info) {
  Pivots all{pivots, true, n};
  if (isLower) solve_indefinite<1>(A, lda, n, all, B, ldb, columns);
  else solve_indefinite<-1>(A + (n - 1) * (lda + 1), -lda, n, all, B + n - 1, ldb, columns);
  if (threadIdx.x == 0) *info = 0;
}

} // namespace heddle_solver
