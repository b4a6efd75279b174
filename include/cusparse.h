/*
 * Sparse matrices: the API of cuSPARSE, written for Heddle (libraries/sparse) after the cuSPARSE documentation; the
 * numbers are part of its binary interface.
 */
#ifndef HEDDLE_CUSPARSE_H
#define HEDDLE_CUSPARSE_H
#define CUSPARSE_H_ /* public code asks for it */

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifndef CUSPARSEAPI
#define CUSPARSEAPI
#endif
#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 6
#define CUSPARSE_VER_PATCH 2
#define CUSPARSE_VER_BUILD 49
#define CUSPARSE_VERSION (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)

#ifdef __cplusplus
struct __half;
extern "C" {
#endif

typedef enum {
  CUSPARSE_STATUS_SUCCESS = 0,
  CUSPARSE_STATUS_NOT_INITIALIZED = 1,
  CUSPARSE_STATUS_ALLOC_FAILED = 2,
  CUSPARSE_STATUS_INVALID_VALUE = 3,
  CUSPARSE_STATUS_ARCH_MISMATCH = 4,
  CUSPARSE_STATUS_MAPPING_ERROR = 5,
  CUSPARSE_STATUS_EXECUTION_FAILED = 6,
  CUSPARSE_STATUS_INTERNAL_ERROR = 7,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSPARSE_STATUS_ZERO_PIVOT = 9,
  CUSPARSE_STATUS_NOT_SUPPORTED = 10,
  CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum { CUSPARSE_POINTER_MODE_HOST = 0, CUSPARSE_POINTER_MODE_DEVICE = 1 } cusparsePointerMode_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;
typedef enum {
  CUSPARSE_MATRIX_TYPE_GENERAL = 0,
  CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
  CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
  CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum {
  CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
  CUSPARSE_OPERATION_TRANSPOSE = 1,
  CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum { CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1 } cusparseDirection_t;
typedef enum { CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0, CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1 } cusparseSolvePolicy_t;
typedef enum {
  CUSPARSE_CSR2CSC_ALG_DEFAULT = 1,
  CUSPARSE_CSR2CSC_ALG1 = 1,
  CUSPARSE_CSR2CSC_ALG2 = 2
} cusparseCsr2CscAlg_t;
typedef enum {
  CUSPARSE_FORMAT_CSR = 1,
  CUSPARSE_FORMAT_CSC = 2,
  CUSPARSE_FORMAT_COO = 3,
  CUSPARSE_FORMAT_BLOCKED_ELL = 5,
  CUSPARSE_FORMAT_BSR = 6,
  CUSPARSE_FORMAT_SLICED_ELLPACK = 7,
  CUSPARSE_FORMAT_COO_AOS = 8
} cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE = 0, CUSPARSE_SPMAT_DIAG_TYPE = 1 } cusparseSpMatAttribute_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum {
  CUSPARSE_SPMV_ALG_DEFAULT = 0,
  CUSPARSE_SPMV_COO_ALG1 = 1,
  CUSPARSE_SPMV_CSR_ALG1 = 2,
  CUSPARSE_SPMV_CSR_ALG2 = 3,
  CUSPARSE_SPMV_COO_ALG2 = 4,
  CUSPARSE_SPMV_SELL_ALG1 = 5,
  CUSPARSE_SPMV_BSR_ALG1 = 6
} cusparseSpMVAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSV_UPDATE_GENERAL = 0, CUSPARSE_SPSV_UPDATE_DIAGONAL = 1 } cusparseSpSVUpdate_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT = 0 } cusparseSpSMAlg_t;
typedef enum { CUSPARSE_SPSM_UPDATE_GENERAL = 0, CUSPARSE_SPSM_UPDATE_DIAGONAL = 1 } cusparseSpSMUpdate_t;
typedef enum {
  CUSPARSE_SPMM_ALG_DEFAULT = 0,
  CUSPARSE_SPMM_COO_ALG1 = 1,
  CUSPARSE_SPMM_COO_ALG2 = 2,
  CUSPARSE_SPMM_COO_ALG3 = 3,
  CUSPARSE_SPMM_CSR_ALG1 = 4,
  CUSPARSE_SPMM_COO_ALG4 = 5,
  CUSPARSE_SPMM_CSR_ALG2 = 6,
  CUSPARSE_SPMM_CSR_ALG3 = 12,
  CUSPARSE_SPMM_BLOCKED_ELL_ALG1 = 13,
  CUSPARSE_SPMM_BSR_ALG1 = 14
} cusparseSpMMAlg_t;
typedef enum {
  CUSPARSE_SPGEMM_DEFAULT = 0,
  CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
  CUSPARSE_SPGEMM_CSR_ALG_DETERMINISTIC = 1,
  CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
  CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINISTIC = 2,
  CUSPARSE_SPGEMM_ALG1 = 3,
  CUSPARSE_SPGEMM_ALG2 = 4,
  CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;

struct cusparseContext;
struct cusparseMatDescr;
struct cusparseSpVecDescr;
struct cusparseDnVecDescr;
struct cusparseSpMatDescr;
struct cusparseDnMatDescr;
struct cusparseSpSVDescr;
struct cusparseSpSMDescr;
struct cusparseSpGEMMDescr;
struct csric02Info;
struct csrilu02Info;
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseSpVecDescr *cusparseConstSpVecDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct csric02Info *csric02Info_t;
typedef struct csrilu02Info *csrilu02Info_t;

/* Handles, versions, errors, the log (it stays empty). */
cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode);
typedef void (*cusparseLoggerCallback_t)(int level, const char *function, const char *message);
cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t callback);
cusparseStatus_t cusparseLoggerSetFile(FILE *file);
cusparseStatus_t cusparseLoggerOpenFile(const char *path);
cusparseStatus_t cusparseLoggerSetLevel(int level);
cusparseStatus_t cusparseLoggerSetMask(int mask);
cusparseStatus_t cusparseLoggerForceDisable(void);

/* What functions for one type know of a matrix. */
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t mode);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t type);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);

/* Descriptors of vectors. */
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vec, int64_t size, int64_t nnz, void *indices, void *values,
                                     cusparseIndexType_t idxType, cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *vec, int64_t size, int64_t nnz,
                                          const void *indices, const void *values, cusparseIndexType_t idxType,
                                          cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vec);
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t vec, int64_t *size, int64_t *nnz, void **indices, void **values,
                                  cusparseIndexType_t *idxType, cusparseIndexBase_t *idxBase, cudaDataType *valueType);
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t vec, int64_t *size, int64_t *nnz,
                                       const void **indices, const void **values, cusparseIndexType_t *idxType,
                                       cusparseIndexBase_t *idxBase, cudaDataType *valueType);
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vec, cusparseIndexBase_t *idxBase);
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t vec, void **values);
cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t vec, const void **values);
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vec, void *values);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vec, int64_t size, void *values, cudaDataType valueType);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vec, int64_t size, const void *values,
                                          cudaDataType valueType);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vec);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vec, int64_t *size, void **values, cudaDataType *valueType);
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t vec, int64_t *size, const void **values,
                                       cudaDataType *valueType);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vec, void **values);
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t vec, const void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vec, void *values);

/* Descriptors of sparse matrices. */
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                   void *csrRowOffsets, void *csrColInd, void *csrValues,
                                   cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
                                   cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                        const void *csrRowOffsets, const void *csrColInd, const void *csrValues,
                                        cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
                                        cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                   void *cscColOffsets, void *cscRowInd, void *cscValues,
                                   cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
                                   cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                        const void *cscColOffsets, const void *cscRowInd, const void *cscValues,
                                        cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
                                        cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                   void *cooRowInd, void *cooColInd, void *cooValues, cusparseIndexType_t cooIdxType,
                                   cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                        const void *cooRowInd, const void *cooColInd, const void *cooValues,
                                        cusparseIndexType_t cooIdxType, cusparseIndexBase_t idxBase,
                                        cudaDataType valueType);
cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t *mat, int64_t brows, int64_t bcols, int64_t bnnz,
                                   int64_t rowBlockSize, int64_t colBlockSize, void *bsrRowOffsets, void *bsrColInd,
                                   void *bsrValues, cusparseIndexType_t bsrRowOffsetsType,
                                   cusparseIndexType_t bsrColIndType, cusparseIndexBase_t idxBase,
                                   cudaDataType valueType, cusparseOrder_t order);
cusparseStatus_t cusparseCreateConstBsr(cusparseConstSpMatDescr_t *mat, int64_t brows, int64_t bcols, int64_t bnnz,
                                        int64_t rowBlockSize, int64_t colBlockSize, const void *bsrRowOffsets,
                                        const void *bsrColInd, const void *bsrValues,
                                        cusparseIndexType_t bsrRowOffsetsType, cusparseIndexType_t bsrColIndType,
                                        cusparseIndexBase_t idxBase, cudaDataType valueType, cusparseOrder_t order);
cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ellBlockSize,
                                          int64_t ellCols, void *ellColInd, void *ellValue,
                                          cusparseIndexType_t ellIdxType, cusparseIndexBase_t idxBase,
                                          cudaDataType valueType);
cusparseStatus_t cusparseCreateConstBlockedEll(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols,
                                               int64_t ellBlockSize, int64_t ellCols, const void *ellColInd,
                                               const void *ellValue, cusparseIndexType_t ellIdxType,
                                               cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                         int64_t sellValuesSize, int64_t sliceSize, void *sellSliceOffsets,
                                         void *sellColInd, void *sellValues, cusparseIndexType_t sellSliceOffsetsType,
                                         cusparseIndexType_t sellColIndType, cusparseIndexBase_t idxBase,
                                         cudaDataType valueType);
cusparseStatus_t cusparseCreateConstSlicedEll(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                              int64_t sellValuesSize, int64_t sliceSize, const void *sellSliceOffsets,
                                              const void *sellColInd, const void *sellValues,
                                              cusparseIndexType_t sellSliceOffsetsType,
                                              cusparseIndexType_t sellColIndType, cusparseIndexBase_t idxBase,
                                              cudaDataType valueType);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t mat);
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,
                                void **csrRowOffsets, void **csrColInd, void **csrValues,
                                cusparseIndexType_t *csrRowOffsetsType, cusparseIndexType_t *csrColIndType,
                                cusparseIndexBase_t *idxBase, cudaDataType *valueType);
cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,
                                     const void **csrRowOffsets, const void **csrColInd, const void **csrValues,
                                     cusparseIndexType_t *csrRowOffsetsType, cusparseIndexType_t *csrColIndType,
                                     cusparseIndexBase_t *idxBase, cudaDataType *valueType);
cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,
                                void **cscColOffsets, void **cscRowInd, void **cscValues,
                                cusparseIndexType_t *cscColOffsetsType, cusparseIndexType_t *cscRowIndType,
                                cusparseIndexBase_t *idxBase, cudaDataType *valueType);
cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,
                                     const void **cscColOffsets, const void **cscRowInd, const void **cscValues,
                                     cusparseIndexType_t *cscColOffsetsType, cusparseIndexType_t *cscRowIndType,
                                     cusparseIndexBase_t *idxBase, cudaDataType *valueType);
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,
                                void **cooRowInd, void **cooColInd, void **cooValues, cusparseIndexType_t *idxType,
                                cusparseIndexBase_t *idxBase, cudaDataType *valueType);
cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,
                                     const void **cooRowInd, const void **cooColInd, const void **cooValues,
                                     cusparseIndexType_t *idxType, cusparseIndexBase_t *idxBase,
                                     cudaDataType *valueType);
cusparseStatus_t cusparseBlockedEllGet(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ellBlockSize,
                                       int64_t *ellCols, void **ellColInd, void **ellValue,
                                       cusparseIndexType_t *ellIdxType, cusparseIndexBase_t *idxBase,
                                       cudaDataType *valueType);
cusparseStatus_t cusparseConstBlockedEllGet(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols,
                                            int64_t *ellBlockSize, int64_t *ellCols, const void **ellColInd,
                                            const void **ellValue, cusparseIndexType_t *ellIdxType,
                                            cusparseIndexBase_t *idxBase, cudaDataType *valueType);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t mat, void *csrRowOffsets, void *csrColInd,
                                        void *csrValues);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t mat, void *cscColOffsets, void *cscRowInd,
                                        void *cscValues);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t mat, void *cooRows, void *cooColumns, void *cooValues);
cusparseStatus_t cusparseBsrSetPointers(cusparseSpMatDescr_t mat, void *bsrRowOffsets, void *bsrColInd,
                                        void *bsrValues);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t mat, cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t mat, cusparseIndexBase_t *idxBase);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t mat, void **values);
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t mat, const void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t mat, void *values);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t mat, int *batchCount);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount, int64_t batchStride);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount, int64_t offsetsBatchStride,
                                            int64_t columnsValuesBatchStride);
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount, int64_t offsetsBatchStride,
                                            int64_t columnsBatchStride, int64_t valuesBatchStride);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t mat, cusparseSpMatAttribute_t attribute,
                                           void *data, size_t dataSize);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t mat, cusparseSpMatAttribute_t attribute, void *data,
                                           size_t dataSize);

/* Descriptors of dense matrices. */
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld, void *values,
                                     cudaDataType valueType, cusparseOrder_t order);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld,
                                          const void *values, cudaDataType valueType, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t mat);
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld, void **values,
                                  cudaDataType *type, cusparseOrder_t *order);
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld,
                                       const void **values, cudaDataType *type, cusparseOrder_t *order);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t mat, void **values);
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t mat, const void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t mat, void *values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t mat, int batchCount, int64_t batchStride);
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t mat, int *batchCount, int64_t *batchStride);

/* Sparse vectors. */
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t vecX,
                               const void *beta, cusparseDnVecDescr_t vecY);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY, cusparseSpVecDescr_t vecX);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX, cusparseDnVecDescr_t vecY);
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s, cusparseSpVecDescr_t vecX,
                             cusparseDnVecDescr_t vecY);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX,
                                         cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                                         const void *result, cudaDataType computeType, size_t *bufferSize);
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
                              cusparseConstDnVecDescr_t vecY, void *result, cudaDataType computeType,
                              void *externalBuffer);

/* Conversions. */
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                                  cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                                  size_t *bufferSize);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                       cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                       void *externalBuffer);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                  cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                  size_t *bufferSize);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                void *externalBuffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                               cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                               void *externalBuffer);

/* Products with vectors and dense matrices. */
#define HEDDLE_SPMV_ARGUMENTS                                                                                          \
  cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t matA,                 \
      cusparseConstDnVecDescr_t vecX, const void *beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,           \
      cusparseSpMVAlg_t alg
cusparseStatus_t cusparseSpMV_bufferSize(HEDDLE_SPMV_ARGUMENTS, size_t *bufferSize);
cusparseStatus_t cusparseSpMV_preprocess(HEDDLE_SPMV_ARGUMENTS, void *externalBuffer);
cusparseStatus_t cusparseSpMV(HEDDLE_SPMV_ARGUMENTS, void *externalBuffer);
#define HEDDLE_SPMM_ARGUMENTS                                                                                          \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,                        \
      cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta, cusparseDnMatDescr_t matC,     \
      cudaDataType computeType, cusparseSpMMAlg_t alg
cusparseStatus_t cusparseSpMM_bufferSize(HEDDLE_SPMM_ARGUMENTS, size_t *bufferSize);
cusparseStatus_t cusparseSpMM_preprocess(HEDDLE_SPMM_ARGUMENTS, void *externalBuffer);
cusparseStatus_t cusparseSpMM(HEDDLE_SPMM_ARGUMENTS, void *externalBuffer);
#define HEDDLE_SDDMM_ARGUMENTS                                                                                         \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,                        \
      cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,     \
      cudaDataType computeType, cusparseSDDMMAlg_t alg
cusparseStatus_t cusparseSDDMM_bufferSize(HEDDLE_SDDMM_ARGUMENTS, size_t *bufferSize);
cusparseStatus_t cusparseSDDMM_preprocess(HEDDLE_SDDMM_ARGUMENTS, void *externalBuffer);
cusparseStatus_t cusparseSDDMM(HEDDLE_SDDMM_ARGUMENTS, void *externalBuffer);

/* Triangular systems. */
#define HEDDLE_SPSV_ARGUMENTS                                                                                          \
  cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t matA,                 \
      cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t alg,      \
      cusparseSpSVDescr_t spsvDescr
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSV_bufferSize(HEDDLE_SPSV_ARGUMENTS, size_t *bufferSize);
cusparseStatus_t cusparseSpSV_analysis(HEDDLE_SPSV_ARGUMENTS, void *externalBuffer);
cusparseStatus_t cusparseSpSV_solve(HEDDLE_SPSV_ARGUMENTS);
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t spsvDescr, void *newValues,
                                           cusparseSpSVUpdate_t updatePart);
#define HEDDLE_SPSM_ARGUMENTS                                                                                          \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,                        \
      cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,                       \
      cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t spsmDescr
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr);
cusparseStatus_t cusparseSpSM_bufferSize(HEDDLE_SPSM_ARGUMENTS, size_t *bufferSize);
cusparseStatus_t cusparseSpSM_analysis(HEDDLE_SPSM_ARGUMENTS, void *externalBuffer);
cusparseStatus_t cusparseSpSM_solve(HEDDLE_SPSM_ARGUMENTS);
cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t spsmDescr, void *newValues,
                                           cusparseSpSMUpdate_t updatePart);

/* Products of sparse matrices. */
#define HEDDLE_SPGEMM_ARGUMENTS                                                                                        \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,                        \
      cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,     \
      cudaDataType computeType, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t spgemmDescr
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr);
cusparseStatus_t cusparseSpGEMM_workEstimation(HEDDLE_SPGEMM_ARGUMENTS, size_t *bufferSize1, void *externalBuffer1);
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t spgemmDescr, int64_t *num_prods);
cusparseStatus_t cusparseSpGEMM_estimateMemory(HEDDLE_SPGEMM_ARGUMENTS, float chunk_fraction, size_t *bufferSize3,
                                               void *externalBuffer3, size_t *bufferSize2);
cusparseStatus_t cusparseSpGEMM_compute(HEDDLE_SPGEMM_ARGUMENTS, size_t *bufferSize2, void *externalBuffer2);
cusparseStatus_t cusparseSpGEMM_copy(HEDDLE_SPGEMM_ARGUMENTS);
#define HEDDLE_SPGEMMREUSE_ARGUMENTS                                                                                   \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,           \
      cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC, cusparseSpGEMMAlg_t alg,                              \
      cusparseSpGEMMDescr_t spgemmDescr
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(HEDDLE_SPGEMMREUSE_ARGUMENTS, size_t *bufferSize1,
                                                    void *externalBuffer1);
cusparseStatus_t cusparseSpGEMMreuse_nnz(HEDDLE_SPGEMMREUSE_ARGUMENTS, size_t *bufferSize2, void *externalBuffer2,
                                         size_t *bufferSize3, void *externalBuffer3, size_t *bufferSize4,
                                         void *externalBuffer4);
cusparseStatus_t cusparseSpGEMMreuse_copy(HEDDLE_SPGEMMREUSE_ARGUMENTS, size_t *bufferSize5, void *externalBuffer5);
cusparseStatus_t cusparseSpGEMMreuse_compute(HEDDLE_SPGEMM_ARGUMENTS);

/* Indices: conversions, orders. */
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m, int *csrSortedRowPtr,
                                  cusparseIndexBase_t idxBase);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrSortedRowPtr, int nnz, int m, int *cooRowInd,
                                  cusparseIndexBase_t idxBase);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *cooRowsA,
                                                const int *cooColsA, size_t *pBufferSizeInBytes);
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *cooRowsA, int *cooColsA,
                                       int *P, void *pBuffer);
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *cooRowsA,
                                          int *cooColsA, int *P, void *pBuffer);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *csrRowPtrA,
                                                const int *csrColIndA, size_t *pBufferSizeInBytes);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
                                  const int *csrRowPtrA, int *csrColIndA, int *P, void *pBuffer);
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *cscColPtrA,
                                                const int *cscRowIndA, size_t *pBufferSizeInBytes);
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
                                  const int *cscColPtrA, int *cscRowIndA, int *P, void *pBuffer);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal,
                                               const int *csrRowPtr, const int *csrColInd, void *cscVal,
                                               int *cscColPtr, int *cscRowInd, cudaDataType valType,
                                               cusparseAction_t copyValues, cusparseIndexBase_t idxBase,
                                               cusparseCsr2CscAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal,
                                    const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr,
                                    int *cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
                                    cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg, void *buffer);
cusparseStatus_t cusparseXcsr2bsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                                     const cusparseMatDescr_t descrA, const int *csrSortedRowPtrA,
                                     const int *csrSortedColIndA, int blockDim, const cusparseMatDescr_t descrC,
                                     int *bsrSortedRowPtrC, int *nnzTotalDevHostPtr);
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA,
                                      int nnzA, const int *csrSortedRowPtrA, const int *csrSortedColIndA,
                                      const cusparseMatDescr_t descrB, int nnzB, const int *csrSortedRowPtrB,
                                      const int *csrSortedColIndB, const cusparseMatDescr_t descrC,
                                      int *csrSortedRowPtrC, int *nnzTotalDevHostPtr, void *workspace);

/* Incomplete factors. */
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info);
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info);
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int *position);
cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position);

/* Functions for one type each. R: the type of its real part. */
#define HEDDLE_CUSPARSE_TYPE(P, T, R)                                                                                  \
  cusparseStatus_t cusparse##P##csrgeam2_bufferSizeExt(                                                                \
      cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t descrA, int nnzA,                \
      const T *csrSortedValA, const int *csrSortedRowPtrA, const int *csrSortedColIndA, const T *beta,                 \
      const cusparseMatDescr_t descrB, int nnzB, const T *csrSortedValB, const int *csrSortedRowPtrB,                  \
      const int *csrSortedColIndB, const cusparseMatDescr_t descrC, const T *csrSortedValC,                            \
      const int *csrSortedRowPtrC, const int *csrSortedColIndC, size_t *pBufferSizeInBytes);                           \
  cusparseStatus_t cusparse##P##csrgeam2(                                                                              \
      cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t descrA, int nnzA,                \
      const T *csrSortedValA, const int *csrSortedRowPtrA, const int *csrSortedColIndA, const T *beta,                 \
      const cusparseMatDescr_t descrB, int nnzB, const T *csrSortedValB, const int *csrSortedRowPtrB,                  \
      const int *csrSortedColIndB, const cusparseMatDescr_t descrC, T *csrSortedValC, int *csrSortedRowPtrC,           \
      int *csrSortedColIndC, void *pBuffer);                                                                           \
  cusparseStatus_t cusparse##P##nnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                   \
                                    const cusparseMatDescr_t descrA, const T *A, int lda, int *nnzPerRowCol,           \
                                    int *nnzTotalDevHostPtr);                                                          \
  cusparseStatus_t cusparse##P##csr2bsr(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,               \
                                        const cusparseMatDescr_t descrA, const T *csrSortedValA,                       \
                                        const int *csrSortedRowPtrA, const int *csrSortedColIndA, int blockDim,        \
                                        const cusparseMatDescr_t descrC, T *bsrSortedValC, int *bsrSortedRowPtrC,      \
                                        int *bsrSortedColIndC);                                                        \
  cusparseStatus_t cusparse##P##bsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,             \
                                        const cusparseMatDescr_t descrA, const T *bsrSortedValA,                       \
                                        const int *bsrSortedRowPtrA, const int *bsrSortedColIndA, int blockDim,        \
                                        const cusparseMatDescr_t descrC, T *csrSortedValC, int *csrSortedRowPtrC,      \
                                        int *csrSortedColIndC);                                                        \
  cusparseStatus_t cusparse##P##bsrmv(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,   \
                                      int mb, int nb, int nnzb, const T *alpha, const cusparseMatDescr_t descrA,       \
                                      const T *bsrSortedValA, const int *bsrSortedRowPtrA,                             \
                                      const int *bsrSortedColIndA, int blockDim, const T *x, const T *beta, T *y);     \
  cusparseStatus_t cusparse##P##bsrmm(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,   \
                                      cusparseOperation_t transB, int mb, int n, int kb, int nnzb, const T *alpha,     \
                                      const cusparseMatDescr_t descrA, const T *bsrSortedValA,                         \
                                      const int *bsrSortedRowPtrA, const int *bsrSortedColIndA, const int blockSize,   \
                                      const T *B, const int ldb, const T *beta, T *C, int ldc);                        \
  cusparseStatus_t cusparse##P##gemvi_bufferSize(cusparseHandle_t handle, cusparseOperation_t transA, int m, int n,    \
                                                 int nnz, int *pBufferSize);                                           \
  cusparseStatus_t cusparse##P##gemvi(cusparseHandle_t handle, cusparseOperation_t transA, int m, int n,               \
                                      const T *alpha, const T *A, int lda, int nnz, const T *xVal, const int *xInd,    \
                                      const T *beta, T *y, cusparseIndexBase_t idxBase, void *pBuffer);                \
  cusparseStatus_t cusparse##P##csric02_bufferSize(cusparseHandle_t handle, int m, int nnz,                            \
                                                   const cusparseMatDescr_t descrA, T *csrSortedValA,                  \
                                                   const int *csrSortedRowPtrA, const int *csrSortedColIndA,           \
                                                   csric02Info_t info, int *pBufferSizeInBytes);                       \
  cusparseStatus_t cusparse##P##csric02_bufferSizeExt(                                                                 \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *csrSortedVal,                       \
      const int *csrSortedRowPtr, const int *csrSortedColInd, csric02Info_t info, size_t *pBufferSize);                \
  cusparseStatus_t cusparse##P##csric02_analysis(                                                                      \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrSortedValA,                \
      const int *csrSortedRowPtrA, const int *csrSortedColIndA, csric02Info_t info, cusparseSolvePolicy_t policy,      \
      void *pBuffer);                                                                                                  \
  cusparseStatus_t cusparse##P##csric02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,      \
                                        T *csrSortedValA_valM, const int *csrSortedRowPtrA,                            \
                                        const int *csrSortedColIndA, csric02Info_t info,                               \
                                        cusparseSolvePolicy_t policy, void *pBuffer);                                  \
  cusparseStatus_t cusparse##P##csrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info, int enable_boost,  \
                                                      double *tol, T *boost_val);                                      \
  cusparseStatus_t cusparse##P##csrilu02_bufferSize(cusparseHandle_t handle, int m, int nnz,                           \
                                                    const cusparseMatDescr_t descrA, T *csrSortedValA,                 \
                                                    const int *csrSortedRowPtrA, const int *csrSortedColIndA,          \
                                                    csrilu02Info_t info, int *pBufferSizeInBytes);                     \
  cusparseStatus_t cusparse##P##csrilu02_bufferSizeExt(                                                                \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *csrSortedVal,                       \
      const int *csrSortedRowPtr, const int *csrSortedColInd, csrilu02Info_t info, size_t *pBufferSize);               \
  cusparseStatus_t cusparse##P##csrilu02_analysis(                                                                     \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrSortedValA,                \
      const int *csrSortedRowPtrA, const int *csrSortedColIndA, csrilu02Info_t info, cusparseSolvePolicy_t policy,     \
      void *pBuffer);                                                                                                  \
  cusparseStatus_t cusparse##P##csrilu02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,     \
                                         T *csrSortedValA_valM, const int *csrSortedRowPtrA,                           \
                                         const int *csrSortedColIndA, csrilu02Info_t info,                             \
                                         cusparseSolvePolicy_t policy, void *pBuffer);                                 \
  cusparseStatus_t cusparse##P##gtsv2_bufferSizeExt(cusparseHandle_t handle, int m, int n, const T *dl, const T *d,    \
                                                    const T *du, const T *B, int ldb, size_t *bufferSizeInBytes);      \
  cusparseStatus_t cusparse##P##gtsv2(cusparseHandle_t handle, int m, int n, const T *dl, const T *d, const T *du,     \
                                      T *B, int ldb, void *pBuffer);                                                   \
  cusparseStatus_t cusparse##P##gtsv2_nopivot_bufferSizeExt(cusparseHandle_t handle, int m, int n, const T *dl,        \
                                                            const T *d, const T *du, const T *B, int ldb,              \
                                                            size_t *bufferSizeInBytes);                                \
  cusparseStatus_t cusparse##P##gtsv2_nopivot(cusparseHandle_t handle, int m, int n, const T *dl, const T *d,          \
                                              const T *du, T *B, int ldb, void *pBuffer);                              \
  cusparseStatus_t cusparse##P##gtsv2StridedBatch_bufferSizeExt(                                                       \
      cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du, const T *x, int batchCount,                \
      int batchStride, size_t *bufferSizeInBytes);                                                                     \
  cusparseStatus_t cusparse##P##gtsv2StridedBatch(cusparseHandle_t handle, int m, const T *dl, const T *d,             \
                                                  const T *du, T *x, int batchCount, int batchStride, void *pBuffer);  \
  cusparseStatus_t cusparse##P##gtsvInterleavedBatch_bufferSizeExt(                                                    \
      cusparseHandle_t handle, int algo, int m, const T *dl, const T *d, const T *du, const T *x, int batchCount,      \
      size_t *pBufferSizeInBytes);                                                                                     \
  cusparseStatus_t cusparse##P##gtsvInterleavedBatch(cusparseHandle_t handle, int algo, int m, T *dl, T *d, T *du,     \
                                                     T *x, int batchCount, void *pBuffer);                             \
  cusparseStatus_t cusparse##P##gpsvInterleavedBatch_bufferSizeExt(                                                    \
      cusparseHandle_t handle, int algo, int m, const T *ds, const T *dl, const T *d, const T *du, const T *dw,        \
      const T *x, int batchCount, size_t *pBufferSizeInBytes);                                                         \
  cusparseStatus_t cusparse##P##gpsvInterleavedBatch(cusparseHandle_t handle, int algo, int m, T *ds, T *dl, T *d,     \
                                                     T *du, T *dw, T *x, int batchCount, void *pBuffer);
HEDDLE_CUSPARSE_TYPE(S, float, float)
HEDDLE_CUSPARSE_TYPE(D, double, double)
HEDDLE_CUSPARSE_TYPE(C, cuComplex, float)
HEDDLE_CUSPARSE_TYPE(Z, cuDoubleComplex, double)
#undef HEDDLE_CUSPARSE_TYPE

#include "heddle/cusparse_blocks.h"
#include "heddle/cusparse_operators.h"

#ifdef __cplusplus
}
#endif
#endif
