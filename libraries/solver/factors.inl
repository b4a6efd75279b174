// Cholesky, LU and QR factors for one type each: part of cusolver.cu.

extern "C" {

#define HEDDLE_TYPED(P, T, R)                                                                                          \
  Status cusolverDn##P##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,       \
                                         int *lwork) {                                                                 \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda));                                                               \
    HEDDLE_SIZE(1, "cusolverDn" #P "potrf_bufferSize", (int)uplo, n, HEDDLE_P(A), lda)                                 \
  }                                                                                                                    \
  Status cusolverDn##P##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, T *work,         \
                              int lwork, int *info) {                                                                  \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && info && (n == 0 || A));                                      \
    HEDDLE_HANDED("cusolverDn" #P "potrf", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(work), lwork, HEDDLE_P(info))      \
    potrf_kernel<E>                                                                                                    \
        <<<1, THREADS, 0, handle->stream>>>(one_matrix<E>(A), lda, n, uplo == CUBLAS_FILL_MODE_LOWER, info);           \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T *A, int lda,  \
                              T *B, int ldb, int *info) {                                                              \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && info && (n == 0 || (A && B)));    \
    HEDDLE_HANDED("cusolverDn" #P "potrs", (int)uplo, n, nrhs, HEDDLE_P(A), lda, HEDDLE_P(B), ldb, HEDDLE_P(info))     \
    potrs_kernel<E><<<1, THREADS, 0, handle->stream>>>(one_matrix<E>((void *)A), lda, n,                               \
                                                       uplo == CUBLAS_FILL_MODE_LOWER, one_matrix<E>(B), ldb, nrhs);   \
    set_info(handle->stream, info);                                                                                    \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##potri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,       \
                                         int *lwork) {                                                                 \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda)); /* before the handle, as NVIDIA's */                          \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_SIZE(1, "cusolverDn" #P "potri_bufferSize", (int)uplo, n, HEDDLE_P(A), lda)                                 \
  }                                                                                                                    \
  Status cusolverDn##P##potri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, T *work,         \
                              int lwork, int *info) {                                                                  \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && info && (n == 0 || A));                                      \
    HEDDLE_HANDED("cusolverDn" #P "potri", (int)uplo, n, HEDDLE_P(A), lda, HEDDLE_P(work), lwork, HEDDLE_P(info))      \
    potri_kernel<E><<<1, THREADS, 0, handle->stream>>>((E *)A, lda, n, uplo == CUBLAS_FILL_MODE_LOWER, info);          \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A[], int lda,         \
                                     int *infos, int batch) {                                                          \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && batch >= 0 && (batch == 0 || (A && infos)));                 \
    if (batch == 0) return CUSOLVER_STATUS_SUCCESS;                                                                    \
    potrf_kernel<E><<<batch, THREADS, 0, handle->stream>>>(Matrices<E>{nullptr, (E *const *)A, 0}, lda, n,             \
                                                           uplo == CUBLAS_FILL_MODE_LOWER, infos);                     \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, T *A[],        \
                                     int lda, T *B[], int ldb, int *info, int batch) {                                 \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && batch >= 0 && info &&             \
                 (batch == 0 || (A && B)));                                                                            \
    if (nrhs != 1) return CUSOLVER_STATUS_INVALID_VALUE; /* as documented: one right-hand side */                      \
    if (batch == 0) return CUSOLVER_STATUS_SUCCESS;                                                                    \
    potrs_kernel<E><<<batch, THREADS, 0, handle->stream>>>(Matrices<E>{nullptr, (E *const *)A, 0}, lda, n,             \
                                                           uplo == CUBLAS_FILL_MODE_LOWER,                             \
                                                           Matrices<E>{nullptr, (E *const *)B, 0}, ldb, nrhs);         \
    set_info(handle->stream, info);                                                                                    \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *A, int lda, int *lwork) {         \
    HEDDLE_LIVE; /* wrong dimensions are accepted, as by NVIDIA's (seen on an H200, CUDA 13.0) */                      \
    HEDDLE_SIZE(1, "cusolverDn" #P "getrf_bufferSize", m, n, HEDDLE_P(A), lda)                                         \
  }                                                                                                                    \
  Status cusolverDn##P##getrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *work, int *pivots,            \
                              int *info) {                                                                             \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_matrix(m, n, lda) && info && (m == 0 || n == 0 || A));                                             \
    HEDDLE_HANDED("cusolverDn" #P "getrf", m, n, HEDDLE_P(A), lda, HEDDLE_P(work), HEDDLE_P(pivots), HEDDLE_P(info))   \
    getrf_kernel<E><<<1, THREADS, 0, handle->stream>>>(one_matrix<E>(A), lda, m, n, pivots, false, info);              \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int nrhs, const T *A, int lda,   \
                              const int *pivots, T *B, int ldb, int *info) {                                           \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_op(op) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && info && (n == 0 || (A && B)));        \
    HEDDLE_HANDED("cusolverDn" #P "getrs", (int)op, n, nrhs, HEDDLE_P(A), lda, HEDDLE_P(pivots), HEDDLE_P(B), ldb,     \
                  HEDDLE_P(info))                                                                                      \
    getrs_kernel<E><<<1, THREADS, 0, handle->stream>>>((const E *)A, lda, n, pivots, false, op, (E *)B, ldb, nrhs);    \
    set_info(handle->stream, info);                                                                                    \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##laswp(cusolverDnHandle_t handle, int n, T *A, int lda, int k1, int k2, const int *pivots,      \
                              int incx) {                                                                              \
    typedef Native<T>::type E;                                                                                         \
    if (n == 0) return CUSOLVER_STATUS_SUCCESS; /* before any other argument, as NVIDIA's */                           \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(n > 0 && lda >= 1 && k1 >= 1 && k2 >= k1 - 1 && incx == 1 && A && pivots);                            \
    HEDDLE_HANDED("cusolverDn" #P "laswp", n, HEDDLE_P(A), lda, k1, k2, HEDDLE_P(pivots), incx)                        \
    exchange_rows<E><<<1, THREADS, 0, handle->stream>>>((E *)A, lda, n, k1, k2, pivots);                               \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *A, int lda, int *lwork) {         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_matrix(m, n, lda));                                                                                \
    HEDDLE_SIZE(1, "cusolverDn" #P "geqrf_bufferSize", m, n, HEDDLE_P(A), lda)                                         \
  }                                                                                                                    \
  Status cusolverDn##P##geqrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *tau, T *work, int lwork,      \
                              int *info) {                                                                             \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_matrix(m, n, lda) && info && (m == 0 || n == 0 || (A && tau)));                                    \
    HEDDLE_HANDED("cusolverDn" #P "geqrf", m, n, HEDDLE_P(A), lda, HEDDLE_P(tau), HEDDLE_P(work), lwork,               \
                  HEDDLE_P(info))                                                                                      \
    geqrf_kernel<E><<<1, THREADS, 0, handle->stream>>>((E *)A, lda, m, n, (E *)tau, info);                             \
    return launched();                                                                                                 \
  }
HEDDLE_TYPED(S, float, float)
HEDDLE_TYPED(D, double, double)
HEDDLE_TYPED(C, cuComplex, float)
HEDDLE_TYPED(Z, cuDoubleComplex, double)
#undef HEDDLE_TYPED

#define HEDDLE_NAMED(P, OR, T)                                                                                         \
  Status cusolverDn##P##OR##gqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const T *A, int lda,        \
                                           const T *tau, int *lwork) {                                                 \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_matrix(m, n, lda) && n <= m && k >= 0 && k <= n);                                                  \
    HEDDLE_SIZE(1, "cusolverDn" #P #OR "gqr_bufferSize", m, n, k, HEDDLE_P(A), lda, HEDDLE_P(tau))                     \
  }                                                                                                                    \
  Status cusolverDn##P##OR##gqr(cusolverDnHandle_t handle, int m, int n, int k, T *A, int lda, const T *tau, T *work,  \
                                int lwork, int *info) {                                                                \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    HEDDLE_NEEDS(is_matrix(m, n, lda) && n <= m && k >= 0 && k <= n && info && (n == 0 || (A && tau)));                \
    HEDDLE_HANDED("cusolverDn" #P #OR "gqr", m, n, k, HEDDLE_P(A), lda, HEDDLE_P(tau), HEDDLE_P(work), lwork,          \
                  HEDDLE_P(info))                                                                                      \
    orgqr_kernel<E><<<1, THREADS, 0, handle->stream>>>((E *)A, lda, m, n, k, (const E *)tau, info);                    \
    return launched();                                                                                                 \
  }                                                                                                                    \
  Status cusolverDn##P##OR##mqr_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op,     \
                                           int m, int n, int k, const T *A, int lda, const T *tau, const T *C,         \
                                           int ldc, int *lwork) {                                                      \
    HEDDLE_LIVE;                                                                                                       \
    int rows = side == CUBLAS_SIDE_LEFT ? m : n;                                                                       \
    HEDDLE_NEEDS((side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT) && is_op(op) && is_matrix(m, n, ldc) &&       \
                 k >= 0 && k <= rows && is_matrix(rows, k, lda));                                                      \
    HEDDLE_SIZE(1, "cusolverDn" #P #OR "mqr_bufferSize", (int)side, (int)op, m, n, k, HEDDLE_P(A), lda, HEDDLE_P(tau), \
                HEDDLE_P(C), ldc)                                                                                      \
  }                                                                                                                    \
  Status cusolverDn##P##OR##mqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, int m, int n,  \
                                int k, const T *A, int lda, const T *tau, T *C, int ldc, T *work, int lwork,           \
                                int *info) {                                                                           \
    typedef Native<T>::type E;                                                                                         \
    HEDDLE_LIVE;                                                                                                       \
    int rows = side == CUBLAS_SIDE_LEFT ? m : n;                                                                       \
    HEDDLE_NEEDS((side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT) && is_op(op) && is_matrix(m, n, ldc) &&       \
                 k >= 0 && k <= rows && is_matrix(rows, k, lda) && info && (k == 0 || (A && tau && C)));               \
    HEDDLE_HANDED("cusolverDn" #P #OR "mqr", (int)side, (int)op, m, n, k, HEDDLE_P(A), lda, HEDDLE_P(tau),             \
                  HEDDLE_P(C), ldc, HEDDLE_P(work), lwork, HEDDLE_P(info))                                             \
    ormqr_kernel<E><<<1, THREADS, 0, handle->stream>>>((const E *)A, lda, k, (const E *)tau, side == CUBLAS_SIDE_LEFT, \
                                                       op != CUBLAS_OP_N, (E *)C, ldc, m, n, info);                    \
    return launched();                                                                                                 \
  }
HEDDLE_NAMED(S, or, float)
HEDDLE_NAMED(D, or, double)
HEDDLE_NAMED(C, un, cuComplex)
HEDDLE_NAMED(Z, un, cuDoubleComplex)
#undef HEDDLE_NAMED
}
