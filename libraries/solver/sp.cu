// cuSOLVER's linear systems with sparse matrices (cuSOLVER documentation, "cuSolverSP"): QR factors of batches, and one
// system by QR or Cholesky. A matrix is factored as a dense one, so that it takes n columns of m numbers.
#include "../common/launched.h"
#include "block.cuh"
#include "sp.h"

using namespace heddle_solver;
using namespace heddle_sparse;

struct csrqrInfo { int m = -1, n = -1, nnz = -1; };

namespace {

template <class T> struct System {
  int m, n, nnz, base;
  const int *starts, *columns;
  const T *values, *b;
  T *x, *work;
  Real<T> tolerance;
  int *singularity; // null: nobody asks
};

/// The matrix of this block, dense, with b as a further column.
template <class T> __device__ T *gather(const System<T>& system) {
  int m = system.m, n = system.n;
  T *A = system.work + (i64)blockIdx.x * m * (n + 1);
  for (i64 i = threadIdx.x; i < (i64)m * n; i += THREADS) A[i] = zero<T>();
  for (i64 i = threadIdx.x; i < m; i += THREADS) A[(i64)m * n + i] = system.b[(i64)blockIdx.x * m + i];
  __syncthreads();
  const T *values = system.values + (i64)blockIdx.x * system.nnz;
  for (int row = threadIdx.x; row < m; row += THREADS)
    for (int at = system.starts[row] - system.base; at < system.starts[row + 1] - system.base; at++) {
      T &target = A[row + (i64)(system.columns[at] - system.base) * m];
      target = target + values[at];
    }
  __syncthreads();
  return A;
}
/// Solves R x = c, with R above the diagonal; x is the system's of this block.
template <class T> __device__ void solve_upper(const System<T>& system, const T *A, T *c) {
  for (i64 k = system.n - 1; k >= 0; k--) {
    if (threadIdx.x == 0) c[k] = over(c[k], A[k + k * system.m]);
    __syncthreads();
    T value = c[k];
    for (i64 i = threadIdx.x; i < k; i += THREADS) c[i] = difference(c[i], A[i + k * system.m] * value);
    __syncthreads();
  }
  for (i64 i = threadIdx.x; i < system.n; i += THREADS) system.x[(i64)blockIdx.x * system.n + i] = c[i];
}
/// The first diagonal number that is below the tolerance, or -1. Thread 0 writes it.
template <class T> __device__ void name_singular(const System<T>& system, const T *A) {
  if (!system.singularity || threadIdx.x != 0) return;
  int found = -1;
  for (int k = 0; k < system.n && found < 0; k++)
    if (!(size_of(A[k + (i64)k * system.m]) > system.tolerance)) found = k;
  *system.singularity = found;
}

template <class T> __global__ void __launch_bounds__(THREADS) qr_kernel(System<T> system) {
  T *A = gather(system), *c = A + (i64)system.m * system.n;
  for (i64 k = 0; k < system.n; k++) {
    T *column = A + k * system.m;
    Reflector<T> reflector = reflect(column, k, system.m);
    apply_left(column, k, system.m, conjugate(reflector.tau), A, system.m, k + 1, system.n + 1); // and b
    if (threadIdx.x == 0) column[k] = Number<T>::of(reflector.beta, 0);
    __syncthreads();
  }
  name_singular(system, A);
  solve_upper(system, A, c);
}

/// A = L L^H by the lower triangle. A diagonal that is not positive ends it.
template <class T> __global__ void __launch_bounds__(THREADS) cholesky_kernel(System<T> system) {
  T *A = gather(system);
  i64 n = system.n;
  T *c = A + n * n;
  for (i64 k = 0; k < n; k++) {
    Real<T> pivot = real_part(A[k + k * n]);
    if (!(pivot > 0) || !(root(pivot) > system.tolerance)) {
      if (threadIdx.x == 0) *system.singularity = (int)k;
      return;
    }
    T diagonal = Number<T>::of(root(pivot), 0);
    __syncthreads();
    for (i64 i = k + threadIdx.x; i < n; i += THREADS) A[i + k * n] = i == k ? diagonal : over(A[i + k * n], diagonal);
    __syncthreads();
    for (i64 j = k + 1 + threadIdx.x / 32; j < n; j += WARPS) {
      T factor = conjugate(A[j + k * n]);
      for (i64 i = j + threadIdx.x % 32; i < n; i += 32) A[i + j * n] = difference(A[i + j * n], A[i + k * n] * factor);
    }
    T value = over(c[k], diagonal); // the forward solve
    __syncthreads();
    for (i64 i = k + threadIdx.x; i < n; i += THREADS) c[i] = i == k ? value : difference(c[i], A[i + k * n] * value);
    __syncthreads();
  }
  for (i64 i = threadIdx.x; i < n; i += THREADS)
    for (i64 j = i + 1; j < n; j++) A[i + j * n] = conjugate(A[j + i * n]);
  __syncthreads();
  if (threadIdx.x == 0) *system.singularity = -1;
  solve_upper(system, A, c);
}

template <class T> size_t work_bytes(int m, int n) { return (size_t)m * (n + 1) * sizeof(T); }

template <class T> struct Native;
template <> struct Native<float> { typedef float type; };
template <> struct Native<double> { typedef double type; };
template <> struct Native<cuComplex> { typedef c32 type; };
template <> struct Native<cuDoubleComplex> { typedef c64 type; };

Status launched() {
  return __heddle_work_error() == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}
template <class T>
System<T> system_of(int m, int n, int nnz, cusparseMatDescr_t descr, const void *values, const int *starts,
                    const int *columns, const void *b, void *x, void *work) {
  return {m, n, nnz, base_of(descr), starts, columns, (const T *)values, (const T *)b, (T *)x, (T *)work, 0, nullptr};
}
/// One system, with work memory of its own: the call waits for the answer.
template <class T>
Status solve_one(cusolverSpHandle_t handle, System<T> system, double tolerance, bool isCholesky, int *singularity) {
  char *work = nullptr;
  size_t bytes = (work_bytes<T>(system.m, system.n) + 255) / 256 * 256;
  if (cudaMalloc(&work, bytes + 256) != cudaSuccess) return CUSOLVER_STATUS_ALLOC_FAILED;
  system.work = (T *)work;
  system.tolerance = (Real<T>)tolerance;
  system.singularity = (int *)(work + bytes);
  if (isCholesky) cholesky_kernel<T><<<1, THREADS, 0, handle->stream>>>(system);
  else qr_kernel<T><<<1, THREADS, 0, handle->stream>>>(system);
  cudaMemcpyAsync(singularity, system.singularity, sizeof(int), cudaMemcpyDeviceToHost, handle->stream);
  cudaError_t error = cudaStreamSynchronize(handle->stream);
  cudaFree(work);
  return error == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

} // namespace

extern "C" {

Status cusolverSpCreate(cusolverSpHandle_t *handle) {
  if (handle && !heddle_captures::can_allocate()) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return make_object(handle);
}
Status cusolverSpDestroy(cusolverSpHandle_t handle) { return destroy_object(handle, CUSOLVER_STATUS_NOT_INITIALIZED); }
Status cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId) {
  HEDDLE_LIVE;
  handle->stream = streamId;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *streamId) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(streamId);
  *streamId = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverSpCreateCsrqrInfo(csrqrInfo_t *info) { return make_object(info); }
/// To destroy nothing is right, as in NVIDIA's library.
Status cusolverSpDestroyCsrqrInfo(csrqrInfo_t info) {
  return info ? destroy_object(info, CUSOLVER_STATUS_INVALID_VALUE) : CUSOLVER_STATUS_SUCCESS;
}
Status cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                       const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA,
                                       csrqrInfo_t info) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(m >= 0 && n >= 0 && n <= m && nnzA >= 0 && csrRowPtrA && csrColIndA && is_live(info));
  HEDDLE_GENERAL(descrA);
  info->m = m;
  info->n = n;
  info->nnz = nnzA;
  return CUSOLVER_STATUS_SUCCESS;
}

#define HEDDLE_ANALYSED (is_live(info) && info->m == m && info->n == n && info->nnz == nnz)
#define HEDDLE_SPARSE(P, T, R)                                                                                         \
  Status cusolverSp##P##csrqrBufferInfoBatched(cusolverSpHandle_t handle, int m, int n, int nnz,                       \
                                               const cusparseMatDescr_t descrA, const T *csrVal, const int *csrRowPtr, \
                                               const int *csrColInd, int batchSize, csrqrInfo_t info,                  \
                                               size_t *internalDataInBytes, size_t *workspaceInBytes) {                \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(HEDDLE_ANALYSED && batchSize > 0 && internalDataInBytes && workspaceInBytes);                         \
    HEDDLE_GENERAL(descrA);                                                                                            \
    *internalDataInBytes = 0;                                                                                          \
    *workspaceInBytes = batchSize * work_bytes<T>(m, n);                                                               \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  Status cusolverSp##P##csrqrsvBatched(cusolverSpHandle_t handle, int m, int n, int nnz,                               \
                                       const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,       \
                                       const int *csrColIndA, const T *b, T *x, int batchSize, csrqrInfo_t info,       \
                                       void *pBuffer) {                                                                \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(HEDDLE_ANALYSED && batchSize > 0 && csrValA && csrRowPtrA && csrColIndA && b && x && pBuffer);        \
    HEDDLE_GENERAL(descrA);                                                                                            \
    typedef Native<T>::type E;                                                                                         \
    qr_kernel<E><<<batchSize, THREADS, 0, handle->stream>>>(                                                           \
        system_of<E>(m, n, nnz, descrA, csrValA, csrRowPtrA, csrColIndA, b, x, pBuffer));                              \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverSp##P##csrlsvqr(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,           \
                                 const T *csrVal, const int *csrRowPtr, const int *csrColInd, const T *b, R tol,       \
                                 int reorder, T *x, int *singularity) {                                                \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(m > 0 && nnz > 0 && csrVal && csrRowPtr && csrColInd && b && x && singularity && reorder >= 0 &&      \
                 reorder <= 3);                                                                                        \
    HEDDLE_WAITS;                                                                                                      \
    HEDDLE_GENERAL(descrA);                                                                                            \
    typedef Native<T>::type E;                                                                                         \
    return solve_one(handle, system_of<E>(m, m, nnz, descrA, csrVal, csrRowPtr, csrColInd, b, x, nullptr), tol, false, \
                     singularity);                                                                                     \
  }                                                                                                                    \
  Status cusolverSp##P##csrlsvchol(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,         \
                                   const T *csrVal, const int *csrRowPtr, const int *csrColInd, const T *b, R tol,     \
                                   int reorder, T *x, int *singularity) {                                              \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(m > 0 && nnz > 0 && csrVal && csrRowPtr && csrColInd && b && x && singularity && reorder >= 0 &&      \
                 reorder <= 3);                                                                                        \
    HEDDLE_WAITS;                                                                                                      \
    HEDDLE_GENERAL(descrA);                                                                                            \
    typedef Native<T>::type E;                                                                                         \
    return solve_one(handle, system_of<E>(m, m, nnz, descrA, csrVal, csrRowPtr, csrColInd, b, x, nullptr), tol, true,  \
                     singularity);                                                                                     \
  }
HEDDLE_SPARSE(S, float, float)
HEDDLE_SPARSE(D, double, double)
HEDDLE_SPARSE(C, cuComplex, float)
HEDDLE_SPARSE(Z, cuDoubleComplex, double)

} // extern "C"
