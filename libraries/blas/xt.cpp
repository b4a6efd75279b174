// cuBLASXt (cuBLAS documentation, "Using the cuBLASXt API"): the tiles of a result go round the selected devices. What
// a tile needs is copied there, and cuBLAS works on it. Matrices may be in host or in device memory.
//
// Every routine is one loop over the tiles of C, and says which tiles of A and B a tile needs. Complex numbers of herk
// and its kin have their conjugates by CUBLAS_OP_C. CPU routines are accepted and never called: results are the same.
#include "xt-tiles.h"

extern "C" {

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasXtContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetNumBoards(int nbDevices, int deviceId[], int *nbBoards) {
  bool isThere = nbBoards && (deviceId || nbDevices == 0);
  if (nbDevices < 0 || (nbDevices > 0 && !isThere)) return CUBLAS_STATUS_INVALID_VALUE;
  if (nbBoards) *nbBoards = nbDevices;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtMaxBoards(int *nbGpuBoards) {
  if (!nbGpuBoards) return CUBLAS_STATUS_INVALID_VALUE;
  return cudaGetDeviceCount(nbGpuBoards) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[]) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  int count = 0, before = 0;
  cudaGetDeviceCount(&count);
  if (nbDevices <= 0 || !deviceId) return CUBLAS_STATUS_INVALID_VALUE;
  for (int i = 0; i < nbDevices; i++)
    if (deviceId[i] < 0 || deviceId[i] >= count) return CUBLAS_STATUS_INVALID_VALUE;
  handle->clear();
  cudaGetDevice(&before);
  for (int i = 0; i < nbDevices; i++) {
    cudaSetDevice(deviceId[i]);
    cublasHandle_t own;
    if (cublasCreate(&own) != CUBLAS_STATUS_SUCCESS) return CUBLAS_STATUS_ALLOC_FAILED;
    handle->devices.push_back(deviceId[i]);
    handle->handles.push_back(own);
  }
  cudaSetDevice(before);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  if (blockDim <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  handle->blockDim = blockDim;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *blockDim) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *blockDim = handle->blockDim;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *mode = handle->pinning;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  handle->pinning = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t op, cublasXtOpType_t type, void *) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  return op < CUBLASXT_ROUTINE_MAX && type <= CUBLASXT_DOUBLECOMPLEX ? CUBLAS_STATUS_SUCCESS
                                                                     : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t op, cublasXtOpType_t type, float ratio) {
  if (ratio < 0 || ratio > 1) return CUBLAS_STATUS_INVALID_VALUE;
  return cublasXtSetCpuRoutine(handle, op, type, nullptr);
}

#define IS_PLAIN (op == CUBLAS_OP_N)
#define RANK_VALID (lda >= at_least_one(IS_PLAIN ? n : k) && ldc >= at_least_one(n))
#define RANK_OPERAND(X, LD) w.matrix(X, IS_PLAIN ? n : k, IS_PLAIN ? k : n, LD)
#define ORDER (side == CUBLAS_SIDE_LEFT ? m : n)
/// R: type of beta; AGAIN: alpha of the second product, BETA: beta as a T
#define HEDDLE_XT_RANK(NAME, T, R, AGAIN, BETA, IS_HERMITIAN, IS_TWICE)                                                \
  cublasStatus_t NAME(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, size_t n, size_t k,        \
                      const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const R* beta, T* C,             \
                      size_t ldc) {                                                                                    \
    if (IS_HERMITIAN && IS_TWICE && (!alpha || !beta)) return CUBLAS_STATUS_INVALID_VALUE;                             \
    return guarded(handle, RANK_VALID, [&] {                                                                           \
      Work<T> w(handle);                                                                                               \
      rank<T>(w, uplo, op, k, *alpha, AGAIN, RANK_OPERAND(A, lda), RANK_OPERAND(B, ldb), BETA,                         \
              w.matrix(C, n, n, ldc), IS_HERMITIAN, IS_TWICE);                                                         \
    });                                                                                                                \
  }
#define HEDDLE_XT(P, T)                                                                                                \
  cublasStatus_t cublasXt##P##gemm(cublasXtHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, size_t m,      \
                                   size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, \
                                   const T* beta, T* C, size_t ldc) {                                                  \
    bool na = ta == CUBLAS_OP_N, nb = tb == CUBLAS_OP_N;                                                               \
    bool isValid = lda >= at_least_one(na ? m : k) && ldb >= at_least_one(nb ? k : n) && ldc >= at_least_one(m);       \
    return guarded(handle, isValid, [&] {                                                                              \
      Work<T> w(handle);                                                                                               \
      gemm<T>(w, ta, tb, k, *alpha, w.matrix(A, na ? m : k, na ? k : m, lda),                                          \
              w.matrix(B, nb ? k : n, nb ? n : k, ldb), *beta, w.matrix(C, m, n, ldc));                                \
    });                                                                                                                \
  }                                                                                                                    \
  cublasStatus_t cublasXt##P##syrk(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, size_t n,     \
                                   size_t k, const T* alpha, const T* A, size_t lda, const T* beta, T* C,              \
                                   size_t ldc) {                                                                       \
    return cublasXt##P##syrkx(handle, uplo, op, n, k, alpha, A, lda, A, lda, beta, C, ldc);                            \
  }                                                                                                                    \
  HEDDLE_XT_RANK(cublasXt##P##syrkx, T, T, *alpha, *beta, false, false)                                                \
  HEDDLE_XT_RANK(cublasXt##P##syr2k, T, T, *alpha, *beta, false, true)                                                 \
  cublasStatus_t cublasXt##P##symm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m,    \
                                   size_t n, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb,           \
                                   const T* beta, T* C, size_t ldc) {                                                  \
    bool isValid = lda >= at_least_one(ORDER) && ldb >= at_least_one(m) && ldc >= at_least_one(m);                     \
    return guarded(handle, isValid, [&] {                                                                              \
      Work<T> w(handle);                                                                                               \
      symmetric<T>(w, side, uplo, false, *alpha, w.matrix(A, ORDER, ORDER, lda), w.matrix(B, m, n, ldb), *beta,        \
                   w.matrix(C, m, n, ldc));                                                                            \
    });                                                                                                                \
  }                                                                                                                    \
  cublasStatus_t cublasXt##P##spmm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m,    \
                                   size_t n, const T* alpha, const T* AP, const T* B, size_t ldb, const T* beta, T* C, \
                                   size_t ldc) {                                                                       \
    return guarded(handle, ldb >= at_least_one(m) && ldc >= at_least_one(m), [&] {                                     \
      Work<T> w(handle);                                                                                               \
      Matrix<const T> A = w.matrix(AP, ORDER, ORDER, 0);                                                               \
      A.isPacked = true;                                                                                               \
      A.isLower = is_lower(uplo);                                                                                      \
      symmetric<T>(w, side, uplo, false, *alpha, A, w.matrix(B, m, n, ldb), *beta, w.matrix(C, m, n, ldc));            \
    });                                                                                                                \
  }                                                                                                                    \
  cublasStatus_t cublasXt##P##trmm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,              \
                                   cublasOperation_t op, cublasDiagType_t diag, size_t m, size_t n, const T* alpha,    \
                                   const T* A, size_t lda, const T* B, size_t ldb, T* C, size_t ldc) {                 \
    bool isValid = lda >= at_least_one(ORDER) && ldb >= at_least_one(m) && ldc >= at_least_one(m);                     \
    return guarded(handle, isValid, [&] {                                                                              \
      Work<T> w(handle);                                                                                               \
      triangular_product<T>(w, side, uplo, op, diag, *alpha, w.matrix(A, ORDER, ORDER, lda), w.matrix(B, m, n, ldb),   \
                            w.matrix(C, m, n, ldc));                                                                   \
    });                                                                                                                \
  }                                                                                                                    \
  cublasStatus_t cublasXt##P##trsm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,              \
                                   cublasOperation_t op, cublasDiagType_t diag, size_t m, size_t n, const T* alpha,    \
                                   const T* A, size_t lda, T* B, size_t ldb) {                                         \
    return guarded(handle, lda >= at_least_one(ORDER) && ldb >= at_least_one(m), [&] {                                 \
      Work<T> w(handle);                                                                                               \
      triangular_solve<T>(w, side, uplo, op, diag, *alpha, w.matrix(A, ORDER, ORDER, lda), w.matrix(B, m, n, ldb));    \
    });                                                                                                                \
  }
HEDDLE_XT(S, float)
HEDDLE_XT(D, double)
HEDDLE_XT(C, cuComplex)
HEDDLE_XT(Z, cuDoubleComplex)

#define HEDDLE_XT_COMPLEX(P, T, R)                                                                                     \
  cublasStatus_t cublasXt##P##herk(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, size_t n,     \
                                   size_t k, const R* alpha, const T* A, size_t lda, const R* beta, T* C,              \
                                   size_t ldc) {                                                                       \
    const T wide = {*alpha, 0};                                                                                        \
    return cublasXt##P##herkx(handle, uplo, op, n, k, &wide, A, lda, A, lda, beta, C, ldc);                            \
  }                                                                                                                    \
  HEDDLE_XT_RANK(cublasXt##P##herkx, T, R, *alpha, (T{*beta, 0}), true, false)                                         \
  HEDDLE_XT_RANK(cublasXt##P##her2k, T, R, conjugate(*alpha), (T{*beta, 0}), true, true)                               \
  cublasStatus_t cublasXt##P##hemm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m,    \
                                   size_t n, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb,           \
                                   const T* beta, T* C, size_t ldc) {                                                  \
    bool isValid = lda >= at_least_one(ORDER) && ldb >= at_least_one(m) && ldc >= at_least_one(m);                     \
    return guarded(handle, isValid, [&] {                                                                              \
      Work<T> w(handle);                                                                                               \
      symmetric<T>(w, side, uplo, true, *alpha, w.matrix(A, ORDER, ORDER, lda), w.matrix(B, m, n, ldb), *beta,         \
                   w.matrix(C, m, n, ldc));                                                                            \
    });                                                                                                                \
  }
HEDDLE_XT_COMPLEX(C, cuComplex, float)
HEDDLE_XT_COMPLEX(Z, cuDoubleComplex, double)

} // extern "C"
