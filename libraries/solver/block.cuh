// Column-major matrices, and what the threads of one block do together. A matrix has one block: the steps of these
// algorithms follow each other, and batches have many blocks.
#pragma once
#include "../common/numbers.cuh"

namespace heddle_solver {

using namespace heddle_numbers;
typedef long long i64;

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;

/// Matrices of a batch: side by side, `stride` apart, or by an array of addresses.
template <class T> struct Matrices {
  T *first;
  T *const *addresses;
  i64 stride;
  __device__ T *at(i64 batch) const { return addresses ? addresses[batch] : first + batch * stride; }
};

template <class T> using Real = typename RealOf<T>::type;
template <class T> __device__ inline T scaled(T a, Real<T> factor) { return a * Number<T>::of(factor, 0); }
template <class T> __device__ inline Real<T> square(T a) {
  return real_part(a) * real_part(a) + imaginary_part(a) * imaginary_part(a);
}
template <class T> __device__ inline T difference(T a, T b) { return a + minus(b); }
__device__ inline float root(float a) { return sqrtf(a); }
__device__ inline double root(double a) { return sqrt(a); }
template <class T> __device__ inline Real<T> size_of(T a) { return root(square(a)); }
template <class R> __device__ inline R epsilon() {
  return sizeof(R) == 4 ? R(5.9604645e-8) : R(1.1102230246251565e-16);
}

__device__ inline float from_lane(float a, int step) { return __shfl_xor_sync(~0u, a, step); }
__device__ inline double from_lane(double a, int step) { return __shfl_xor_sync(~0u, a, step); }
__device__ inline c32 from_lane(c32 a, int step) { return {from_lane(a.x, step), from_lane(a.y, step)}; }
__device__ inline c64 from_lane(c64 a, int step) { return {from_lane(a.x, step), from_lane(a.y, step)}; }
template <class T> __device__ inline T warp_sum(T value) {
  for (int step = 16; step > 0; step /= 2) value = value + from_lane(value, step);
  return value;
}
/// The sum over the block, for all threads.
template <class T> __device__ T block_sum(T value) {
  __shared__ alignas(16) char memory[WARPS * sizeof(T)];
  T *sums = (T *)memory;
  value = warp_sum(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  T sum = sums[0];
  for (int i = 1; i < WARPS; i++) sum = sum + sums[i];
  return sum;
}

/// A reflector I - tau v v^H with v(first) = 1, whose conjugate takes x to beta e(first) (LAPACK's larfg). The rest of
/// v replaces that of x. All threads return with its values.
template <class T> struct Reflector {
  T tau;
  Real<T> beta;
};
template <class T> __device__ Reflector<T> reflect(T *x, i64 first, i64 n, i64 step = 1) {
  typedef Real<T> R;
  R own = 0;
  for (i64 i = first + 1 + threadIdx.x; i < n; i += THREADS) own += square(x[i * step]);
  R below = block_sum(own);
  T alpha = x[first * step];
  R re = real_part(alpha), im = imaginary_part(alpha);
  if (below == 0 && im == 0) {
    __syncthreads(); // the caller may write to x now
    return {zero<T>(), re};
  }
  R length = root(re * re + im * im + below), beta = re > 0 ? -length : length;
  T divisor = difference(alpha, Number<T>::of(beta, 0));
  __syncthreads();
  for (i64 i = first + 1 + threadIdx.x; i < n; i += THREADS) x[i * step] = over(x[i * step], divisor);
  __syncthreads();
  return {Number<T>::of((beta - re) / beta, -im / beta), beta};
}
/// C = (I - tau v v^H) C for rows [first, m) and some columns; v(first) = 1 is not stored. A warp for each column.
/// STEP -1: rows go backwards in memory.
template <int STEP = 1, class T>
__device__ void apply_left(const T *v, i64 first, i64 m, T tau, T *C, i64 ldc, i64 column, i64 columns) {
  int lane = threadIdx.x % 32;
  for (i64 j = column + threadIdx.x / 32; j < columns; j += WARPS) {
    T *c = C + j * ldc, sum = zero<T>();
    for (i64 i = first + 1 + lane; i < m; i += 32) sum = sum + conjugate(v[i * STEP]) * c[i * STEP];
    sum = tau * (warp_sum(sum) + c[first * STEP]);
    for (i64 i = first + 1 + lane; i < m; i += 32) c[i * STEP] = difference(c[i * STEP], v[i * STEP] * sum);
    __syncwarp();
    if (lane == 0) c[first * STEP] = difference(c[first * STEP], sum);
  }
  __syncthreads();
}
/// C = C (I - tau v v^H): a thread for each row.
template <int STEP = 1, class T>
__device__ void apply_right(const T *v, i64 first, i64 n, T tau, T *C, i64 ldc, i64 rows) {
  for (i64 i = threadIdx.x; i < rows; i += THREADS) {
    T sum = C[i + first * ldc];
    for (i64 j = first + 1; j < n; j++) sum = sum + C[i + j * ldc] * v[j * STEP];
    sum = sum * tau;
    C[i + first * ldc] = difference(C[i + first * ldc], sum);
    for (i64 j = first + 1; j < n; j++) C[i + j * ldc] = difference(C[i + j * ldc], sum * conjugate(v[j * STEP]));
  }
  __syncthreads();
}
template <class T> __device__ void exchange_columns(T *A, i64 lda, i64 rows, i64 a, i64 b) {
  for (i64 i = threadIdx.x; i < rows; i += THREADS) {
    T t = A[i + a * lda];
    A[i + a * lda] = A[i + b * lda];
    A[i + b * lda] = t;
  }
}

} // namespace heddle_solver
