/*
 * Systems and incomplete factors of block matrices, conversions between formats of blocks, pruning and colouring: part
 * of cusparse.h, after the cuSPARSE documentation (libraries/sparse: block-systems.cu, block-formats.cu, pruning.cu).
 */
#ifndef HEDDLE_CUSPARSE_BLOCKS_H
#define HEDDLE_CUSPARSE_BLOCKS_H

struct bsrsv2Info;
struct bsrsm2Info;
struct bsric02Info;
struct bsrilu02Info;
struct csru2csrInfo;
struct cusparseColorInfo;
struct pruneInfo;
typedef struct bsrsv2Info *bsrsv2Info_t;
typedef struct bsrsm2Info *bsrsm2Info_t;
typedef struct bsric02Info *bsric02Info_t;
typedef struct bsrilu02Info *bsrilu02Info_t;
typedef struct csru2csrInfo *csru2csrInfo_t;
typedef struct cusparseColorInfo *cusparseColorInfo_t;
typedef struct pruneInfo *pruneInfo_t;

cusparseStatus_t cusparseCreateBsrsv2Info(bsrsv2Info_t *info);
cusparseStatus_t cusparseDestroyBsrsv2Info(bsrsv2Info_t info);
cusparseStatus_t cusparseCreateBsrsm2Info(bsrsm2Info_t *info);
cusparseStatus_t cusparseDestroyBsrsm2Info(bsrsm2Info_t info);
cusparseStatus_t cusparseCreateBsric02Info(bsric02Info_t *info);
cusparseStatus_t cusparseDestroyBsric02Info(bsric02Info_t info);
cusparseStatus_t cusparseCreateBsrilu02Info(bsrilu02Info_t *info);
cusparseStatus_t cusparseDestroyBsrilu02Info(bsrilu02Info_t info);
cusparseStatus_t cusparseCreateCsru2csrInfo(csru2csrInfo_t *info);
cusparseStatus_t cusparseDestroyCsru2csrInfo(csru2csrInfo_t info);
cusparseStatus_t cusparseCreateColorInfo(cusparseColorInfo_t *info);
cusparseStatus_t cusparseDestroyColorInfo(cusparseColorInfo_t info);
cusparseStatus_t cusparseCreatePruneInfo(pruneInfo_t *info);
cusparseStatus_t cusparseDestroyPruneInfo(pruneInfo_t info);
cusparseStatus_t cusparseXbsrsv2_zeroPivot(cusparseHandle_t handle, bsrsv2Info_t info, int *position);
cusparseStatus_t cusparseXbsrsm2_zeroPivot(cusparseHandle_t handle, bsrsm2Info_t info, int *position);
cusparseStatus_t cusparseXbsric02_zeroPivot(cusparseHandle_t handle, bsric02Info_t info, int *position);
cusparseStatus_t cusparseXbsrilu02_zeroPivot(cusparseHandle_t handle, bsrilu02Info_t info, int *position);
cusparseStatus_t cusparseXcsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                                       const cusparseMatDescr_t descrA, const int *csrSortedRowPtrA,
                                       const int *csrSortedColIndA, const cusparseMatDescr_t descrC,
                                       int *bsrSortedRowPtrC, int rowBlockDim, int colBlockDim, int *nnzTotalDevHostPtr,
                                       void *pBuffer);
cusparseStatus_t cusparseXgebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,
                                    const cusparseMatDescr_t descrA, const int *bsrSortedRowPtrA,
                                    const int *bsrSortedColIndA, int rowBlockDim, int colBlockDim,
                                    const cusparseMatDescr_t descrC, int *csrSortedRowPtrC, int *csrSortedColIndC);
cusparseStatus_t cusparseXgebsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,
                                         const cusparseMatDescr_t descrA, const int *bsrSortedRowPtrA,
                                         const int *bsrSortedColIndA, int rowBlockDimA, int colBlockDimA,
                                         const cusparseMatDescr_t descrC, int *bsrSortedRowPtrC, int rowBlockDimC,
                                         int colBlockDimC, int *nnzTotalDevHostPtr, void *pBuffer);

/* Lists of parameters; T: the type of elements. */
#define HEDDLE_BSR_MATRIX(T)                                                                                           \
  const cusparseMatDescr_t descrA, T *bsrSortedValA, const int *bsrSortedRowPtrA, const int *bsrSortedColIndA,         \
      int blockDim
#define HEDDLE_BSRSV2_MATRIX(T)                                                                                        \
  cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb, int nnzb, HEDDLE_BSR_MATRIX(T)
#define HEDDLE_BSRSM2_MATRIX(T)                                                                                        \
  cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, cusparseOperation_t transXY, int mb,  \
      int n, int nnzb, HEDDLE_BSR_MATRIX(T)
#define HEDDLE_BSR_FACTOR_MATRIX(T)                                                                                    \
  cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb, HEDDLE_BSR_MATRIX(T)
#define HEDDLE_BSRXMV_ARGUMENTS(T)                                                                                     \
  cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int sizeOfMask, int mb, int nb,       \
      int nnzb, const T *alpha, const cusparseMatDescr_t descrA, const T *bsrSortedValA,                               \
      const int *bsrSortedMaskPtrA, const int *bsrSortedRowPtrA, const int *bsrSortedEndPtrA,                          \
      const int *bsrSortedColIndA, int blockDim, const T *x, const T *beta, T *y
#define HEDDLE_CSR2GEBSR_MATRIX(T)                                                                                     \
  cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n, const cusparseMatDescr_t descrA,                    \
      const T *csrSortedValA, const int *csrSortedRowPtrA, const int *csrSortedColIndA
#define HEDDLE_GEBSR_MATRIX(T)                                                                                         \
  const cusparseMatDescr_t descrA, const T *bsrSortedValA, const int *bsrSortedRowPtrA, const int *bsrSortedColIndA,   \
      int rowBlockDimA, int colBlockDimA
#define HEDDLE_GEBSR2GEBSC_MATRIX(T)                                                                                   \
  cusparseHandle_t handle, int mb, int nb, int nnzb, const T *bsrSortedVal, const int *bsrSortedRowPtr,                \
      const int *bsrSortedColInd, int rowBlockDim, int colBlockDim
#define HEDDLE_CSRU_MATRIX(T)                                                                                          \
  cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, T *csrVal, const int *csrRowPtr,    \
      int *csrColInd, csru2csrInfo_t info, void *pBuffer
#define HEDDLE_PRUNED_DENSE(T) cusparseHandle_t handle, int m, int n, const T *A, int lda
#define HEDDLE_PRUNED_CSR(T)                                                                                           \
  cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, const T *csrSortedValA,            \
      const int *csrSortedRowPtrA, const int *csrSortedColIndA
#define HEDDLE_PRUNED_SIZE(T)                                                                                          \
  const cusparseMatDescr_t descrC, const T *csrSortedValC, const int *csrSortedRowPtrC, const int *csrSortedColIndC
#define HEDDLE_PRUNED_COUNTS const cusparseMatDescr_t descrC, int *csrSortedRowPtrC, int *nnzTotalDevHostPtr
#define HEDDLE_PRUNED_RESULT(T)                                                                                        \
  const cusparseMatDescr_t descrC, T *csrSortedValC, const int *csrSortedRowPtrC, int *csrSortedColIndC

#define HEDDLE_CUSPARSE_BLOCKS(P, T, R)                                                                                \
  cusparseStatus_t cusparse##P##bsrsv2_bufferSize(HEDDLE_BSRSV2_MATRIX(T), bsrsv2Info_t info,                          \
                                                  int *pBufferSizeInBytes);                                            \
  cusparseStatus_t cusparse##P##bsrsv2_bufferSizeExt(HEDDLE_BSRSV2_MATRIX(T), bsrsv2Info_t info,                       \
                                                     size_t *pBufferSize);                                             \
  cusparseStatus_t cusparse##P##bsrsv2_analysis(HEDDLE_BSRSV2_MATRIX(const T), bsrsv2Info_t info,                      \
                                                cusparseSolvePolicy_t policy, void *pBuffer);                          \
  cusparseStatus_t cusparse##P##bsrsv2_solve(                                                                          \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb, int nnzb, const T *alpha, \
      HEDDLE_BSR_MATRIX(const T), bsrsv2Info_t info, const T *f, T *x, cusparseSolvePolicy_t policy, void *pBuffer);   \
  cusparseStatus_t cusparse##P##bsrsm2_bufferSize(HEDDLE_BSRSM2_MATRIX(T), bsrsm2Info_t info,                          \
                                                  int *pBufferSizeInBytes);                                            \
  cusparseStatus_t cusparse##P##bsrsm2_bufferSizeExt(HEDDLE_BSRSM2_MATRIX(T), bsrsm2Info_t info,                       \
                                                     size_t *pBufferSize);                                             \
  cusparseStatus_t cusparse##P##bsrsm2_analysis(HEDDLE_BSRSM2_MATRIX(const T), bsrsm2Info_t info,                      \
                                                cusparseSolvePolicy_t policy, void *pBuffer);                          \
  cusparseStatus_t cusparse##P##bsrsm2_solve(                                                                          \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, cusparseOperation_t transXY,      \
      int mb, int n, int nnzb, const T *alpha, HEDDLE_BSR_MATRIX(const T), bsrsm2Info_t info, const T *B, int ldb,     \
      T *X, int ldx, cusparseSolvePolicy_t policy, void *pBuffer);                                                     \
  cusparseStatus_t cusparse##P##bsric02_bufferSize(HEDDLE_BSR_FACTOR_MATRIX(T), bsric02Info_t info,                    \
                                                   int *pBufferSizeInBytes);                                           \
  cusparseStatus_t cusparse##P##bsric02_bufferSizeExt(HEDDLE_BSR_FACTOR_MATRIX(T), bsric02Info_t info,                 \
                                                      size_t *pBufferSize);                                            \
  cusparseStatus_t cusparse##P##bsric02_analysis(HEDDLE_BSR_FACTOR_MATRIX(const T), bsric02Info_t info,                \
                                                 cusparseSolvePolicy_t policy, void *pInputBuffer);                    \
  cusparseStatus_t cusparse##P##bsric02(HEDDLE_BSR_FACTOR_MATRIX(T), bsric02Info_t info,                               \
                                        cusparseSolvePolicy_t policy, void *pBuffer);                                  \
  cusparseStatus_t cusparse##P##bsrilu02_numericBoost(cusparseHandle_t handle, bsrilu02Info_t info, int enable_boost,  \
                                                      double *tol, T *boost_val);                                      \
  cusparseStatus_t cusparse##P##bsrilu02_bufferSize(HEDDLE_BSR_FACTOR_MATRIX(T), bsrilu02Info_t info,                  \
                                                    int *pBufferSizeInBytes);                                          \
  cusparseStatus_t cusparse##P##bsrilu02_bufferSizeExt(HEDDLE_BSR_FACTOR_MATRIX(T), bsrilu02Info_t info,               \
                                                       size_t *pBufferSize);                                           \
  cusparseStatus_t cusparse##P##bsrilu02_analysis(HEDDLE_BSR_FACTOR_MATRIX(T), bsrilu02Info_t info,                    \
                                                  cusparseSolvePolicy_t policy, void *pBuffer);                        \
  cusparseStatus_t cusparse##P##bsrilu02(HEDDLE_BSR_FACTOR_MATRIX(T), bsrilu02Info_t info,                             \
                                         cusparseSolvePolicy_t policy, void *pBuffer);                                 \
  cusparseStatus_t cusparse##P##bsrxmv(HEDDLE_BSRXMV_ARGUMENTS(T));                                                    \
  cusparseStatus_t cusparse##P##csr2gebsr_bufferSize(HEDDLE_CSR2GEBSR_MATRIX(T), int rowBlockDim, int colBlockDim,     \
                                                     int *pBufferSizeInBytes);                                         \
  cusparseStatus_t cusparse##P##csr2gebsr_bufferSizeExt(HEDDLE_CSR2GEBSR_MATRIX(T), int rowBlockDim, int colBlockDim,  \
                                                        size_t *pBufferSize);                                          \
  cusparseStatus_t cusparse##P##csr2gebsr(HEDDLE_CSR2GEBSR_MATRIX(T), const cusparseMatDescr_t descrC,                 \
                                          T *bsrSortedValC, int *bsrSortedRowPtrC, int *bsrSortedColIndC,              \
                                          int rowBlockDim, int colBlockDim, void *pBuffer);                            \
  cusparseStatus_t cusparse##P##gebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,           \
                                          HEDDLE_GEBSR_MATRIX(T), const cusparseMatDescr_t descrC, T *csrSortedValC,   \
                                          int *csrSortedRowPtrC, int *csrSortedColIndC);                               \
  cusparseStatus_t cusparse##P##gebsr2gebsc_bufferSize(HEDDLE_GEBSR2GEBSC_MATRIX(T), int *pBufferSizeInBytes);         \
  cusparseStatus_t cusparse##P##gebsr2gebsc_bufferSizeExt(HEDDLE_GEBSR2GEBSC_MATRIX(T), size_t *pBufferSize);          \
  cusparseStatus_t cusparse##P##gebsr2gebsc(HEDDLE_GEBSR2GEBSC_MATRIX(T), T *bscVal, int *bscRowInd, int *bscColPtr,   \
                                            cusparseAction_t copyValues, cusparseIndexBase_t idxBase, void *pBuffer);  \
  cusparseStatus_t cusparse##P##gebsr2gebsr_bufferSize(                                                                \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb, HEDDLE_GEBSR_MATRIX(T),             \
      int rowBlockDimC, int colBlockDimC, int *pBufferSizeInBytes);                                                    \
  cusparseStatus_t cusparse##P##gebsr2gebsr_bufferSizeExt(                                                             \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb, HEDDLE_GEBSR_MATRIX(T),             \
      int rowBlockDimC, int colBlockDimC, size_t *pBufferSize);                                                        \
  cusparseStatus_t cusparse##P##gebsr2gebsr(                                                                           \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb, HEDDLE_GEBSR_MATRIX(T),             \
      const cusparseMatDescr_t descrC, T *bsrSortedValC, int *bsrSortedRowPtrC, int *bsrSortedColIndC,                 \
      int rowBlockDimC, int colBlockDimC, void *pBuffer);                                                              \
  cusparseStatus_t cusparse##P##nnz_compress(cusparseHandle_t handle, int m, const cusparseMatDescr_t descr,           \
                                             const T *csrSortedValA, const int *csrSortedRowPtrA, int *nnzPerRow,      \
                                             int *nnzC, T tol);                                                        \
  cusparseStatus_t cusparse##P##csr2csr_compress(                                                                      \
      cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, const T *csrSortedValA,                  \
      const int *csrSortedColIndA, const int *csrSortedRowPtrA, int nnzA, const int *nnzPerRow, T *csrSortedValC,      \
      int *csrSortedColIndC, int *csrSortedRowPtrC, T tol);                                                            \
  cusparseStatus_t cusparse##P##csru2csr_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, T *csrVal,      \
                                                       const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info,      \
                                                       size_t *pBufferSizeInBytes);                                    \
  cusparseStatus_t cusparse##P##csru2csr(HEDDLE_CSRU_MATRIX(T));                                                       \
  cusparseStatus_t cusparse##P##csr2csru(HEDDLE_CSRU_MATRIX(T));                                                       \
  cusparseStatus_t cusparse##P##csrcolor(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,     \
                                         const T *csrSortedValA, const int *csrSortedRowPtrA,                          \
                                         const int *csrSortedColIndA, const R *fractionToColor, int *ncolors,          \
                                         int *coloring, int *reordering, const cusparseColorInfo_t info);
HEDDLE_CUSPARSE_BLOCKS(S, float, float)
HEDDLE_CUSPARSE_BLOCKS(D, double, double)
HEDDLE_CUSPARSE_BLOCKS(C, cuComplex, float)
HEDDLE_CUSPARSE_BLOCKS(Z, cuDoubleComplex, double)
#undef HEDDLE_CUSPARSE_BLOCKS

#define HEDDLE_CUSPARSE_PRUNE(P, T)                                                                                    \
  cusparseStatus_t cusparse##P##pruneDense2csr_bufferSizeExt(HEDDLE_PRUNED_DENSE(T), const T *threshold,               \
                                                             HEDDLE_PRUNED_SIZE(T), size_t *pBufferSizeInBytes);       \
  cusparseStatus_t cusparse##P##pruneDense2csrNnz(HEDDLE_PRUNED_DENSE(T), const T *threshold, HEDDLE_PRUNED_COUNTS,    \
                                                  void *pBuffer);                                                      \
  cusparseStatus_t cusparse##P##pruneDense2csr(HEDDLE_PRUNED_DENSE(T), const T *threshold, HEDDLE_PRUNED_RESULT(T),    \
                                               void *pBuffer);                                                         \
  cusparseStatus_t cusparse##P##pruneCsr2csr_bufferSizeExt(HEDDLE_PRUNED_CSR(T), const T *threshold,                   \
                                                           HEDDLE_PRUNED_SIZE(T), size_t *pBufferSizeInBytes);         \
  cusparseStatus_t cusparse##P##pruneCsr2csrNnz(HEDDLE_PRUNED_CSR(T), const T *threshold, HEDDLE_PRUNED_COUNTS,        \
                                                void *pBuffer);                                                        \
  cusparseStatus_t cusparse##P##pruneCsr2csr(HEDDLE_PRUNED_CSR(T), const T *threshold, HEDDLE_PRUNED_RESULT(T),        \
                                             void *pBuffer);                                                           \
  cusparseStatus_t cusparse##P##pruneDense2csrByPercentage_bufferSizeExt(                                              \
      HEDDLE_PRUNED_DENSE(T), float percentage, HEDDLE_PRUNED_SIZE(T), pruneInfo_t info, size_t *pBufferSizeInBytes);  \
  cusparseStatus_t cusparse##P##pruneDense2csrNnzByPercentage(HEDDLE_PRUNED_DENSE(T), float percentage,                \
                                                              HEDDLE_PRUNED_COUNTS, pruneInfo_t info, void *pBuffer);  \
  cusparseStatus_t cusparse##P##pruneDense2csrByPercentage(HEDDLE_PRUNED_DENSE(T), float percentage,                   \
                                                           HEDDLE_PRUNED_RESULT(T), pruneInfo_t info, void *pBuffer);  \
  cusparseStatus_t cusparse##P##pruneCsr2csrByPercentage_bufferSizeExt(                                                \
      HEDDLE_PRUNED_CSR(T), float percentage, HEDDLE_PRUNED_SIZE(T), pruneInfo_t info, size_t *pBufferSizeInBytes);    \
  cusparseStatus_t cusparse##P##pruneCsr2csrNnzByPercentage(HEDDLE_PRUNED_CSR(T), float percentage,                    \
                                                            HEDDLE_PRUNED_COUNTS, pruneInfo_t info, void *pBuffer);    \
  cusparseStatus_t cusparse##P##pruneCsr2csrByPercentage(HEDDLE_PRUNED_CSR(T), float percentage,                       \
                                                         HEDDLE_PRUNED_RESULT(T), pruneInfo_t info, void *pBuffer);
#ifdef __cplusplus
HEDDLE_CUSPARSE_PRUNE(H, __half)
#endif
HEDDLE_CUSPARSE_PRUNE(S, float)
HEDDLE_CUSPARSE_PRUNE(D, double)
#undef HEDDLE_CUSPARSE_PRUNE
#endif
