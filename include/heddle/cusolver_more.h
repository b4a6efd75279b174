/* cuSOLVER's functions for dense matrices that cusolverDn.h includes at its end: condensed forms, symmetric indefinite
   matrices, least squares. */
#ifndef HEDDLE_CUSOLVER_MORE_H
#define HEDDLE_CUSOLVER_MORE_H

#ifdef __cplusplus
extern "C" {
#endif

/* T: the type of elements, R: that of its real part. */
#define HEDDLE_CUSOLVER_TYPE(P, OR, UN, SY, T, R)                                                                      \
  cusolverStatus_t cusolverDn##P##gebrd_bufferSize(cusolverDnHandle_t handle, int m, int n, int *Lwork);               \
  cusolverStatus_t cusolverDn##P##gebrd(cusolverDnHandle_t handle, int m, int n, T *A, int lda, R *D, R *E, T *TAUQ,   \
                                        T *TAUP, T *Work, int Lwork, int *devInfo);                                    \
  cusolverStatus_t cusolverDn##P##OR##br_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n,    \
                                                    int k, const T *A, int lda, const T *tau, int *lwork);             \
  cusolverStatus_t cusolverDn##P##OR##br(cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n, int k, T *A,  \
                                         int lda, const T *tau, T *work, int lwork, int *devInfo);                     \
  cusolverStatus_t cusolverDn##P##SY##trd_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,          \
                                                     const T *A, int lda, const R *d, const R *e, const T *tau,        \
                                                     int *lwork);                                                      \
  cusolverStatus_t cusolverDn##P##SY##trd(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,      \
                                          R *d, R *e, T *tau, T *work, int lwork, int *devInfo);                       \
  cusolverStatus_t cusolverDn##P##OR##tr_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,           \
                                                    const T *A, int lda, const T *tau, int *lwork);                    \
  cusolverStatus_t cusolverDn##P##OR##tr(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,       \
                                         const T *tau, T *work, int lwork, int *devInfo);                              \
  cusolverStatus_t cusolverDn##P##UN##tr_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side,                  \
                                                    cublasFillMode_t uplo, cublasOperation_t trans, int m, int n,      \
                                                    const T *A, int lda, const T *tau, const T *C, int ldc,            \
                                                    int *lwork);                                                       \
  cusolverStatus_t cusolverDn##P##UN##tr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,      \
                                         cublasOperation_t trans, int m, int n, T *A, int lda, T *tau, T *C, int ldc,  \
                                         T *work, int lwork, int *devInfo);                                            \
  cusolverStatus_t cusolverDn##P##lauum_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A,      \
                                                   int lda, int *lwork);                                               \
  cusolverStatus_t cusolverDn##P##lauum(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,        \
                                        T *work, int lwork, int *devInfo);                                             \
  cusolverStatus_t cusolverDn##P##sytrf_bufferSize(cusolverDnHandle_t handle, int n, T *A, int lda, int *lwork);       \
  cusolverStatus_t cusolverDn##P##sytrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,        \
                                        int *ipiv, T *work, int lwork, int *devInfo);                                  \
  cusolverStatus_t cusolverDn##P##sytri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A,      \
                                                   int lda, const int *ipiv, int *lwork);                              \
  cusolverStatus_t cusolverDn##P##sytri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,        \
                                        const int *ipiv, T *work, int lwork, int *devInfo);
HEDDLE_CUSOLVER_TYPE(S, org, orm, sy, float, float)
HEDDLE_CUSOLVER_TYPE(D, org, orm, sy, double, double)
HEDDLE_CUSOLVER_TYPE(C, ung, unm, he, cuComplex, float)
HEDDLE_CUSOLVER_TYPE(Z, ung, unm, he, cuDoubleComplex, double)
#undef HEDDLE_CUSOLVER_TYPE
#define HEDDLE_XSYTRS                                                                                                  \
  cusolverDnHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t nrhs, cudaDataType dataTypeA, const void *A,    \
      int64_t lda, const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb
cusolverStatus_t cusolverDnXsytrs_bufferSize(HEDDLE_XSYTRS, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXsytrs(HEDDLE_XSYTRS, HEDDLE_CUSOLVER_WORK);
#define HEDDLE_XLARFT                                                                                                  \
  cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverDirectMode_t direct, cusolverStorevMode_t storev,      \
      int64_t n, int64_t k, cudaDataType dataTypeV, const void *V, int64_t ldv, cudaDataType dataTypeTau,              \
      const void *tau, cudaDataType dataTypeT, void *T, int64_t ldt, cudaDataType computeType
cusolverStatus_t cusolverDnXlarft_bufferSize(HEDDLE_XLARFT, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXlarft(HEDDLE_XLARFT, void *bufferOnDevice, size_t workspaceInBytesOnDevice,
                                  void *bufferOnHost, size_t workspaceInBytesOnHost);

/* Least squares by factors of a lower precision: the same pairs of types. */
#define HEDDLE_CUSOLVER_GESV(NAME, T)                                                                                  \
  cusolverStatus_t cusolverDn##NAME##gels_bufferSize(cusolverDnHandle_t handle, int m, int n, int nrhs, T *dA,         \
                                                     int ldda, T *dB, int lddb, T *dX, int lddx, void *dWorkspace,     \
                                                     size_t *lwork_bytes);                                             \
  cusolverStatus_t cusolverDn##NAME##gels(cusolverDnHandle_t handle, int m, int n, int nrhs, T *dA, int ldda, T *dB,   \
                                          int lddb, T *dX, int lddx, void *dWorkspace, size_t lwork_bytes, int *iter,  \
                                          int *d_info);
HEDDLE_CUSOLVER_GESVS
#undef HEDDLE_CUSOLVER_GESV
cusolverStatus_t cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
                                               cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs,
                                               size_t *lwork_bytes);
cusolverStatus_t cusolverDnIRSXgels(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos,
                                    cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, void *dA,
                                    cusolver_int_t ldda, void *dB, cusolver_int_t lddb, void *dX, cusolver_int_t lddx,
                                    void *dWorkspace, size_t lwork_bytes, cusolver_int_t *niters,
                                    cusolver_int_t *d_info);

#ifdef __cplusplus
}
#endif
#endif
