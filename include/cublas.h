/*
 * The interface of cuBLAS before CUDA 4: functions without a handle, after the cuBLAS documentation, "Using the cuBLAS
 * Legacy API". Each calls its function of the current interface with the handle that cublasInit makes; cublasGetError
 * tells and forgets the last status that was not a success.
 */
#pragma once
#define CUBLAS_H_ // public code asks for it

#include <stdlib.h>
#include <string.h>
#include "cublas_api.h"

typedef cublasStatus_t cublasStatus;

/* With cublas_v2.h before it, the plain names mean the current interface. */
#ifndef CUBLAS_V2_H_
#ifdef __cplusplus
#define __CUBLAS_SHARED inline
#else
#define __CUBLAS_SHARED static
#endif
__CUBLAS_SHARED cublasHandle_t __cublasHandle = NULL;
__CUBLAS_SHARED cublasStatus_t __cublasStatus = CUBLAS_STATUS_SUCCESS;
#undef __CUBLAS_SHARED
static inline cublasStatus_t __cublasNote(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) __cublasStatus = status;
  return status;
}

static inline cublasStatus_t cublasInit(void) {
  return __cublasHandle ? CUBLAS_STATUS_SUCCESS : __cublasNote(cublasCreate_v2(&__cublasHandle));
}
static inline cublasStatus_t cublasShutdown(void) {
  cublasStatus_t status = __cublasHandle ? cublasDestroy_v2(__cublasHandle) : CUBLAS_STATUS_NOT_INITIALIZED;
  __cublasHandle = NULL;
  return status;
}
static inline cublasStatus_t cublasGetError(void) {
  cublasStatus_t status = __cublasStatus;
  __cublasStatus = CUBLAS_STATUS_SUCCESS;
  return status;
}
static inline cublasStatus_t cublasGetVersion(int *version) { return cublasGetVersion_v2(__cublasHandle, version); }
static inline cublasStatus_t cublasAlloc(int n, int elemSize, void **devicePtr) {
  if (!__cublasHandle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0 || elemSize <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  return cudaMalloc(devicePtr, (size_t)n * elemSize) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                    : CUBLAS_STATUS_ALLOC_FAILED;
}
static inline cublasStatus_t cublasFree(void *devicePtr) {
  if (!__cublasHandle) return CUBLAS_STATUS_NOT_INITIALIZED;
  return cudaFree(devicePtr) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}
static inline cublasStatus_t cublasSetKernelStream(cudaStream_t stream) {
  return cublasSetStream_v2(__cublasHandle, stream);
}

/* Letters as the reference BLAS has them. */
static inline cublasOperation_t __cublasOp(char c) {
  return c == 'n' || c == 'N' ? CUBLAS_OP_N : c == 't' || c == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C;
}
static inline cublasFillMode_t __cublasFill(char c) {
  return c == 'l' || c == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
static inline cublasDiagType_t __cublasDiag(char c) {
  return c == 'u' || c == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}
static inline cublasSideMode_t __cublasSide(char c) {
  return c == 'l' || c == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}

#define __CUBLAS_CALL(NAME, ...) __cublasNote(NAME##_v2(__cublasHandle, __VA_ARGS__))
/* A function that returns nothing, and one that returns a value of type R. */
#define __CUBLAS_VOID(NAME, PARAMETERS, ...) \
  static inline void NAME PARAMETERS { __CUBLAS_CALL(NAME, __VA_ARGS__); }
#define __CUBLAS_VALUE(R, NAME, PARAMETERS, ...) \
  static inline R NAME PARAMETERS {              \
    R result;                                    \
    memset(&result, 0, sizeof result);           \
    __CUBLAS_CALL(NAME, __VA_ARGS__, &result);   \
    return result;                               \
  }

/* Level 1. P: letter, RP and I: letters of a real result and of an index, T: element, R: its real type */
#define __CUBLAS_LEVEL1(P, RP, I, T, R)                                                                                \
  __CUBLAS_VALUE(int, cublas##I##amax, (int n, const T* x, int incx), n, x, incx)                                      \
  __CUBLAS_VALUE(int, cublas##I##amin, (int n, const T* x, int incx), n, x, incx)                                      \
  __CUBLAS_VALUE(R, cublas##RP##asum, (int n, const T* x, int incx), n, x, incx)                                       \
  __CUBLAS_VALUE(R, cublas##RP##nrm2, (int n, const T* x, int incx), n, x, incx)                                       \
  __CUBLAS_VOID(cublas##P##axpy, (int n, T alpha, const T* x, int incx, T* y, int incy), n, &alpha, x, incx, y, incy)  \
  __CUBLAS_VOID(cublas##P##copy, (int n, const T* x, int incx, T* y, int incy), n, x, incx, y, incy)                   \
  __CUBLAS_VOID(cublas##P##swap, (int n, T* x, int incx, T* y, int incy), n, x, incx, y, incy)                         \
  __CUBLAS_VOID(cublas##P##scal, (int n, T alpha, T* x, int incx), n, &alpha, x, incx)
__CUBLAS_LEVEL1(S, S, Is, float, float)
__CUBLAS_LEVEL1(D, D, Id, double, double)
__CUBLAS_LEVEL1(C, Sc, Ic, cuComplex, float)
__CUBLAS_LEVEL1(Z, Dz, Iz, cuDoubleComplex, double)
#define __CUBLAS_DOT(NAME, T) \
  __CUBLAS_VALUE(T, NAME, (int n, const T* x, int incx, const T* y, int incy), n, x, incx, y, incy)
__CUBLAS_DOT(cublasSdot, float)
__CUBLAS_DOT(cublasDdot, double)
__CUBLAS_DOT(cublasCdotu, cuComplex)
__CUBLAS_DOT(cublasCdotc, cuComplex)
__CUBLAS_DOT(cublasZdotu, cuDoubleComplex)
__CUBLAS_DOT(cublasZdotc, cuDoubleComplex)
/* C and S: types of the cosine and the sine */
#define __CUBLAS_ROT(NAME, T, C, S)                                                                             \
  __CUBLAS_VOID(NAME, (int n, T* x, int incx, T* y, int incy, C sc, S ss), n, x, incx, y, incy, &sc, &ss)
__CUBLAS_ROT(cublasSrot, float, float, float)
__CUBLAS_ROT(cublasDrot, double, double, double)
__CUBLAS_ROT(cublasCrot, cuComplex, float, cuComplex)
__CUBLAS_ROT(cublasZrot, cuDoubleComplex, double, cuDoubleComplex)
__CUBLAS_ROT(cublasCsrot, cuComplex, float, float)
__CUBLAS_ROT(cublasZdrot, cuDoubleComplex, double, double)
__CUBLAS_VOID(cublasSrotg, (float* a, float* b, float* c, float* s), a, b, c, s)
__CUBLAS_VOID(cublasDrotg, (double* a, double* b, double* c, double* s), a, b, c, s)
__CUBLAS_VOID(cublasCrotg, (cuComplex * a, cuComplex b, float* c, cuComplex* s), a, &b, c, s)
__CUBLAS_VOID(cublasZrotg, (cuDoubleComplex * a, cuDoubleComplex b, double* c, cuDoubleComplex* s), a, &b, c, s)
#define __CUBLAS_ROTM(P, T)                                                                                            \
  __CUBLAS_VOID(cublas##P##rotm, (int n, T* x, int incx, T* y, int incy, const T* param), n, x, incx, y, incy, param)  \
  __CUBLAS_VOID(cublas##P##rotmg, (T * d1, T * d2, T * x1, const T* y1, T* param), d1, d2, x1, y1, param)
__CUBLAS_ROTM(S, float)
__CUBLAS_ROTM(D, double)
__CUBLAS_VOID(cublasCsscal, (int n, float alpha, cuComplex* x, int incx), n, &alpha, x, incx)
__CUBLAS_VOID(cublasZdscal, (int n, double alpha, cuDoubleComplex* x, int incx), n, &alpha, x, incx)

/* Levels 2 and 3 of all types */
#define __CUBLAS_LEVEL23(P, T)                                                                                         \
  __CUBLAS_VOID(cublas##P##gemv, (char trans, int m, int n, T alpha, const T* A, int lda, const T* x, int incx,        \
                                  T beta, T* y, int incy),                                                             \
                __cublasOp(trans), m, n, &alpha, A, lda, x, incx, &beta, y, incy)                                      \
  __CUBLAS_VOID(cublas##P##gbmv, (char trans, int m, int n, int kl, int ku, T alpha, const T* A, int lda, const T* x,  \
                                  int incx, T beta, T* y, int incy),                                                   \
                __cublasOp(trans), m, n, kl, ku, &alpha, A, lda, x, incx, &beta, y, incy)                              \
  __CUBLAS_VOID(cublas##P##trmv, (char uplo, char trans, char diag, int n, const T* A, int lda, T* x, int incx),       \
                __cublasFill(uplo), __cublasOp(trans), __cublasDiag(diag), n, A, lda, x, incx)                         \
  __CUBLAS_VOID(cublas##P##trsv, (char uplo, char trans, char diag, int n, const T* A, int lda, T* x, int incx),       \
                __cublasFill(uplo), __cublasOp(trans), __cublasDiag(diag), n, A, lda, x, incx)                         \
  __CUBLAS_VOID(cublas##P##tbmv, (char uplo, char trans, char diag, int n, int k, const T* A, int lda, T* x,    \
                                  int incx),                                                                           \
                __cublasFill(uplo), __cublasOp(trans), __cublasDiag(diag), n, k, A, lda, x, incx)                      \
  __CUBLAS_VOID(cublas##P##tbsv, (char uplo, char trans, char diag, int n, int k, const T* A, int lda, T* x,    \
                                  int incx),                                                                           \
                __cublasFill(uplo), __cublasOp(trans), __cublasDiag(diag), n, k, A, lda, x, incx)                      \
  __CUBLAS_VOID(cublas##P##tpmv, (char uplo, char trans, char diag, int n, const T* AP, T* x, int incx),               \
                __cublasFill(uplo), __cublasOp(trans), __cublasDiag(diag), n, AP, x, incx)                             \
  __CUBLAS_VOID(cublas##P##tpsv, (char uplo, char trans, char diag, int n, const T* AP, T* x, int incx),               \
                __cublasFill(uplo), __cublasOp(trans), __cublasDiag(diag), n, AP, x, incx)                             \
  __CUBLAS_VOID(cublas##P##gemm, (char transa, char transb, int m, int n, int k, T alpha, const T* A, int lda,         \
                                  const T* B, int ldb, T beta, T* C, int ldc),                                         \
                __cublasOp(transa), __cublasOp(transb), m, n, k, &alpha, A, lda, B, ldb, &beta, C, ldc)                \
  __CUBLAS_VOID(cublas##P##symm, (char side, char uplo, int m, int n, T alpha, const T* A, int lda, const T* B,        \
                                  int ldb, T beta, T* C, int ldc),                                                     \
                __cublasSide(side), __cublasFill(uplo), m, n, &alpha, A, lda, B, ldb, &beta, C, ldc)                   \
  __CUBLAS_VOID(cublas##P##syrk, (char uplo, char trans, int n, int k, T alpha, const T* A, int lda, T beta, T* C,     \
                                  int ldc),                                                                            \
                __cublasFill(uplo), __cublasOp(trans), n, k, &alpha, A, lda, &beta, C, ldc)                            \
  __CUBLAS_VOID(cublas##P##syr2k, (char uplo, char trans, int n, int k, T alpha, const T* A, int lda, const T* B,      \
                                   int ldb, T beta, T* C, int ldc),                                                    \
                __cublasFill(uplo), __cublasOp(trans), n, k, &alpha, A, lda, B, ldb, &beta, C, ldc)                    \
  /* The product takes the place of B. */                                                                              \
  __CUBLAS_VOID(cublas##P##trmm, (char side, char uplo, char transa, char diag, int m, int n, T alpha, const T* A,     \
                                  int lda, T* B, int ldb),                                                             \
                __cublasSide(side), __cublasFill(uplo), __cublasOp(transa), __cublasDiag(diag), m, n, &alpha, A, lda,  \
                B, ldb, B, ldb)                                                                                        \
  __CUBLAS_VOID(cublas##P##trsm, (char side, char uplo, char transa, char diag, int m, int n, T alpha, const T* A,     \
                                  int lda, T* B, int ldb),                                                             \
                __cublasSide(side), __cublasFill(uplo), __cublasOp(transa), __cublasDiag(diag), m, n, &alpha, A, lda,  \
                B, ldb)
__CUBLAS_LEVEL23(S, float)
__CUBLAS_LEVEL23(D, double)
__CUBLAS_LEVEL23(C, cuComplex)
__CUBLAS_LEVEL23(Z, cuDoubleComplex)

/* Symmetric matrices of real numbers, and Hermitian ones. SY, SB, SP: sy or he, sb or hb, sp or hp */
#define __CUBLAS_SYMMETRIC(P, SY, SB, SP, T, R)                                                                        \
  __CUBLAS_VOID(cublas##P##SY##mv, (char uplo, int n, T alpha, const T* A, int lda, const T* x, int incx, T beta,      \
                                    T* y, int incy),                                                                   \
                __cublasFill(uplo), n, &alpha, A, lda, x, incx, &beta, y, incy)                                        \
  __CUBLAS_VOID(cublas##P##SB##mv, (char uplo, int n, int k, T alpha, const T* A, int lda, const T* x, int incx,       \
                                    T beta, T* y, int incy),                                                           \
                __cublasFill(uplo), n, k, &alpha, A, lda, x, incx, &beta, y, incy)                                     \
  __CUBLAS_VOID(cublas##P##SP##mv, (char uplo, int n, T alpha, const T* AP, const T* x, int incx, T beta, T* y,        \
                                    int incy),                                                                         \
                __cublasFill(uplo), n, &alpha, AP, x, incx, &beta, y, incy)                                            \
  __CUBLAS_VOID(cublas##P##SY##r, (char uplo, int n, R alpha, const T* x, int incx, T* A, int lda),                    \
                __cublasFill(uplo), n, &alpha, x, incx, A, lda)                                                        \
  __CUBLAS_VOID(cublas##P##SP##r, (char uplo, int n, R alpha, const T* x, int incx, T* AP),                            \
                __cublasFill(uplo), n, &alpha, x, incx, AP)                                                            \
  __CUBLAS_VOID(cublas##P##SY##r2, (char uplo, int n, T alpha, const T* x, int incx, const T* y, int incy, T* A,       \
                                    int lda),                                                                          \
                __cublasFill(uplo), n, &alpha, x, incx, y, incy, A, lda)                                               \
  __CUBLAS_VOID(cublas##P##SP##r2, (char uplo, int n, T alpha, const T* x, int incx, const T* y, int incy, T* AP),     \
                __cublasFill(uplo), n, &alpha, x, incx, y, incy, AP)
__CUBLAS_SYMMETRIC(S, sy, sb, sp, float, float)
__CUBLAS_SYMMETRIC(D, sy, sb, sp, double, double)
__CUBLAS_SYMMETRIC(C, he, hb, hp, cuComplex, float)
__CUBLAS_SYMMETRIC(Z, he, hb, hp, cuDoubleComplex, double)
#define __CUBLAS_GER(NAME, T)                                                                                          \
  __CUBLAS_VOID(NAME, (int m, int n, T alpha, const T* x, int incx, const T* y, int incy, T* A, int lda), m, n,        \
                &alpha, x, incx, y, incy, A, lda)
__CUBLAS_GER(cublasSger, float)
__CUBLAS_GER(cublasDger, double)
__CUBLAS_GER(cublasCgeru, cuComplex)
__CUBLAS_GER(cublasCgerc, cuComplex)
__CUBLAS_GER(cublasZgeru, cuDoubleComplex)
__CUBLAS_GER(cublasZgerc, cuDoubleComplex)
#define __CUBLAS_HERMITIAN(P, T, R)                                                                                    \
  __CUBLAS_VOID(cublas##P##hemm, (char side, char uplo, int m, int n, T alpha, const T* A, int lda, const T* B,        \
                                  int ldb, T beta, T* C, int ldc),                                                     \
                __cublasSide(side), __cublasFill(uplo), m, n, &alpha, A, lda, B, ldb, &beta, C, ldc)                   \
  __CUBLAS_VOID(cublas##P##herk, (char uplo, char trans, int n, int k, R alpha, const T* A, int lda, R beta, T* C,     \
                                  int ldc),                                                                            \
                __cublasFill(uplo), __cublasOp(trans), n, k, &alpha, A, lda, &beta, C, ldc)                            \
  __CUBLAS_VOID(cublas##P##her2k, (char uplo, char trans, int n, int k, T alpha, const T* A, int lda, const T* B,      \
                                   int ldb, R beta, T* C, int ldc),                                                    \
                __cublasFill(uplo), __cublasOp(trans), n, k, &alpha, A, lda, B, ldb, &beta, C, ldc)
__CUBLAS_HERMITIAN(C, cuComplex, float)
__CUBLAS_HERMITIAN(Z, cuDoubleComplex, double)
#undef __CUBLAS_CALL
#undef __CUBLAS_VOID
#undef __CUBLAS_VALUE
#undef __CUBLAS_LEVEL1
#undef __CUBLAS_DOT
#undef __CUBLAS_ROT
#undef __CUBLAS_ROTM
#undef __CUBLAS_LEVEL23
#undef __CUBLAS_SYMMETRIC
#undef __CUBLAS_GER
#undef __CUBLAS_HERMITIAN
#endif
