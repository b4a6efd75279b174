// Factors of many small matrices at once: a block for each matrix, column-major, by LAPACK's unblocked algorithms
// (getf2, getri, getrs, geqr2). Batches name their matrices by an array of addresses in device memory.
#pragma once
#include "../common/numbers.cuh"

namespace heddle_blas {

using namespace heddle_numbers;

constexpr int FACTOR_THREADS = 128;

template <class T> __device__ inline void exchange(T &a, T &b) {
  T t = a;
  a = b;
  b = t;
}

// What pivots are chosen by. Those of NVIDIA's library are the same for all matrices that were compared.
template <class T> __device__ inline auto pivot_size(T a) {
  return real_part(a) * real_part(a) + imaginary_part(a) * imaginary_part(a);
}

// The row of the largest element of a column, from row `first` on: of equal ones the first. By the first warp.
template <class T> __device__ int largest_row(const T *column, int first, int n) {
  int row = n;
  auto largest = pivot_size(zero<T>());
  for (int i = first + (int)threadIdx.x; i < n; i += 32) {
    auto size = pivot_size(column[i]);
    if (row == n || size > largest) { largest = size; row = i; }
  }
  for (int step = 16; step > 0; step /= 2) {
    auto otherSize = __shfl_xor_sync(~0u, largest, step);
    int otherRow = __shfl_xor_sync(~0u, row, step);
    if (otherRow < n && (row == n || otherSize > largest || (otherSize == largest && otherRow < row))) {
      largest = otherSize;
      row = otherRow;
    }
  }
  return row;
}

// P A = L U in place; `pivots` counts from 1 as LAPACK does, and is null for a factorization without exchanges. The
// first U(k, k) that is 0 stands in `info`, counted from 1.
template <class T> __device__ void lu(T *A, int lda, int n, int *pivots, int *info) {
  __shared__ int pivot;
  if (threadIdx.x == 0) *info = 0;
  for (int k = 0; k < n; k++) {
    if (pivots && threadIdx.x < 32) {
      int row = largest_row(A + (size_t)k * lda, k, n);
      if (threadIdx.x == 0) { pivot = row; pivots[k] = row + 1; }
    }
    __syncthreads();
    if (pivots && pivot != k)
      for (int j = threadIdx.x; j < n; j += blockDim.x) exchange(A[k + (size_t)j * lda], A[pivot + (size_t)j * lda]);
    __syncthreads();
    T diagonal = A[k + (size_t)k * lda];
    if (is_zero(diagonal)) {
      if (threadIdx.x == 0 && *info == 0) *info = k + 1;
      __syncthreads(); // the next step chooses `pivot` again
      continue;
    }
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
      A[i + (size_t)k * lda] = over(A[i + (size_t)k * lda], diagonal);
    __syncthreads();
    int rest = n - k - 1;
    for (int at = threadIdx.x; at < rest * rest; at += blockDim.x) {
      int i = k + 1 + at % rest, j = k + 1 + at / rest;
      T &a = A[i + (size_t)j * lda];
      a = a + minus(A[i + (size_t)k * lda] * A[k + (size_t)j * lda]);
    }
    __syncthreads();
  }
}

// Solves op(A) x = b in place, one thread for each right-hand side, from the factors. op: 0 A, 1 its transpose, 2 the
// conjugate of that.
template <class T>
__device__ void solve_from_factors(const T *A, int lda, int n, const int *pivots, int op, T *b) {
  auto at = [&](int i, int j) {
    T a = op == 0 ? A[i + (size_t)j * lda] : A[j + (size_t)i * lda];
    return op == 2 ? conjugate(a) : a;
  };
  if (op == 0 && pivots)
    for (int k = 0; k < n; k++) exchange(b[k], b[pivots[k] - 1]);
  // The lower triangle of op(A): L, with ones on its diagonal, or U transposed.
  for (int i = 0; i < n; i++) {
    T sum = b[i];
    for (int k = 0; k < i; k++) sum = sum + minus(at(i, k) * b[k]);
    b[i] = op == 0 ? sum : over(sum, at(i, i));
  }
  for (int i = n - 1; i >= 0; i--) {
    T sum = b[i];
    for (int k = i + 1; k < n; k++) sum = sum + minus(at(i, k) * b[k]);
    b[i] = op == 0 ? over(sum, at(i, i)) : sum;
  }
  if (op != 0 && pivots)
    for (int k = n - 1; k >= 0; k--) exchange(b[k], b[pivots[k] - 1]);
}

// The inverse, a column for each thread: the first U(k, k) that is 0 stands in `info`, and there is no inverse then.
template <class T>
__device__ void invert_from_factors(const T *A, int lda, int n, const int *pivots, T *C, int ldc, int *info) {
  int singular = 0;
  for (int k = n - 1; k >= 0; k--)
    if (is_zero(A[k + (size_t)k * lda])) singular = k + 1;
  if (threadIdx.x == 0) *info = singular;
  if (singular) return;
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    T *column = C + (size_t)j * ldc;
    for (int i = 0; i < n; i++) column[i] = i == j ? one<T>() : zero<T>();
    solve_from_factors(A, lda, n, pivots, 0, column);
  }
}

template <class T> __global__ void lu_batch(int n, T *const *As, int lda, int *pivots, int *info) {
  lu(As[blockIdx.x], lda, n, pivots ? pivots + (size_t)blockIdx.x * n : nullptr, info + blockIdx.x);
}

template <class T>
__global__ void invert_batch(int n, const T *const *As, int lda, const int *pivots, T *const *Cs, int ldc, int *info) {
  const int *own = pivots ? pivots + (size_t)blockIdx.x * n : nullptr;
  invert_from_factors(As[blockIdx.x], lda, n, own, Cs[blockIdx.x], ldc, info + blockIdx.x);
}

template <class T>
__global__ void solve_batch(int op, int n, int sides, const T *const *As, int lda, const int *pivots, T *const *Bs,
                            int ldb) {
  const int *own = pivots ? pivots + (size_t)blockIdx.x * n : nullptr;
  for (int j = threadIdx.x; j < sides; j += blockDim.x)
    solve_from_factors(As[blockIdx.x], lda, n, own, op, Bs[blockIdx.x] + (size_t)j * ldb);
}

// Inverses of matrices of at most 32 rows, which stay as they are.
template <class T>
__global__ void matrix_inverse_batch(int n, const T *const *As, int lda, T *const *Cs, int ldc, int *info) {
  __shared__ alignas(16) char memory[32 * 32 * sizeof(T)];
  __shared__ int pivots[32];
  T *copy = (T *)memory;
  const T *A = As[blockIdx.x];
  for (int at = threadIdx.x; at < n * n; at += blockDim.x) copy[at] = A[at % n + (size_t)(at / n) * lda];
  __syncthreads();
  lu(copy, n, n, pivots, info + blockIdx.x);
  __syncthreads();
  invert_from_factors(copy, n, n, pivots, Cs[blockIdx.x], ldc, info + blockIdx.x);
}

// A = Q R: R in the upper triangle, below it the Householder vectors without their leading 1; their factors in tau.
template <class T> __device__ inline void qr(int m, int n, T *A, int lda, T *tau) {
  typedef typename RealOf<T>::type R;
  __shared__ R squares[FACTOR_THREADS];
  int steps = m < n ? m : n;
  for (int k = 0; k < steps; k++) {
    T *column = A + (size_t)k * lda;
    R own = 0;
    for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x) {
      R re = real_part(column[i]), im = imaginary_part(column[i]);
      own += re * re + im * im;
    }
    squares[threadIdx.x] = own;
    __syncthreads();
    for (int half = FACTOR_THREADS / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) squares[threadIdx.x] += squares[threadIdx.x + half];
      __syncthreads();
    }
    T alpha = column[k];
    R re = real_part(alpha), im = imaginary_part(alpha), below = squares[0];
    R length = (R)sqrt((double)(re * re + im * im + below));
    R beta = re > 0 ? -length : length;
    bool isDone = below == 0 && im == 0; // nothing to reflect
    T factor = isDone ? zero<T>() : Number<T>::of((beta - re) / beta, -im / beta);
    T divisor = alpha + minus(Number<T>::of(beta, 0));
    __syncthreads();
    if (threadIdx.x == 0) {
      tau[k] = factor;
      if (!isDone) column[k] = Number<T>::of(beta, 0);
    }
    if (!isDone)
      for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x) column[i] = over(column[i], divisor);
    __syncthreads();
    // The columns to the right by the conjugate of the reflector, a thread for each.
    for (int j = k + 1 + threadIdx.x; j < n && !isDone; j += blockDim.x) {
      T *other = A + (size_t)j * lda, sum = other[k];
      for (int i = k + 1; i < m; i++) sum = sum + conjugate(column[i]) * other[i];
      sum = conjugate(factor) * sum;
      other[k] = other[k] + minus(sum);
      for (int i = k + 1; i < m; i++) other[i] = other[i] + minus(column[i] * sum);
    }
    __syncthreads();
  }
}

template <class T> __global__ void qr_batch(int m, int n, T *const *As, int lda, T *const *taus) {
  qr(m, n, As[blockIdx.x], lda, taus[blockIdx.x]);
}

// The least squares solution of A X = C for m >= n, in the first n rows of C. info: the first zero of R's diagonal.
template <class T>
__global__ void least_squares_batch(int m, int n, int sides, T *const *As, int lda, T *const *Cs, int ldc, T *taus,
                                    int *info) {
  T *A = As[blockIdx.x], *tau = taus + (size_t)blockIdx.x * n;
  qr(m, n, A, lda, tau);
  __syncthreads();
  int singular = 0;
  for (int k = n - 1; k >= 0; k--)
    if (is_zero(A[k + (size_t)k * lda])) singular = k + 1;
  if (threadIdx.x == 0 && info) info[blockIdx.x] = singular;
  for (int j = threadIdx.x; j < sides && !singular; j += blockDim.x) {
    T *c = Cs[blockIdx.x] + (size_t)j * ldc;
    for (int k = 0; k < n; k++) {
      const T *column = A + (size_t)k * lda;
      T sum = c[k];
      for (int i = k + 1; i < m; i++) sum = sum + conjugate(column[i]) * c[i];
      sum = conjugate(tau[k]) * sum;
      c[k] = c[k] + minus(sum);
      for (int i = k + 1; i < m; i++) c[i] = c[i] + minus(column[i] * sum);
    }
    for (int i = n - 1; i >= 0; i--) {
      T sum = c[i];
      for (int k = i + 1; k < n; k++) sum = sum + minus(A[i + (size_t)k * lda] * c[k]);
      c[i] = over(sum, A[i + (size_t)i * lda]);
    }
  }
}

} // namespace heddle_blas
