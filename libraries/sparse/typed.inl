// Functions for one type each, and those of indices alone: part of cusparse.cu.

struct csric02Info : heddle_sparse::Pivots {};
struct csrilu02Info : csric02Info {
  bool isBoosted = false;
  double tolerance = 0;
  double boost[2] = {};
};

namespace {

/// The structure alone: entries on the diagonal.
cusparseStatus_t analyse_factor(cusparseHandle_t h, int m, int nnz, cusparseMatDescr_t descr, const int *offsets,
                                const int *columns, csric02Info *info) {
  HEDDLE_LIVE(h);
  if (!is_live(info) || m < 0 || nnz < 0 || (m > 0 && !offsets) || (nnz > 0 && !columns))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (cusparseStatus_t wrong = check_general({descr})) return wrong;
  int *position = position_of(info);
  if (!position) return CUSPARSE_STATUS_ALLOC_FAILED;
  missing_diagonal<<<1, 1, 0, h->stream>>>(m, offsets, columns, descr->base, position);
  return launched();
}
/// Work memory of a band solver: the matrix with its fill-in, and pivots.
template <class T> size_t band_bytes(int m, int below, int above, int systems) {
  return (size_t)m * systems * ((2 * below + above + 1) * sizeof(T) + sizeof(int));
}
template <class T>
cusparseStatus_t solve_systems(cusparseHandle_t h, Band<T> band, i64 systemStep, int count, bool hasPivots, T *x,
                               void *buffer) {
  T *work = (T *)buffer;
  int *pivots = (int *)(work + (i64)band.n * count * (2 * band.below + band.above + 1));
  solve_bands<T><<<blocks(count, 32), 32, 0, h->stream>>>(band, systemStep, count, work, pivots, hasPivots, x);
  return launched();
}
template <class T>
cusparseStatus_t solve_sides(cusparseHandle_t h, Band<T> band, bool hasPivots, T *x, int ldx, int columns,
                             void *buffer) {
  T *work = (T *)buffer;
  int *pivots = (int *)(work + (i64)band.n * (2 * band.below + band.above + 1));
  factor_one_band<T><<<1, 1, 0, h->stream>>>(band, work, pivots, hasPivots);
  solve_one_band<T><<<blocks(columns, 32), 32, 0, h->stream>>>(band, work, pivots, x, ldx, columns);
  return launched();
}
cusparseSpMatDescr bsr_matrix(cusparseDirection_t dir, int brows, int bcols, int nnzb, cusparseMatDescr_t descr,
                              const void *values, const int *offsets, const int *columns, int block,
                              cudaDataType type) {
  cusparseSpMatDescr mat{CUSPARSE_FORMAT_BSR, brows, bcols, nnzb, offsets, columns, values, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_32I, descr->base, type};
  mat.rowBlock = mat.colBlock = block;
  mat.order = dir == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
  return mat;
}
template <class T> struct CudaType;
template <> struct CudaType<float> { static constexpr cudaDataType type = CUDA_R_32F; };
template <> struct CudaType<double> { static constexpr cudaDataType type = CUDA_R_64F; };
template <> struct CudaType<c32> { static constexpr cudaDataType type = CUDA_C_32F; };
template <> struct CudaType<c64> { static constexpr cudaDataType type = CUDA_C_64F; };

/// Counts of a dense matrix's entries that are not zero, in rows or columns, and their sum.
static __global__ void sum_counts(const int *counts, int n, i64 *total) {
  i64 sum = 0;
  for (int i = 0; i < n; i++) sum += counts[i];
  *total = sum;
}
/// y = alpha op(A) x + beta y for a sparse x.
template <class T>
__global__ void dense_times_sparse(int op, int m, int n, Factor<T> alphaOf, const T *a, int lda, int nnz, const T *x,
                                   const int *indices, int base, Factor<T> betaOf, T *y) {
  T alpha = alphaOf.get(), beta = betaOf.get();
  int rows = op == 0 ? m : n;
  for (i64 row = thread_index(); row < rows; row += thread_count()) {
    T sum = zero<T>();
    for (int i = 0; i < nnz; i++) {
      int k = indices[i] - base;
      T value = op == 0 ? a[row + (i64)k * lda] : a[k + row * lda];
      sum = sum + (op == 2 ? conjugate(value) : value) * x[i];
    }
    T value = alpha * sum;
    y[row] = is_zero(beta) ? value : value + beta * y[row];
  }
}

} // namespace

extern "C" {

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m, int *csrSortedRowPtr,
                                  cusparseIndexBase_t idxBase) {
  HEDDLE_LIVE(handle);
  if (nnz < 0 || m < 0 || !csrSortedRowPtr || (nnz > 0 && !cooRowInd) || !is_base(idxBase))
    return CUSPARSE_STATUS_INVALID_VALUE;
  int status =
      handle->nvidia("cusparseXcoo2csr", (const void *)cooRowInd, nnz, m, (const void *)csrSortedRowPtr, (int)idxBase);
  if (status >= 0) return (cusparseStatus_t)status;
  offsets_of_sorted<<<blocks(m + 1, 128), 128, 0, handle->stream>>>(cooRowInd, nnz, m, idxBase,
                                                                    Indices{csrSortedRowPtr, 0});
  return launched();
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrSortedRowPtr, int nnz, int m, int *cooRowInd,
                                  cusparseIndexBase_t idxBase) {
  HEDDLE_LIVE(handle);
  if (nnz < 0 || m < 0 || !csrSortedRowPtr || (nnz > 0 && !cooRowInd) || !is_base(idxBase))
    return CUSPARSE_STATUS_INVALID_VALUE;
  int status =
      handle->nvidia("cusparseXcsr2coo", (const void *)csrSortedRowPtr, nnz, m, (const void *)cooRowInd, (int)idxBase);
  if (status >= 0) return (cusparseStatus_t)status;
  majors_of_offsets<<<blocks(m, 32), 32, 0, handle->stream>>>(csrSortedRowPtr, m, idxBase, cooRowInd);
  return launched();
}
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p) {
  HEDDLE_LIVE(handle);
  if (n < 0 || (n > 0 && !p)) return CUSPARSE_STATUS_INVALID_VALUE;
  identity<<<blocks(n, 128), 128, 0, handle->stream>>>(n, p);
  return launched();
}
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *cooRowsA,
                                                const int *cooColsA, size_t *pBufferSizeInBytes) {
  HEDDLE_LIVE(handle);
  if (m < 0 || n < 0 || nnz < 0 || !pBufferSizeInBytes || (nnz > 0 && (!cooRowsA || !cooColsA)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *pBufferSizeInBytes = (size_t)nnz * 12 + 16;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *cooRowsA, int *cooColsA,
                                       int *P, void *pBuffer) {
  HEDDLE_LIVE(handle);
  if (m < 0 || n < 0 || nnz < 0 || (nnz > 0 && (!cooRowsA || !cooColsA))) return CUSPARSE_STATUS_INVALID_VALUE;
  return sort_pairs(handle, nnz, cooRowsA, cooColsA, P, pBuffer);
}
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *cooRowsA,
                                          int *cooColsA, int *P, void *pBuffer) {
  HEDDLE_LIVE(handle);
  if (m < 0 || n < 0 || nnz < 0 || (nnz > 0 && (!cooRowsA || !cooColsA))) return CUSPARSE_STATUS_INVALID_VALUE;
  return sort_pairs(handle, nnz, cooColsA, cooRowsA, P, pBuffer);
}
// Rows are sorted by their entries' majors, which the offsets give.
#define HEDDLE_SORT(NAME, MAJORS)                                                                                      \
  cusparseStatus_t cusparseX##NAME##sort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,                 \
                                                       const int *offsets, const int *indices, size_t *bytes) {        \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 0 || n < 0 || nnz < 0 || !offsets || (nnz > 0 && !indices) || !bytes)                                      \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    *bytes = (size_t)nnz * 16 + 16;                                                                                    \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparseX##NAME##sort(cusparseHandle_t handle, int m, int n, int nnz,                               \
                                         const cusparseMatDescr_t descrA, const int *offsets, int *indices, int *P,    \
                                         void *pBuffer) {                                                              \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 0 || n < 0 || nnz < 0 || !offsets || (nnz > 0 && (!indices || !pBuffer)))                                  \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    if (cusparseStatus_t wrong = check_general({descrA})) return wrong;                                                \
    int *majors = (int *)pBuffer;                                                                                      \
    majors_of_offsets<<<blocks(MAJORS, 32), 32, 0, handle->stream>>>(offsets, MAJORS, descrA->base, majors);           \
    return sort_pairs(handle, nnz, majors, indices, P, majors + nnz);                                                  \
  }
HEDDLE_SORT(csr, m)
HEDDLE_SORT(csc, n)
#undef HEDDLE_SORT

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal,
                                               const int *csrRowPtr, const int *csrColInd, void *cscVal,
                                               int *cscColPtr, int *cscRowInd, cudaDataType valType,
                                               cusparseAction_t copyValues, cusparseIndexBase_t idxBase,
                                               cusparseCsr2CscAlg_t alg, size_t *bufferSize) {
  HEDDLE_LIVE_GENERIC(handle);
  if (m < 0 || n < 0 || nnz < 0 || !bufferSize || !is_base(idxBase)) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long bytes = 0;
  int status =
      handle->nvidia("cusparseCsr2cscEx2_bufferSize", m, n, nnz, csrVal, (const void *)csrRowPtr,
                     (const void *)csrColInd, (const void *)cscVal, (const void *)cscColPtr, (const void *)cscRowInd,
                     (int)valType, (int)copyValues, (int)idxBase, (int)alg, Host{&bytes});
  if (status > 0) return (cusparseStatus_t)status;
  size_t own = (size_t)n * 4 + 16;
  *bufferSize = bytes > own ? (size_t)bytes : own;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal,
                                    const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr,
                                    int *cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
                                    cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg, void *buffer) {
  HEDDLE_LIVE_GENERIC(handle);
  bool hasValues = copyValues == CUSPARSE_ACTION_NUMERIC;
  if (m < 0 || n < 0 || nnz < 0 || !is_base(idxBase) || !csrRowPtr || !cscColPtr || !buffer ||
      (nnz > 0 && (!csrColInd || !cscRowInd || (hasValues && (!csrVal || !cscVal)))))
    return CUSPARSE_STATUS_INVALID_VALUE;
  int status = handle->nvidia("cusparseCsr2cscEx2", m, n, nnz, csrVal, (const void *)csrRowPtr, (const void *)csrColInd,
                              (const void *)cscVal, (const void *)cscColPtr, (const void *)cscRowInd, (int)valType,
                              (int)copyValues, (int)idxBase, (int)alg, (const void *)buffer);
  if (status >= 0) return (cusparseStatus_t)status;
  count_columns<<<1, 1, 0, handle->stream>>>(nnz, csrColInd, idxBase, n, cscColPtr);
  return with_any_type(valType, [&](auto t, auto) {
    typedef typename decltype(t)::type T;
    transpose<T><<<1, 1, 0, handle->stream>>>(m, n, hasValues ? (const T *)csrVal : nullptr, csrRowPtr, csrColInd,
                                              idxBase, (T *)cscVal, cscColPtr, cscRowInd, (int *)buffer);
    return launched();
  });
}
cusparseStatus_t cusparseXcsr2bsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                                     const cusparseMatDescr_t descrA, const int *csrSortedRowPtrA,
                                     const int *csrSortedColIndA, int blockDim, const cusparseMatDescr_t descrC,
                                     int *bsrSortedRowPtrC, int *nnzTotalDevHostPtr) {
  HEDDLE_LIVE(handle);
  if (m < 0 || n < 0 || blockDim < 1 || !csrSortedRowPtrA || !bsrSortedRowPtrC || (dirA != 0 && dirA != 1))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (cusparseStatus_t wrong = check_general({descrA, descrC})) return wrong;
  i64 *total = (i64 *)handle->scratch(8);
  if (!total) return CUSPARSE_STATUS_ALLOC_FAILED;
  int blockRows = (m + blockDim - 1) / blockDim;
  blocks_of_rows<<<blocks(blockRows, 32), 32, 0, handle->stream>>>(m, blockRows, blockDim, csrSortedRowPtrA,
                                                                  csrSortedColIndA, descrA->base, bsrSortedRowPtrC,
                                                                  descrC->base, nullptr);
  offsets_of_counts<<<1, 1, 0, handle->stream>>>(Indices{bsrSortedRowPtrC, 0}, blockRows, descrC->base, total);
  return store_total(handle, total, nnzTotalDevHostPtr);
}
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA,
                                      int nnzA, const int *csrSortedRowPtrA, const int *csrSortedColIndA,
                                      const cusparseMatDescr_t descrB, int nnzB, const int *csrSortedRowPtrB,
                                      const int *csrSortedColIndB, const cusparseMatDescr_t descrC,
                                      int *csrSortedRowPtrC, int *nnzTotalDevHostPtr, void *workspace) {
  HEDDLE_LIVE(handle);
  if (m < 0 || n < 0 || nnzA < 0 || nnzB < 0 || !csrSortedRowPtrA || !csrSortedRowPtrB || !csrSortedRowPtrC ||
      !workspace)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (cusparseStatus_t wrong = check_general({descrA, descrB, descrC})) return wrong;
  i64 *total = (i64 *)workspace;
  add_rows<float><<<blocks(m, 32), 32, 0, handle->stream>>>(
      m, nullptr, csrSortedRowPtrA, csrSortedColIndA, descrA->base, nullptr, csrSortedRowPtrB, csrSortedColIndB,
      descrB->base, nullptr, csrSortedRowPtrC, nullptr, descrC->base, Scalars<float>{});
  offsets_of_counts<<<1, 1, 0, handle->stream>>>(Indices{csrSortedRowPtrC, 0}, m, descrC->base, total);
  return store_total(handle, total, nnzTotalDevHostPtr);
}

#define HEDDLE_INFO(NAME, TYPE)                                                                                        \
  cusparseStatus_t cusparseCreate##NAME##Info(TYPE *info) { return make_state(info); }                                 \
  cusparseStatus_t cusparseDestroy##NAME##Info(TYPE info) { return destroy_object(info); }
HEDDLE_INFO(Csric02, csric02Info_t)
HEDDLE_INFO(Csrilu02, csrilu02Info_t)
#undef HEDDLE_INFO
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int *position) {
  return zero_pivot(handle, info, position);
}
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position) {
  return zero_pivot(handle, info, position);
}

#define HEDDLE_MATRIX_IS_WRONG (m < 0 || nnz < 0 || !is_live(info) || (nnz > 0 && (!values || !offsets || !columns)))
#define HEDDLE_TYPED(P, T, E)                                                                                          \
  cusparseStatus_t cusparse##P##csrgeam2_bufferSizeExt(                                                                \
      cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t descrA, int nnzA, const T *,     \
      const int *, const int *, const T *beta, const cusparseMatDescr_t descrB, int nnzB, const T *, const int *,      \
      const int *, const cusparseMatDescr_t descrC, const T *, const int *, const int *, size_t *bytes) {              \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 0 || n < 0 || nnzA < 0 || nnzB < 0 || !alpha || !beta || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;     \
    if (cusparseStatus_t wrong = check_general({descrA, descrB, descrC})) return wrong;                                \
    *bytes = 16;                                                                                                       \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csrgeam2(                                                                              \
      cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t descrA, int nnzA, const T *a,    \
      const int *aOffsets, const int *aColumns, const T *beta, const cusparseMatDescr_t descrB, int nnzB, const T *b,  \
      const int *bOffsets, const int *bColumns, const cusparseMatDescr_t descrC, T *c, int *cOffsets, int *cColumns,   \
      void *) {                                                                                                        \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 0 || n < 0 || nnzA < 0 || nnzB < 0 || !alpha || !beta || !aOffsets || !bOffsets || !cOffsets || !c)        \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    if (cusparseStatus_t wrong = check_general({descrA, descrB, descrC})) return wrong;                                \
    add_rows<E><<<blocks(m, 32), 32, 0, handle->stream>>>(                                                             \
        m, (const E *)a, aOffsets, aColumns, descrA->base, (const E *)b, bOffsets, bColumns, descrB->base, (E *)c,     \
        cOffsets, cColumns, descrC->base, scalars_of<E>(handle, alpha, beta));                                         \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##nnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                   \
                                    const cusparseMatDescr_t descrA, const T *A, int lda, int *counts, int *total) {   \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 0 || n < 0 || lda < m || !A || !counts || (dirA != 0 && dirA != 1)) return CUSPARSE_STATUS_INVALID_VALUE;  \
    if (cusparseStatus_t wrong = check_general({descrA})) return wrong;                                                \
    i64 *sum = (i64 *)handle->scratch(8);                                                                              \
    if (!sum) return CUSPARSE_STATUS_ALLOC_FAILED;                                                                     \
    bool isByRows = dirA == CUSPARSE_DIRECTION_ROW;                                                                    \
    Dense<const E> a{(const E *)A, isByRows ? 1 : lda, isByRows ? lda : 1, 0};                                         \
    count_dense<E><<<blocks(isByRows ? m : n, 32), 32, 0, handle->stream>>>(a, isByRows ? m : n, isByRows ? n : m,     \
                                                                            Indices{counts, 0});                       \
    sum_counts<<<1, 1, 0, handle->stream>>>(counts, isByRows ? m : n, sum);                                            \
    return store_total(handle, sum, total);                                                                            \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csr2bsr(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,               \
                                        const cusparseMatDescr_t descrA, const T *values, const int *offsets,          \
                                        const int *columns, int block, const cusparseMatDescr_t descrC, T *bsrValues,  \
                                        int *bsrOffsets, int *bsrColumns) {                                            \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 0 || n < 0 || block < 1 || !offsets || !bsrOffsets || (dirA != 0 && dirA != 1))                            \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    if (cusparseStatus_t wrong = check_general({descrA, descrC})) return wrong;                                        \
    int rows = (m + block - 1) / block;                                                                                \
    blocks_of_rows<<<blocks(rows, 32), 32, 0, handle->stream>>>(m, rows, block, offsets, columns, descrA->base,        \
                                                                bsrOffsets, descrC->base, bsrColumns);                 \
    fill_blocks_from_rows<E><<<blocks(rows, 32), 32, 0, handle->stream>>>(                                             \
        m, rows, block, dirA == CUSPARSE_DIRECTION_COLUMN, (const E *)values, offsets, columns, descrA->base,          \
        bsrOffsets, descrC->base, bsrColumns, (E *)bsrValues);                                                         \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##bsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,             \
                                        const cusparseMatDescr_t descrA, const T *bsrValues, const int *bsrOffsets,    \
                                        const int *bsrColumns, int block, const cusparseMatDescr_t descrC, T *values,  \
                                        int *offsets, int *columns) {                                                  \
    HEDDLE_LIVE(handle);                                                                                               \
    if (mb < 0 || nb < 0 || block < 1 || !offsets || !bsrOffsets || (dirA != 0 && dirA != 1))                          \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    if (cusparseStatus_t wrong = check_general({descrA, descrC})) return wrong;                                        \
    rows_from_blocks<E><<<blocks((i64)mb * block, 32), 32, 0, handle->stream>>>(                                       \
        mb, block, dirA == CUSPARSE_DIRECTION_COLUMN, (const E *)bsrValues, bsrOffsets, bsrColumns, descrA->base,      \
        (E *)values, offsets, columns, descrC->base);                                                                  \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##bsrmv(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,   \
                                      int mb, int nb, int nnzb, const T *alpha, const cusparseMatDescr_t descrA,       \
                                      const T *values, const int *offsets, const int *columns, int block, const T *x,  \
                                      const T *beta, T *y) {                                                           \
    HEDDLE_LIVE(handle);                                                                                               \
    if (mb < 0 || nb < 0 || nnzb < 0 || block < 1 || !alpha || !beta || !offsets || !x || !y || !is_operation(transA)) \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    if (transA != CUSPARSE_OPERATION_NON_TRANSPOSE) return CUSPARSE_STATUS_NOT_SUPPORTED;                              \
    if (cusparseStatus_t wrong = check_general({descrA})) return wrong;                                                \
    cusparseSpMatDescr mat =                                                                                           \
        bsr_matrix(dirA, mb, nb, nnzb, descrA, values, offsets, columns, block, CudaType<E>::type);                    \
    return product<E, E, E, E>(handle, transA, &mat, Dense<const E>{(const E *)x, 1, 0, 0}, false,                     \
                               Dense<E>{(E *)y, 1, 0, 0}, (i64)mb * block, 1, 1, scalars_of<E>(handle, alpha, beta));  \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##bsrmm(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,   \
                                      cusparseOperation_t transB, int mb, int n, int kb, int nnzb, const T *alpha,     \
                                      const cusparseMatDescr_t descrA, const T *values, const int *offsets,            \
                                      const int *columns, const int block, const T *B, const int ldb, const T *beta,   \
                                      T *C, int ldc) {                                                                 \
    HEDDLE_LIVE(handle);                                                                                               \
    if (mb < 0 || n < 0 || kb < 0 || nnzb < 0 || block < 1 || !alpha || !beta || !offsets || !B || !C ||               \
        !is_operation(transA) || !is_operation(transB) || ldc < mb * block)                                            \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    bool isPlain = transB == CUSPARSE_OPERATION_NON_TRANSPOSE;                                                         \
    if (ldb < (isPlain ? kb * block : n)) return CUSPARSE_STATUS_INVALID_VALUE;                                        \
    if (transA != CUSPARSE_OPERATION_NON_TRANSPOSE || transB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)                \
      return CUSPARSE_STATUS_NOT_SUPPORTED;                                                                            \
    if (cusparseStatus_t wrong = check_general({descrA})) return wrong;                                                \
    cusparseSpMatDescr mat =                                                                                           \
        bsr_matrix(dirA, mb, kb, nnzb, descrA, values, offsets, columns, block, CudaType<E>::type);                    \
    return product<E, E, E, E>(                                                                                        \
        handle, transA, &mat, Dense<const E>{(const E *)B, isPlain ? 1 : ldb, isPlain ? ldb : 1, 0}, false,            \
        Dense<E>{(E *)C, 1, ldc, 0}, (i64)mb * block, n, 1, scalars_of<E>(handle, alpha, beta));                       \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##gemvi_bufferSize(cusparseHandle_t handle, cusparseOperation_t transA, int m, int n,    \
                                                 int nnz, int *bytes) {                                                \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 0 || n < 0 || nnz < 0 || !bytes || !is_operation(transA)) return CUSPARSE_STATUS_INVALID_VALUE;            \
    int status = handle->nvidia("cusparse" #P "gemvi_bufferSize", (int)transA, m, n, nnz, Host{bytes});                \
    if (status < 0) *bytes = 0;                                                                                        \
    return status > 0 ? (cusparseStatus_t)status : CUSPARSE_STATUS_SUCCESS;                                            \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##gemvi(cusparseHandle_t handle, cusparseOperation_t transA, int m, int n,               \
                                      const T *alpha, const T *A, int lda, int nnz, const T *xVal, const int *xInd,    \
                                      const T *beta, T *y, cusparseIndexBase_t idxBase, void *pBuffer) {               \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 0 || n < 0 || nnz < 0 || lda < m || !alpha || !beta || !A || !y || (nnz > 0 && (!xVal || !xInd)) ||        \
        !is_operation(transA) || !is_base(idxBase))                                                                    \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    int status = handle->nvidia("cusparse" #P "gemvi", (int)transA, m, n, handle->scalar(alpha), (const void *)A, lda, \
                                nnz, (const void *)xVal, (const void *)xInd, handle->scalar(beta), (const void *)y,    \
                                (int)idxBase, (const void *)pBuffer);                                                  \
    if (status >= 0) return (cusparseStatus_t)status;                                                                  \
    dense_times_sparse<E><<<blocks(transA == 0 ? m : n, 128), 128, 0, handle->stream>>>(                               \
        transA, m, n, factor_of<E>(handle, alpha), (const E *)A, lda, nnz, (const E *)xVal, xInd, idxBase,             \
        factor_of<E>(handle, beta), (E *)y);                                                                           \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csric02_bufferSize(cusparseHandle_t handle, int m, int nnz,                            \
                                                   const cusparseMatDescr_t descrA, T *values, const int *offsets,     \
                                                   const int *columns, csric02Info_t info, int *bytes) {               \
    HEDDLE_LIVE(handle);                                                                                               \
    if (HEDDLE_MATRIX_IS_WRONG || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                        \
    *bytes = 16;                                                                                                       \
    return check_general({descrA});                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csric02_bufferSizeExt(                                                                 \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *values, const int *offsets,         \
      const int *columns, csric02Info_t info, size_t *bytes) {                                                         \
    int own = 0;                                                                                                       \
    cusparseStatus_t status = cusparse##P##csric02_bufferSize(handle, m, nnz, descrA, values, offsets, columns, info,  \
                                                            bytes ? &own : nullptr);                                   \
    if (bytes) *bytes = (size_t)own;                                                                                   \
    return status;                                                                                                     \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csric02_analysis(                                                                      \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *, const int *offsets,         \
      const int *columns, csric02Info_t info, cusparseSolvePolicy_t, void *) {                                         \
    return analyse_factor(handle, m, nnz, descrA, offsets, columns, info);                                             \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csric02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,      \
                                        T *values, const int *offsets, const int *columns, csric02Info_t info,         \
                                        cusparseSolvePolicy_t, void *) {                                               \
    HEDDLE_LIVE(handle);                                                                                               \
    if (HEDDLE_MATRIX_IS_WRONG || !info->position) return CUSPARSE_STATUS_INVALID_VALUE;                               \
    if (cusparseStatus_t wrong = check_general({descrA})) return wrong;                                                \
    cudaMemsetAsync(info->position, 0xff, sizeof(int), handle->stream);                                                \
    incomplete_cholesky<E>                                                                                             \
        <<<1, 1, 0, handle->stream>>>(m, (E *)values, offsets, columns, descrA->base, info->position);                 \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info, int isEnabled,     \
                                                      double *tol, T *boost) {                                         \
    HEDDLE_LIVE(handle);                                                                                               \
    if (!is_live(info) || (isEnabled && (!tol || !boost))) return CUSPARSE_STATUS_INVALID_VALUE;                       \
    info->isBoosted = isEnabled != 0;                                                                                  \
    if (!isEnabled) return CUSPARSE_STATUS_SUCCESS;                                                                    \
    return read_scalar(handle, &info->tolerance, tol, sizeof(double)) &&                                               \
                   read_scalar(handle, info->boost, boost, sizeof(T))                                                  \
               ? launched()                                                                                            \
               : CUSPARSE_STATUS_EXECUTION_FAILED;                                                                     \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csrilu02_bufferSize(cusparseHandle_t handle, int m, int nnz,                           \
                                                    const cusparseMatDescr_t descrA, T *values, const int *offsets,    \
                                                    const int *columns, csrilu02Info_t info, int *bytes) {             \
    HEDDLE_LIVE(handle);                                                                                               \
    if (HEDDLE_MATRIX_IS_WRONG || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                        \
    *bytes = 16;                                                                                                       \
    return check_general({descrA});                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csrilu02_bufferSizeExt(                                                                \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *values, const int *offsets,         \
      const int *columns, csrilu02Info_t info, size_t *bytes) {                                                        \
    int own = 0;                                                                                                       \
    cusparseStatus_t status = cusparse##P##csrilu02_bufferSize(handle, m, nnz, descrA, values, offsets, columns, info, \
                                                            bytes ? &own : nullptr);                                   \
    if (bytes) *bytes = (size_t)own;                                                                                   \
    return status;                                                                                                     \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csrilu02_analysis(                                                                     \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *, const int *offsets,         \
      const int *columns, csrilu02Info_t info, cusparseSolvePolicy_t, void *) {                                        \
    return analyse_factor(handle, m, nnz, descrA, offsets, columns, info);                                             \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csrilu02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,     \
                                         T *values, const int *offsets, const int *columns, csrilu02Info_t info,       \
                                         cusparseSolvePolicy_t, void *) {                                              \
    HEDDLE_LIVE(handle);                                                                                               \
    if (HEDDLE_MATRIX_IS_WRONG || !info->position) return CUSPARSE_STATUS_INVALID_VALUE;                               \
    if (cusparseStatus_t wrong = check_general({descrA})) return wrong;                                                \
    cudaMemsetAsync(info->position, 0xff, sizeof(int), handle->stream);                                                \
    incomplete_lu<E><<<1, 1, 0, handle->stream>>>(m, (E *)values, offsets, columns, descrA->base, info->position,      \
                                                  info->isBoosted, info->tolerance, *(E *)info->boost);                \
    return launched();                                                                                                 \
  }                                                                                                                    \
  HEDDLE_GTSV(P, T, E, gtsv2, true)                                                                                    \
  HEDDLE_GTSV(P, T, E, gtsv2_nopivot, false)                                                                           \
  cusparseStatus_t cusparse##P##gtsv2StridedBatch_bufferSizeExt(cusparseHandle_t handle, int m, const T *dl,           \
                                                                const T *d, const T *du, const T *x, int count,        \
                                                                int stride, size_t *bytes) {                           \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 3 || count < 1 || stride < m || !dl || !d || !du || !x || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;    \
    *bytes = band_bytes<E>(m, 1, 1, count);                                                                            \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##gtsv2StridedBatch(cusparseHandle_t handle, int m, const T *dl, const T *d,             \
                                                  const T *du, T *x, int count, int stride, void *buffer) {            \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 3 || count < 1 || stride < m || !dl || !d || !du || !x || !buffer) return CUSPARSE_STATUS_INVALID_VALUE;   \
    Band<E> band{{(const E *)dl, (const E *)d, (const E *)du}, 1, 1, m, 1};                                            \
    return solve_systems<E>(handle, band, stride, count, false, (E *)x, buffer);                                       \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##gtsvInterleavedBatch_bufferSizeExt(cusparseHandle_t handle, int algo, int m,           \
                                                                   const T *dl, const T *d, const T *du, const T *x,   \
                                                                   int count, size_t *bytes) {                         \
    HEDDLE_LIVE(handle);                                                                                               \
    if (algo < 0 || algo > 2 || m < 1 || count < 1 || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;                    \
    *bytes = band_bytes<E>(m, 1, 1, count);                                                                            \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##gtsvInterleavedBatch(cusparseHandle_t handle, int algo, int m, T *dl, T *d, T *du,     \
                                                     T *x, int count, void *buffer) {                                  \
    HEDDLE_LIVE(handle);                                                                                               \
    if (algo < 0 || algo > 2 || m < 1 || count < 1 || !dl || !d || !du || !x || !buffer)                               \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    Band<E> band{{(const E *)dl, (const E *)d, (const E *)du}, 1, 1, m, count};                                        \
    return solve_systems<E>(handle, band, 1, count, algo != 0, (E *)x, buffer);                                        \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##gpsvInterleavedBatch_bufferSizeExt(                                                    \
      cusparseHandle_t handle, int algo, int m, const T *ds, const T *dl, const T *d, const T *du, const T *dw,        \
      const T *x, int count, size_t *bytes) {                                                                          \
    HEDDLE_LIVE(handle);                                                                                               \
    if (algo != 0 || m < 1 || count < 1 || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;                               \
    *bytes = band_bytes<E>(m, 2, 2, count);                                                                            \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##gpsvInterleavedBatch(cusparseHandle_t handle, int algo, int m, T *ds, T *dl, T *d,     \
                                                     T *du, T *dw, T *x, int count, void *buffer) {                    \
    HEDDLE_LIVE(handle);                                                                                               \
    if (algo != 0 || m < 1 || count < 1 || !ds || !dl || !d || !du || !dw || !x || !buffer)                            \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    Band<E> band{{(const E *)ds, (const E *)dl, (const E *)d, (const E *)du, (const E *)dw}, 2, 2, m, count};          \
    return solve_systems<E>(handle, band, 1, count, true, (E *)x, buffer);                                             \
  }
#define HEDDLE_GTSV(P, T, E, NAME, PIVOTS)                                                                             \
  cusparseStatus_t cusparse##P##NAME##_bufferSizeExt(cusparseHandle_t handle, int m, int n, const T *dl, const T *d,   \
                                                     const T *du, const T *B, int ldb, size_t *bytes) {                \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 3 || n < 0 || ldb < m || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                     \
    unsigned long long theirs = 0;                                                                                     \
    int status = handle->nvidia("cusparse" #P #NAME "_bufferSizeExt", m, n, (const void *)dl, (const void *)d,         \
                                (const void *)du, (const void *)B, ldb, Host{&theirs});                                \
    if (status > 0) return (cusparseStatus_t)status;                                                                   \
    size_t own = band_bytes<E>(m, 1, 1, 1);                                                                            \
    *bytes = theirs > own ? (size_t)theirs : own;                                                                      \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##NAME(cusparseHandle_t handle, int m, int n, const T *dl, const T *d, const T *du,      \
                                     T *B, int ldb, void *buffer) {                                                    \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 3 || n < 0 || ldb < m || !dl || !d || !du || !B || !buffer) return CUSPARSE_STATUS_INVALID_VALUE;          \
    int status = handle->nvidia("cusparse" #P #NAME, m, n, (const void *)dl, (const void *)d, (const void *)du,        \
                                (const void *)B, ldb, (const void *)buffer);                                           \
    if (status >= 0) return (cusparseStatus_t)status;                                                                  \
    Band<E> band{{(const E *)dl, (const E *)d, (const E *)du}, 1, 1, m, 1};                                            \
    return solve_sides<E>(handle, band, PIVOTS, (E *)B, ldb, n, buffer);                                               \
  }
HEDDLE_TYPED(S, float, float)
HEDDLE_TYPED(D, double, double)
HEDDLE_TYPED(C, cuComplex, c32)
HEDDLE_TYPED(Z, cuDoubleComplex, c64)
#undef HEDDLE_TYPED
#undef HEDDLE_GTSV
}
