// What cuSPARSE and cuSOLVER return for wrong arguments, cuSPARSE's destroyed handles, and too little work memory.
// A destroyed handle of cuSOLVER would end the process in NVIDIA's library.
//
//   matrix-statuses          what every library must answer
//   matrix-statuses misuse   also calls that NVIDIA's libraries answer otherwise, or that may end their process
#include <cusolverDn.h>
#include <cusparse.h>
#include <cstdio>
#include <cstring>

static int wrong = 0;
static bool isMisuse;
#define EXPECT(STATUS, CALL)                                                             \
  do {                                                                                   \
    int is = (int)(CALL);                                                                \
    if (is != (int)(STATUS)) {                                                           \
      printf("line %d: %s is %d, and not %s\n", __LINE__, #CALL, is, #STATUS);           \
      fflush(stdout); /* a library may end the process */                                \
      wrong++;                                                                           \
    }                                                                                    \
  } while (0)
#define MISUSE(STATUS, CALL)                                                             \
  if (isMisuse) EXPECT(STATUS, CALL)

/// A product of two diagonal matrices. The memory is there, its size is said to be smaller.
static void too_small(cusparseHandle_t h, void *buffer) {
  void *work;
  int hostInts[] = {0, 1, 2, 3, 4, 0, 1, 2, 3}, *ints, *offsets;
  float *values, one = 1, zero = 0;
  size_t bytes = 0;
  cudaMalloc(&ints, sizeof hostInts);
  cudaMalloc(&offsets, 64);
  cudaMalloc(&values, 64);
  cudaMemcpy(ints, hostInts, sizeof hostInts, cudaMemcpyHostToDevice);
  cudaMemset(values, 0, 64);
  cusparseSpMatDescr_t a, c;
  cusparseSpGEMMDescr_t d;
  auto I = CUSPARSE_INDEX_32I;
  auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
  auto base = CUSPARSE_INDEX_BASE_ZERO;
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreateCsr(&a, 4, 4, 4, ints, ints + 5, values, I, I, base, CUDA_R_32F));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreateCsr(&c, 4, 4, 0, offsets, nullptr, nullptr, I, I, base, CUDA_R_32F));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_createDescr(&d));
#define GEMM h, N, N, &one, a, a, &zero, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, d
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_workEstimation(GEMM, &bytes, nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_workEstimation(GEMM, &bytes, buffer));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_compute(GEMM, &bytes, nullptr));
  cudaMalloc(&work, bytes);
  bytes = 1;
  EXPECT(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, cusparseSpGEMM_compute(GEMM, &bytes, work));
#undef GEMM
  cusparseSpGEMM_destroyDescr(d);
  cusparseDestroySpMat(a);
  cusparseDestroySpMat(c);
}

/// What NVIDIA's library answers to calls with zeros and null pointers.
static void without_handle() {
  auto base = CUSPARSE_INDEX_BASE_ZERO;
  auto action = CUSPARSE_ACTION_SYMBOLIC;
  auto method = (cusparseCsr2CscAlg_t)0;
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroy(nullptr));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseSetStream(nullptr, nullptr));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseGetStream(nullptr, nullptr));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseSetPointerMode(nullptr, CUSPARSE_POINTER_MODE_HOST));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseGetPointerMode(nullptr, nullptr));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseGetVersion(nullptr, nullptr));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseAxpby(nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE,
         cusparseDenseToSparse_bufferSize(nullptr, nullptr, nullptr, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE,
         cusparseCsr2cscEx2_bufferSize(nullptr, 0, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                       CUDA_R_32F, action, base, method, nullptr));
  EXPECT(CUSPARSE_STATUS_NOT_INITIALIZED, cusparseXcoo2csr(nullptr, nullptr, 0, 0, nullptr, base));
  EXPECT(CUSPARSE_STATUS_NOT_INITIALIZED, cusparseXcsrsort_bufferSizeExt(nullptr, 0, 0, 0, nullptr, nullptr, nullptr));
  // to destroy nothing is right
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroySpMat(nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroyDnMat(nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroySpVec(nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroyDnVec(nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroyMatDescr(nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_destroyDescr(nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroyCsric02Info(nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseLoggerOpenFile(nullptr));
  EXPECT(CUSPARSE_STATUS_NOT_INITIALIZED, cusparseSetMatType(nullptr, CUSPARSE_MATRIX_TYPE_GENERAL));
  EXPECT(-1, cusparseGetMatType(nullptr));
  EXPECT(-1, cusparseGetMatIndexBase(nullptr));
}

static void sparse() {
  cusparseHandle_t h, gone;
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseCreate(nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreate(&h));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreate(&gone));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroy(gone));
  // a wrong value for the handle's own functions and the generic ones, no handle for those of one type
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseDestroy(gone));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseSetStream(gone, 0));
  without_handle();
  int *ints;
  float *floats, one = 1;
  cudaMalloc(&ints, 4096);
  cudaMalloc(&floats, 4096);
  cudaMemset(ints, 0, 4096);
  cudaMemset(floats, 0, 4096);
  cusparseSpMatDescr_t a, c;
  cusparseDnVecDescr_t x, y, destroyed;
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE,
         cusparseCreateCsr(&a, -1, 4, 0, ints, ints, floats, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreateCsr(&a, 4, 4, 0, ints, ints, floats, CUSPARSE_INDEX_32I,
                                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreateCsr(&c, 4, 4, 0, ints + 100, nullptr, nullptr, CUSPARSE_INDEX_32I,
                                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreateDnVec(&x, 4, floats, CUDA_R_32F));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreateDnVec(&y, 5, floats + 8, CUDA_R_32F));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreateDnVec(&destroyed, 4, floats + 16, CUDA_R_32F));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroyDnVec(destroyed));
  size_t bytes = 0;
#define SPMV(OP, X, Y, TYPE, ALG) cusparseSpMV(h, OP, &one, a, X, &one, Y, TYPE, ALG, nullptr)
  auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
  EXPECT(CUSPARSE_STATUS_SUCCESS, SPMV(N, x, x, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, SPMV(N, x, y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, SPMV(N, x, destroyed, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE,
         SPMV(CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, x, x, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT));
  EXPECT(CUSPARSE_STATUS_NOT_SUPPORTED, SPMV(N, x, x, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, SPMV(N, x, x, CUDA_R_32F, CUSPARSE_SPMV_COO_ALG1)); // of another format
  cusparseSpGEMMDescr_t d;
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_createDescr(&d));
#define GEMM h, N, N, &one, a, a, &one, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, d
  // before the estimation nobody knows how much memory a product needs
  MISUSE(CUSPARSE_STATUS_INVALID_VALUE, cusparseSpGEMM_compute(GEMM, &bytes, nullptr));
  void *buffer;
  cudaMalloc(&buffer, 1 << 20);
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_workEstimation(GEMM, &bytes, nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_workEstimation(GEMM, &bytes, buffer));
  bytes = 8;
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_compute(GEMM, &bytes, buffer)); // there is nothing to compute
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_destroyDescr(d));
  too_small(h, buffer);
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseSpGEMM_workEstimation(GEMM, &bytes, nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroySpMat(a));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, SPMV(N, x, x, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroy(h));
}

static void dense() {
  cusolverDnHandle_t h;
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnCreate(&h));
  int lwork = 0, *info, *pivots, found = 0;
  double *a, *w, *work, values[] = {1, 2, 2, 1};
  cudaMalloc(&info, 64);
  cudaMalloc(&pivots, 64);
  cudaMalloc(&a, 256);
  cudaMalloc(&w, 256);
  cudaMalloc(&work, 4096);
  cudaMemcpy(a, values, sizeof values, cudaMemcpyHostToDevice);
  MISUSE(CUSOLVER_STATUS_NOT_INITIALIZED, cusolverDnDgetrf_bufferSize(nullptr, 2, 2, a, 2, &lwork));
  // the functions for sizes accept wrong dimensions, those that compute refuse them
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDgetrf_bufferSize(h, 2, 2, a, 1, &lwork));
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDgetrf_bufferSize(h, -1, 2, a, 2, &lwork));
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDgesvd_bufferSize(h, 1, 2, &lwork));
  MISUSE(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnDgetrf(h, 2, 2, a, 1, work, pivots, info));
  MISUSE(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnDgetrf(h, -1, 2, a, 2, work, pivots, info));
  auto V = CUSOLVER_EIG_MODE_VECTOR;
  // NVIDIA's library answers CUSOLVER_STATUS_EXECUTION_FAILED
  MISUSE(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnDsyevd(h, V, CUBLAS_FILL_MODE_LOWER, 2, a, 2, w, work, 1, info));
  // the answers of NVIDIA's library without a handle: other arguments come first
  EXPECT(CUSOLVER_STATUS_INVALID_VALUE,
         cusolverDnDpotri_bufferSize(nullptr, CUBLAS_FILL_MODE_LOWER, 0, nullptr, 0, nullptr));
  EXPECT(CUSOLVER_STATUS_INVALID_VALUE,
         cusolverDnXtrtri(nullptr, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_NON_UNIT, 0, CUDA_R_32F, nullptr, 0, nullptr, 0,
                          nullptr, 0, nullptr));
  EXPECT(CUSOLVER_STATUS_INVALID_VALUE,
         cusolverDnDgesvdaStridedBatched(nullptr, CUSOLVER_EIG_MODE_NOVECTOR, 0, 0, 0, nullptr, 0, 0, nullptr, 0,
                                         nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, nullptr, nullptr, 0));
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDlaswp(nullptr, 0, nullptr, 0, 0, 0, nullptr, 0)); // no columns
  EXPECT(CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED,
         cusolverDnIRSXgesv(nullptr, nullptr, nullptr, 0, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr,
                            nullptr));
  // to destroy nothing is right
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDestroyParams(nullptr));
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDestroySyevjInfo(nullptr));
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDestroyGesvdjInfo(nullptr));
  // Not positive: the second leading minor. Singular: the second pivot.
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, 2, a, 2, work, 512, info));
  cudaMemcpy(&found, info, sizeof found, cudaMemcpyDeviceToHost);
  EXPECT(2, found);
  double singular[] = {1, 2, 2, 4};
  cudaMemcpy(a, singular, sizeof singular, cudaMemcpyHostToDevice);
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDgetrf(h, 2, 2, a, 2, work, pivots, info));
  cudaMemcpy(&found, info, sizeof found, cudaMemcpyDeviceToHost);
  EXPECT(2, found);
  EXPECT(CUSOLVER_STATUS_SUCCESS, cusolverDnDestroy(h));
}

int main(int count, char **arguments) {
  isMisuse = count == 2 && !strcmp(arguments[1], "misuse");
  sparse();
  dense();
  if (!wrong) printf("PASSED\n");
  return wrong;
}
