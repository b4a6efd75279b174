/* cuSOLVER for sparse matrices, after the cuSOLVER documentation ("cuSolverSP"); written for Heddle. There are: linear
   systems by QR and Cholesky, and QR of batches. */
#ifndef HEDDLE_CUSOLVERSP_H
#define HEDDLE_CUSOLVERSP_H
#define CUSOLVERSP_H_ /* public code asks for it */

#include <cuComplex.h>
#include <cublas_api.h>
#include <cuda_runtime_api.h>
#include <cusolver_common.h>
#include <cusparse.h>

typedef struct cusolverSpContext *cusolverSpHandle_t;
typedef struct csrqrInfo *csrqrInfo_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *streamId);
cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                                 const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                                 const int *csrColIndA, csrqrInfo_t info);
#define HEDDLE_CUSOLVER_SPARSE(P, T, R)                                                                                \
  cusolverStatus_t cusolverSp##P##csrqrBufferInfoBatched(                                                              \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, const T *csrVal,              \
      const int *csrRowPtr, const int *csrColInd, int batchSize, csrqrInfo_t info, size_t *internalDataInBytes,        \
      size_t *workspaceInBytes);                                                                                       \
  cusolverStatus_t cusolverSp##P##csrqrsvBatched(                                                                      \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, const T *csrValA,             \
      const int *csrRowPtrA, const int *csrColIndA, const T *b, T *x, int batchSize, csrqrInfo_t info, void *pBuffer); \
  cusolverStatus_t cusolverSp##P##csrlsvqr(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, \
                                           const T *csrVal, const int *csrRowPtr, const int *csrColInd, const T *b,    \
                                           R tol, int reorder, T *x, int *singularity);                                \
  cusolverStatus_t cusolverSp##P##csrlsvchol(cusolverSpHandle_t handle, int m, int nnz,                                \
                                             const cusparseMatDescr_t descrA, const T *csrVal, const int *csrRowPtr,   \
                                             const int *csrColInd, const T *b, R tol, int reorder, T *x,               \
                                             int *singularity);
HEDDLE_CUSOLVER_SPARSE(S, float, float)
HEDDLE_CUSOLVER_SPARSE(D, double, double)
HEDDLE_CUSOLVER_SPARSE(C, cuComplex, float)
HEDDLE_CUSOLVER_SPARSE(Z, cuDoubleComplex, double)
#undef HEDDLE_CUSOLVER_SPARSE
#ifdef __cplusplus
}
#endif
#endif
