// cuSOLVER's symmetric indefinite matrices (cuSOLVER documentation): sytrf, sytri, Xsytrs.
#include "indefinite.cuh"
#include "dense.h"

using namespace heddle_solver;
using namespace heddle_nvidia;
using namespace heddle_dense;

namespace {

/// NVIDIA's sytri looks at no other argument if there are no rows.
Status invert_nothing(cusolverDnHandle_t handle, int *info) {
  if (!is_live(handle) || !info) return CUSOLVER_STATUS_SUCCESS;
  set_info(handle->stream, info);
  return launched();
}

} // namespace

extern "C" {

#define HEDDLE_TYPED(P, T)                                                                                             \
  Status cusolverDn##P##sytrf_bufferSize(cusolverDnHandle_t handle, int n, T *A, int lda, int *lwork) {                \
    HEDDLE_LIVE; /* wrong arguments are accepted, as by NVIDIA's; so for sytri and Xsytrs */                           \
    HEDDLE_SIZE(1, "cusolverDn" #P "sytrf_bufferSize", n, HEDDLE_P(A), lda)                                            \
  }                                                                                                                    \
  Status cusolverDn##P##sytrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, int *pivots,     \
                              T *work, int lwork, int *info) {                                                         \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && info && (n == 0 || A));                                      \
    HEDDLE_HANDED("cusolverDn" #P "sytrf", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(pivots), HEDDLE_P(work), lwork,    \
                  HEDDLE_P(info))                                                                                      \
    sytrf_kernel<N><<<1, THREADS, 0, handle->stream>>>((N *)A, lda, n, uplo == CUBLAS_FILL_MODE_LOWER, pivots, info);  \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##sytri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,       \
                                         const int *pivots, int *lwork) {                                              \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_SIZE(n > 1 ? n : 1, "cusolverDn" #P "sytri_bufferSize", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(pivots))   \
  }                                                                                                                    \
  Status cusolverDn##P##sytri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,                  \
                              const int *pivots, T *work, int lwork, int *info) {                                      \
    typedef Native<T>::type N;                                                                                         \
    if (n == 0) return invert_nothing(handle, info);                                                                   \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && info && A && work && lwork >= n);                            \
    HEDDLE_HANDED("cusolverDn" #P "sytri", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(pivots), HEDDLE_P(work), lwork,    \
                  HEDDLE_P(info))                                                                                      \
    sytri_kernel<N><<<1, THREADS, 0, handle->stream>>>((N *)A, lda, n, uplo == CUBLAS_FILL_MODE_LOWER, pivots,         \
                                                       (N *)work, info);                                               \
    return launched();                                                                                                 \
  }
HEDDLE_TYPED(S, float)
HEDDLE_TYPED(D, double)
HEDDLE_TYPED(C, cuComplex)
HEDDLE_TYPED(Z, cuDoubleComplex)
#undef HEDDLE_TYPED

#define HEDDLE_XSYTRS_RIGHT                                                                                            \
  is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && is_known(dataTypeA) && dataTypeB == dataTypeA
#define HEDDLE_XSYTRS_VALUES                                                                                           \
  (int)uplo, (long long)n, (long long)nrhs, (int)dataTypeA, HEDDLE_P(A), (long long)lda, HEDDLE_P(ipiv),               \
      (int)dataTypeB, HEDDLE_P(B), (long long)ldb
Status cusolverDnXsytrs_bufferSize(HEDDLE_XSYTRS, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_SIZES(16, "cusolverDnXsytrs_bufferSize", HEDDLE_XSYTRS_VALUES)
}
Status cusolverDnXsytrs(HEDDLE_XSYTRS, HEDDLE_CUSOLVER_WORK) {
  HEDDLE_NEEDS(HEDDLE_XSYTRS_RIGHT && info && (n == 0 || nrhs == 0 || (A && B))); // before the handle, as NVIDIA's
  HEDDLE_LIVE;
  HEDDLE_HANDED("cusolverDnXsytrs", HEDDLE_XSYTRS_VALUES, HEDDLE_WORK_VALUES)
  return with_type(dataTypeA, [&](auto t) {
    typedef typename decltype(t)::type N;
    sytrs_kernel<N><<<1, THREADS, 0, handle->stream>>>((const N *)A, lda, n, uplo == CUBLAS_FILL_MODE_LOWER, ipiv,
                                                       (N *)B, ldb, nrhs, info);
    return launched();
  });
}
}
