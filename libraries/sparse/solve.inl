// Triangular systems and products of sparse matrices, which take several calls: part of cusparse.cu.

struct cusparseSpSVDescr : heddle_sparse::Steps {
  cusparseConstSpMatDescr_t matrix = nullptr; // of the analysis
  void *values = nullptr;                     // a copy, in the caller's work memory
  const void *offsets = nullptr;              // of COO, in the caller's work memory
  cusparseSpSVDescr() : Steps("cusparseSpSV_createDescr", "cusparseSpSV_destroyDescr") {}
  cusparseSpSVDescr(const char *create, const char *destroy) : Steps(create, destroy) {}
};
struct cusparseSpSMDescr : cusparseSpSVDescr {
  cusparseSpSMDescr() : cusparseSpSVDescr("cusparseSpSM_createDescr", "cusparseSpSM_destroyDescr") {}
};

namespace {

/// Work memory of a triangular solve: a copy of the values, then the offsets of COO.
size_t values_bytes(cusparseConstSpMatDescr_t mat) {
  i64 count = mat->format == CUSPARSE_FORMAT_SLICED_ELLPACK ? mat->valuesSize : mat->nnz;
  return ((size_t)count * bytes_of(mat->type) + 15) / 16 * 16;
}
size_t solve_bytes(cusparseConstSpMatDescr_t mat) {
  return values_bytes(mat) + (mat->format == CUSPARSE_FORMAT_COO ? (size_t)(mat->rows + 1) * 8 : 0) + 16;
}
cusparseStatus_t check_triangle(cusparseConstSpMatDescr_t mat, cudaDataType b, cudaDataType x, cudaDataType compute) {
  if (mat->allRows() != mat->allCols()) return CUSPARSE_STATUS_INVALID_VALUE;
  if (mat->format == CUSPARSE_FORMAT_BSR || mat->format == CUSPARSE_FORMAT_BLOCKED_ELL)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (mat->type != b || mat->type != x || mat->type != compute) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with_type(compute, [](auto) { return CUSPARSE_STATUS_SUCCESS; });
}
cusparseStatus_t check_spsv(HEDDLE_SPSV_ARGUMENTS) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!alpha || !is_live(matA) || !is_live(vecX) || !is_live(vecY) || !is_live(spsvDescr) ||
      !is_operation_of(opA, computeType) || alg != CUSPARSE_SPSV_ALG_DEFAULT || vecX->size != matA->rows ||
      vecY->size != matA->rows)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return check_triangle(matA, vecX->type, vecY->type, computeType);
}
cusparseStatus_t check_spsm(HEDDLE_SPSM_ARGUMENTS) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!alpha || !is_live(matA) || !is_live(matB) || !is_live(matC) || !is_live(spsmDescr) ||
      !is_operation_of(opA, computeType) || !is_operation_of(opB, computeType) || alg != CUSPARSE_SPSM_ALG_DEFAULT)
    return CUSPARSE_STATUS_INVALID_VALUE;
  bool isBTransposed = opB != CUSPARSE_OPERATION_NON_TRANSPOSE;
  if ((isBTransposed ? matB->cols : matB->rows) != matA->rows || matC->rows != matA->rows ||
      (isBTransposed ? matB->rows : matB->cols) != matC->cols)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (matA->format == CUSPARSE_FORMAT_SLICED_ELLPACK || matA->format == CUSPARSE_FORMAT_CSC ||
      opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  return check_triangle(matA, matB->type, matC->type, computeType);
}
template <class T>
Triangle<T> triangle_of(cusparseSpSVDescr *state, cusparseConstSpMatDescr_t mat, cusparseOperation_t op) {
  Triangle<T> a{};
  bool isByColumns = mat->format == CUSPARSE_FORMAT_CSC;
  Entries entries = mat->entries();
  a.offsets = state->offsets ? Indices{state->offsets, 1} : entries.offsets;
  a.indices = entries.indices;
  a.base = entries.base;
  a.n = mat->rows;
  a.sliceSize = mat->sliceSize;
  a.values = (const T *)(state->values ? state->values : mat->values);
  // Columns are the rows of the transposed matrix.
  a.isLower = (mat->fill == CUSPARSE_FILL_MODE_LOWER) != isByColumns;
  a.isUnit = mat->diag == CUSPARSE_DIAG_TYPE_UNIT;
  a.isTransposed = (op != CUSPARSE_OPERATION_NON_TRANSPOSE) != isByColumns;
  a.isConjugated = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  return a;
}
cusparseStatus_t analyse(cusparseHandle_t h, cusparseSpSVDescr *state, cusparseConstSpMatDescr_t mat, void *buffer) {
  if (!buffer) return CUSPARSE_STATUS_INVALID_VALUE;
  state->matrix = mat;
  state->values = buffer;
  size_t bytes = values_bytes(mat);
  cudaMemcpyAsync(buffer, mat->values, bytes_of(mat->type) * (size_t)(mat->sliceSize ? mat->valuesSize : mat->nnz),
                  cudaMemcpyDeviceToDevice, h->stream);
  state->offsets = nullptr;
  if (mat->format == CUSPARSE_FORMAT_COO) {
    state->offsets = (char *)buffer + bytes;
    Indices to{state->offsets, 1};
    if (mat->offsetsType == CUSPARSE_INDEX_64I) return CUSPARSE_STATUS_NOT_SUPPORTED;
    offsets_of_sorted<<<blocks(mat->rows + 1, 128), 128, 0, h->stream>>>((const int *)mat->offsets, mat->nnz, mat->rows,
                                                                         mat->base, to);
  }
  return launched();
}
cusparseStatus_t update_values(cusparseHandle_t h, cusparseSpSVDescr *state, void *newValues, int part) {
  HEDDLE_LIVE_GENERIC(h);
  if (!is_live(state) || !newValues || part < 0 || part > 1) return CUSPARSE_STATUS_INVALID_VALUE;
  if (state->isNvidia) return (cusparseStatus_t)-1;
  if (!is_live(state->matrix) || !state->values) return CUSPARSE_STATUS_INVALID_VALUE;
  cusparseConstSpMatDescr_t mat = state->matrix;
  if (part == 0) {
    cudaMemcpyAsync(state->values, newValues,
                    bytes_of(mat->type) * (size_t)(mat->sliceSize ? mat->valuesSize : mat->nnz),
                    cudaMemcpyDeviceToDevice, h->stream);
    return launched();
  }
  return with_type(mat->type, [&](auto t) {
    typedef typename decltype(t)::type T;
    replace_diagonal<T><<<blocks(mat->rows, 32), 32, 0, h->stream>>>(
        triangle_of<T>(state, mat, CUSPARSE_OPERATION_NON_TRANSPOSE), (T *)state->values, (const T *)newValues);
    return launched();
  });
}

} // namespace

extern "C" {

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr) { return make_state(descr); }
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr) { return destroy_object(descr); }
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr) { return make_state(descr); }
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr) { return destroy_object(descr); }

#define HEDDLE_SPSV_VALUES handle, opA, alpha, matA, vecX, vecY, computeType, alg, spsvDescr
#define HEDDLE_SPSV_NVIDIA                                                                                             \
  (int)opA, handle->scalar(alpha), vendor_of(handle, matA), vendor_of(handle, vecX), vendor_of(handle, vecY),          \
      (int)computeType, (int)alg
cusparseStatus_t cusparseSpSV_bufferSize(HEDDLE_SPSV_ARGUMENTS, size_t *bufferSize) {
  if (cusparseStatus_t wrong = check_spsv(HEDDLE_SPSV_VALUES)) return wrong;
  if (!bufferSize) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long bytes = 0;
  int status = step_by_nvidia(handle, spsvDescr, [&] {
    return handle->nvidia("cusparseSpSV_bufferSize", HEDDLE_SPSV_NVIDIA, spsvDescr->vendor.handle, Host{&bytes});
  });
  return store_bytes(status, bytes, solve_bytes(matA), bufferSize);
}
cusparseStatus_t cusparseSpSV_analysis(HEDDLE_SPSV_ARGUMENTS, void *externalBuffer) {
  if (cusparseStatus_t wrong = check_spsv(HEDDLE_SPSV_VALUES)) return wrong;
  int status = step_by_nvidia(handle, spsvDescr, [&] {
    return handle->nvidia("cusparseSpSV_analysis", HEDDLE_SPSV_NVIDIA, spsvDescr->vendor.handle,
                          (const void *)externalBuffer);
  });
  if (status >= 0) return (cusparseStatus_t)status;
  return analyse(handle, spsvDescr, matA, externalBuffer);
}
cusparseStatus_t cusparseSpSV_solve(HEDDLE_SPSV_ARGUMENTS) {
  if (cusparseStatus_t wrong = check_spsv(HEDDLE_SPSV_VALUES)) return wrong;
  if (spsvDescr->isNvidia) {
    int status = handle->nvidia("cusparseSpSV_solve", HEDDLE_SPSV_NVIDIA, Work{spsvDescr->vendor.handle});
    if (status >= 0) return (cusparseStatus_t)status;
    if (matA->format == CUSPARSE_FORMAT_COO) return CUSPARSE_STATUS_INTERNAL_ERROR; // no offsets of ours
  } else if (spsvDescr->matrix != matA) return CUSPARSE_STATUS_INVALID_VALUE;
  return with_type(computeType, [&](auto t) {
    typedef typename decltype(t)::type T;
    solve_triangle<T><<<1, 1, 0, handle->stream>>>(triangle_of<T>(spsvDescr, matA, opA), (const T *)vecX->values, 1, 0,
                                                   false, (T *)vecY->values, 1, 0, 1, factor_of<T>(handle, alpha));
    return launched();
  });
}
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t spsvDescr, void *newValues,
                                           cusparseSpSVUpdate_t updatePart) {
  cusparseStatus_t status = update_values(handle, spsvDescr, newValues, updatePart);
  if ((int)status != -1) return status;
  int nvidia = handle->nvidia("cusparseSpSV_updateMatrix", spsvDescr->vendor.handle, (const void *)newValues,
                              (int)updatePart);
  return nvidia < 0 ? CUSPARSE_STATUS_EXECUTION_FAILED : (cusparseStatus_t)nvidia;
}

#define HEDDLE_SPSM_VALUES handle, opA, opB, alpha, matA, matB, matC, computeType, alg, spsmDescr
#define HEDDLE_SPSM_NVIDIA                                                                                             \
  (int)opA, (int)opB, handle->scalar(alpha), vendor_of(handle, matA), vendor_of(handle, matB),                         \
      vendor_of(handle, matC), (int)computeType, (int)alg
cusparseStatus_t cusparseSpSM_bufferSize(HEDDLE_SPSM_ARGUMENTS, size_t *bufferSize) {
  if (cusparseStatus_t wrong = check_spsm(HEDDLE_SPSM_VALUES)) return wrong;
  if (!bufferSize) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long bytes = 0;
  int status = step_by_nvidia(handle, spsmDescr, [&] {
    return handle->nvidia("cusparseSpSM_bufferSize", HEDDLE_SPSM_NVIDIA, spsmDescr->vendor.handle, Host{&bytes});
  });
  return store_bytes(status, bytes, solve_bytes(matA), bufferSize);
}
cusparseStatus_t cusparseSpSM_analysis(HEDDLE_SPSM_ARGUMENTS, void *externalBuffer) {
  if (cusparseStatus_t wrong = check_spsm(HEDDLE_SPSM_VALUES)) return wrong;
  int status = step_by_nvidia(handle, spsmDescr, [&] {
    return handle->nvidia("cusparseSpSM_analysis", HEDDLE_SPSM_NVIDIA, spsmDescr->vendor.handle,
                          (const void *)externalBuffer);
  });
  if (status >= 0) return (cusparseStatus_t)status;
  return analyse(handle, spsmDescr, matA, externalBuffer);
}
cusparseStatus_t cusparseSpSM_solve(HEDDLE_SPSM_ARGUMENTS) {
  if (cusparseStatus_t wrong = check_spsm(HEDDLE_SPSM_VALUES)) return wrong;
  if (spsmDescr->isNvidia) {
    int status = handle->nvidia("cusparseSpSM_solve", HEDDLE_SPSM_NVIDIA, Work{spsmDescr->vendor.handle});
    if (status >= 0) return (cusparseStatus_t)status;
    if (matA->format == CUSPARSE_FORMAT_COO) return CUSPARSE_STATUS_INTERNAL_ERROR;
  } else if (spsmDescr->matrix != matA) return CUSPARSE_STATUS_INVALID_VALUE;
  return with_type(computeType, [&](auto t) {
    typedef typename decltype(t)::type T;
    Dense<const T> b = typed<const T>(dense_of(matB, opB));
    Dense<T> c = typed<T>(dense_of(matC));
    solve_triangle<T><<<blocks(matC->cols, 32), 32, 0, handle->stream>>>(
        triangle_of<T>(spsmDescr, matA, opA), b.data, b.rowStride, b.columnStride,
        opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, c.data, c.rowStride, c.columnStride, matC->cols,
        factor_of<T>(handle, alpha));
    return launched();
  });
}
cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t spsmDescr, void *newValues,
                                           cusparseSpSMUpdate_t updatePart) {
  cusparseStatus_t status = update_values(handle, spsmDescr, newValues, updatePart);
  if ((int)status != -1) return status;
  int nvidia = handle->nvidia("cusparseSpSM_updateMatrix", spsmDescr->vendor.handle, (const void *)newValues,
                              (int)updatePart);
  return nvidia < 0 ? CUSPARSE_STATUS_EXECUTION_FAILED : (cusparseStatus_t)nvidia;
}
}

// C = alpha A B + beta C

struct cusparseSpGEMMDescr : heddle_sparse::Steps {
  i64 products = -1, nnz = -1; // known after the first and the second step
  i64 *offsets = nullptr;      // of the result, in the caller's work memory
  int *columns = nullptr;
  void *values = nullptr, *sums = nullptr;
  cusparseSpGEMMDescr() : Steps("cusparseSpGEMM_createDescr", "cusparseSpGEMM_destroyDescr") {}
};

namespace {

constexpr int GEMM_WORKERS = 4;

/// Pieces of the caller's work memory, each from a multiple of 16 bytes.
struct Pieces {
  char *memory;
  size_t used = 0;
  template <class T> T *take(i64 count) {
    T *piece = memory ? (T *)(memory + used) : nullptr;
    used += ((size_t)count * sizeof(T) + 15) / 16 * 16;
    return piece;
  }
};
Rows rows_of(cusparseConstSpMatDescr_t mat) {
  Entries entries = mat->entries();
  return {entries.offsets, entries.indices, entries.base, mat->rows, mat->cols};
}
size_t compute_bytes(cudaDataType type) { return type == CUDA_R_16F || type == CUDA_R_16BF ? 4 : bytes_of(type); }

cusparseStatus_t check_spgemm(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                              cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
                              cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!is_live(matA) || !is_live(matB) || !is_live(matC) || !is_live(descr) || !is_operation(opA) ||
      !is_operation(opB) || alg < CUSPARSE_SPGEMM_DEFAULT || alg > CUSPARSE_SPGEMM_ALG3)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (matA->cols != matB->rows || matC->rows != matA->rows || matC->cols != matB->cols)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (opA != CUSPARSE_OPERATION_NON_TRANSPOSE || opB != CUSPARSE_OPERATION_NON_TRANSPOSE)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  for (const cusparseSpMatDescr *mat : {matA, matB, (cusparseConstSpMatDescr_t)matC})
    if (mat->format != CUSPARSE_FORMAT_CSR || mat->type != matA->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return matA->type == CUDA_R_8I ? CUSPARSE_STATUS_NOT_SUPPORTED
                                 : with_any_type(matA->type, [](auto, auto) { return CUSPARSE_STATUS_SUCCESS; });
}
bool is_compute_type(cudaDataType type, cudaDataType compute) {
  return compute == type; // half precision too, though its sums have 32 bits here
}
/// The first step: the number of products.
cusparseStatus_t estimate(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                          cusparseSpGEMMDescr_t state, size_t *bytes, void *buffer) {
  if (!buffer) {
    *bytes = 16;
    return CUSPARSE_STATUS_SUCCESS;
  }
  count_products<<<1, 128, 0, h->stream>>>(rows_of(a), rows_of(b), (i64 *)buffer);
  cudaMemcpyAsync(&state->products, buffer, 8, cudaMemcpyDeviceToHost, h->stream);
  return cudaStreamSynchronize(h->stream) == cudaSuccess ? launched() : CUSPARSE_STATUS_EXECUTION_FAILED;
}
/// At most as many entries has the product.
i64 most_entries(cusparseConstSpMatDescr_t c, cusparseSpGEMMDescr_t state) {
  i64 all = c->rows * c->cols;
  return state->products < all ? state->products : all;
}
/// Offsets and columns of the product, in work memory.
cusparseStatus_t find_structure(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                cusparseSpMatDescr_t c, cusparseSpGEMMDescr_t state, int *marks) {
  count_product_rows<<<GEMM_WORKERS, 1, 0, h->stream>>>(rows_of(a), rows_of(b), marks, state->offsets);
  offsets_of_counts<<<1, 1, 0, h->stream>>>(Indices{state->offsets, 1}, a->rows, 0, nullptr);
  list_product_columns<<<GEMM_WORKERS, 1, 0, h->stream>>>(rows_of(a), rows_of(b), marks, state->offsets,
                                                          state->columns);
  cudaMemcpyAsync(&state->nnz, state->offsets + a->rows, 8, cudaMemcpyDeviceToHost, h->stream);
  if (cudaStreamSynchronize(h->stream) != cudaSuccess) return CUSPARSE_STATUS_EXECUTION_FAILED;
  c->nnz = state->nnz;
  return launched();
}
cusparseStatus_t compute_values(cusparseHandle_t h, const void *alpha, cusparseConstSpMatDescr_t a,
                                cusparseConstSpMatDescr_t b, cusparseSpGEMMDescr_t state) {
  return with_any_type(a->type, [&](auto t, auto c) {
    typedef typename decltype(t)::type T;
    typedef typename decltype(c)::type C;
    product_values<T, C><<<GEMM_WORKERS, 1, 0, h->stream>>>(
        rows_of(a), (const T *)a->values, rows_of(b), (const T *)b->values, (C *)state->sums, state->offsets,
        state->columns, factor_of<C>(h, alpha), (T *)state->values);
    return launched();
  });
}
void take_all(Pieces &pieces, cusparseConstSpMatDescr_t c, cusparseSpGEMMDescr_t state, int *&marks) {
  i64 most = most_entries(c, state);
  state->offsets = pieces.take<i64>(c->rows + 1);
  state->columns = pieces.take<int>(most);
  state->values = pieces.take<char>(most * (i64)bytes_of(c->type));
  state->sums = pieces.take<char>(GEMM_WORKERS * c->cols * (i64)compute_bytes(c->type));
  marks = pieces.take<int>(GEMM_WORKERS * c->cols);
}
/// NVIDIA's memory-saving algorithms take a fraction, which cannot be handed over.
bool is_handed_over(cusparseSpGEMMAlg_t alg) { return alg != CUSPARSE_SPGEMM_ALG2 && alg != CUSPARSE_SPGEMM_ALG3; }

} // namespace

extern "C" {

#define HEDDLE_SPGEMM_NVIDIA                                                                                           \
  (int)opA, (int)opB, handle->scalar(alpha), vendor_of(handle, matA), vendor_of(handle, matB), handle->scalar(beta),   \
      vendor_of(handle, matC), (int)computeType, (int)alg
#define HEDDLE_SPGEMM_CHECK                                                                                            \
  if (cusparseStatus_t wrong = check_spgemm(handle, opA, opB, matA, matB, matC, alg, spgemmDescr)) return wrong;       \
  if (!alpha || !beta) return CUSPARSE_STATUS_INVALID_VALUE;                                                           \
  if (!is_compute_type(matA->type, computeType)) return CUSPARSE_STATUS_NOT_SUPPORTED;

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr) { return make_state(descr); }
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr) { return destroy_object(descr); }
cusparseStatus_t cusparseSpGEMM_workEstimation(HEDDLE_SPGEMM_ARGUMENTS, size_t *bufferSize1, void *externalBuffer1) {
  HEDDLE_SPGEMM_CHECK
  if (!bufferSize1) return CUSPARSE_STATUS_INVALID_VALUE;
  auto by_nvidia = [&] {
    unsigned long long bytes = *bufferSize1;
    int status = handle->nvidia("cusparseSpGEMM_workEstimation", HEDDLE_SPGEMM_NVIDIA, spgemmDescr->vendor.handle,
                                Host{&bytes}, (const void *)externalBuffer1);
    *bufferSize1 = bytes < 16 ? 16 : (size_t)bytes;
    return status;
  };
  int status = is_handed_over(alg) ? step_by_nvidia(handle, spgemmDescr, by_nvidia) : NEVER;
  if (status >= 0) return (cusparseStatus_t)status;
  return estimate(handle, matA, matB, spgemmDescr, bufferSize1, externalBuffer1);
}
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t spgemmDescr, int64_t *num_prods) {
  if (!is_live(spgemmDescr) || !num_prods) return CUSPARSE_STATUS_INVALID_VALUE;
  if (spgemmDescr->isNvidia)
    call_nvidia(nullptr, "cusparse", 0, "cusparseSpGEMM_getNumProducts", spgemmDescr->vendor.handle,
                Host{&spgemmDescr->products});
  *num_prods = spgemmDescr->products < 0 ? 0 : spgemmDescr->products;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_estimateMemory(HEDDLE_SPGEMM_ARGUMENTS, float chunk_fraction, size_t *bufferSize3,
                                               void *externalBuffer3, size_t *bufferSize2) {
  HEDDLE_SPGEMM_CHECK
  bool hasFraction = chunk_fraction > 0 && chunk_fraction <= 1;
  if (!bufferSize3 || (alg == CUSPARSE_SPGEMM_ALG3 && !hasFraction)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (is_handed_over(alg)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (spgemmDescr->products < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  *bufferSize3 = 16;
  if (!externalBuffer3 || !bufferSize2) return CUSPARSE_STATUS_SUCCESS;
  Pieces pieces{nullptr};
  int *marks;
  take_all(pieces, matC, spgemmDescr, marks);
  *bufferSize2 = pieces.used;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_compute(HEDDLE_SPGEMM_ARGUMENTS, size_t *bufferSize2, void *externalBuffer2) {
  HEDDLE_SPGEMM_CHECK
  if (!bufferSize2) return CUSPARSE_STATUS_INVALID_VALUE;
  if (spgemmDescr->isNvidia) {
    unsigned long long bytes = *bufferSize2;
    int status = handle->nvidia("cusparseSpGEMM_compute", HEDDLE_SPGEMM_NVIDIA, spgemmDescr->vendor.handle,
                                Host{&bytes}, (const void *)externalBuffer2);
    *bufferSize2 = (size_t)bytes;
    if (status == 0 && externalBuffer2) {
      long long rows = 0, cols = 0, nnz = 0;
      handle->library("cusparseSpMatGetSize", vendor_of(handle, matC), Host{&rows}, Host{&cols}, Host{&nnz});
      matC->nnz = nnz;
    }
    return status < 0 ? CUSPARSE_STATUS_EXECUTION_FAILED : (cusparseStatus_t)status;
  }
  if (spgemmDescr->products < 0) return CUSPARSE_STATUS_INVALID_VALUE; // before the estimation
  Pieces pieces{(char *)externalBuffer2};
  int *marks;
  take_all(pieces, matC, spgemmDescr, marks);
  if (!externalBuffer2) {
    *bufferSize2 = pieces.used;
    return CUSPARSE_STATUS_SUCCESS;
  }
  if (spgemmDescr->products == 0) { // needs no memory, in NVIDIA's library neither
    spgemmDescr->offsets = nullptr;
    matC->nnz = spgemmDescr->nnz = 0;
    return CUSPARSE_STATUS_SUCCESS;
  }
  if (*bufferSize2 < pieces.used) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
  if (cusparseStatus_t failed = find_structure(handle, matA, matB, matC, spgemmDescr, marks)) return failed;
  return compute_values(handle, alpha, matA, matB, spgemmDescr);
}
cusparseStatus_t cusparseSpGEMM_copy(HEDDLE_SPGEMM_ARGUMENTS) {
  HEDDLE_SPGEMM_CHECK
  if (spgemmDescr->isNvidia) {
    int status = handle->nvidia("cusparseSpGEMM_copy", HEDDLE_SPGEMM_NVIDIA, Work{spgemmDescr->vendor.handle});
    return status < 0 ? CUSPARSE_STATUS_EXECUTION_FAILED : (cusparseStatus_t)status;
  }
  if (spgemmDescr->nnz < 0 || !matC->offsets || (matC->nnz > 0 && (!matC->indices || !matC->values)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  Entries entries = matC->entries();
  store_structure<<<blocks(matC->rows + 1, 128), 128, 0, handle->stream>>>(spgemmDescr->offsets, spgemmDescr->columns,
                                                                          matC->rows, spgemmDescr->nnz, matC->base,
                                                                          entries.offsets, entries.indices);
  return with_any_type(matC->type, [&](auto t, auto c) {
    typedef typename decltype(t)::type T;
    typedef typename decltype(c)::type C;
    add_values<T, C><<<blocks(spgemmDescr->nnz, 128), 128, 0, handle->stream>>>(
        (const T *)spgemmDescr->values, spgemmDescr->nnz, factor_of<C>(handle, beta), (T *)matC->values);
    return launched();
  });
}

#define HEDDLE_SPGEMMREUSE_NVIDIA                                                                                      \
  (int)opA, (int)opB, vendor_of(handle, matA), vendor_of(handle, matB), vendor_of(handle, matC), (int)alg,             \
      spgemmDescr->vendor.handle
#define HEDDLE_SPGEMMREUSE_CHECK                                                                                      \
  if (cusparseStatus_t wrong = check_spgemm(handle, opA, opB, matA, matB, matC, alg, spgemmDescr)) return wrong;
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(HEDDLE_SPGEMMREUSE_ARGUMENTS, size_t *bufferSize1,
                                                    void *externalBuffer1) {
  HEDDLE_SPGEMMREUSE_CHECK
  if (!bufferSize1) return CUSPARSE_STATUS_INVALID_VALUE;
  auto by_nvidia = [&] {
    unsigned long long bytes = *bufferSize1;
    int status = handle->nvidia("cusparseSpGEMMreuse_workEstimation", HEDDLE_SPGEMMREUSE_NVIDIA, Host{&bytes},
                                (const void *)externalBuffer1);
    *bufferSize1 = bytes < 16 ? 16 : (size_t)bytes;
    return status;
  };
  int status = step_by_nvidia(handle, spgemmDescr, by_nvidia);
  if (status >= 0) return (cusparseStatus_t)status;
  return estimate(handle, matA, matB, spgemmDescr, bufferSize1, externalBuffer1);
}
cusparseStatus_t cusparseSpGEMMreuse_nnz(HEDDLE_SPGEMMREUSE_ARGUMENTS, size_t *bufferSize2, void *externalBuffer2,
                                         size_t *bufferSize3, void *externalBuffer3, size_t *bufferSize4,
                                         void *externalBuffer4) {
  HEDDLE_SPGEMMREUSE_CHECK
  if (!bufferSize2 || !bufferSize3 || !bufferSize4) return CUSPARSE_STATUS_INVALID_VALUE;
  if (spgemmDescr->isNvidia) {
    unsigned long long bytes[] = {*bufferSize2, *bufferSize3, *bufferSize4};
    int status = handle->nvidia("cusparseSpGEMMreuse_nnz", HEDDLE_SPGEMMREUSE_NVIDIA, Host{&bytes[0]},
                                (const void *)externalBuffer2, Host{&bytes[1]}, (const void *)externalBuffer3,
                                Host{&bytes[2]}, (const void *)externalBuffer4);
    *bufferSize2 = (size_t)bytes[0];
    *bufferSize3 = (size_t)bytes[1];
    *bufferSize4 = (size_t)bytes[2];
    if (status == 0 && externalBuffer4) {
      long long rows = 0, cols = 0, nnz = 0;
      handle->library("cusparseSpMatGetSize", vendor_of(handle, matC), Host{&rows}, Host{&cols}, Host{&nnz});
      matC->nnz = nnz;
    }
    return status < 0 ? CUSPARSE_STATUS_EXECUTION_FAILED : (cusparseStatus_t)status;
  }
  if (spgemmDescr->products < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  // The second piece is free after this step, the third after the copy, the fourth stays.
  i64 most = most_entries(matC, spgemmDescr);
  Pieces second{(char *)externalBuffer2}, third{(char *)externalBuffer3}, fourth{(char *)externalBuffer4};
  int *marks = second.take<int>(GEMM_WORKERS * matC->cols);
  third.take<char>(16);
  i64 *offsets = fourth.take<i64>(matC->rows + 1);
  int *columns = fourth.take<int>(most);
  if (!externalBuffer2 || !externalBuffer4) {
    *bufferSize2 = second.used;
    *bufferSize3 = third.used;
    *bufferSize4 = fourth.used;
    return CUSPARSE_STATUS_SUCCESS;
  }
  if (*bufferSize2 < second.used || *bufferSize4 < fourth.used) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
  spgemmDescr->offsets = offsets;
  spgemmDescr->columns = columns;
  return find_structure(handle, matA, matB, matC, spgemmDescr, marks);
}
cusparseStatus_t cusparseSpGEMMreuse_copy(HEDDLE_SPGEMMREUSE_ARGUMENTS, size_t *bufferSize5, void *externalBuffer5) {
  HEDDLE_SPGEMMREUSE_CHECK
  if (!bufferSize5) return CUSPARSE_STATUS_INVALID_VALUE;
  if (spgemmDescr->isNvidia) {
    unsigned long long bytes = *bufferSize5;
    int status = handle->nvidia("cusparseSpGEMMreuse_copy", HEDDLE_SPGEMMREUSE_NVIDIA, Host{&bytes},
                                (const void *)externalBuffer5);
    *bufferSize5 = (size_t)bytes;
    return status < 0 ? CUSPARSE_STATUS_EXECUTION_FAILED : (cusparseStatus_t)status;
  }
  if (spgemmDescr->nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  Pieces pieces{(char *)externalBuffer5};
  void *values = pieces.take<char>(spgemmDescr->nnz * (i64)bytes_of(matC->type));
  void *sums = pieces.take<char>(GEMM_WORKERS * matC->cols * (i64)compute_bytes(matC->type));
  if (!externalBuffer5) {
    *bufferSize5 = pieces.used;
    return CUSPARSE_STATUS_SUCCESS;
  }
  if (*bufferSize5 < pieces.used) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
  if (!matC->offsets || (matC->nnz > 0 && (!matC->indices || !matC->values))) return CUSPARSE_STATUS_INVALID_VALUE;
  spgemmDescr->values = values;
  spgemmDescr->sums = sums;
  Entries entries = matC->entries();
  store_structure<<<blocks(matC->rows + 1, 128), 128, 0, handle->stream>>>(spgemmDescr->offsets, spgemmDescr->columns,
                                                                          matC->rows, spgemmDescr->nnz, matC->base,
                                                                          entries.offsets, entries.indices);
  return launched();
}
cusparseStatus_t cusparseSpGEMMreuse_compute(HEDDLE_SPGEMM_ARGUMENTS) {
  HEDDLE_SPGEMM_CHECK
  if (spgemmDescr->isNvidia) {
    int status = handle->nvidia("cusparseSpGEMMreuse_compute", HEDDLE_SPGEMM_NVIDIA, Work{spgemmDescr->vendor.handle});
    return status < 0 ? CUSPARSE_STATUS_EXECUTION_FAILED : (cusparseStatus_t)status;
  }
  if (!spgemmDescr->values || !spgemmDescr->sums) return CUSPARSE_STATUS_INVALID_VALUE; // before the copy
  if (cusparseStatus_t failed = compute_values(handle, alpha, matA, matB, spgemmDescr)) return failed;
  return with_any_type(matC->type, [&](auto t, auto c) {
    typedef typename decltype(t)::type T;
    typedef typename decltype(c)::type C;
    add_values<T, C><<<blocks(spgemmDescr->nnz, 128), 128, 0, handle->stream>>>(
        (const T *)spgemmDescr->values, spgemmDescr->nnz, factor_of<C>(handle, beta), (T *)matC->values);
    return launched();
  });
}
}
