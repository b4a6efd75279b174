// cuSOLVER's condensed forms (cuSOLVER documentation): gebrd, orgbr, sytrd, orgtr, ormtr, lauum, Xlarft.
#include "condensed.cuh"
#include "dense.h"

using namespace heddle_solver;
using namespace heddle_nvidia;
using namespace heddle_dense;

namespace {

bool is_side(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT; }
/// Left: m x n of Q, m >= n >= min(m, k). Right: m x n of P^H, n >= m >= min(n, k).
bool are_reflectors(cublasSideMode_t side, int m, int n, int k, int lda) {
  int more = side == CUBLAS_SIDE_LEFT ? m : n, fewer = side == CUBLAS_SIDE_LEFT ? n : m;
  return is_side(side) && is_matrix(m, n, lda) && k >= 0 && more >= fewer && fewer >= (more < k ? more : k);
}

} // namespace

extern "C" {

// NVIDIA's functions for sizes accept wrong enumerators and dimensions (seen on an H200, CUDA 13.0; for orgtr it was
// seen to refuse dimensions, for lauum nothing was seen). The functions that compute refuse them.
#define HEDDLE_TYPED(P, OR, UN, SY, T, R)                                                                              \
  Status cusolverDn##P##gebrd_bufferSize(cusolverDnHandle_t handle, int m, int n, int *lwork) {                        \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_SIZE(1, "cusolverDn" #P "gebrd_bufferSize", m, n)                                                           \
  }                                                                                                                    \
  Status cusolverDn##P##gebrd(cusolverDnHandle_t handle, int m, int n, T *A, int lda, R *d, R *e, T *tauq, T *taup,    \
                              T *work, int lwork, int *info) {                                                         \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(m >= n && is_matrix(m, n, lda) && info && (n == 0 || (A && d && e && tauq && taup)));                 \
    HEDDLE_HANDED("cusolverDn" #P "gebrd", m, n, HEDDLE_P(A), lda, HEDDLE_P(d), HEDDLE_P(e), HEDDLE_P(tauq),           \
                  HEDDLE_P(taup), HEDDLE_P(work), lwork, HEDDLE_P(info))                                               \
    gebrd_kernel<N><<<1, THREADS, 0, handle->stream>>>((N *)A, lda, m, n, d, e, (N *)tauq, (N *)taup, info);           \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##OR##br_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n, int k,       \
                                          const T *A, int lda, const T *tau, int *lwork) {                             \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_SIZE(1, "cusolverDn" #P #OR "br_bufferSize", (int)side, m, n, k, HEDDLE_P(A), lda, HEDDLE_P(tau))           \
  }                                                                                                                    \
  Status cusolverDn##P##OR##br(cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n, int k, T *A, int lda,   \
                               const T *tau, T *work, int lwork, int *info) {                                          \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(are_reflectors(side, m, n, k, lda) && info && (m == 0 || n == 0 || (A && tau)));                      \
    HEDDLE_HANDED("cusolverDn" #P #OR "br", (int)side, m, n, k, HEDDLE_P(A), lda, HEDDLE_P(tau), HEDDLE_P(work),       \
                  lwork, HEDDLE_P(info))                                                                               \
    if (m == 0 || n == 0) set_info(handle->stream, info);                                                              \
    else                                                                                                               \
      orgbr_kernel<N><<<1, THREADS, 0, handle->stream>>>((N *)A, lda, m, n, k, (const N *)tau,                         \
                                                         side == CUBLAS_SIDE_LEFT, info);                              \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##SY##trd_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, const T *A,        \
                                           int lda, const R *d, const R *e, const T *tau, int *lwork) {                \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_SIZE(1, "cusolverDn" #P #SY "trd_bufferSize", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(d), HEDDLE_P(e),     \
                HEDDLE_P(tau))                                                                                         \
  }                                                                                                                    \
  Status cusolverDn##P##SY##trd(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, R *d, R *e,    \
                                T *tau, T *work, int lwork, int *info) {                                               \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && info && (n == 0 || (A && d && e && tau)));                   \
    HEDDLE_HANDED("cusolverDn" #P #SY "trd", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(d), HEDDLE_P(e),                 \
                  HEDDLE_P(tau), HEDDLE_P(work), lwork, HEDDLE_P(info))                                                \
    sytrd_kernel<N><<<1, THREADS, 0, handle->stream>>>((N *)A, lda, n, uplo == CUBLAS_FILL_MODE_LOWER, d, e,           \
                                                       (N *)tau, info);                                                \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##OR##tr_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, const T *A,         \
                                          int lda,                                                                     \
                                          const T *tau, int *lwork) {                                                  \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda));                                                               \
    HEDDLE_SIZE(1, "cusolverDn" #P #OR "tr_bufferSize", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(tau))                 \
  }                                                                                                                    \
  Status cusolverDn##P##OR##tr(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, const T *tau,   \
                               T *work, int lwork, int *info) {                                                        \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && info && (n == 0 || (A && tau)));                             \
    HEDDLE_HANDED("cusolverDn" #P #OR "tr", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(tau), HEDDLE_P(work), lwork,      \
                  HEDDLE_P(info))                                                                                      \
    orgtr_kernel<N><<<1, THREADS, 0, handle->stream>>>((N *)A, lda, n, uplo == CUBLAS_FILL_MODE_LOWER,                 \
                                                       (const N *)tau, info);                                          \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##UN##tr_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,     \
                                          cublasOperation_t op, int m, int n, const T *A, int lda, const T *tau,       \
                                          const T *C, int ldc, int *lwork) {                                           \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_SIZE(1, "cusolverDn" #P #UN "tr_bufferSize", (int)side, (int)uplo, (int)op, m, n, HEDDLE_P(A), lda,         \
                HEDDLE_P(tau), HEDDLE_P(C), ldc)                                                                       \
  }                                                                                                                    \
  Status cusolverDn##P##UN##tr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                \
                               cublasOperation_t op, int m, int n, T *A, int lda, T *tau, T *C, int ldc, T *work,      \
                               int lwork, int *info) {                                                                 \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    bool isLeft = side == CUBLAS_SIDE_LEFT;                                                                            \
    HEDDLE_NEEDS(is_side(side) && is_fill(uplo) && is_op(op) && is_matrix(m, n, ldc) &&                                \
                 is_matrix(isLeft ? m : n, 0, lda) && info && (m == 0 || n == 0 || (A && tau && C)));                  \
    HEDDLE_HANDED("cusolverDn" #P #UN "tr", (int)side, (int)uplo, (int)op, m, n, HEDDLE_P(A), lda, HEDDLE_P(tau),      \
                  HEDDLE_P(C), ldc, HEDDLE_P(work), lwork, HEDDLE_P(info))                                             \
    ormtr_kernel<N><<<1, THREADS, 0, handle->stream>>>((const N *)A, lda, uplo == CUBLAS_FILL_MODE_LOWER,              \
                                                       (const N *)tau, isLeft, op != CUBLAS_OP_N, (N *)C, ldc, m, n,   \
                                                       info);                                                          \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##lauum_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,       \
                                         int *lwork) {                                                                 \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda));                                                               \
    HEDDLE_SIZE(1, "cusolverDn" #P "lauum_bufferSize", (int)uplo, n, HEDDLE_P(A), lda)                                 \
  }                                                                                                                    \
  Status cusolverDn##P##lauum(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, T *work,         \
                              int lwork, int *info) {                                                                  \
    typedef Native<T>::type N;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && info && (n == 0 || A));                                      \
    HEDDLE_HANDED("cusolverDn" #P "lauum", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(work), lwork, HEDDLE_P(info))      \
    lauum_kernel<N><<<1, THREADS, 0, handle->stream>>>((N *)A, lda, n, uplo == CUBLAS_FILL_MODE_LOWER, info);          \
    return launched();                                                                                                 \
  }
HEDDLE_TYPED(S, org, orm, sy, float, float)
HEDDLE_TYPED(D, org, orm, sy, double, double)
HEDDLE_TYPED(C, ung, unm, he, cuComplex, float)
HEDDLE_TYPED(Z, ung, unm, he, cuDoubleComplex, double)
#undef HEDDLE_TYPED

/// One order of reflectors and one way to store them, as documented.
#define HEDDLE_XLARFT_RIGHT                                                                                            \
  direct == CUBLAS_DIRECT_FORWARD && storev == CUBLAS_STOREV_COLUMNWISE && k >= 0 && k <= n && is_matrix(n, k, ldv) && \
      is_matrix(k, k, ldt) && is_known(dataTypeV) && dataTypeTau == dataTypeV && dataTypeT == dataTypeV &&             \
      computeType == dataTypeV
#define HEDDLE_XLARFT_VALUES                                                                                           \
  NO_PARAMS, (int)direct, (int)storev, (long long)n, (long long)k, (int)dataTypeV, HEDDLE_P(V), (long long)ldv,        \
      (int)dataTypeTau, HEDDLE_P(tau), (int)dataTypeT, HEDDLE_P(T), (long long)ldt, (int)computeType
Status cusolverDnXlarft_bufferSize(HEDDLE_XLARFT, HEDDLE_CUSOLVER_SIZES) {
  HEDDLE_LIVE;
  HEDDLE_SIZES(16, "cusolverDnXlarft_bufferSize", HEDDLE_XLARFT_VALUES)
}
Status cusolverDnXlarft(HEDDLE_XLARFT, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost,
                        size_t workspaceInBytesOnHost) {
  HEDDLE_LIVE;
  HEDDLE_NEEDS(HEDDLE_XLARFT_RIGHT && (k == 0 || (V && tau && T)));
  HEDDLE_HANDED("cusolverDnXlarft", HEDDLE_XLARFT_VALUES, HEDDLE_P(bufferOnDevice),
                (long long)workspaceInBytesOnDevice, Host{bufferOnHost}, (long long)workspaceInBytesOnHost)
  return with_type(dataTypeV, [&](auto t) {
    typedef typename decltype(t)::type N;
    larft_kernel<N><<<1, THREADS, 0, handle->stream>>>((const N *)V, ldv, n, k, (const N *)tau, (N *)T, ldt);
    return launched();
  });
}
}
