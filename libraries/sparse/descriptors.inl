// Handles and descriptors: part of cusparse.cu.

namespace {

template <class T> void put(T *out, T value) { if (out) *out = value; }

cusparseStatus_t make_compressed(cusparseConstSpMatDescr_t *out, cusparseFormat_t format, int64_t rows, int64_t cols,
                                 int64_t nnz, const void *offsets, const void *indices, const void *values,
                                 cusparseIndexType_t offsetsType, cusparseIndexType_t indexType,
                                 cusparseIndexBase_t base, cudaDataType type) {
  bool isFine = out && rows >= 0 && cols >= 0 && nnz >= 0 && is_index(offsetsType) && is_index(indexType) &&
                is_base(base);
  if (!isFine || (format == CUSPARSE_FORMAT_COO && nnz > 0 && (!offsets || !indices || !values)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return make_object(new (std::nothrow) cusparseSpMatDescr{format, rows, cols, nnz, offsets, indices, values,
                                                           offsetsType, indexType, base, type},
                     out);
}
cusparseStatus_t set_pointers(cusparseSpMatDescr_t mat, cusparseFormat_t format, const void *offsets,
                              const void *indices, const void *values) {
  if (!is_live(mat) || mat->format != format || !offsets) return CUSPARSE_STATUS_INVALID_VALUE;
  if (mat->nnz > 0 && (!indices || !values)) return CUSPARSE_STATUS_INVALID_VALUE;
  mat->offsets = offsets;
  mat->indices = indices;
  mat->values = values;
  mat->vendor.forget();
  return CUSPARSE_STATUS_SUCCESS;
}
template <class P>
cusparseStatus_t get_compressed(cusparseConstSpMatDescr_t mat, cusparseFormat_t format, int64_t *rows, int64_t *cols,
                                int64_t *nnz, P *offsets, P *indices, P *values, cusparseIndexType_t *offsetsType,
                                cusparseIndexType_t *indexType, cusparseIndexBase_t *base, cudaDataType *type) {
  if (!is_live(mat) || mat->format != format) return CUSPARSE_STATUS_INVALID_VALUE;
  put(rows, mat->rows);
  put(cols, mat->cols);
  put(nnz, mat->nnz);
  put(offsets, (P)mat->offsets);
  put(indices, (P)mat->indices);
  put(values, (P)mat->values);
  put(offsetsType, mat->offsetsType);
  put(indexType, mat->indexType);
  put(base, mat->base);
  put(type, mat->type);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t set_batch(cusparseSpMatDescr_t mat, cusparseFormat_t format, int batch, int64_t offsetsStride,
                           int64_t indicesStride, int64_t valuesStride) {
  if (!is_live(mat) || mat->format != format || batch < 1 || offsetsStride < 0 || indicesStride < 0 ||
      valuesStride < 0)
    return CUSPARSE_STATUS_INVALID_VALUE;
  mat->batch = batch;
  mat->offsetsStride = offsetsStride;
  mat->indicesStride = indicesStride;
  mat->valuesStride = valuesStride;
  mat->vendor.forget();
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle) {
  if (!handle) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!heddle_captures::can_allocate()) return CUSPARSE_STATUS_NOT_INITIALIZED;
  cusparseContext *made = new (std::nothrow) cusparseContext;
  if (!made) return CUSPARSE_STATUS_ALLOC_FAILED;
  live_objects().push_back(made);
  *handle = made;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  return destroy_object(handle);
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!version) return CUSPARSE_STATUS_INVALID_VALUE;
  *version = CUSPARSE_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value) {
  if (!value || type < 0 || type > 2) return CUSPARSE_STATUS_INVALID_VALUE;
  *value = type == 0 ? CUSPARSE_VER_MAJOR : type == 1 ? CUSPARSE_VER_MINOR : CUSPARSE_VER_PATCH;
  return CUSPARSE_STATUS_SUCCESS;
}
const char *cusparseGetErrorName(cusparseStatus_t status) {
  static const char *const NAMES[] = {"CUSPARSE_STATUS_SUCCESS",
                                      "CUSPARSE_STATUS_NOT_INITIALIZED",
                                      "CUSPARSE_STATUS_ALLOC_FAILED",
                                      "CUSPARSE_STATUS_INVALID_VALUE",
                                      "CUSPARSE_STATUS_ARCH_MISMATCH",
                                      "CUSPARSE_STATUS_MAPPING_ERROR",
                                      "CUSPARSE_STATUS_EXECUTION_FAILED",
                                      "CUSPARSE_STATUS_INTERNAL_ERROR",
                                      "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                      "CUSPARSE_STATUS_ZERO_PIVOT",
                                      "CUSPARSE_STATUS_NOT_SUPPORTED",
                                      "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
  return status >= 0 && status <= 11 ? NAMES[status] : "unrecognized error code";
}
const char *cusparseGetErrorString(cusparseStatus_t status) {
  static const char *const TEXTS[] = {
      "success",          "initialization error", "out of memory",  "invalid value",
      "architecture mismatch", "mapping error",   "kernel launch failure", "internal error",
      "matrix type not supported", "zero pivot",  "operation not supported", "insufficient resources"};
  return status >= 0 && status <= 11 ? TEXTS[status] : "unrecognized error code";
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  HEDDLE_LIVE_GENERIC(handle);
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!stream) return CUSPARSE_STATUS_INVALID_VALUE;
  *stream = handle->stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  HEDDLE_LIVE_GENERIC(handle);
  if (mode != CUSPARSE_POINTER_MODE_HOST && mode != CUSPARSE_POINTER_MODE_DEVICE) return CUSPARSE_STATUS_INVALID_VALUE;
  handle->pointerMode = mode;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!mode) return CUSPARSE_STATUS_INVALID_VALUE;
  *mode = handle->pointerMode;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseLoggerSetFile(FILE *) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseLoggerOpenFile(const char *) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseLoggerSetLevel(int) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseLoggerSetMask(int) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseLoggerForceDisable(void) { return CUSPARSE_STATUS_SUCCESS; }

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr) {
  if (!descr) return CUSPARSE_STATUS_INVALID_VALUE;
  const cusparseMatDescr *made = nullptr;
  cusparseStatus_t status = make_object<cusparseMatDescr>(new (std::nothrow) cusparseMatDescr, &made);
  *descr = (cusparseMatDescr_t)made;
  return status;
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr) { return destroy_object(descr); }
// Without a descriptor a getter's value is -1, which no descriptor has, as in NVIDIA's library.
#define HEDDLE_MAT(NAME, FIELD, TYPE, MOST)                                                                            \
  cusparseStatus_t cusparseSet##NAME(cusparseMatDescr_t descr, TYPE value) {                                           \
    if (!is_live(descr)) return CUSPARSE_STATUS_NOT_INITIALIZED;                                                       \
    if ((int)value < 0 || (int)value > MOST) return CUSPARSE_STATUS_INVALID_VALUE;                                     \
    descr->FIELD = value;                                                                                              \
    descr->vendor.forget();                                                                                            \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  TYPE cusparseGet##NAME(const cusparseMatDescr_t descr) { return is_live(descr) ? descr->FIELD : (TYPE)-1; }
HEDDLE_MAT(MatType, type, cusparseMatrixType_t, 3)
HEDDLE_MAT(MatFillMode, fill, cusparseFillMode_t, 1)
HEDDLE_MAT(MatDiagType, diag, cusparseDiagType_t, 1)
HEDDLE_MAT(MatIndexBase, base, cusparseIndexBase_t, 1)
#undef HEDDLE_MAT

cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *vec, int64_t size, int64_t nnz,
                                          const void *indices, const void *values, cusparseIndexType_t idxType,
                                          cusparseIndexBase_t idxBase, cudaDataType valueType) {
  if (!vec || size < 0 || nnz < 0 || nnz > size || (nnz > 0 && (!indices || !values)) || !is_index(idxType) ||
      !is_base(idxBase))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return make_object(
      new (std::nothrow) cusparseSpVecDescr{size, nnz, indices, values, idxType, idxBase, valueType}, vec);
}
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vec, int64_t size, int64_t nnz, void *indices, void *values,
                                     cusparseIndexType_t idxType, cusparseIndexBase_t idxBase, cudaDataType valueType) {
  return cusparseCreateConstSpVec((cusparseConstSpVecDescr_t *)vec, size, nnz, indices, values, idxType, idxBase,
                                  valueType);
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vec) { return destroy_object(vec); }
#define HEDDLE_SPVEC_GET(CONST, P, DESCR)                                                                              \
  cusparseStatus_t cusparse##CONST##SpVecGet(DESCR vec, int64_t *size, int64_t *nnz, P *indices, P *values,            \
                                             cusparseIndexType_t *idxType, cusparseIndexBase_t *idxBase,               \
                                             cudaDataType *valueType) {                                                \
    if (!is_live(vec)) return CUSPARSE_STATUS_INVALID_VALUE;                                                           \
    put(size, vec->size);                                                                                              \
    put(nnz, vec->nnz);                                                                                                \
    put(indices, (P)vec->indices);                                                                                     \
    put(values, (P)vec->values);                                                                                       \
    put(idxType, vec->indexType);                                                                                      \
    put(idxBase, vec->base);                                                                                           \
    put(valueType, vec->type);                                                                                         \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##CONST##SpVecGetValues(DESCR vec, P *values) {                                             \
    if (!is_live(vec) || !values) return CUSPARSE_STATUS_INVALID_VALUE;                                                \
    *values = (P)vec->values;                                                                                          \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }
HEDDLE_SPVEC_GET(, void *, cusparseSpVecDescr_t)
HEDDLE_SPVEC_GET(Const, const void *, cusparseConstSpVecDescr_t)
#undef HEDDLE_SPVEC_GET
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vec, cusparseIndexBase_t *idxBase) {
  if (!is_live(vec) || !idxBase) return CUSPARSE_STATUS_INVALID_VALUE;
  *idxBase = vec->base;
  return CUSPARSE_STATUS_SUCCESS;
}
#define HEDDLE_SET_VALUES(KIND)                                                                                        \
  cusparseStatus_t cusparse##KIND##SetValues(cusparse##KIND##Descr_t object, void *values) {                           \
    if (!is_live(object) || !values) return CUSPARSE_STATUS_INVALID_VALUE;                                             \
    object->values = values;                                                                                           \
    if (object->vendor.handle) {                                                                                       \
      int status = call_nvidia(nullptr, "cusparse", 0, "cusparse" #KIND "SetValues", object->vendor.handle,            \
                               (const void *)values);                                                                  \
      if (status != 0) object->vendor.forget();                                                                        \
    }                                                                                                                  \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }
HEDDLE_SET_VALUES(SpVec)
HEDDLE_SET_VALUES(DnVec)
HEDDLE_SET_VALUES(DnMat)
HEDDLE_SET_VALUES(SpMat)
#undef HEDDLE_SET_VALUES

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vec, int64_t size, const void *values,
                                          cudaDataType valueType) {
  if (!vec || size < 0 || (size > 0 && !values)) return CUSPARSE_STATUS_INVALID_VALUE;
  return make_object(new (std::nothrow) cusparseDnVecDescr{size, values, valueType}, vec);
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vec, int64_t size, void *values, cudaDataType valueType) {
  return cusparseCreateConstDnVec((cusparseConstDnVecDescr_t *)vec, size, values, valueType);
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vec) { return destroy_object(vec); }
#define HEDDLE_DENSE_GET(CONST, P, QUALIFIER)                                                                          \
  cusparseStatus_t cusparse##CONST##DnVecGet(QUALIFIER cusparseDnVecDescr *vec, int64_t *size, P *values,              \
                                             cudaDataType *valueType) {                                                \
    if (!is_live(vec)) return CUSPARSE_STATUS_INVALID_VALUE;                                                           \
    put(size, vec->size);                                                                                              \
    put(values, (P)vec->values);                                                                                       \
    put(valueType, vec->type);                                                                                         \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##CONST##DnMatGet(QUALIFIER cusparseDnMatDescr *mat, int64_t *rows, int64_t *cols,          \
                                             int64_t *ld, P *values, cudaDataType *type, cusparseOrder_t *order) {     \
    if (!is_live(mat)) return CUSPARSE_STATUS_INVALID_VALUE;                                                           \
    put(rows, mat->rows);                                                                                              \
    put(cols, mat->cols);                                                                                              \
    put(ld, mat->ld);                                                                                                  \
    put(values, (P)mat->values);                                                                                       \
    put(type, mat->type);                                                                                              \
    put(order, mat->order);                                                                                            \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##CONST##DnVecGetValues(QUALIFIER cusparseDnVecDescr *vec, P *values) {                     \
    if (!is_live(vec) || !values) return CUSPARSE_STATUS_INVALID_VALUE;                                                \
    *values = (P)vec->values;                                                                                          \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##CONST##DnMatGetValues(QUALIFIER cusparseDnMatDescr *mat, P *values) {                     \
    if (!is_live(mat) || !values) return CUSPARSE_STATUS_INVALID_VALUE;                                                \
    *values = (P)mat->values;                                                                                          \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##CONST##SpMatGetValues(QUALIFIER cusparseSpMatDescr *mat, P *values) {                     \
    if (!is_live(mat) || !values) return CUSPARSE_STATUS_INVALID_VALUE;                                                \
    *values = (P)mat->values;                                                                                          \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##CONST##CsrGet(QUALIFIER cusparseSpMatDescr *mat, int64_t *rows, int64_t *cols,            \
                                           int64_t *nnz, P *offsets, P *indices, P *values,                            \
                                           cusparseIndexType_t *offsetsType, cusparseIndexType_t *indexType,           \
                                           cusparseIndexBase_t *base, cudaDataType *type) {                            \
    return get_compressed(mat, CUSPARSE_FORMAT_CSR, rows, cols, nnz, offsets, indices, values, offsetsType, indexType, \
                          base, type);                                                                                 \
  }                                                                                                                    \
  cusparseStatus_t cusparse##CONST##CscGet(QUALIFIER cusparseSpMatDescr *mat, int64_t *rows, int64_t *cols,            \
                                           int64_t *nnz, P *offsets, P *indices, P *values,                            \
                                           cusparseIndexType_t *offsetsType, cusparseIndexType_t *indexType,           \
                                           cusparseIndexBase_t *base, cudaDataType *type) {                            \
    return get_compressed(mat, CUSPARSE_FORMAT_CSC, rows, cols, nnz, offsets, indices, values, offsetsType, indexType, \
                          base, type);                                                                                 \
  }                                                                                                                    \
  cusparseStatus_t cusparse##CONST##CooGet(                                                                            \
      QUALIFIER cusparseSpMatDescr *mat, int64_t *rows, int64_t *cols, int64_t *nnz, P *rowInd, P *colInd, P *values,  \
      cusparseIndexType_t *indexType, cusparseIndexBase_t *base, cudaDataType *type) {                                 \
    return get_compressed(mat, CUSPARSE_FORMAT_COO, rows, cols, nnz, rowInd, colInd, values,                           \
                          (cusparseIndexType_t *)nullptr, indexType, base, type);                                      \
  }                                                                                                                    \
  cusparseStatus_t cusparse##CONST##BlockedEllGet(                                                                     \
      QUALIFIER cusparseSpMatDescr *mat, int64_t *rows, int64_t *cols, int64_t *blockSize, int64_t *ellCols,           \
      P *indices, P *values, cusparseIndexType_t *indexType, cusparseIndexBase_t *base, cudaDataType *type) {          \
    cusparseStatus_t status =                                                                                          \
        get_compressed(mat, CUSPARSE_FORMAT_BLOCKED_ELL, rows, cols, (int64_t *)nullptr, (P *)nullptr, indices,        \
                       values, (cusparseIndexType_t *)nullptr, indexType, base, type);                                 \
    if (status) return status;                                                                                         \
    put(blockSize, mat->rowBlock);                                                                                     \
    put(ellCols, mat->width);                                                                                          \
    return status;                                                                                                     \
  }
HEDDLE_DENSE_GET(, void *, )
HEDDLE_DENSE_GET(Const, const void *, const)
#undef HEDDLE_DENSE_GET

#define HEDDLE_CREATE(CONST, VOID, DESCR)                                                                              \
  cusparseStatus_t cusparseCreate##CONST##Csr(                                                                         \
      DESCR *mat, int64_t rows, int64_t cols, int64_t nnz, VOID *offsets, VOID *indices, VOID *values,                 \
      cusparseIndexType_t offsetsType, cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type) {   \
    return make_compressed((cusparseConstSpMatDescr_t *)mat, CUSPARSE_FORMAT_CSR, rows, cols, nnz, offsets, indices,   \
                           values, offsetsType, indexType, base, type);                                                \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##CONST##Csc(                                                                         \
      DESCR *mat, int64_t rows, int64_t cols, int64_t nnz, VOID *offsets, VOID *indices, VOID *values,                 \
      cusparseIndexType_t offsetsType, cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type) {   \
    return make_compressed((cusparseConstSpMatDescr_t *)mat, CUSPARSE_FORMAT_CSC, rows, cols, nnz, offsets, indices,   \
                           values, offsetsType, indexType, base, type);                                                \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##CONST##Coo(DESCR *mat, int64_t rows, int64_t cols, int64_t nnz, VOID *rowInd,       \
                                              VOID *colInd, VOID *values, cusparseIndexType_t indexType,               \
                                              cusparseIndexBase_t base, cudaDataType type) {                           \
    return make_compressed((cusparseConstSpMatDescr_t *)mat, CUSPARSE_FORMAT_COO, rows, cols, nnz, rowInd, colInd,     \
                           values, indexType, indexType, base, type);                                                  \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##CONST##Bsr(                                                                         \
      DESCR *mat, int64_t brows, int64_t bcols, int64_t bnnz, int64_t rowBlock, int64_t colBlock, VOID *offsets,       \
      VOID *indices, VOID *values, cusparseIndexType_t offsetsType, cusparseIndexType_t indexType,                     \
      cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order) {                                            \
    if (rowBlock < 1 || colBlock < 1 || (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW))                  \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    cusparseStatus_t status = make_compressed((cusparseConstSpMatDescr_t *)mat, CUSPARSE_FORMAT_BSR, brows, bcols,     \
                                              bnnz, offsets, indices, values, offsetsType, indexType, base, type);     \
    if (status) return status;                                                                                         \
    cusparseSpMatDescr *made = (cusparseSpMatDescr *)*mat;                                                             \
    made->rowBlock = rowBlock;                                                                                         \
    made->colBlock = colBlock;                                                                                         \
    made->order = order;                                                                                               \
    return status;                                                                                                     \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##CONST##BlockedEll(                                                                  \
      DESCR *mat, int64_t rows, int64_t cols, int64_t blockSize, int64_t ellCols, VOID *indices, VOID *values,         \
      cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type) {                                    \
    if (blockSize < 1 || ellCols < 0 || ellCols > cols || rows % blockSize || ellCols % blockSize)                     \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    cusparseStatus_t status =                                                                                          \
        make_compressed((cusparseConstSpMatDescr_t *)mat, CUSPARSE_FORMAT_BLOCKED_ELL, rows, cols, rows * ellCols,     \
                        nullptr, indices, values, indexType, indexType, base, type);                                   \
    if (status) return status;                                                                                         \
    cusparseSpMatDescr *made = (cusparseSpMatDescr *)*mat;                                                             \
    made->rowBlock = made->colBlock = blockSize;                                                                       \
    made->width = ellCols;                                                                                             \
    return status;                                                                                                     \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##CONST##SlicedEll(                                                                   \
      DESCR *mat, int64_t rows, int64_t cols, int64_t nnz, int64_t valuesSize, int64_t sliceSize, VOID *offsets,       \
      VOID *indices, VOID *values, cusparseIndexType_t offsetsType, cusparseIndexType_t indexType,                     \
      cusparseIndexBase_t base, cudaDataType type) {                                                                   \
    if (sliceSize < 1 || valuesSize < 0) return CUSPARSE_STATUS_INVALID_VALUE;                                         \
    cusparseStatus_t status =                                                                                          \
        make_compressed((cusparseConstSpMatDescr_t *)mat, CUSPARSE_FORMAT_SLICED_ELLPACK, rows, cols, nnz, offsets,    \
                        indices, values, offsetsType, indexType, base, type);                                          \
    if (status) return status;                                                                                         \
    cusparseSpMatDescr *made = (cusparseSpMatDescr *)*mat;                                                             \
    made->sliceSize = sliceSize;                                                                                       \
    made->valuesSize = valuesSize;                                                                                     \
    return status;                                                                                                     \
  }
HEDDLE_CREATE(, void, cusparseSpMatDescr_t)
HEDDLE_CREATE(Const, const void, cusparseConstSpMatDescr_t)
#undef HEDDLE_CREATE
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t mat) { return destroy_object(mat); }
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t mat, void *offsets, void *indices, void *values) {
  return set_pointers(mat, CUSPARSE_FORMAT_CSR, offsets, indices, values);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t mat, void *offsets, void *indices, void *values) {
  return set_pointers(mat, CUSPARSE_FORMAT_CSC, offsets, indices, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t mat, void *rows, void *columns, void *values) {
  return set_pointers(mat, CUSPARSE_FORMAT_COO, rows, columns, values);
}
cusparseStatus_t cusparseBsrSetPointers(cusparseSpMatDescr_t mat, void *offsets, void *indices, void *values) {
  return set_pointers(mat, CUSPARSE_FORMAT_BSR, offsets, indices, values);
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz) {
  if (!is_live(mat)) return CUSPARSE_STATUS_INVALID_VALUE;
  put(rows, mat->allRows());
  put(cols, mat->allCols());
  put(nnz, mat->format == CUSPARSE_FORMAT_BSR ? mat->nnz * mat->rowBlock * mat->colBlock : mat->nnz);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t mat, cusparseFormat_t *format) {
  if (!is_live(mat) || !format) return CUSPARSE_STATUS_INVALID_VALUE;
  *format = mat->format;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t mat, cusparseIndexBase_t *idxBase) {
  if (!is_live(mat) || !idxBase) return CUSPARSE_STATUS_INVALID_VALUE;
  *idxBase = mat->base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t mat, int *batchCount) {
  if (!is_live(mat) || !batchCount) return CUSPARSE_STATUS_INVALID_VALUE;
  *batchCount = mat->batch;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount, int64_t batchStride) {
  return set_batch(mat, CUSPARSE_FORMAT_COO, batchCount, batchStride, batchStride, batchStride);
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount, int64_t offsetsBatchStride,
                                            int64_t columnsValuesBatchStride) {
  return set_batch(mat, CUSPARSE_FORMAT_CSR, batchCount, offsetsBatchStride, columnsValuesBatchStride,
                   columnsValuesBatchStride);
}
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount, int64_t offsetsBatchStride,
                                            int64_t columnsBatchStride, int64_t valuesBatchStride) {
  return set_batch(mat, CUSPARSE_FORMAT_BSR, batchCount, offsetsBatchStride, columnsBatchStride, valuesBatchStride);
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t mat, cusparseSpMatAttribute_t attribute,
                                           void *data, size_t dataSize) {
  if (!is_live(mat) || !data || dataSize != sizeof(int) || attribute < 0 || attribute > 1)
    return CUSPARSE_STATUS_INVALID_VALUE;
  *(int *)data = attribute == CUSPARSE_SPMAT_FILL_MODE ? (int)mat->fill : (int)mat->diag;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t mat, cusparseSpMatAttribute_t attribute, void *data,
                                           size_t dataSize) {
  if (!is_live(mat) || !data || dataSize != sizeof(int) || attribute < 0 || attribute > 1)
    return CUSPARSE_STATUS_INVALID_VALUE;
  int value = *(const int *)data;
  if (value < 0 || value > 1) return CUSPARSE_STATUS_INVALID_VALUE;
  if (attribute == CUSPARSE_SPMAT_FILL_MODE) {
    mat->fill = (cusparseFillMode_t)value;
    mat->hasFill = true;
  } else {
    mat->diag = (cusparseDiagType_t)value;
    mat->hasDiag = true;
  }
  mat->vendor.forget();
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld,
                                          const void *values, cudaDataType valueType, cusparseOrder_t order) {
  if (!mat || rows < 0 || cols < 0 || (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW) ||
      ld < (order == CUSPARSE_ORDER_COL ? rows : cols) || (rows * cols > 0 && !values))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return make_object(new (std::nothrow) cusparseDnMatDescr{rows, cols, ld, values, valueType, order}, mat);
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld, void *values,
                                     cudaDataType valueType, cusparseOrder_t order) {
  return cusparseCreateConstDnMat((cusparseConstDnMatDescr_t *)mat, rows, cols, ld, values, valueType, order);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t mat) { return destroy_object(mat); }
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t mat, int batchCount, int64_t batchStride) {
  if (!is_live(mat) || batchCount < 1 || batchStride < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  mat->batch = batchCount;
  mat->batchStride = batchStride;
  mat->vendor.forget();
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t mat, int *batchCount, int64_t *batchStride) {
  if (!is_live(mat) || !batchCount || !batchStride) return CUSPARSE_STATUS_INVALID_VALUE;
  *batchCount = mat->batch;
  *batchStride = mat->batchStride;
  return CUSPARSE_STATUS_SUCCESS;
}
}
