// Vector operations (BLAS level 1), and the element by element ones of cuBLAS's extensions.
#pragma once
#include "../common/numbers.cuh"

namespace heddle_blas {

using namespace heddle_numbers;

template <class T> __global__ void axpy(int n, Factor<T> alpha, const T *x, int incx, T *y, int incy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[(long long)i * incy] = y[(long long)i * incy] + alpha.get() * x[(long long)i * incx];
}
template <class T> __global__ void scale(int n, Factor<T> alpha, T *x, int incx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[(long long)i * incx] = alpha.get() * x[(long long)i * incx];
}
template <class T> __global__ void copy_or_swap(int n, T *x, int incx, T *y, int incy, bool swapping) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T kept = y[(long long)i * incy];
  y[(long long)i * incy] = x[(long long)i * incx];
  if (swapping) x[(long long)i * incx] = kept;
}
template <class T> __global__ void rotate(int n, T *x, int incx, T *y, int incy, Factor<T> c, Factor<T> s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T a = x[(long long)i * incx], b = y[(long long)i * incy];
  x[(long long)i * incx] = c.get() * a + s.get() * b;
  y[(long long)i * incy] = c.get() * b - s.get() * a;
}

// Magnitudes as the BLAS has them: |re| + |im| for a complex number.
__device__ inline float magnitude(float a) { return fabsf(a); }
__device__ inline double magnitude(double a) { return fabs(a); }
__device__ inline float magnitude(c32 a) { return fabsf(a.x) + fabsf(a.y); }
__device__ inline double magnitude(c64 a) { return fabs(a.x) + fabs(a.y); }
__device__ inline double square(float a) { return (double)a * a; }
__device__ inline double square(double a) { return a * a; }
__device__ inline double square(c32 a) { return (double)a.x * a.x + (double)a.y * a.y; }
__device__ inline double square(c64 a) { return a.x * a.x + a.y * a.y; }

// Reductions run in one block, whose threads take every 256th element: sums in double, so that their order hardly
// matters.
constexpr int REDUCERS = 256;
template <class T> __device__ inline T reduce_block(T value) {
  __shared__ T parts[REDUCERS];
  parts[threadIdx.x] = value;
  __syncthreads();
  for (int half = REDUCERS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] = parts[threadIdx.x] + parts[threadIdx.x + half];
    __syncthreads();
  }
  return parts[0];
}

template <class T> struct Wide { typedef double type; };
template <> struct Wide<c32> { typedef c64 type; };
template <> struct Wide<c64> { typedef c64 type; };
__device__ inline double widen(float a) { return a; }
__device__ inline double widen(double a) { return a; }
__device__ inline c64 widen(c32 a) { return {a.x, a.y}; }
__device__ inline c64 widen(c64 a) { return a; }
template <class T> __device__ inline T narrow(double a) { return (T)a; }
template <class T> __device__ inline T narrow(c64 a) { T r; r.x = a.x; r.y = a.y; return r; }

template <class T> __global__ void dot(int n, const T *x, int incx, const T *y, int incy, bool conjugated, T *result) {
  typedef typename Wide<T>::type W;
  W sum = zero<W>();
  for (long long i = threadIdx.x; i < n; i += REDUCERS) {
    W a = widen(x[i * incx]);
    sum = sum + (conjugated ? conjugate(a) : a) * widen(y[i * incy]);
  }
  sum = reduce_block(sum);
  if (threadIdx.x == 0) *result = narrow<T>(sum);
}

template <class T, class Real> __global__ void norm(int n, const T *x, int incx, bool euclidean, Real *result) {
  double sum = 0;
  for (long long i = threadIdx.x; i < n; i += REDUCERS)
    sum += euclidean ? square(x[i * incx]) : (double)magnitude(x[i * incx]);
  sum = reduce_block(sum);
  if (threadIdx.x == 0) *result = (Real)(euclidean ? sqrt(sum) : sum);
}

// The first index (from 1) of the largest or smallest magnitude.
template <class Magnitude> __device__ inline void extreme_of(int n, Magnitude of, bool largest, int *result) {
  __shared__ double values[REDUCERS];
  __shared__ int places[REDUCERS];
  double best = 0;
  int place = 0;
  for (int i = threadIdx.x; i < n; i += REDUCERS) {
    double value = of(i);
    if (place == 0 || (largest ? value > best : value < best)) { best = value; place = i + 1; }
  }
  values[threadIdx.x] = best;
  places[threadIdx.x] = place;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int t = 1; t < REDUCERS; t++) {
    if (places[t] == 0) continue;
    bool better = place == 0 || (largest ? values[t] > best : values[t] < best);
    if (better || (values[t] == best && places[t] < place)) { best = values[t]; place = places[t]; }
  }
  *result = place;
}
template <class T> __global__ void extreme(int n, const T *x, int incx, bool largest, int *result) {
  extreme_of(n, [=](long long i) { return (double)magnitude(x[i * incx]); }, largest, result);
}

// C = alpha op(A) + beta op(B), and C = diag(x) A or A diag(x).
template <class T>
__global__ void add_matrices(int m, int n, Factor<T> alpha, const T* a, long long aRow, long long aColumn,
                             bool conjugateA, Factor<T> beta, const T* b, long long bRow, long long bColumn,
                             bool conjugateB, T* c, int ldc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= m) return;
  T value = zero<T>();
  if (!is_zero(alpha.get())) { T e = a[i * aRow + j * aColumn]; value = alpha.get() * (conjugateA ? conjugate(e) : e); }
  if (!is_zero(beta.get())) {
    T e = b[i * bRow + j * bColumn];
    value = value + beta.get() * (conjugateB ? conjugate(e) : e);
  }
  c[i + (long long)j * ldc] = value;
}
template <class T>
__global__ void scale_by_diagonal(int m, int n, const T* a, int lda, const T* x, int incx, bool left, T* c, int ldc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i < m) c[i + (long long)j * ldc] = x[(long long)(left ? i : j) * incx] * a[i + (long long)j * lda];
}

// Solves op(A) X = alpha B by substitution, one thread for each right-hand side: x(k) at k * step of it.
struct Substitution {
  int n, sides;
  long long aRow, aColumn;
  bool conjugated, forward, unit;
  long long step, side;
};
template <class T> __device__ inline void substitute(const Substitution& how, const T* a, Factor<T> alpha, T* x) {
  auto [n, sides, aRow, aColumn, conjugated, forward, unit, step, side] = how;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= sides) return;
  T *mine = x + j * side;
  for (int s = 0; s < n; s++) {
    int i = forward ? s : n - 1 - s;
    T value = alpha.get() * mine[i * step];
    for (int t = 0; t < s; t++) {
      int k = forward ? t : n - 1 - t;
      T e = a[i * aRow + k * aColumn];
      value = value + minus((conjugated ? conjugate(e) : e) * mine[k * step]);
    }
    if (!unit) { T e = a[i * aRow + i * aColumn]; value = over(value, conjugated ? conjugate(e) : e); }
    mine[i * step] = value;
  }
}
template <class T> __global__ void solve_triangular(Substitution how, const T *a, Factor<T> alpha, T *x) {
  substitute(how, a, alpha, x);
}
template <class T>
__global__ void solve_triangular_batch(Substitution how, const T *const *as, Factor<T> alpha, T *const *xs) {
  substitute(how, as[blockIdx.y], alpha, xs[blockIdx.y]);
}

} // namespace heddle_blas
