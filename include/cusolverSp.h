/* cuSOLVER for sparse matrices, after the cuSOLVER documentation ("cuSolverSP"); written for Heddle. Functions that end
   with Host work on memory of the host. */
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

/* Systems, least squares and eigenvalues on the host. C: the complex type of that precision. */
#define HEDDLE_CUSOLVER_SYSTEM(P, T, R, NAME)                                                                          \
  cusolverStatus_t cusolverSp##P##csr##NAME(cusolverSpHandle_t handle, int m, int nnz,                                 \
                                            const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,  \
                                            const int *csrColIndA, const T *b, R tol, int reorder, T *x,               \
                                            int *singularity);
#define HEDDLE_CUSOLVER_EIGENVECTOR(P, T, R, NAME)                                                                     \
  cusolverStatus_t cusolverSp##P##csr##NAME(cusolverSpHandle_t handle, int m, int nnz,                                 \
                                            const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,  \
                                            const int *csrColIndA, T mu0, const T *x0, int maxite, R tol, T *mu,       \
                                            T *x);
#define HEDDLE_CUSOLVER_SPARSE_HOST(P, T, R, C)                                                                        \
  HEDDLE_CUSOLVER_SYSTEM(P, T, R, lsvluHost)                                                                           \
  HEDDLE_CUSOLVER_SYSTEM(P, T, R, lsvqrHost)                                                                           \
  HEDDLE_CUSOLVER_SYSTEM(P, T, R, lsvcholHost)                                                                         \
  cusolverStatus_t cusolverSp##P##csrlsqvqrHost(cusolverSpHandle_t handle, int m, int n, int nnz,                      \
                                                const cusparseMatDescr_t descrA, const T *csrValA,                     \
                                                const int *csrRowPtrA, const int *csrColIndA, const T *b, R tol,       \
                                                int *rankA, T *x, int *p, R *min_norm);                                \
  HEDDLE_CUSOLVER_EIGENVECTOR(P, T, R, eigvsi)                                                                         \
  HEDDLE_CUSOLVER_EIGENVECTOR(P, T, R, eigvsiHost)                                                                     \
  cusolverStatus_t cusolverSp##P##csreigsHost(cusolverSpHandle_t handle, int m, int nnz,                               \
                                              const cusparseMatDescr_t descrA, const T *csrValA,                       \
                                              const int *csrRowPtrA, const int *csrColIndA, C left_bottom_corner,      \
                                              C right_upper_corner, int *num_eigs);                                    \
  cusolverStatus_t cusolverSp##P##csrzfdHost(cusolverSpHandle_t handle, int n, int nnz,                                \
                                             const cusparseMatDescr_t descrA, const T *csrValA,                        \
                                             const int *csrRowPtrA, const int *csrColIndA, int *order, int *numnz);
HEDDLE_CUSOLVER_SPARSE_HOST(S, float, float, cuComplex)
HEDDLE_CUSOLVER_SPARSE_HOST(D, double, double, cuDoubleComplex)
HEDDLE_CUSOLVER_SPARSE_HOST(C, cuComplex, float, cuComplex)
HEDDLE_CUSOLVER_SPARSE_HOST(Z, cuDoubleComplex, double, cuDoubleComplex)
#undef HEDDLE_CUSOLVER_SPARSE_HOST
#undef HEDDLE_CUSOLVER_SYSTEM
#undef HEDDLE_CUSOLVER_EIGENVECTOR

/* Orders of rows and columns. */
#define HEDDLE_CUSOLVER_PATTERN                                                                                        \
  cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA,                  \
      const int *csrColIndA
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA, const cusparseMatDescr_t descrA,
                                         const int *csrRowPtrA, const int *csrEndPtrA, const int *csrColIndA,
                                         int *issym);
cusolverStatus_t cusolverSpXcsrsymrcmHost(HEDDLE_CUSOLVER_PATTERN, int *p);
cusolverStatus_t cusolverSpXcsrsymmdqHost(HEDDLE_CUSOLVER_PATTERN, int *p);
cusolverStatus_t cusolverSpXcsrsymamdHost(HEDDLE_CUSOLVER_PATTERN, int *p);
cusolverStatus_t cusolverSpXcsrmetisndHost(HEDDLE_CUSOLVER_PATTERN, const int64_t *options, int *p);
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                                   const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                                   const int *csrColIndA, const int *p, const int *q,
                                                   size_t *bufferSizeInBytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                        const cusparseMatDescr_t descrA, int *csrRowPtrA, int *csrColIndA, const int *p,
                                        const int *q, int *map, void *pBuffer);
#ifdef __cplusplus
}
#endif
#endif
