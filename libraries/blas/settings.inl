// Settings of cuBLAS and cuBLASLt beside their products: logs, counts of multiprocessors, versions, algorithms of
// cuBLASLt by number, and cublasLtMatrixTransform. Included by cublas.cu.

namespace {

cublasLogCallback logCallback = nullptr;
cublasLtLoggerCallback_t ltLogCallback = nullptr;
size_t ltCacheCapacity = 8192;
unsigned ltInstructionsMask = 0;

/// There is one algorithm, number 0. What a program sets of it is kept, and has no effect.
struct LtAlgo { int id, values[15]; };
static_assert(sizeof(LtAlgo) <= sizeof(cublasLtMatmulAlgo_t), "it lives in the opaque structure");
constexpr int LT_ALGO_VALUES = 15;

struct LtTransform { int scaleType, pointerMode, transA, transB; };
static_assert(sizeof(LtTransform) <= sizeof(cublasLtMatrixTransformDescOpaque_t), "it lives in the opaque structure");
Field field_of(LtTransform &t, int attribute) {
  int *places[] = {&t.scaleType, &t.pointerMode, &t.transA, &t.transB};
  if (attribute < 0 || attribute > 3) return {nullptr, 0};
  return {places[attribute], 4};
}

struct LtMatrix {
  const void *first;
  cudaDataType type;
  i64 rowStride, columnStride, batchStride;
  bool conjugated;
};
LtMatrix lt_matrix(const void *first, const LtLayout &l, int op) {
  bool swapped = (l.order == CUBLASLT_ORDER_ROW) != (op != CUBLAS_OP_N);
  return {first, (cudaDataType)l.type, swapped ? l.ld : 1, swapped ? 1 : l.ld, l.stride, op == CUBLAS_OP_C};
}
__device__ c64 read(const LtMatrix &m, i64 row, i64 column, i64 batch) {
  c64 value = load_any(m.first, m.type, row * m.rowStride + column * m.columnStride + batch * m.batchStride);
  return m.conjugated ? conjugate(value) : value;
}
__global__ void transform_matrix(i64 rows, i64 columns, int count, AnyFactor alpha, LtMatrix a, AnyFactor beta,
                                 LtMatrix b, LtMatrix c) {
  for (int batch = blockIdx.y; batch < count; batch += gridDim.y)
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows * columns; i += (i64)gridDim.x * blockDim.x) {
      i64 row = i % rows, column = i / rows;
      c64 sum = alpha.get() * read(a, row, column, batch);
      if (b.first) sum = sum + beta.get() * read(b, row, column, batch);
      store_any((void *)c.first, c.type, row * c.rowStride + column * c.columnStride + batch * c.batchStride, sum);
    }
}

} // namespace

extern "C" {

void cublasXerbla(const char *name, int info) {
  printf(" ** On entry to %s parameter number %d had an illegal value\n", name ? name : "", info);
}
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback) {
  logCallback = callback;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback) {
  VALID(callback)
  *callback = logCallback;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t h, int count) {
  NEED_HANDLE
  VALID(count >= 0)
  h->multiprocessors = count;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t h, int *count) {
  NEED_HANDLE
  VALID(count)
  *count = h->multiprocessors;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value) {
  VALID(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL)
  return cublasGetProperty(type, value);
}
cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity) {
  VALID(capacity)
  *capacity = ltCacheCapacity;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity) {
  ltCacheCapacity = capacity;
  return CUBLAS_STATUS_SUCCESS;
}
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask) {
  unsigned before = ltInstructionsMask;
  ltInstructionsMask = mask;
  return before;
}
cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback) {
  ltLogCallback = callback;
  return CUBLAS_STATUS_SUCCESS;
}
// Nothing is logged, so that a file stays empty.
cublasStatus_t cublasLtLoggerSetFile(FILE *) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerOpenFile(const char *path) {
  if (!path) return CUBLAS_STATUS_SUCCESS;
  FILE *file = fopen(path, "w");
  if (!file) return CUBLAS_STATUS_INVALID_VALUE;
  fclose(file);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerSetMask(int) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerForceDisable(void) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t bytes, cublasComputeType_t compute,
                                               cudaDataType scale) {
  VALID(desc && bytes >= sizeof(LtDesc))
  cublasLtMatmulDesc_t made;
  cublasStatus_t status = cublasLtMatmulDescCreate(&made, compute, scale);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  memcpy(desc, made, sizeof(LtDesc));
  return cublasLtMatmulDescDestroy(made);
}
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t ld) {
  VALID(layout && bytes >= sizeof(LtLayout))
  lt(layout) = {(int)type, CUBLASLT_ORDER_COL, 1, 0, (int64_t)rows, (int64_t)columns, ld, 0};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t bytes) {
  VALID(preference && bytes > 0)
  memset(preference, 0, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t h, cublasComputeType_t, cudaDataType, cudaDataType a,
                                        cudaDataType b, cudaDataType, cudaDataType d, int requested, int ids[],
                                        int *returned) {
  NEED_HANDLE
  VALID(requested >= 1 && ids && returned)
  if (a != b || !is_known(a) || !is_known(d)) return CUBLAS_STATUS_NOT_SUPPORTED;
  ids[0] = 0;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t h, cublasComputeType_t, cudaDataType, cudaDataType a,
                                      cudaDataType b, cudaDataType, cudaDataType d, int id,
                                      cublasLtMatmulAlgo_t *algo) {
  NEED_HANDLE
  VALID(algo && id == 0)
  if (a != b || !is_known(a) || !is_known(d)) return CUBLAS_STATUS_NOT_SUPPORTED;
  memset(algo, 0, sizeof *algo);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t h, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result) {
  NEED_HANDLE
  VALID(desc && a && b && c && d && algo && result)
  if (((const LtAlgo *)algo)->id != 0 || lt(a).type != lt(b).type || lt(c).type != lt(d).type)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  memset(result, 0, sizeof *result);
  result->algo = *algo;
  result->wavesCount = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, const void *value,
                                                    size_t bytes) {
  VALID(algo && value && attribute >= 0 && attribute < LT_ALGO_VALUES && bytes > 0 && bytes <= 4)
  int held = 0;
  memcpy(&held, value, bytes);
  (attribute == CUBLASLT_ALGO_CONFIG_ID ? ((LtAlgo *)algo)->id : ((LtAlgo *)algo)->values[attribute]) = held;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void *value,
                                                    size_t bytes, size_t *written) {
  VALID(algo && attribute >= 0 && attribute < LT_ALGO_VALUES)
  const LtAlgo &a = *(const LtAlgo *)algo;
  const int held = attribute == CUBLASLT_ALGO_CONFIG_ID ? a.id : a.values[attribute];
  return get_field({(void *)&held, 4}, value, bytes, written);
}
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                 cublasLtMatmulAlgoCapAttributes_t attribute, void *value,
                                                 size_t bytes, size_t *written) {
  VALID(algo)
  int32_t held = 0; // tiles, stages, split sums: there is nothing to choose
  switch (attribute) {
    case CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT: case CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT: held = 1; break;
    case CUBLASLT_ALGO_CAP_EPILOGUE_MASK: held = -1; break;
    case CUBLASLT_ALGO_CAP_TILE_IDS: case CUBLASLT_ALGO_CAP_STAGES_IDS:
      if (written) *written = 0;
      return CUBLAS_STATUS_SUCCESS;
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES: case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES: case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES: held = 1; break;
    default: break;
  }
  return get_field({&held, 4}, value, bytes, written);
}

cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t desc, size_t bytes,
                                                        cudaDataType scale) {
  VALID(desc && bytes >= sizeof(LtTransform))
  *(LtTransform *)desc = {(int)scale, CUBLASLT_POINTER_MODE_HOST, CUBLAS_OP_N, CUBLAS_OP_N};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *desc, cudaDataType scale) {
  VALID(desc)
  *desc = (cublasLtMatrixTransformDesc_t)calloc(1, sizeof **desc);
  return *desc ? cublasLtMatrixTransformDescInit_internal(*desc, sizeof **desc, scale) : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t desc) {
  free(desc);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixTransformDescSetAttribute(cublasLtMatrixTransformDesc_t desc,
                                                       cublasLtMatrixTransformDescAttributes_t attribute,
                                                       const void *value, size_t bytes) {
  VALID(desc && field_of(*(LtTransform *)desc, attribute).place)
  return set_field(field_of(*(LtTransform *)desc, attribute), value, bytes);
}
cublasStatus_t cublasLtMatrixTransformDescGetAttribute(cublasLtMatrixTransformDesc_t desc,
                                                       cublasLtMatrixTransformDescAttributes_t attribute, void *value,
                                                       size_t bytes, size_t *written) {
  VALID(desc)
  return get_field(field_of(*(LtTransform *)desc, attribute), value, bytes, written);
}
cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t h, cublasLtMatrixTransformDesc_t desc, const void *alpha,
                                       const void *A, cublasLtMatrixLayout_t layoutA, const void *beta, const void *B,
                                       cublasLtMatrixLayout_t layoutB, void *C, cublasLtMatrixLayout_t layoutC,
                                       cudaStream_t stream) {
  NEED_HANDLE
  VALID(desc && alpha && A && layoutA && C && layoutC && (!B || layoutB))
  const LtTransform &how = *(LtTransform *)desc;
  const LtLayout &a = lt(layoutA), &b = lt(B ? layoutB : layoutC), &c = lt(layoutC);
  if (a.order > CUBLASLT_ORDER_ROW || b.order > CUBLASLT_ORDER_ROW || c.order > CUBLASLT_ORDER_ROW ||
      !is_known((cudaDataType)a.type) || !is_known((cudaDataType)c.type) || !is_known((cudaDataType)how.scaleType))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  auto rowsOf = [](const LtLayout &l, int op) { return op == CUBLAS_OP_N ? l.rows : l.cols; };
  auto columnsOf = [](const LtLayout &l, int op) { return op == CUBLAS_OP_N ? l.cols : l.rows; };
  VALID(a.batchCount == c.batchCount && b.batchCount == c.batchCount)
  VALID(rowsOf(a, how.transA) == c.rows && columnsOf(a, how.transA) == c.cols)
  VALID(!B || (rowsOf(b, how.transB) == c.rows && columnsOf(b, how.transB) == c.cols))
  const i64 count = c.rows * c.cols;
  if (count == 0) return CUBLAS_STATUS_SUCCESS;
  const cudaDataType scale = (cudaDataType)how.scaleType;
  // The handle may be cuBLAS's: its pointer mode is another matter.
  const bool isOnDevice = how.pointerMode == CUBLASLT_POINTER_MODE_DEVICE;
  auto factor = [&](const void *value) {
    return isOnDevice ? AnyFactor{{0, 0}, value, scale} : AnyFactor{load_any(value, scale, 0), nullptr, scale};
  };
  const dim3 grid((unsigned)((count + 255) / 256 < 65535 ? (count + 255) / 256 : 65535),
                  c.batchCount < 65535 ? c.batchCount : 65535);
  transform_matrix<<<grid, 256, 0, stream>>>(c.rows, c.cols, c.batchCount, factor(alpha),
                                             lt_matrix(A, a, how.transA), factor(B && beta ? beta : alpha),
                                             lt_matrix(B && beta ? B : nullptr, b, how.transB),
                                             lt_matrix(C, c, CUBLAS_OP_N));
  return launched();
}

} // extern "C"
