// cuSOLVER's least squares (cuSOLVER documentation, gels): QR factors in the precision of the solution, so that there
// is nothing to refine.
#include "dense.h"
#include "factors.cuh"

using namespace heddle_solver;
using namespace heddle_nvidia;
using namespace heddle_dense;

namespace {

/// min |B - A X| for m >= n. work: copies of A and B, and n factors. info: the first diagonal element of R that is 0.
template <class T>
__global__ void least_squares_kernel(const T *A, i64 lda, i64 m, i64 n, const T *B, i64 ldb, T *X, i64 ldx, i64 columns,
                                     T *work, int *info) {
  T *F = work, *C = F + m * n, *tau = C + m * columns;
  for (i64 j = threadIdx.x / 32; j < n + columns; j += WARPS) {
    const T *from = j < n ? A + j * lda : B + (j - n) * ldb;
    for (i64 i = threadIdx.x % 32; i < m; i += 32) F[i + j * m] = from[i];
  }
  __syncthreads();
  factor_qr(F, m, m, n, tau);
  int bad = 0;
  for (i64 k = n - 1; k >= 0; k--) if (is_zero(F[k + k * m])) bad = (int)k + 1;
  if (threadIdx.x == 0) *info = bad;
  if (bad) return;
  apply_q(F, m, n, tau, true, true, C, m, m, columns);
  solve_triangle(F, m, n, false, false, 0, C, m, columns);
  for (i64 j = threadIdx.x / 32; j < columns; j += WARPS)
    for (i64 i = threadIdx.x % 32; i < n; i += 32) X[i + j * ldx] = C[i + j * m];
}
bool are_systems(int m, int n, int nrhs, int lda, int ldb, int ldx) {
  return m >= n && is_matrix(m, n, lda) && is_matrix(m, nrhs, ldb) && is_matrix(n, nrhs, ldx);
}
size_t work_bytes(size_t m, size_t n, size_t nrhs, size_t bytes) { return bytes * (m * n + m * nrhs + n + 1); }
template <class T>
Status solve(cusolverDnHandle_t h, int m, int n, int nrhs, const void *A, int lda, const void *B, int ldb, void *X,
             int ldx, void *work, int *info) {
  if (n == 0 || nrhs == 0) set_info(h->stream, info);
  else
    least_squares_kernel<T><<<1, THREADS, 0, h->stream>>>((const T *)A, lda, m, n, (const T *)B, ldb, (T *)X, ldx, nrhs,
                                                          (T *)work, info);
  return launched();
}
size_t bytes_of_precision(int precision) {
  return precision == CUSOLVER_R_32F ? 4 : precision == CUSOLVER_C_64F ? 16 : 8;
}

} // namespace

extern "C" {

/// NVIDIA's gels calls the functions with parameters of iterative refinement, and answers as these do: with the same
/// status for wrong dimensions, and before it looks at the handle.
#define HEDDLE_GELS_NEEDS(CONDITION) if (!(CONDITION)) return CUSOLVER_STATUS_IRS_PARAMS_INVALID
#define HEDDLE_CUSOLVER_GESV(NAME, T)                                                                                  \
  Status cusolverDn##NAME##gels_bufferSize(cusolverDnHandle_t handle, int m, int n, int nrhs, T *dA, int ldda, T *dB,  \
                                           int lddb, T *dX, int lddx, void *work, size_t *bytes) {                     \
    HEDDLE_GELS_NEEDS(are_systems(m, n, nrhs, ldda, lddb, lddx));                                                      \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(bytes);                                                                                               \
    unsigned long long theirs = 0;                                                                                     \
    int status = handle->nvidia("cusolverDn" #NAME "gels_bufferSize", m, n, nrhs, HEDDLE_P(dA), ldda, HEDDLE_P(dB),    \
                                lddb, HEDDLE_P(dX), lddx, HEDDLE_P(work), Host{&theirs});                              \
    if (status > 0) return (Status)status;                                                                             \
    size_t own = work_bytes(m, n, nrhs, sizeof(T));                                                                    \
    *bytes = theirs > own ? (size_t)theirs : own;                                                                      \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  Status cusolverDn##NAME##gels(cusolverDnHandle_t handle, int m, int n, int nrhs, T *dA, int ldda, T *dB, int lddb,   \
                                T *dX, int lddx, void *work, size_t bytes, int *iter, int *info) {                     \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_GELS_NEEDS(are_systems(m, n, nrhs, ldda, lddb, lddx));                                                      \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(iter && info && (n == 0 || nrhs == 0 || (dA && dB && dX && work)));                                   \
    if (bytes < work_bytes(m, n, nrhs, sizeof(T))) return CUSOLVER_STATUS_INVALID_WORKSPACE;                           \
    HEDDLE_HANDED("cusolverDn" #NAME "gels", m, n, nrhs, HEDDLE_P(dA), ldda, HEDDLE_P(dB), lddb, HEDDLE_P(dX), lddx,   \
                  HEDDLE_P(work), (long long)bytes, Host{iter}, HEDDLE_P(info))                                        \
    *iter = 0;                                                                                                         \
    return solve<N>(handle, m, n, nrhs, dA, ldda, dB, lddb, dX, lddx, work, info);                                     \
  }
HEDDLE_CUSOLVER_GESVS
#undef HEDDLE_CUSOLVER_GESV

Status cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolver_int_t m,
                                     cusolver_int_t n, cusolver_int_t nrhs, size_t *bytes) {
  HEDDLE_LIVE;
  // One status for all that parameters lack, where the functions that compute have the documented ones.
  if (Status wrong = check_params(params)) return is_live(params) ? CUSOLVER_STATUS_IRS_PARAMS_INVALID : wrong;
  HEDDLE_NEEDS(n >= 0 && m >= n && nrhs >= 0 && bytes);
  *bytes = work_bytes(m, n, nrhs, bytes_of_precision(params->main));
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverDnIRSXgels(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos,
                          cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, void *dA, cusolver_int_t ldda,
                          void *dB, cusolver_int_t lddb, void *dX, cusolver_int_t lddx, void *work, size_t bytes,
                          cusolver_int_t *niters, cusolver_int_t *info) {
  if (Status wrong = check_params(params)) return wrong; // before the handle, as NVIDIA's
  HEDDLE_LIVE;
  if (!is_live(infos)) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
  HEDDLE_NEEDS(are_systems(m, n, nrhs, ldda, lddb, lddx) && niters && info &&
               (n == 0 || nrhs == 0 || (dA && dB && dX)));
  if (bytes < work_bytes(m, n, nrhs, bytes_of_precision(params->main)) || !work)
    return CUSOLVER_STATUS_INVALID_WORKSPACE;
  *niters = infos->iterations = infos->outer = 0;
  infos->most = params->mostIterations;
  switch (params->main) {
    case CUSOLVER_R_32F: return solve<float>(handle, m, n, nrhs, dA, ldda, dB, lddb, dX, lddx, work, info);
    case CUSOLVER_R_64F: return solve<double>(handle, m, n, nrhs, dA, ldda, dB, lddb, dX, lddx, work, info);
    case CUSOLVER_C_32F: return solve<c32>(handle, m, n, nrhs, dA, ldda, dB, lddb, dX, lddx, work, info);
    default: return solve<c64>(handle, m, n, nrhs, dA, ldda, dB, lddb, dX, lddx, work, info);
  }
}
}
