// cuBLASLt: descriptors, and products with epilogues.

namespace {

struct LtDesc {
  int computeType, scaleType, pointerMode, transA, transB, transC, fillMode, epilogue, biasType, auxType;
  void *bias, *aux;
  i64 biasStride, auxLd, auxStride;
};
struct LtLayout {
  int type, order, batchCount, unused; // none of its bytes is padding: layouts are compared by them
  int64_t rows, cols, ld, stride;
};
static_assert(sizeof(LtDesc) <= sizeof(cublasLtMatmulDescOpaque_t) &&
                  sizeof(LtLayout) <= sizeof(cublasLtMatrixLayoutOpaque_t),
              "they live in the opaque structures");

// A member that an attribute names, and its size for the caller.
struct Field { void *place; size_t bytes; };
Field field_of(LtDesc &d, int attribute) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return {&d.computeType, 4};
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return {&d.scaleType, 4};
    case CUBLASLT_MATMUL_DESC_POINTER_MODE: return {&d.pointerMode, 4};
    case CUBLASLT_MATMUL_DESC_TRANSA: return {&d.transA, 4};
    case CUBLASLT_MATMUL_DESC_TRANSB: return {&d.transB, 4};
    case CUBLASLT_MATMUL_DESC_TRANSC: return {&d.transC, 4};
    case CUBLASLT_MATMUL_DESC_FILL_MODE: return {&d.fillMode, 4};
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return {&d.epilogue, 4};
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return {&d.bias, sizeof(void *)};
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return {&d.biasStride, 8};
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return {&d.biasType, 4};
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return {&d.aux, sizeof(void *)};
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return {&d.auxLd, 8};
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE: return {&d.auxStride, 8};
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE: return {&d.auxType, 4};
    default: return {nullptr, 0};
  }
}
Field field_of(LtLayout &l, int attribute) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE: return {&l.type, 4};
    case CUBLASLT_MATRIX_LAYOUT_ORDER: return {&l.order, 4};
    case CUBLASLT_MATRIX_LAYOUT_ROWS: return {&l.rows, 8};
    case CUBLASLT_MATRIX_LAYOUT_COLS: return {&l.cols, 8};
    case CUBLASLT_MATRIX_LAYOUT_LD: return {&l.ld, 8};
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return {&l.batchCount, 4};
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return {&l.stride, 8};
    default: return {nullptr, 0};
  }
}
// Values without effect here are accepted: scale pointers of fp8, hints.
cublasStatus_t set_field(Field field, const void *value, size_t bytes) {
  if (!value) return CUBLAS_STATUS_INVALID_VALUE;
  if (!field.place) return CUBLAS_STATUS_SUCCESS;
  if (bytes > field.bytes) { // a 64-bit address written by code that says uint64_t
    if (field.bytes == 4 && bytes == 8) { memcpy(field.place, value, 4); return CUBLAS_STATUS_SUCCESS; }
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (bytes < field.bytes) {
    if (bytes != 4) return CUBLAS_STATUS_INVALID_VALUE;
    *(i64 *)field.place = *(const int *)value;
    return CUBLAS_STATUS_SUCCESS;
  }
  memcpy(field.place, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get_field(Field field, void *value, size_t bytes, size_t *written) {
  if (written) *written = field.bytes;
  if (!field.place || bytes < field.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(value, field.place, field.bytes);
  return CUBLAS_STATUS_SUCCESS;
}
LtDesc &lt(cublasLtMatmulDesc_t d) { return *(LtDesc *)d; }
LtLayout &lt(cublasLtMatrixLayout_t l) { return *(LtLayout *)l; }

// The matrix of a layout, transposed by op.
Operand lt_operand(const void *first, LtLayout &l, int op) {
  Operand operand = matrix(first, (int)l.ld, CUBLAS_OP_N, l.stride);
  if ((l.order == CUBLASLT_ORDER_ROW) != (op == CUBLAS_OP_T || op == CUBLAS_OP_C)) {
    operand.rowStride = l.ld;
    operand.columnStride = 1;
  }
  operand.conjugated = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG;
  return operand;
}

} // namespace

#include "nvidia-lt.inl"

namespace {

template <class In>
void bias_gradient(cublasContext& h, const Operand& from, int rows, int columns, void* sums, int type) {
  sum_along<In><<<blocks(rows, 128), 128, 0, h.stream>>>((const In*)from.batch.first, from.rowStride, from.columnStride,
                                                         rows, columns, sums, type);
}

template <class In, class Sum, class Out>
cublasStatus_t lt_product(cublasContext& h, LtDesc& desc, const void* alpha, const void* A, LtLayout& la, const void* B,
                          LtLayout& lb, const void* beta, const void* C, LtLayout& lc, void* D, LtLayout& ld) {
  int rows = (int)ld.rows, columns = (int)ld.cols, depth = (int)(desc.transA == CUBLAS_OP_N ? la.cols : la.rows);
  int inner = (int)(desc.transB == CUBLAS_OP_N ? lb.rows : lb.cols);
  if (depth != inner || rows != (int)(desc.transA == CUBLAS_OP_N ? la.rows : la.cols) ||
      columns != (int)(desc.transB == CUBLAS_OP_N ? lb.cols : lb.rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  h.pointerMode =
      desc.pointerMode == CUBLASLT_POINTER_MODE_DEVICE ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST;
  Operand a = lt_operand(A, la, desc.transA), b = lt_operand(B, lb, desc.transB), d = lt_operand(D, ld, CUBLAS_OP_N);
  Operand c = C ? lt_operand(C, lc, desc.transC) : d;
  int flags = desc.epilogue & 0x7ff;
  Epilogue e{flags & ~1,
             desc.biasType < 0 ? ld.type : desc.biasType,
             desc.auxType < 0 ? ld.type : desc.auxType,
             false,
             desc.bias,
             desc.biasStride,
             desc.aux,
             desc.auxLd,
             desc.auxStride};
  if (((flags & EPILOGUE_BIAS) && !desc.bias) || ((flags & EPILOGUE_AUX) && !desc.aux))
    return CUBLAS_STATUS_INVALID_VALUE;
  Factor<Sum> fa = factor<Sum>(h, alpha), fb = factor<Sum>(h, beta);
  if constexpr (Same<Sum, float>::value)
    if (desc.scaleType == CUDA_R_16F) fa = half_factor(h, alpha), fb = half_factor(h, beta);
  cublasStatus_t status =
      product<In, Sum, Out>(h, rows, columns, depth, fa, a, b, fb, c, d, ld.batchCount, PART_ALL, e);
  if (status != CUBLAS_STATUS_SUCCESS || !desc.bias) return status;
  if constexpr (Same<Sum, float>::value) {
    // Bias gradients: of the result (D...BGRAD), of A (a sum for each row) or of B (a sum for each column).
    if (flags & 16) bias_gradient<Out>(h, d, rows, columns, desc.bias, e.biasType);
    if (flags & CUBLASLT_EPILOGUE_BGRADA) bias_gradient<In>(h, a, rows, depth, desc.bias, e.biasType);
    if (flags & CUBLASLT_EPILOGUE_BGRADB) {
      Operand t = b;
      t.rowStride = b.columnStride; t.columnStride = b.rowStride;
      bias_gradient<In>(h, t, columns, depth, desc.bias, e.biasType);
    }
  }
  return launched();
}

} // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  VALID(handle)
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  VALID(handle)
  heddle_captures::wait_for_device();
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
const char *cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char *cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }
size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion(void) { return CUDART_VERSION; }
cublasStatus_t cublasLtLoggerSetLevel(int) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType_t scale) {
  VALID(desc)
  *desc = (cublasLtMatmulDesc_t)calloc(1, sizeof(cublasLtMatmulDescOpaque_t));
  LtDesc &d = lt(*desc);
  d.computeType = compute;
  d.scaleType = scale;
  d.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  d.biasType = d.auxType = -1;
  d.fillMode = CUBLAS_FILL_MODE_FULL;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) { free(desc); return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  VALID(desc)
  return set_field(field_of(lt(desc), attribute), value, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              void* value, size_t bytes, size_t* written) {
  VALID(desc)
  return get_field(field_of(lt(desc), attribute), value, bytes, written);
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t ld) {
  VALID(layout)
  *layout = (cublasLtMatrixLayout_t)calloc(1, sizeof(cublasLtMatrixLayoutOpaque_t));
  lt(*layout) = {(int)type, CUBLASLT_ORDER_COL, 1, 0, (int64_t)rows, (int64_t)cols, ld, 0};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  free(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t bytes) {
  VALID(layout)
  return set_field(field_of(lt(layout), attribute), value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, void* value, size_t bytes,
                                                size_t* written) {
  VALID(layout)
  return get_field(field_of(lt(layout), attribute), value, bytes, written);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  VALID(preference)
  *preference = (cublasLtMatmulPreference_t)calloc(1, sizeof(cublasLtMatmulPreferenceOpaque_t));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  free(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t, const void* value, size_t) {
  VALID(preference && value)
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t, void* value, size_t bytes,
                                                    size_t* written) {
  VALID(preference && value)
  memset(value, 0, bytes);
  if (written) *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
// There is one algorithm, which needs no workspace of the caller's.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t h, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                              cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference,
                                              int requested, cublasLtMatmulHeuristicResult_t results[],
                                              int* returned) {
  NEED_HANDLE
  VALID(requested >= 1 && desc && a && b && c && d && preference && results && returned)
  memset(results, 0, sizeof *results);
  results->wavesCount = 1.0f;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t computeDesc, const void* alpha,
                              const void* A, cublasLtMatrixLayout_t Adesc, const void* B, cublasLtMatrixLayout_t Bdesc,
                              const void* beta, const void* C, cublasLtMatrixLayout_t Cdesc, void* D,
                              cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t*, void* workspace,
                              size_t workspaceBytes, cudaStream_t stream) {
  if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!computeDesc || !Adesc || !Bdesc || !Ddesc) return CUBLAS_STATUS_INVALID_VALUE;
  LtDesc &desc = lt(computeDesc);
  LtLayout &a = lt(Adesc), &b = lt(Bdesc), &c = Cdesc ? lt(Cdesc) : lt(Ddesc), &d = lt(Ddesc);
  if (desc.pointerMode > CUBLASLT_POINTER_MODE_DEVICE || a.order > CUBLASLT_ORDER_ROW || b.order > CUBLASLT_ORDER_ROW ||
      d.order > CUBLASLT_ORDER_ROW)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (a.type != b.type || c.type != d.type) return CUBLAS_STATUS_NOT_SUPPORTED;
  handle->stream = stream;
  NvidiaKey key;
  memset(&key, 0, sizeof key); // what lies between the members is compared, too
  key.desc = desc;
  key.layouts[0] = a; key.layouts[1] = b; key.layouts[2] = c; key.layouts[3] = d;
  const void *places[] = {A, B, C ? C : D, D};
  for (int i = 0; i < 4; i++) key.alignments[i] = alignment_of(places[i]);
  key.workspaceBytes = workspace ? workspaceBytes : 0;
  if (int status = nvidia_matmul(*handle, key, alpha, A, B, beta, C, D, workspace, stream); status >= 0)
    return (cublasStatus_t)status;
#define MATMUL(IN, SUM, OUT) return lt_product<IN, SUM, OUT>(*handle, desc, alpha, A, a, B, b, beta, C, c, D, d)
  if (a.type == CUDA_R_32F && d.type == CUDA_R_32F) MATMUL(float, float, float);
  if (a.type == CUDA_R_64F && d.type == CUDA_R_64F) MATMUL(double, double, double);
  bool isHalf = a.type == CUDA_R_16F && d.type == CUDA_R_16F;
  if (desc.scaleType == CUDA_R_16F && !isHalf) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (a.type == CUDA_R_16F && d.type == CUDA_R_16F) MATMUL(__half, float, __half);
  if (a.type == CUDA_R_16F && d.type == CUDA_R_32F) MATMUL(__half, float, float);
  if (a.type == CUDA_R_16BF && d.type == CUDA_R_16BF) MATMUL(__nv_bfloat16, float, __nv_bfloat16);
  if (a.type == CUDA_R_16BF && d.type == CUDA_R_32F) MATMUL(__nv_bfloat16, float, float);
#undef MATMUL
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

} // extern "C"
