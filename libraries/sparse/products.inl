// Products of the generic API, sparse vectors, and conversions from and to dense matrices: part of cusparse.cu.

namespace {

/// run(Tag<A>, Tag<X>, Tag<Y>, Tag<C>) for the types that cusparseSpMV and cusparseSpMM have.
template <class Run>
cusparseStatus_t with_product_types(cudaDataType a, cudaDataType x, cudaDataType y, cudaDataType c, Run run) {
#define HEDDLE_CASE(A, TA, X, TX, Y, TY, C, TC)                                                                        \
  if (a == CUDA_##A && x == CUDA_##X && y == CUDA_##Y && c == CUDA_##C)                                                \
    return run(Tag<TA>{}, Tag<TX>{}, Tag<TY>{}, Tag<TC>{});
  HEDDLE_CASE(R_32F, float, R_32F, float, R_32F, float, R_32F, float)
  HEDDLE_CASE(R_64F, double, R_64F, double, R_64F, double, R_64F, double)
  HEDDLE_CASE(C_32F, c32, C_32F, c32, C_32F, c32, C_32F, c32)
  HEDDLE_CASE(C_64F, c64, C_64F, c64, C_64F, c64, C_64F, c64)
  HEDDLE_CASE(R_8I, signed char, R_8I, signed char, R_32I, int, R_32I, int)
  HEDDLE_CASE(R_8I, signed char, R_8I, signed char, R_32F, float, R_32F, float)
  HEDDLE_CASE(R_16F, __half, R_16F, __half, R_32F, float, R_32F, float)
  HEDDLE_CASE(R_16F, __half, R_16F, __half, R_16F, __half, R_32F, float)
  HEDDLE_CASE(R_16BF, __nv_bfloat16, R_16BF, __nv_bfloat16, R_32F, float, R_32F, float)
  HEDDLE_CASE(R_16BF, __nv_bfloat16, R_16BF, __nv_bfloat16, R_16BF, __nv_bfloat16, R_32F, float)
  HEDDLE_CASE(R_32F, float, C_32F, c32, C_32F, c32, C_32F, c32)
  HEDDLE_CASE(R_64F, double, C_64F, c64, C_64F, c64, C_64F, c64)
#undef HEDDLE_CASE
  return CUSPARSE_STATUS_NOT_SUPPORTED;
}
/// run(Tag<T>) for a type of an element that is copied, or added in its own type.
template <class Run> cusparseStatus_t with_type(cudaDataType type, Run run) {
  switch (type) {
    case CUDA_R_32F: return run(Tag<float>{});
    case CUDA_R_64F: return run(Tag<double>{});
    case CUDA_C_32F: return run(Tag<c32>{});
    case CUDA_C_64F: return run(Tag<c64>{});
    default: return CUSPARSE_STATUS_NOT_SUPPORTED;
  }
}
template <class Run> cusparseStatus_t with_any_type(cudaDataType type, Run run) {
  switch (type) {
    case CUDA_R_8I: return run(Tag<signed char>{}, Tag<int>{});
    case CUDA_R_16F: return run(Tag<__half>{}, Tag<float>{});
    case CUDA_R_16BF: return run(Tag<__nv_bfloat16>{}, Tag<float>{});
    default: return with_type(type, [&](auto t) { return run(t, t); });
  }
}

Dense<const char> dense_of(const cusparseDnMatDescr *m, cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE) {
  i64 row = m->order == CUSPARSE_ORDER_COL ? 1 : m->ld, column = m->order == CUSPARSE_ORDER_COL ? m->ld : 1;
  bool isTransposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
  return {(const char *)m->values, isTransposed ? column : row, isTransposed ? row : column,
          m->batch > 1 ? m->batchStride : 0};
}
template <class T> Dense<T> typed(Dense<const char> from) {
  return {(T *)from.data, from.rowStride, from.columnStride, from.batchStride};
}

/// Threads that share the rows of a result to which entries are spread.
constexpr int SCATTER_PARTS = 4;

/// Y = alpha op(A) B + beta Y, for `columns` columns. Work memory is the handle's own, as plans have none.
template <class A, class X, class Y, class C>
cusparseStatus_t product(cusparseHandle_t h, cusparseOperation_t op, const cusparseSpMatDescr *mat, Dense<const X> b,
                         bool isBConjugated, Dense<Y> y, i64 rows, i64 columns, int batch, Scalars<C> scalars) {
  if (rows == 0 || columns == 0) return CUSPARSE_STATUS_SUCCESS;
  Entries entries = mat->entries();
  bool isTransposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE,
       isConjugated = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  bool isByRows = mat->format != CUSPARSE_FORMAT_COO && (mat->format == CUSPARSE_FORMAT_CSC) == isTransposed;
  bool isCompressed = mat->format == CUSPARSE_FORMAT_CSR || mat->format == CUSPARSE_FORMAT_CSC;
  const A *values = (const A *)mat->values;
  if (isByRows && isCompressed && columns == 1 && batch == 1 && b.rowStride == 1 && y.rowStride == 1 &&
      !isBConjugated && !entries.offsets.is64 && !entries.indices.is64) {
    int perThread = rows_per_thread(rows);
    int threads = perThread > 1 ? 1 : 128;
    csr_vector<A, X, Y, C><<<blocks((rows + perThread - 1) / perThread, threads, INT_MAX), threads, 0, h->stream>>>(
        (int)rows, perThread, entries.base, (const int *)entries.offsets.data, (const int *)entries.indices.data,
        values, b.data, y.data, isConjugated, scalars);
    return launched();
  }
  if (isByRows) {
    int threads = columns < 128 ? (int)columns : 128;
    gather_product<A, X, Y, C><<<dim3(blocks(columns, threads), blocks(rows, 1), batch), threads, 0, h->stream>>>(
        entries, values, isConjugated, isTransposed, b, isBConjugated, y, columns, scalars);
    return launched();
  }
  C *sums = (C *)h->scratch((size_t)(rows * columns * batch) * sizeof(C));
  if (!sums) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
  int parts = columns >= SCATTER_PARTS ? 1 : SCATTER_PARTS;
  scatter_product<A, X, C><<<dim3(blocks(columns, 1), parts, batch), 1, 0, h->stream>>>(
      entries, values, isConjugated, isTransposed, b, isBConjugated, sums, rows, columns);
  add_sums<Y, C><<<dim3(blocks(rows * columns, 128), 1, batch), 128, 0, h->stream>>>(sums, y, rows, columns, scalars);
  return launched();
}

/// A conjugate transpose of real numbers is a wrong value for NVIDIA's library (seen on an H200, CUDA 13.0).
bool is_operation_of(cusparseOperation_t op, cudaDataType compute) {
  bool isComplex = compute == CUDA_C_32F || compute == CUDA_C_64F;
  return is_operation(op) && (isComplex || op != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
}

cusparseStatus_t check_spmv(HEDDLE_SPMV_ARGUMENTS) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!alpha || !beta || !is_live(matA) || !is_live(vecX) || !is_live(vecY) || !is_operation_of(opA, computeType))
    return CUSPARSE_STATUS_INVALID_VALUE;
  bool isTransposed = opA != CUSPARSE_OPERATION_NON_TRANSPOSE;
  i64 rows = isTransposed ? matA->allCols() : matA->allRows(),
      columns = isTransposed ? matA->allRows() : matA->allCols();
  if (vecX->size != columns || vecY->size != rows) return CUSPARSE_STATUS_INVALID_VALUE;
  if (alg < CUSPARSE_SPMV_ALG_DEFAULT || alg > CUSPARSE_SPMV_BSR_ALG1) return CUSPARSE_STATUS_INVALID_VALUE;
  if (matA->format == CUSPARSE_FORMAT_BLOCKED_ELL) return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (matA->format == CUSPARSE_FORMAT_BSR && isTransposed) return CUSPARSE_STATUS_NOT_SUPPORTED;
  bool isCompressed = matA->format == CUSPARSE_FORMAT_CSR || matA->format == CUSPARSE_FORMAT_CSC;
  bool isOf =
      alg == CUSPARSE_SPMV_ALG_DEFAULT ||
      (isCompressed && (alg == CUSPARSE_SPMV_CSR_ALG1 || alg == CUSPARSE_SPMV_CSR_ALG2)) ||
      (matA->format == CUSPARSE_FORMAT_COO && (alg == CUSPARSE_SPMV_COO_ALG1 || alg == CUSPARSE_SPMV_COO_ALG2)) ||
      (matA->format == CUSPARSE_FORMAT_SLICED_ELLPACK && alg == CUSPARSE_SPMV_SELL_ALG1) ||
      (matA->format == CUSPARSE_FORMAT_BSR && alg == CUSPARSE_SPMV_BSR_ALG1);
  // An algorithm of another format is a wrong value for NVIDIA's library (seen on an H200, CUDA 13.0).
  if (!isOf) return CUSPARSE_STATUS_INVALID_VALUE;
  return with_product_types(matA->type, vecX->type, vecY->type, computeType,
                            [](auto, auto, auto, auto) { return CUSPARSE_STATUS_SUCCESS; });
}
cusparseStatus_t check_spmm(HEDDLE_SPMM_ARGUMENTS) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!alpha || !beta || !is_live(matA) || !is_live(matB) || !is_live(matC) || !is_operation_of(opA, computeType) ||
      !is_operation_of(opB, computeType))
    return CUSPARSE_STATUS_INVALID_VALUE;
  bool isTransposed = opA != CUSPARSE_OPERATION_NON_TRANSPOSE, isBTransposed = opB != CUSPARSE_OPERATION_NON_TRANSPOSE;
  i64 rows = isTransposed ? matA->allCols() : matA->allRows(), depth = isTransposed ? matA->allRows() : matA->allCols();
  if ((isBTransposed ? matB->cols : matB->rows) != depth || matC->rows != rows ||
      (isBTransposed ? matB->rows : matB->cols) != matC->cols)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if ((matA->batch != 1 && matA->batch != matC->batch) || (matB->batch != 1 && matB->batch != matC->batch))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (alg < CUSPARSE_SPMM_ALG_DEFAULT || alg > CUSPARSE_SPMM_BSR_ALG1) return CUSPARSE_STATUS_INVALID_VALUE;
  bool isOf = alg == CUSPARSE_SPMM_ALG_DEFAULT;
  switch (matA->format) {
    case CUSPARSE_FORMAT_CSR:
    case CUSPARSE_FORMAT_CSC:
      isOf = isOf || alg == CUSPARSE_SPMM_CSR_ALG1 || alg == CUSPARSE_SPMM_CSR_ALG2 || alg == CUSPARSE_SPMM_CSR_ALG3;
      break;
    case CUSPARSE_FORMAT_COO:
      isOf = isOf || (alg >= CUSPARSE_SPMM_COO_ALG1 && alg <= CUSPARSE_SPMM_COO_ALG3) || alg == CUSPARSE_SPMM_COO_ALG4;
      break;
    case CUSPARSE_FORMAT_BLOCKED_ELL:
      isOf = (isOf || alg == CUSPARSE_SPMM_BLOCKED_ELL_ALG1) && !isTransposed &&
             matA->indexType == CUSPARSE_INDEX_32I && matA->type != CUDA_C_32F && matA->type != CUDA_C_64F;
      break;
    case CUSPARSE_FORMAT_BSR:
      isOf = (isOf || alg == CUSPARSE_SPMM_BSR_ALG1) && !isTransposed && matA->order == CUSPARSE_ORDER_ROW;
      break;
    default: isOf = false;
  }
  // NVIDIA's library conjugates no single column: it may be a product with a vector (seen on an H200, CUDA 13.0).
  if (matC->cols == 1 && opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) isOf = false;
  if (!isOf) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with_product_types(matA->type, matB->type, matC->type, computeType,
                            [](auto, auto, auto, auto) { return CUSPARSE_STATUS_SUCCESS; });
}
/// The blocks that cusparseSDDMM fills: 2, 4, 8 ... 128 (documented), where the depth is a multiple (seen on an H200).
bool is_sampled_block(i64 size, i64 depth) {
  return size >= 2 && size <= 128 && (size & (size - 1)) == 0 && depth % size == 0;
}
cusparseStatus_t check_sddmm(HEDDLE_SDDMM_ARGUMENTS) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!alpha || !beta || !is_live(matA) || !is_live(matB) || !is_live(matC) || !is_operation_of(opA, computeType) ||
      !is_operation_of(opB, computeType) || alg != CUSPARSE_SDDMM_ALG_DEFAULT)
    return CUSPARSE_STATUS_INVALID_VALUE;
  bool isATransposed = opA != CUSPARSE_OPERATION_NON_TRANSPOSE, isBTransposed = opB != CUSPARSE_OPERATION_NON_TRANSPOSE;
  i64 rows = isATransposed ? matA->cols : matA->rows, depth = isATransposed ? matA->rows : matA->cols;
  if (rows != matC->allRows() || (isBTransposed ? matB->cols : matB->rows) != depth ||
      (isBTransposed ? matB->rows : matB->cols) != matC->allCols())
    return CUSPARSE_STATUS_INVALID_VALUE;
  bool isKnown = matC->format == CUSPARSE_FORMAT_CSR || matC->format == CUSPARSE_FORMAT_BSR;
  bool isConjugated = opA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  if (!isKnown || isConjugated || matA->type != matB->type || matA->type != matC->type)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (matC->format == CUSPARSE_FORMAT_BSR &&
      !(is_sampled_block(matC->rowBlock, depth) && is_sampled_block(matC->colBlock, depth)))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (computeType != (matA->type == CUDA_R_16F ? CUDA_R_32F : matA->type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (matA->type == CUDA_R_8I || matA->type == CUDA_R_16BF) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return CUSPARSE_STATUS_SUCCESS;
}
/// No work memory of the caller's is used by our kernels.
cusparseStatus_t no_work(int nvidiaStatus, unsigned long long nvidiaBytes, size_t *bufferSize) {
  if (nvidiaStatus > 0) return (cusparseStatus_t)nvidiaStatus;
  *bufferSize = nvidiaStatus == 0 ? (size_t)nvidiaBytes : 0;
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

extern "C" {

#define HEDDLE_SPMV_VALUES handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg
#define HEDDLE_SPMV_NVIDIA                                                                                             \
  (int)opA, handle->scalar(alpha), vendor_of(handle, matA), vendor_of(handle, vecX), handle->scalar(beta),             \
      vendor_of(handle, vecY), (int)computeType, (int)alg
cusparseStatus_t cusparseSpMV_bufferSize(HEDDLE_SPMV_ARGUMENTS, size_t *bufferSize) {
  if (cusparseStatus_t wrong = check_spmv(HEDDLE_SPMV_VALUES)) return wrong;
  if (!bufferSize) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long bytes = 0;
  int status = handle->nvidia("cusparseSpMV_bufferSize", HEDDLE_SPMV_NVIDIA, Host{&bytes});
  return no_work(status, bytes, bufferSize);
}
cusparseStatus_t cusparseSpMV_preprocess(HEDDLE_SPMV_ARGUMENTS, void *externalBuffer) {
  if (cusparseStatus_t wrong = check_spmv(HEDDLE_SPMV_VALUES)) return wrong;
  int status = handle->nvidia("cusparseSpMV_preprocess", HEDDLE_SPMV_NVIDIA, (const void *)externalBuffer);
  return status > 0 ? (cusparseStatus_t)status : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(HEDDLE_SPMV_ARGUMENTS, void *externalBuffer) {
  if (cusparseStatus_t wrong = check_spmv(HEDDLE_SPMV_VALUES)) return wrong;
  int status = handle->nvidia("cusparseSpMV", HEDDLE_SPMV_NVIDIA, (const void *)externalBuffer);
  if (status >= 0) return (cusparseStatus_t)status;
  // Blocks of one element, unless there is none: only this call refuses them (seen on an H200, CUDA 13.0).
  if (matA->format == CUSPARSE_FORMAT_BSR && matA->rowBlock == 1 && matA->colBlock == 1 && matA->nnz > 0)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with_product_types(matA->type, vecX->type, vecY->type, computeType, [&](auto a, auto x, auto y, auto c) {
    typedef typename decltype(a)::type A;
    typedef typename decltype(x)::type X;
    typedef typename decltype(y)::type Y;
    typedef typename decltype(c)::type C;
    Dense<const X> from{(const X *)vecX->values, 1, 0, 0};
    Dense<Y> to{(Y *)vecY->values, 1, 0, 0};
    return product<A, X, Y, C>(handle, opA, matA, from, false, to, vecY->size, 1, 1,
                               scalars_of<C>(handle, alpha, beta));
  });
}

#define HEDDLE_SPMM_VALUES handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg
#define HEDDLE_SPMM_NVIDIA                                                                                             \
  (int)opA, (int)opB, handle->scalar(alpha), vendor_of(handle, matA), vendor_of(handle, matB), handle->scalar(beta),   \
      vendor_of(handle, matC), (int)computeType, (int)alg
cusparseStatus_t cusparseSpMM_bufferSize(HEDDLE_SPMM_ARGUMENTS, size_t *bufferSize) {
  if (cusparseStatus_t wrong = check_spmm(HEDDLE_SPMM_VALUES)) return wrong;
  if (!bufferSize) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long bytes = 0;
  int status = handle->nvidia("cusparseSpMM_bufferSize", HEDDLE_SPMM_NVIDIA, Host{&bytes});
  return no_work(status, bytes, bufferSize);
}
cusparseStatus_t cusparseSpMM_preprocess(HEDDLE_SPMM_ARGUMENTS, void *externalBuffer) {
  if (cusparseStatus_t wrong = check_spmm(HEDDLE_SPMM_VALUES)) return wrong;
  int status = handle->nvidia("cusparseSpMM_preprocess", HEDDLE_SPMM_NVIDIA, (const void *)externalBuffer);
  return status > 0 ? (cusparseStatus_t)status : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM(HEDDLE_SPMM_ARGUMENTS, void *externalBuffer) {
  if (cusparseStatus_t wrong = check_spmm(HEDDLE_SPMM_VALUES)) return wrong;
  int status = handle->nvidia("cusparseSpMM", HEDDLE_SPMM_NVIDIA, (const void *)externalBuffer);
  if (status >= 0) return (cusparseStatus_t)status;
  return with_product_types(matA->type, matB->type, matC->type, computeType, [&](auto a, auto x, auto y, auto c) {
    typedef typename decltype(a)::type A;
    typedef typename decltype(x)::type X;
    typedef typename decltype(y)::type Y;
    typedef typename decltype(c)::type C;
    return product<A, X, Y, C>(handle, opA, matA, typed<const X>(dense_of(matB, opB)),
                               opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, typed<Y>(dense_of(matC)), matC->rows,
                               matC->cols, matC->batch, scalars_of<C>(handle, alpha, beta));
  });
}

#define HEDDLE_SDDMM_NVIDIA HEDDLE_SPMM_NVIDIA
cusparseStatus_t cusparseSDDMM_bufferSize(HEDDLE_SDDMM_ARGUMENTS, size_t *bufferSize) {
  if (cusparseStatus_t wrong = check_sddmm(HEDDLE_SPMM_VALUES)) return wrong;
  if (!bufferSize) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long bytes = 0;
  int status = handle->nvidia("cusparseSDDMM_bufferSize", HEDDLE_SDDMM_NVIDIA, Host{&bytes});
  return no_work(status, bytes, bufferSize);
}
cusparseStatus_t cusparseSDDMM_preprocess(HEDDLE_SDDMM_ARGUMENTS, void *externalBuffer) {
  if (cusparseStatus_t wrong = check_sddmm(HEDDLE_SPMM_VALUES)) return wrong;
  int status = handle->nvidia("cusparseSDDMM_preprocess", HEDDLE_SDDMM_NVIDIA, (const void *)externalBuffer);
  return status > 0 ? (cusparseStatus_t)status : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSDDMM(HEDDLE_SDDMM_ARGUMENTS, void *externalBuffer) {
  if (cusparseStatus_t wrong = check_sddmm(HEDDLE_SPMM_VALUES)) return wrong;
  int status = handle->nvidia("cusparseSDDMM", HEDDLE_SDDMM_NVIDIA, (const void *)externalBuffer);
  if (status >= 0) return (cusparseStatus_t)status;
  i64 depth = opA == CUSPARSE_OPERATION_NON_TRANSPOSE ? matA->cols : matA->rows;
  return with_any_type(matA->type, [&](auto t, auto c) {
    typedef typename decltype(t)::type T;
    typedef typename decltype(c)::type C;
    sampled_product<T, C><<<dim3(blocks(matC->entries().units, 32), 1, matC->batch), 32, 0, handle->stream>>>(
        matC->entries(), (T *)matC->values, typed<const T>(dense_of(matA, opA)), false,
        typed<const T>(dense_of(matB, opB)), false, depth, scalars_of<C>(handle, alpha, beta));
    return launched();
  });
}

// Sparse vectors.

static cusparseStatus_t check_vectors(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                      cusparseConstDnVecDescr_t vecY) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!is_live(vecX) || !is_live(vecY) || vecX->size != vecY->size || vecX->type != vecY->type)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}
static Indices indices_of(cusparseConstSpVecDescr_t vec) {
  return {vec->indices, vec->indexType == CUSPARSE_INDEX_64I};
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t vecX,
                               const void *beta, cusparseDnVecDescr_t vecY) {
  if (cusparseStatus_t wrong = check_vectors(handle, vecX, vecY)) return wrong;
  if (!alpha || !beta) return CUSPARSE_STATUS_INVALID_VALUE;
  int status = handle->nvidia("cusparseAxpby", handle->scalar(alpha), vendor_of(handle, vecX), handle->scalar(beta),
                              Work{vendor_of(handle, vecY)});
  if (status >= 0) return (cusparseStatus_t)status;
  return with_any_type(vecX->type, [&](auto t, auto c) {
    typedef typename decltype(t)::type T;
    typedef typename decltype(c)::type C;
    if (vecX->type == CUDA_R_8I) return CUSPARSE_STATUS_NOT_SUPPORTED;
    scale_dense<T, T, C><<<blocks(vecY->size, 128), 128, 0, handle->stream>>>((T *)vecY->values, vecY->size,
                                                                              factor_of<C>(handle, beta));
    add_sparse<T, T, C><<<blocks(vecX->nnz, 128), 128, 0, handle->stream>>>(
        indices_of(vecX), vecX->base, (const T *)vecX->values, vecX->nnz, (T *)vecY->values,
        factor_of<C>(handle, alpha));
    return launched();
  });
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY, cusparseSpVecDescr_t vecX) {
  if (cusparseStatus_t wrong = check_vectors(handle, vecX, vecY)) return wrong;
  int status = handle->nvidia("cusparseGather", vendor_of(handle, vecY), Work{vendor_of(handle, vecX)});
  if (status >= 0) return (cusparseStatus_t)status;
  return with_any_type(vecX->type, [&](auto t, auto) {
    typedef typename decltype(t)::type T;
    gather<T><<<blocks(vecX->nnz, 128), 128, 0, handle->stream>>>(indices_of(vecX), vecX->base, (T *)vecX->values,
                                                                  vecX->nnz, (const T *)vecY->values);
    return launched();
  });
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX, cusparseDnVecDescr_t vecY) {
  if (cusparseStatus_t wrong = check_vectors(handle, vecX, vecY)) return wrong;
  int status = handle->nvidia("cusparseScatter", vendor_of(handle, vecX), Work{vendor_of(handle, vecY)});
  if (status >= 0) return (cusparseStatus_t)status;
  return with_any_type(vecX->type, [&](auto t, auto) {
    typedef typename decltype(t)::type T;
    scatter<T><<<blocks(vecX->nnz, 128), 128, 0, handle->stream>>>(
        indices_of(vecX), vecX->base, (const T *)vecX->values, vecX->nnz, (T *)vecY->values);
    return launched();
  });
}
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s, cusparseSpVecDescr_t vecX,
                             cusparseDnVecDescr_t vecY) {
  if (cusparseStatus_t wrong = check_vectors(handle, vecX, vecY)) return wrong;
  if (!c || !s) return CUSPARSE_STATUS_INVALID_VALUE;
  int status = handle->nvidia("cusparseRot", handle->scalar(c), handle->scalar(s), vendor_of(handle, vecX),
                              Work{vendor_of(handle, vecY)});
  if (status >= 0) return (cusparseStatus_t)status;
  return with_any_type(vecX->type, [&](auto t, auto sum) {
    typedef typename decltype(t)::type T;
    typedef typename decltype(sum)::type C;
    if (vecX->type == CUDA_R_8I) return CUSPARSE_STATUS_NOT_SUPPORTED;
    rotate<T, C><<<blocks(vecX->nnz, 128), 128, 0, handle->stream>>>(
        indices_of(vecX), vecX->base, (T *)vecX->values, vecX->nnz, (T *)vecY->values, factor_of<C>(handle, c),
        factor_of<C>(handle, s));
    return launched();
  });
}
static cusparseStatus_t check_spvv(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
                                   cusparseConstDnVecDescr_t vecY, const void *result, cudaDataType computeType) {
  if (cusparseStatus_t wrong = check_vectors(handle, vecX, vecY)) return wrong;
  if (!result || !is_operation(opX)) return CUSPARSE_STATUS_INVALID_VALUE;
  bool isHalf = vecX->type == CUDA_R_16F || vecX->type == CUDA_R_16BF, isByte = vecX->type == CUDA_R_8I;
  bool isRight = computeType == vecX->type || (isHalf && computeType == CUDA_R_32F) ||
                 (isByte && (computeType == CUDA_R_32I || computeType == CUDA_R_32F));
  if (!isRight || ((isHalf || isByte) && computeType == vecX->type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX,
                                         cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                                         const void *result, cudaDataType computeType, size_t *bufferSize) {
  if (cusparseStatus_t wrong = check_spvv(handle, opX, vecX, vecY, result, computeType)) return wrong;
  if (!bufferSize) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long bytes = 0;
  int status = handle->nvidia("cusparseSpVV_bufferSize", (int)opX, vendor_of(handle, vecX), vendor_of(handle, vecY),
                              handle->scalar(result), (int)computeType, Host{&bytes});
  return no_work(status, bytes, bufferSize);
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
                              cusparseConstDnVecDescr_t vecY, void *result, cudaDataType computeType,
                              void *externalBuffer) {
  if (cusparseStatus_t wrong = check_spvv(handle, opX, vecX, vecY, result, computeType)) return wrong;
  int status = handle->nvidia("cusparseSpVV", (int)opX, vendor_of(handle, vecX), vendor_of(handle, vecY),
                              handle->scalar(result), (int)computeType, (const void *)externalBuffer);
  if (status >= 0) return (cusparseStatus_t)status;
  auto run = [&](auto t, auto c) {
    typedef typename decltype(t)::type T;
    typedef typename decltype(c)::type C;
    bool isOnDevice = handle->pointerMode == CUSPARSE_POINTER_MODE_DEVICE;
    C *target = isOnDevice ? (C *)result : (C *)handle->scratch(sizeof(C));
    if (!target) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    sparse_dot<T, C><<<1, 128, 0, handle->stream>>>(indices_of(vecX), vecX->base, (const T *)vecX->values, vecX->nnz,
                                                    (const T *)vecY->values,
                                                    opX == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, target);
    if (!isOnDevice) {
      cudaMemcpyAsync(result, target, sizeof(C), cudaMemcpyDeviceToHost, handle->stream);
      cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
      cudaStreamIsCapturing(handle->stream, &capture);
      if (capture == cudaStreamCaptureStatusNone) cudaStreamSynchronize(handle->stream);
    }
    return launched();
  };
  if (vecX->type == CUDA_R_8I && computeType == CUDA_R_32F) return run(Tag<signed char>{}, Tag<float>{});
  return with_any_type(vecX->type, run);
}

// Dense and sparse.

static cusparseStatus_t check_conversion(cusparseHandle_t handle, cusparseConstSpMatDescr_t sparse,
                                         cusparseConstDnMatDescr_t dense, int alg) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!is_live(sparse) || !is_live(dense) || alg != 0) return CUSPARSE_STATUS_INVALID_VALUE;
  if (sparse->allRows() != dense->rows || sparse->allCols() != dense->cols || sparse->type != dense->type)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return sparse->format == CUSPARSE_FORMAT_SLICED_ELLPACK ? CUSPARSE_STATUS_NOT_SUPPORTED : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                                  cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                                  size_t *bufferSize) {
  if (cusparseStatus_t wrong = check_conversion(handle, matA, matB, alg)) return wrong;
  if (matA->format == CUSPARSE_FORMAT_BSR || matA->format == CUSPARSE_FORMAT_BLOCKED_ELL)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (!bufferSize) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long bytes = 0;
  int status = handle->nvidia("cusparseSparseToDense_bufferSize", vendor_of(handle, matA), vendor_of(handle, matB),
                              (int)alg, Host{&bytes});
  return no_work(status, bytes, bufferSize);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                       cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                       void *externalBuffer) {
  if (cusparseStatus_t wrong = check_conversion(handle, matA, matB, alg)) return wrong;
  if (matA->format == CUSPARSE_FORMAT_BSR || matA->format == CUSPARSE_FORMAT_BLOCKED_ELL)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  int status = handle->nvidia("cusparseSparseToDense", vendor_of(handle, matA), vendor_of(handle, matB), (int)alg,
                              (const void *)externalBuffer);
  if (status >= 0) return (cusparseStatus_t)status;
  return with_any_type(matA->type, [&](auto t, auto) {
    typedef typename decltype(t)::type T;
    Dense<T> to = typed<T>(dense_of(matB));
    fill_dense<T><<<blocks(matB->rows * matB->cols, 128), 128, 0, handle->stream>>>(to, matB->rows, matB->cols);
    Entries entries = matA->entries();
    put_into_dense<T><<<blocks(entries.units, 32), 32, 0, handle->stream>>>(entries, (const T *)matA->values, to);
    return launched();
  });
}
/// Offsets that a conversion counts: the matrix's own, or in work memory for COO.
static Indices counted(cusparseConstSpMatDescr_t mat, void *work) {
  if (mat->format == CUSPARSE_FORMAT_COO) return {work, 1};
  return {mat->offsets, mat->offsetsType == CUSPARSE_INDEX_64I};
}
static size_t conversion_bytes(cusparseConstSpMatDescr_t mat) {
  return 8 + (mat->format == CUSPARSE_FORMAT_COO ? (size_t)(mat->rows + 1) * 8 : 0);
}
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                  cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                  size_t *bufferSize) {
  if (cusparseStatus_t wrong = check_conversion(handle, matB, matA, alg)) return wrong;
  if (!bufferSize) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long bytes = 0;
  int status = handle->nvidia("cusparseDenseToSparse_bufferSize", vendor_of(handle, matA), vendor_of(handle, matB),
                              (int)alg, Host{&bytes});
  if (status > 0) return (cusparseStatus_t)status;
  size_t own = conversion_bytes(matB);
  *bufferSize = status == 0 && bytes > own ? (size_t)bytes : own;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                void *externalBuffer) {
  if (cusparseStatus_t wrong = check_conversion(handle, matB, matA, alg)) return wrong;
  int status = handle->nvidia("cusparseDenseToSparse_analysis", vendor_of(handle, matA), vendor_of(handle, matB),
                              (int)alg, (const void *)externalBuffer);
  if (status > 0) return (cusparseStatus_t)status;
  if (status == 0) {
    long long rows = 0, cols = 0, nnz = 0;
    handle->library("cusparseSpMatGetSize", vendor_of(handle, matB), Host{&rows}, Host{&cols}, Host{&nnz});
    matB->nnz = matB->format == CUSPARSE_FORMAT_BSR ? nnz / (matB->rowBlock * matB->colBlock) : nnz;
    return CUSPARSE_STATUS_SUCCESS;
  }
  if (matB->format == CUSPARSE_FORMAT_BLOCKED_ELL) return CUSPARSE_STATUS_SUCCESS; // its places are given
  if (!externalBuffer) return CUSPARSE_STATUS_INVALID_VALUE;
  i64 *total = (i64 *)externalBuffer;
  return with_any_type(matA->type, [&](auto t, auto) {
    typedef typename decltype(t)::type T;
    bool isByColumns = matB->format == CUSPARSE_FORMAT_CSC;
    Indices offsets = counted(matB, total + 1);
    Dense<const T> from = typed<const T>(
        dense_of(matA, isByColumns ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE));
    i64 majors = isByColumns ? matB->cols : matB->rows;
    if (matB->format == CUSPARSE_FORMAT_BSR)
      count_blocks<T><<<blocks(majors, 32), 32, 0, handle->stream>>>(from, matB->rows, matB->cols, (int)matB->rowBlock,
                                                                     (int)matB->colBlock, offsets);
    else
      count_dense<T>
          <<<blocks(majors, 32), 32, 0, handle->stream>>>(from, majors, isByColumns ? matB->rows : matB->cols, offsets);
    offsets_of_counts<<<1, 1, 0, handle->stream>>>(offsets, majors,
                                                   matB->format == CUSPARSE_FORMAT_COO ? 0 : matB->base, total);
    i64 nnz = 0;
    cudaMemcpyAsync(&nnz, total, sizeof nnz, cudaMemcpyDeviceToHost, handle->stream);
    if (cudaStreamSynchronize(handle->stream) != cudaSuccess) return CUSPARSE_STATUS_EXECUTION_FAILED;
    matB->nnz = nnz;
    return launched();
  });
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                               cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                               void *externalBuffer) {
  if (cusparseStatus_t wrong = check_conversion(handle, matB, matA, alg)) return wrong;
  int status = handle->nvidia("cusparseDenseToSparse_convert", vendor_of(handle, matA), vendor_of(handle, matB),
                              (int)alg, (const void *)externalBuffer);
  if (status >= 0) return (cusparseStatus_t)status;
  if (matB->nnz > 0 && (!matB->indices || !matB->values)) return CUSPARSE_STATUS_INVALID_VALUE;
  return with_any_type(matA->type, [&](auto t, auto) {
    typedef typename decltype(t)::type T;
    Dense<const T> plain = typed<const T>(dense_of(matA));
    Entries entries = matB->entries();
    if (matB->format == CUSPARSE_FORMAT_BLOCKED_ELL || matB->format == CUSPARSE_FORMAT_BSR) {
      if (matB->format == CUSPARSE_FORMAT_BSR)
        fill_blocks<T><<<blocks(matB->rows, 32), 32, 0, handle->stream>>>(
            plain, matB->rows, matB->cols, (int)matB->rowBlock, (int)matB->colBlock, entries.offsets, matB->base,
            entries.indices);
      values_from_dense<T><<<blocks(entries.units, 32), 32, 0, handle->stream>>>(entries, (T *)matB->values, plain);
      return launched();
    }
    bool isByColumns = matB->format == CUSPARSE_FORMAT_CSC, isCoo = matB->format == CUSPARSE_FORMAT_COO;
    if (isCoo && !externalBuffer) return CUSPARSE_STATUS_INVALID_VALUE;
    Dense<const T> from = typed<const T>(
        dense_of(matA, isByColumns ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE));
    i64 majors = isByColumns ? matB->cols : matB->rows;
    fill_from_dense<T><<<blocks(majors, 32), 32, 0, handle->stream>>>(
        from, majors, isByColumns ? matB->rows : matB->cols, counted(matB, (i64 *)externalBuffer + 1),
        isCoo ? 0 : matB->base, matB->base, isCoo ? entries.offsets : Indices{nullptr, 0}, entries.indices,
        (T *)matB->values);
    return launched();
  });
}
}
