/* Dense matrices: the API of cuSOLVER, written for Heddle (libraries/solver) after the cuSOLVER documentation. */
#ifndef HEDDLE_CUSOLVERDN_H
#define HEDDLE_CUSOLVERDN_H
#define CUSOLVERDN_H_ /* public code asks for it */

#include <cuComplex.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stdio.h>
#include "cusolver_common.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cusolverDnContext;
struct cusolverDnParams;
struct syevjInfo;
struct gesvdjInfo;
struct cusolverDnIRSParams;
struct cusolverDnIRSInfos;
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef struct cusolverDnIRSParams *cusolverDnIRSParams_t;
typedef struct cusolverDnIRSInfos *cusolverDnIRSInfos_t;
typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1, CUSOLVERDN_SYEVBATCHED = 2 } cusolverDnFunction_t;
typedef void (*cusolverDnLoggerCallback_t)(int level, const char *function, const char *message);

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream);
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t mode);
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t *mode);
cusolverStatus_t cusolverDnSetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t mode);
cusolverStatus_t cusolverDnGetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t *mode);
cusolverStatus_t cusolverDnSetEmulationStrategy(cusolverDnHandle_t handle, cudaEmulationStrategy_t strategy);
cusolverStatus_t cusolverDnGetEmulationStrategy(cusolverDnHandle_t handle, cudaEmulationStrategy_t *strategy);
cusolverStatus_t cusolverDnLoggerSetCallback(cusolverDnLoggerCallback_t callback);
cusolverStatus_t cusolverDnLoggerSetFile(FILE *file);
cusolverStatus_t cusolverDnLoggerOpenFile(const char *path);
cusolverStatus_t cusolverDnLoggerSetLevel(int level);
cusolverStatus_t cusolverDnLoggerSetMask(int mask);
cusolverStatus_t cusolverDnLoggerForceDisable(void);

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algo);

/* Tolerances and counts of Jacobi's methods. */
#define HEDDLE_CUSOLVER_JACOBI(NAME, Name)                                                                             \
  cusolverStatus_t cusolverDnCreate##Name##Info(NAME##Info_t *info);                                                   \
  cusolverStatus_t cusolverDnDestroy##Name##Info(NAME##Info_t info);                                                   \
  cusolverStatus_t cusolverDnX##NAME##SetTolerance(NAME##Info_t info, double tolerance);                               \
  cusolverStatus_t cusolverDnX##NAME##SetMaxSweeps(NAME##Info_t info, int max_sweeps);                                 \
  cusolverStatus_t cusolverDnX##NAME##SetSortEig(NAME##Info_t info, int sort_eig);                                     \
  cusolverStatus_t cusolverDnX##NAME##GetResidual(cusolverDnHandle_t handle, NAME##Info_t info, double *residual);     \
  cusolverStatus_t cusolverDnX##NAME##GetSweeps(cusolverDnHandle_t handle, NAME##Info_t info, int *executed_sweeps);
HEDDLE_CUSOLVER_JACOBI(syevj, Syevj)
HEDDLE_CUSOLVER_JACOBI(gesvdj, Gesvdj)
#undef HEDDLE_CUSOLVER_JACOBI

/* Functions for one type each. R: the type of its real part. */
#define HEDDLE_CUSOLVER_TYPE(P, T, R)                                                                                  \
  cusolverStatus_t cusolverDn##P##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A,      \
                                                   int lda, int *Lwork);                                               \
  cusolverStatus_t cusolverDn##P##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,        \
                                        T *Workspace, int Lwork, int *devInfo);                                        \
  cusolverStatus_t cusolverDn##P##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T *A, \
                                        int lda, T *B, int ldb, int *devInfo);                                         \
  cusolverStatus_t cusolverDn##P##potri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A,      \
                                                   int lda, int *lwork);                                               \
  cusolverStatus_t cusolverDn##P##potri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,        \
                                        T *work, int lwork, int *devInfo);                                             \
  cusolverStatus_t cusolverDn##P##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *Aarray[],   \
                                               int lda, int *infoArray, int batchSize);                                \
  cusolverStatus_t cusolverDn##P##potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,      \
                                               T *A[], int lda, T *B[], int ldb, int *d_info, int batchSize);          \
  cusolverStatus_t cusolverDn##P##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *A, int lda,             \
                                                   int *Lwork);                                                        \
  cusolverStatus_t cusolverDn##P##getrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *Workspace,          \
                                        int *devIpiv, int *devInfo);                                                   \
  cusolverStatus_t cusolverDn##P##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs,           \
                                        const T *A, int lda, const int *devIpiv, T *B, int ldb, int *devInfo);         \
  cusolverStatus_t cusolverDn##P##laswp(cusolverDnHandle_t handle, int n, T *A, int lda, int k1, int k2,               \
                                        const int *devIpiv, int incx);                                                 \
  cusolverStatus_t cusolverDn##P##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *A, int lda,             \
                                                   int *lwork);                                                        \
  cusolverStatus_t cusolverDn##P##geqrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *TAU, T *Workspace,  \
                                        int Lwork, int *devInfo);                                                      \
  cusolverStatus_t cusolverDn##P##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int *lwork);               \
  cusolverStatus_t cusolverDn##P##gesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n,  \
                                        T *A, int lda, R *S, T *U, int ldu, T *VT, int ldvt, T *work, int lwork,       \
                                        R *rwork, int *info);                                                          \
  cusolverStatus_t cusolverDn##P##gesvdj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ,       \
                                                    int m, int n, const T *A, int lda, const R *S, const T *U,         \
                                                    int ldu, const T *V, int ldv, int *lwork, gesvdjInfo_t params);    \
  cusolverStatus_t cusolverDn##P##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n,    \
                                         T *A, int lda, R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork,        \
                                         int *info, gesvdjInfo_t params);                                              \
  cusolverStatus_t cusolverDn##P##gesvdjBatched_bufferSize(                                                            \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, const T *A, int lda, const R *S, const T *U,    \
      int ldu, const T *V, int ldv, int *lwork, gesvdjInfo_t params, int batchSize);                                   \
  cusolverStatus_t cusolverDn##P##gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, T *A, \
                                                int lda, R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork,       \
                                                int *info, gesvdjInfo_t params, int batchSize);                        \
  cusolverStatus_t cusolverDn##P##gesvdaStridedBatched_bufferSize(                                                     \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *d_A, int lda,                \
      long long int strideA, const R *d_S, long long int strideS, const T *d_U, int ldu, long long int strideU,        \
      const T *d_V, int ldv, long long int strideV, int *lwork, int batchSize);                                        \
  cusolverStatus_t cusolverDn##P##gesvdaStridedBatched(                                                                \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *d_A, int lda,                \
      long long int strideA, R *d_S, long long int strideS, T *d_U, int ldu, long long int strideU, T *d_V, int ldv,   \
      long long int strideV, T *d_work, int lwork, int *d_info, double *h_R_nrmF, int batchSize);
HEDDLE_CUSOLVER_TYPE(S, float, float)
HEDDLE_CUSOLVER_TYPE(D, double, double)
HEDDLE_CUSOLVER_TYPE(C, cuComplex, float)
HEDDLE_CUSOLVER_TYPE(Z, cuDoubleComplex, double)
#undef HEDDLE_CUSOLVER_TYPE

/* Functions whose names differ for real and complex types: OR or UN, SY or HE. */
#define HEDDLE_CUSOLVER_NAMED(P, OR, SY, T, R)                                                                         \
  cusolverStatus_t cusolverDn##P##OR##gqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const T *A,       \
                                                     int lda, const T *tau, int *lwork);                               \
  cusolverStatus_t cusolverDn##P##OR##gqr(cusolverDnHandle_t handle, int m, int n, int k, T *A, int lda, const T *tau, \
                                          T *work, int lwork, int *info);                                              \
  cusolverStatus_t cusolverDn##P##OR##mqr_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side,                 \
                                                     cublasOperation_t trans, int m, int n, int k, const T *A,         \
                                                     int lda, const T *tau, const T *C, int ldc, int *lwork);          \
  cusolverStatus_t cusolverDn##P##OR##mqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans,   \
                                          int m, int n, int k, const T *A, int lda, const T *tau, T *C, int ldc,       \
                                          T *work, int lwork, int *devInfo);                                           \
  cusolverStatus_t cusolverDn##P##SY##evd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                \
                                                     cublasFillMode_t uplo, int n, const T *A, int lda, const R *W,    \
                                                     int *lwork);                                                      \
  cusolverStatus_t cusolverDn##P##SY##evd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,    \
                                          int n, T *A, int lda, R *W, T *work, int lwork, int *info);                  \
  cusolverStatus_t cusolverDn##P##SY##evdx_bufferSize(                                                                 \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int n,       \
      const T *A, int lda, R vl, R vu, int il, int iu, int *meig, const R *W, int *lwork);                             \
  cusolverStatus_t cusolverDn##P##SY##evdx(                                                                            \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *A, \
      int lda, R vl, R vu, int il, int iu, int *meig, R *W, T *work, int lwork, int *info);                            \
  cusolverStatus_t cusolverDn##P##SY##gvd_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype,               \
                                                     cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, \
                                                     int lda, const T *B, int ldb, const R *W, int *lwork);            \
  cusolverStatus_t cusolverDn##P##SY##gvd(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,  \
                                          cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work,   \
                                          int lwork, int *info);                                                       \
  cusolverStatus_t cusolverDn##P##SY##gvdx_bufferSize(                                                                 \
      cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cusolverEigRange_t range,            \
      cublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb, R vl, R vu, int il, int iu, int *meig,   \
      const R *W, int *lwork);                                                                                         \
  cusolverStatus_t cusolverDn##P##SY##gvdx(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, \
                                           cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *A, int lda,      \
                                           T *B, int ldb, R vl, R vu, int il, int iu, int *meig, R *W, T *work,        \
                                           int lwork, int *info);                                                      \
  cusolverStatus_t cusolverDn##P##SY##evj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                \
                                                     cublasFillMode_t uplo, int n, const T *A, int lda, const R *W,    \
                                                     int *lwork, syevjInfo_t params);                                  \
  cusolverStatus_t cusolverDn##P##SY##evj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,    \
                                          int n, T *A, int lda, R *W, T *work, int lwork, int *info,                   \
                                          syevjInfo_t params);                                                         \
  cusolverStatus_t cusolverDn##P##SY##evjBatched_bufferSize(                                                           \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, int lda,            \
      const R *W, int *lwork, syevjInfo_t params, int batchSize);                                                      \
  cusolverStatus_t cusolverDn##P##SY##evjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                    \
                                                 cublasFillMode_t uplo, int n, T *A, int lda, R *W, T *work,           \
                                                 int lwork, int *info, syevjInfo_t params, int batchSize);             \
  cusolverStatus_t cusolverDn##P##SY##gvj_bufferSize(                                                                  \
      cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,        \
      const T *A, int lda, const T *B, int ldb, const R *W, int *lwork, syevjInfo_t params);                           \
  cusolverStatus_t cusolverDn##P##SY##gvj(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,  \
                                          cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work,   \
                                          int lwork, int *info, syevjInfo_t params);
HEDDLE_CUSOLVER_NAMED(S, or, sy, float, float)
HEDDLE_CUSOLVER_NAMED(D, or, sy, double, double)
HEDDLE_CUSOLVER_NAMED(C, un, he, cuComplex, float)
HEDDLE_CUSOLVER_NAMED(Z, un, he, cuDoubleComplex, double)
#undef HEDDLE_CUSOLVER_NAMED

/* Solutions by factors of a lower precision. */
#define HEDDLE_CUSOLVER_GESV(NAME, T)                                                                                  \
  cusolverStatus_t cusolverDn##NAME##gesv_bufferSize(cusolverDnHandle_t handle, int n, int nrhs, T *dA, int ldda,      \
                                                     int *dipiv, T *dB, int lddb, T *dX, int lddx, void *dWorkspace,   \
                                                     size_t *lwork_bytes);                                             \
  cusolverStatus_t cusolverDn##NAME##gesv(cusolverDnHandle_t handle, int n, int nrhs, T *dA, int ldda, int *dipiv,     \
                                          T *dB, int lddb, T *dX, int lddx, void *dWorkspace, size_t lwork_bytes,      \
                                          int *iter, int *d_info);
#define HEDDLE_CUSOLVER_GESVS                                                                                          \
  HEDDLE_CUSOLVER_GESV(ZZ, cuDoubleComplex)                                                                            \
  HEDDLE_CUSOLVER_GESV(ZC, cuDoubleComplex) HEDDLE_CUSOLVER_GESV(ZK, cuDoubleComplex)                                  \
      HEDDLE_CUSOLVER_GESV(ZE, cuDoubleComplex) HEDDLE_CUSOLVER_GESV(ZY, cuDoubleComplex)                              \
          HEDDLE_CUSOLVER_GESV(CC, cuComplex) HEDDLE_CUSOLVER_GESV(CK, cuComplex) HEDDLE_CUSOLVER_GESV(CE, cuComplex)  \
              HEDDLE_CUSOLVER_GESV(CY, cuComplex) HEDDLE_CUSOLVER_GESV(DD, double) HEDDLE_CUSOLVER_GESV(DS, double)    \
                  HEDDLE_CUSOLVER_GESV(DH, double) HEDDLE_CUSOLVER_GESV(DB, double) HEDDLE_CUSOLVER_GESV(DX, double)   \
                      HEDDLE_CUSOLVER_GESV(SS, float) HEDDLE_CUSOLVER_GESV(SH, float) HEDDLE_CUSOLVER_GESV(SB, float)  \
                          HEDDLE_CUSOLVER_GESV(SX, float)
HEDDLE_CUSOLVER_GESVS
#undef HEDDLE_CUSOLVER_GESV
cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t *params);
cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params, cusolverIRSRefinement_t solver);
cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params, cusolverPrecType_t precision);
cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params,
                                                             cusolverPrecType_t precision);
cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params, cusolverPrecType_t mainPrecision,
                                                        cusolverPrecType_t lowestPrecision);
cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double val);
cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params, double val);
cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t maxiters);
cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params, cusolver_int_t maxiters_inner);
cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t *maxiters);
cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t *infos);
cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos);
cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos, cusolver_int_t *niters);
cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos, cusolver_int_t *outer_niters);
cusolverStatus_t cusolverDnIRSInfosGetMaxIters(cusolverDnIRSInfos_t infos, cusolver_int_t *maxiters);
cusolverStatus_t cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos);
cusolverStatus_t cusolverDnIRSInfosGetResidualHistory(cusolverDnIRSInfos_t infos, void **residual_history);
cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
                                               cusolver_int_t n, cusolver_int_t nrhs, size_t *lwork_bytes);
cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos,
                                    cusolver_int_t n, cusolver_int_t nrhs, void *dA, cusolver_int_t ldda, void *dB,
                                    cusolver_int_t lddb, void *dX, cusolver_int_t lddx, void *dWorkspace,
                                    size_t lwork_bytes, cusolver_int_t *niters, cusolver_int_t *d_info);

/* Any type, sizes of 64 bits. Work memory on the device and on the host. */
#define HEDDLE_CUSOLVER_SIZES size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost
#define HEDDLE_CUSOLVER_WORK                                                                                           \
  void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info
#define HEDDLE_XPOTRF                                                                                                  \
  cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA
cusolverStatus_t cusolverDnXpotrf_bufferSize(HEDDLE_XPOTRF, const void *A, int64_t lda, cudaDataType computeType,
                                             HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXpotrf(HEDDLE_XPOTRF, void *A, int64_t lda, cudaDataType computeType, HEDDLE_CUSOLVER_WORK);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                                  int64_t n, int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda,
                                  cudaDataType dataTypeB, void *B, int64_t ldb, int *info);
#define HEDDLE_XGETRF cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, cudaDataType dataTypeA
cusolverStatus_t cusolverDnXgetrf_bufferSize(HEDDLE_XGETRF, const void *A, int64_t lda, cudaDataType computeType,
                                             HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgetrf(HEDDLE_XGETRF, void *A, int64_t lda, int64_t *ipiv, cudaDataType computeType,
                                  HEDDLE_CUSOLVER_WORK);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans,
                                  int64_t n, int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda,
                                  const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(HEDDLE_XGETRF, const void *A, int64_t lda, cudaDataType dataTypeTau,
                                             const void *tau, cudaDataType computeType, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgeqrf(HEDDLE_XGETRF, void *A, int64_t lda, cudaDataType dataTypeTau, void *tau,
                                  cudaDataType computeType, HEDDLE_CUSOLVER_WORK);
#define HEDDLE_XTRTRI                                                                                                  \
  cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag, int64_t n, cudaDataType dataTypeA, void *A, \
      int64_t lda
cusolverStatus_t cusolverDnXtrtri_bufferSize(HEDDLE_XTRTRI, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXtrtri(HEDDLE_XTRTRI, HEDDLE_CUSOLVER_WORK);
#define HEDDLE_XSYEVD                                                                                                  \
  cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,      \
      cudaDataType dataTypeA
cusolverStatus_t cusolverDnXsyevd_bufferSize(HEDDLE_XSYEVD, const void *A, int64_t lda, cudaDataType dataTypeW,
                                             const void *W, cudaDataType computeType, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXsyevd(HEDDLE_XSYEVD, void *A, int64_t lda, cudaDataType dataTypeW, void *W,
                                  cudaDataType computeType, HEDDLE_CUSOLVER_WORK);
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(HEDDLE_XSYEVD, const void *A, int64_t lda, cudaDataType dataTypeW,
                                                   const void *W, cudaDataType computeType, HEDDLE_CUSOLVER_SIZES,
                                                   int64_t batchSize);
cusolverStatus_t cusolverDnXsyevBatched(HEDDLE_XSYEVD, void *A, int64_t lda, cudaDataType dataTypeW, void *W,
                                        cudaDataType computeType, HEDDLE_CUSOLVER_WORK, int64_t batchSize);
#define HEDDLE_XSYEVDX                                                                                                 \
  cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, cusolverEigRange_t range,              \
      cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA
cusolverStatus_t cusolverDnXsyevdx_bufferSize(HEDDLE_XSYEVDX, const void *A, int64_t lda, void *vl, void *vu,
                                              int64_t il, int64_t iu, int64_t *h_meig, cudaDataType dataTypeW,
                                              const void *W, cudaDataType computeType, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXsyevdx(HEDDLE_XSYEVDX, void *A, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
                                   int64_t *meig64, cudaDataType dataTypeW, void *W, cudaDataType computeType,
                                   HEDDLE_CUSOLVER_WORK);
#define HEDDLE_XGEEV                                                                                                   \
  cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n,   \
      cudaDataType dataTypeA
cusolverStatus_t cusolverDnXgeev_bufferSize(HEDDLE_XGEEV, const void *A, int64_t lda, cudaDataType dataTypeW,
                                            const void *W, cudaDataType dataTypeVL, const void *VL, int64_t ldvl,
                                            cudaDataType dataTypeVR, const void *VR, int64_t ldvr,
                                            cudaDataType computeType, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgeev(HEDDLE_XGEEV, void *A, int64_t lda, cudaDataType dataTypeW, void *W,
                                 cudaDataType dataTypeVL, void *VL, int64_t ldvl, cudaDataType dataTypeVR, void *VR,
                                 int64_t ldvr, cudaDataType computeType, HEDDLE_CUSOLVER_WORK);
#define HEDDLE_XGESVD                                                                                                  \
  cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobvt, int64_t m, int64_t n,     \
      cudaDataType dataTypeA
cusolverStatus_t cusolverDnXgesvd_bufferSize(HEDDLE_XGESVD, const void *A, int64_t lda, cudaDataType dataTypeS,
                                             const void *S, cudaDataType dataTypeU, const void *U, int64_t ldu,
                                             cudaDataType dataTypeVT, const void *VT, int64_t ldvt,
                                             cudaDataType computeType, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgesvd(HEDDLE_XGESVD, void *A, int64_t lda, cudaDataType dataTypeS, void *S,
                                  cudaDataType dataTypeU, void *U, int64_t ldu, cudaDataType dataTypeVT, void *VT,
                                  int64_t ldvt, cudaDataType computeType, HEDDLE_CUSOLVER_WORK);
#define HEDDLE_XGESVDP                                                                                                 \
  cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, int econ, int64_t m, int64_t n,        \
      cudaDataType dataTypeA
cusolverStatus_t cusolverDnXgesvdp_bufferSize(HEDDLE_XGESVDP, const void *A, int64_t lda, cudaDataType dataTypeS,
                                              const void *S, cudaDataType dataTypeU, const void *U, int64_t ldu,
                                              cudaDataType dataTypeV, const void *V, int64_t ldv,
                                              cudaDataType computeType, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgesvdp(HEDDLE_XGESVDP, void *A, int64_t lda, cudaDataType dataTypeS, void *S,
                                   cudaDataType dataTypeU, void *U, int64_t ldu, cudaDataType dataTypeV, void *V,
                                   int64_t ldv, cudaDataType computeType, HEDDLE_CUSOLVER_WORK, double *h_err_sigma);
#define HEDDLE_XGESVDR                                                                                                 \
  cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobv, int64_t m, int64_t n,      \
      int64_t k, int64_t p, int64_t niters, cudaDataType dataTypeA
cusolverStatus_t cusolverDnXgesvdr_bufferSize(HEDDLE_XGESVDR, const void *A, int64_t lda, cudaDataType dataTypeSrand,
                                              const void *Srand, cudaDataType dataTypeUrand, const void *Urand,
                                              int64_t ldUrand, cudaDataType dataTypeVrand, const void *Vrand,
                                              int64_t ldVrand, cudaDataType computeType, HEDDLE_CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgesvdr(HEDDLE_XGESVDR, void *A, int64_t lda, cudaDataType dataTypeSrand, void *Srand,
                                   cudaDataType dataTypeUrand, void *Urand, int64_t ldUrand,
                                   cudaDataType dataTypeVrand, void *Vrand, int64_t ldVrand, cudaDataType computeType,
                                   HEDDLE_CUSOLVER_WORK);

#ifdef __cplusplus
}
#endif

#include <heddle/cusolver_more.h>
#endif
