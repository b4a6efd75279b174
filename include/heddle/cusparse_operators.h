/*
 * Products whose operations are the program's own: part of cusparse.h, after the cuSPARSE documentation
 * (libraries/sparse/operators.cu).
 */
#ifndef HEDDLE_CUSPARSE_OPERATORS_H
#define HEDDLE_CUSPARSE_OPERATORS_H

struct cusparseSpMMOpPlan;
struct cusparseSpMVOpDescr;
struct cusparseSpMVOpPlan;
typedef struct cusparseSpMMOpPlan *cusparseSpMMOpPlan_t;
typedef struct cusparseSpMVOpDescr *cusparseSpMVOpDescr_t;
typedef struct cusparseSpMVOpPlan *cusparseSpMVOpPlan_t;
typedef enum { CUSPARSE_SPMM_OP_ALG_DEFAULT = 0 } cusparseSpMMOpAlg_t;
typedef enum {
  CUSPARSE_SPMVOP_ALG_DEFAULT = 0,
  CUSPARSE_SPMVOP_ALG1 = 1,
  CUSPARSE_SPMVOP_ALG2 = 2
} cusparseSpMVOpAlg_t;

/* C = epilogue(sum by add_op of mul_op(A, B), C). The operations are LTO-IR of NVRTC. */
cusparseStatus_t cusparseSpMMOp_createPlan(
    cusparseHandle_t handle, cusparseSpMMOpPlan_t *plan, cusparseOperation_t opA, cusparseOperation_t opB,
    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC, cudaDataType computeType,
    cusparseSpMMOpAlg_t alg, const void *addOperationLtoirBuffer, size_t addOperationBufferSize,
    const void *mulOperationLtoirBuffer, size_t mulOperationBufferSize, const void *epilogueLtoirBuffer,
    size_t epilogueBufferSize, size_t *SpMMWorkspaceSize);
cusparseStatus_t cusparseSpMMOp(cusparseSpMMOpPlan_t plan, void *externalBuffer);
cusparseStatus_t cusparseSpMMOp_destroyPlan(cusparseSpMMOpPlan_t plan);

/* z = spmvop_epilogue(row, alpha A x + beta y), or without an epilogue. */
#define HEDDLE_SPMVOP_MATRIX                                                                                           \
  cusparseOperation_t opA, cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,                             \
      cusparseConstDnVecDescr_t vecY, cusparseDnVecDescr_t vecZ, cudaDataType computeType, cusparseSpMVOpAlg_t alg
cusparseStatus_t cusparseSpMVOp_bufferSize(cusparseHandle_t handle, HEDDLE_SPMVOP_MATRIX, size_t *bufferSize);
cusparseStatus_t cusparseSpMVOp_createDescr(cusparseHandle_t handle, cusparseSpMVOpDescr_t *descr,
                                            HEDDLE_SPMVOP_MATRIX, void *externalBuffer);
cusparseStatus_t cusparseSpMVOp_destroyDescr(cusparseSpMVOpDescr_t descr);
cusparseStatus_t cusparseSpMVOp_createPlan(cusparseHandle_t handle, cusparseSpMVOpDescr_t descr,
                                           cusparseSpMVOpPlan_t *plan, const void *epilogueLtoirBuffer,
                                           size_t epilogueLtoirBufferSize);
cusparseStatus_t cusparseSpMVOp_destroyPlan(cusparseSpMVOpPlan_t plan);
cusparseStatus_t cusparseSpMVOp_setGlobalUserData(cusparseHandle_t handle, cusparseSpMVOpPlan_t plan,
                                                  const char *symbol, const void *data, size_t dataSize);
cusparseStatus_t cusparseSpMVOp(cusparseHandle_t handle, cusparseSpMVOpPlan_t plan, const void *alpha,
                                const void *beta, cusparseConstDnVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                                cusparseDnVecDescr_t vecZ);
#endif
