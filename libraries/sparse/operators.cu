// Products whose operations are the program's own (cuSPARSE documentation, cusparseSpMMOp, cusparseSpMVOp). A plan
// compiles a kernel for the types of its operands, and links it with the operations: LTO-IR, as NVRTC gives it here.
// What NVIDIA's library takes comes from NVIDIA's NVRTC only, so these products are Heddle's own on a GPU too.
#include <cuda.h>
#include <nvrtc.h>
#include <string>
#include "calls.h"

using namespace heddle_sparse;

namespace {

typedef cusparseStatus_t Status;

/// A module with a kernel, unloaded with its owner.
struct Kernel {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  Kernel() = default;
  Kernel(const Kernel &) = delete;
  ~Kernel() { if (module) cuModuleUnload(module); }
};

} // namespace

struct cusparseSpMMOpPlan : Kernel {
  cusparseHandle_t handle;
  cusparseOperation_t opB;
  cusparseConstSpMatDescr_t a;
  cusparseConstDnMatDescr_t b;
  cusparseDnMatDescr_t c;
};
struct cusparseSpMVOpDescr {
  cusparseConstSpMatDescr_t a;
  cudaDataType type;
};
struct cusparseSpMVOpPlan : Kernel {
  cusparseConstSpMatDescr_t a;
  cudaDataType type;
};

namespace {

/// How device code calls the types; null: one that these products do not have.
const char *name_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I: return "signed char";
    case CUDA_R_16F: return "__half";
    case CUDA_R_16BF: return "__nv_bfloat16";
    case CUDA_R_32I: return "int";
    case CUDA_R_32F: return "float";
    case CUDA_R_64F: return "double";
    case CUDA_C_32F: return "float2";
    case CUDA_C_64F: return "double2";
    default: return nullptr;
  }
}
const char *name_of(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_64I ? "Wide" : "int"; }

/// The types of a product: A, B and C, and that of the operations.
bool are_types(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType compute) {
  if (a != b) return false;
  switch (a) {
    case CUDA_R_32F: case CUDA_R_64F: case CUDA_C_32F: case CUDA_C_64F: return c == a && compute == a;
    case CUDA_R_8I: return c == compute && (c == CUDA_R_32I || c == CUDA_R_32F);
    case CUDA_R_16F: case CUDA_R_16BF: return compute == CUDA_R_32F && (c == a || c == CUDA_R_32F);
    default: return false;
  }
}

/// What both kernels begin with.
std::string types_of(cusparseConstSpMatDescr_t a, cudaDataType b, cudaDataType c, cudaDataType compute) {
  std::string text = "typedef __INT64_TYPE__ Wide;\n";
  if (b == CUDA_R_16F || c == CUDA_R_16F) text = "#include <cuda_fp16.h>\n" + text;
  if (b == CUDA_R_16BF || c == CUDA_R_16BF) text = "#include <cuda_bf16.h>\n" + text;
  auto name = [&](const char *alias, const char *type) {
    text += std::string("typedef ") + type + " " + alias + ";\n";
  };
  name("Offset", name_of(a->offsetsType));
  name("Index", name_of(a->indexType));
  name("A", name_of(a->type));
  name("B", name_of(b));
  name("C", name_of(c));
  name("T", name_of(compute));
  return text;
}
const char SPMM[] = R"(
__device__ T add_op(T, T);
__device__ T mul_op(T, T);
__device__ T epilogue(T, T);
extern "C" __global__ void heddle_operator(const Offset *offsets, const Index *indices, const A *values, int base,
                                           Wide rows, Wide columns, const B *b, Wide bRow, Wide bColumn, C *c,
                                           Wide cRow, Wide cColumn) {
  for (Wide i = blockIdx.x * (Wide)blockDim.x + threadIdx.x; i < rows * columns; i += (Wide)gridDim.x * blockDim.x) {
    Wide row = i / columns, column = i % columns;
    T sum = T();
    for (Wide at = offsets[row] - base; at < offsets[row + 1] - base; at++)
      sum = add_op(sum, mul_op((T)values[at], (T)b[(indices[at] - base) * bRow + column * bColumn]));
    C &target = c[row * cRow + column * cColumn];
    target = (C)epilogue(sum, (T)target);
  }
}
)";
const char SPMV[] = R"(
extern "C" __global__ void heddle_operator(const Offset *offsets, const Index *indices, const A *values, int base,
                                           Wide rows, T alpha, const T *alphaAt, T beta, const T *betaAt, const B *x,
                                           const C *y, C *z) {
  if (alphaAt) alpha = *alphaAt;
  if (betaAt) beta = *betaAt;
  for (Wide row = blockIdx.x * (Wide)blockDim.x + threadIdx.x; row < rows; row += (Wide)gridDim.x * blockDim.x) {
    T sum = T();
    for (Wide at = offsets[row] - base; at < offsets[row + 1] - base; at++)
      sum += (T)values[at] * (T)x[indices[at] - base];
    sum = alpha * sum + beta * (T)y[row];
    z[row] = (C)EPILOGUE;
  }
}
)";

/// The LTO-IR of a text of ours.
bool compile(const std::string &text, std::string &code) {
  nvrtcProgram program;
  if (nvrtcCreateProgram(&program, text.c_str(), "cusparse-operator.cu", 0, nullptr, nullptr) != 0) return false;
  const char *options[] = {"-dlto", "--relocatable-device-code=true"};
  size_t bytes = 0;
  bool isFine = nvrtcCompileProgram(program, 2, options) == 0 && nvrtcGetLTOIRSize(program, &bytes) == 0 && bytes > 0;
  code.resize(bytes);
  isFine = isFine && nvrtcGetLTOIR(program, &code[0]) == 0;
  nvrtcDestroyProgram(&program);
  return isFine;
}
struct Piece { const void *code; size_t bytes; const char *name; };
/// Links pieces to a module. CUSPARSE_STATUS_INTERNAL_ERROR: one is no LTO-IR, or a name is missing.
Status link_pieces(Kernel &kernel, std::initializer_list<Piece> pieces) {
  cudaFree(nullptr); // there is a context
  CUlinkState state;
  if (cuLinkCreate(0, nullptr, nullptr, &state) != 0) return CUSPARSE_STATUS_ALLOC_FAILED;
  bool isFine = true;
  for (const Piece &piece : pieces)
    isFine = isFine && cuLinkAddData(state, CU_JIT_INPUT_NVVM, (void *)piece.code, piece.bytes, piece.name, 0, nullptr,
                                     nullptr) == 0;
  void *image = nullptr;
  size_t bytes = 0;
  isFine = isFine && cuLinkComplete(state, &image, &bytes) == 0 && cuModuleLoadData(&kernel.module, image) == 0 &&
           cuModuleGetFunction(&kernel.function, kernel.module, "heddle_operator") == 0;
  cuLinkDestroy(state);
  return isFine ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INTERNAL_ERROR;
}
Status launch(const Kernel &kernel, i64 threads, cudaStream_t stream, void **values) {
  if (threads == 0) return CUSPARSE_STATUS_SUCCESS;
  CUresult failed = cuLaunchKernel(kernel.function, blocks(threads, 128), 1, 1, 128, 1, 1, 0, stream, values, nullptr);
  return failed == 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}
template <class Plan> Status keep(Plan *made, Status status, Plan **out) {
  if (status) {
    delete made;
    return status;
  }
  live_objects().push_back(made);
  *out = made;
  return CUSPARSE_STATUS_SUCCESS;
}

/// Elements of a dense matrix are so far apart.
void steps_of(const cusparseDnMatDescr *m, bool isTransposed, int64_t &row, int64_t &column) {
  bool isByColumns = (m->order == CUSPARSE_ORDER_COL) != isTransposed;
  row = isByColumns ? 1 : m->ld;
  column = isByColumns ? m->ld : 1;
}
Status check_spmm_op(cusparseOperation_t opA, cusparseOperation_t opB, cusparseConstSpMatDescr_t a,
                     cusparseConstDnMatDescr_t b, cusparseConstDnMatDescr_t c, cudaDataType compute) {
  bool isTransposed = opB != CUSPARSE_OPERATION_NON_TRANSPOSE;
  if ((isTransposed ? b->cols : b->rows) != a->allCols() || c->rows != a->allRows() ||
      (isTransposed ? b->rows : b->cols) != c->cols)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (opA != CUSPARSE_OPERATION_NON_TRANSPOSE || opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ||
      a->format != CUSPARSE_FORMAT_CSR || a->batch > 1 || b->batch > 1 || c->batch > 1 ||
      !are_types(a->type, b->type, c->type, compute))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  return CUSPARSE_STATUS_SUCCESS;
}

Status check_spmv_op(cusparseHandle_t handle, HEDDLE_SPMVOP_MATRIX) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!is_live(matA) || !is_live(vecX) || !is_live(vecY) || !is_live(vecZ) || !is_operation(opA) || alg < 0 ||
      alg > CUSPARSE_SPMVOP_ALG2)
    return CUSPARSE_STATUS_INVALID_VALUE;
  bool isThere = opA == CUSPARSE_OPERATION_NON_TRANSPOSE && matA->format == CUSPARSE_FORMAT_CSR && matA->batch == 1 &&
                 (computeType == CUDA_R_32F || computeType == CUDA_R_64F);
  for (cudaDataType type : {matA->type, vecX->type, vecY->type, vecZ->type}) isThere = isThere && type == computeType;
  return isThere ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}
template <class T>
Status multiply(cusparseHandle_t h, const cusparseSpMVOpPlan &plan, const void *alpha, const void *beta, const void *x,
                const void *y, const void *z) {
  const cusparseSpMatDescr &a = *plan.a;
  Factor<T> alphaOf = factor_of<T>(h, alpha), betaOf = factor_of<T>(h, beta);
  int base = a.base;
  int64_t rows = a.rows;
  void *values[] = {(void *)&a.offsets, (void *)&a.indices, (void *)&a.values, &base, &rows, &alphaOf.value,
                    (void *)&alphaOf.address, &betaOf.value, (void *)&betaOf.address, &x, &y, &z};
  return launch(plan, rows, h->stream, values);
}

} // namespace

extern "C" {

cusparseStatus_t cusparseSpMMOp_createPlan(
    cusparseHandle_t handle, cusparseSpMMOpPlan_t *plan, cusparseOperation_t opA, cusparseOperation_t opB,
    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC, cudaDataType computeType,
    cusparseSpMMOpAlg_t alg, const void *addOperation, size_t addBytes, const void *mulOperation, size_t mulBytes,
    const void *epilogue, size_t epilogueBytes, size_t *SpMMWorkspaceSize) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!plan || !is_live(matA) || !is_live(matB) || !is_live(matC) || !is_operation(opA) || !is_operation(opB) ||
      alg != CUSPARSE_SPMM_OP_ALG_DEFAULT || !addOperation || !addBytes || !mulOperation || !mulBytes || !epilogue ||
      !epilogueBytes || !SpMMWorkspaceSize)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (Status wrong = check_spmm_op(opA, opB, matA, matB, matC, computeType)) return wrong;
  cusparseSpMMOpPlan *made = new (std::nothrow) cusparseSpMMOpPlan;
  if (!made) return CUSPARSE_STATUS_ALLOC_FAILED;
  made->handle = handle;
  made->opB = opB;
  made->a = matA;
  made->b = matB;
  made->c = matC;
  std::string code;
  Status status = CUSPARSE_STATUS_INTERNAL_ERROR;
  if (compile(types_of(matA, matB->type, matC->type, computeType) + SPMM, code))
    status = link_pieces(*made, {{addOperation, addBytes, "add_op"},
                                 {mulOperation, mulBytes, "mul_op"},
                                 {epilogue, epilogueBytes, "epilogue"},
                                 {code.data(), code.size(), "cuSPARSE"}});
  *SpMMWorkspaceSize = 16;
  return keep(made, status, plan);
}
cusparseStatus_t cusparseSpMMOp(cusparseSpMMOpPlan_t plan, void *) {
  if (!is_live(plan) || !is_live(plan->a) || !is_live(plan->b) || !is_live(plan->c))
    return CUSPARSE_STATUS_INVALID_VALUE;
  HEDDLE_LIVE_GENERIC(plan->handle);
  const cusparseSpMatDescr &a = *plan->a;
  int base = a.base;
  int64_t rows = a.rows, columns = plan->c->cols, bRow, bColumn, cRow, cColumn;
  steps_of(plan->b, plan->opB != CUSPARSE_OPERATION_NON_TRANSPOSE, bRow, bColumn);
  steps_of(plan->c, false, cRow, cColumn);
  void *values[] = {(void *)&a.offsets, (void *)&a.indices, (void *)&a.values, &base, &rows, &columns,
                    (void *)&plan->b->values, &bRow, &bColumn, (void *)&plan->c->values, &cRow, &cColumn};
  return launch(*plan, rows * columns, plan->handle->stream, values);
}
cusparseStatus_t cusparseSpMMOp_destroyPlan(cusparseSpMMOpPlan_t plan) { return destroy_object(plan); }

cusparseStatus_t cusparseSpMVOp_bufferSize(cusparseHandle_t handle, HEDDLE_SPMVOP_MATRIX, size_t *bufferSize) {
  if (Status wrong = check_spmv_op(handle, opA, matA, vecX, vecY, vecZ, computeType, alg)) return wrong;
  if (!bufferSize) return CUSPARSE_STATUS_INVALID_VALUE;
  *bufferSize = 16;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMVOp_createDescr(cusparseHandle_t handle, cusparseSpMVOpDescr_t *descr,
                                            HEDDLE_SPMVOP_MATRIX, void *) {
  if (Status wrong = check_spmv_op(handle, opA, matA, vecX, vecY, vecZ, computeType, alg)) return wrong;
  if (!descr) return CUSPARSE_STATUS_INVALID_VALUE;
  cusparseSpMVOpDescr *made = new (std::nothrow) cusparseSpMVOpDescr{matA, computeType};
  return made ? keep(made, CUSPARSE_STATUS_SUCCESS, descr) : CUSPARSE_STATUS_ALLOC_FAILED;
}
cusparseStatus_t cusparseSpMVOp_destroyDescr(cusparseSpMVOpDescr_t descr) { return destroy_object(descr); }
cusparseStatus_t cusparseSpMVOp_createPlan(cusparseHandle_t handle, cusparseSpMVOpDescr_t descr,
                                           cusparseSpMVOpPlan_t *plan, const void *epilogue, size_t bytes) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!is_live(descr) || !is_live(descr->a) || !plan || (epilogue != nullptr) != (bytes > 0))
    return CUSPARSE_STATUS_INVALID_VALUE;
  cusparseSpMVOpPlan *made = new (std::nothrow) cusparseSpMVOpPlan;
  if (!made) return CUSPARSE_STATUS_ALLOC_FAILED;
  made->a = descr->a;
  made->type = descr->type;
  std::string text = types_of(descr->a, descr->type, descr->type, descr->type), code;
  if (epilogue) text += "__device__ T spmvop_epilogue(Index, T);\n#define EPILOGUE spmvop_epilogue((Index)row, sum)\n";
  else text += "#define EPILOGUE sum\n";
  Status status = CUSPARSE_STATUS_INTERNAL_ERROR;
  if (compile(text + SPMV, code)) {
    Piece own{code.data(), code.size(), "cuSPARSE"};
    status = epilogue ? link_pieces(*made, {{epilogue, bytes, "spmvop_epilogue"}, own}) : link_pieces(*made, {own});
  }
  return keep(made, status, plan);
}
cusparseStatus_t cusparseSpMVOp_destroyPlan(cusparseSpMVOpPlan_t plan) { return destroy_object(plan); }
cusparseStatus_t cusparseSpMVOp_setGlobalUserData(cusparseHandle_t handle, cusparseSpMVOpPlan_t plan,
                                                  const char *symbol, const void *data, size_t dataSize) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!is_live(plan) || !symbol || !data) return CUSPARSE_STATUS_INVALID_VALUE;
  CUdeviceptr address;
  size_t bytes = 0;
  if (cuModuleGetGlobal(&address, &bytes, plan->module, symbol) != 0 || dataSize > bytes)
    return CUSPARSE_STATUS_INVALID_VALUE;
  cudaMemcpyAsync((void *)(uintptr_t)address, data, dataSize, cudaMemcpyHostToDevice, handle->stream);
  return launched();
}
cusparseStatus_t cusparseSpMVOp(cusparseHandle_t handle, cusparseSpMVOpPlan_t plan, const void *alpha,
                                const void *beta, cusparseConstDnVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                                cusparseDnVecDescr_t vecZ) {
  HEDDLE_LIVE_GENERIC(handle);
  if (!is_live(plan) || !is_live(plan->a) || !alpha || !beta || !is_live(vecX) || !is_live(vecY) || !is_live(vecZ) ||
      vecX->size != plan->a->cols || vecY->size != plan->a->rows || vecZ->size != plan->a->rows ||
      vecX->type != plan->type || vecY->type != plan->type || vecZ->type != plan->type)
    return CUSPARSE_STATUS_INVALID_VALUE;
  auto run = plan->type == CUDA_R_32F ? multiply<float> : multiply<double>;
  return run(handle, *plan, alpha, beta, vecX->values, vecY->values, vecZ->values);
}
}
