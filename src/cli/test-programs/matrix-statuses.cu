// What cuSPARSE and cuSOLVER return for wrong arguments, cuSPARSE's destroyed handles, and work memory that is too small.
// A destroyed handle of cuSOLVER would end the process in NVIDIA's library.
#include <cusolverDn.h>
#include <cusparse.h>
#include <cstdio>

static int wrong = 0;
#define EXPECT(STATUS, CALL)                                                             \
  do {                                                                                   \
    int is = (int)(CALL);                                                                \
    if (is != (int)(STATUS)) {                                                           \
      printf("line %d: %s is %d, and not %s\n", __LINE__, #CALL, is, #STATUS);           \
      fflush(stdout); /* a library may end the process */                                \
      wrong++;                                                                           \
    }                                                                                    \
  } while (0)

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

static void sparse() {
  cusparseHandle_t h, gone;
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseCreate(nullptr));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreate(&h));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseCreate(&gone));
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseDestroy(gone));
  EXPECT(CUSPARSE_STATUS_NOT_INITIALIZED, cusparseDestroy(gone));
  EXPECT(CUSPARSE_STATUS_NOT_INITIALIZED, cusparseSetStream(gone, 0));
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
  EXPECT(CUSPARSE_STATUS_NOT_SUPPORTED, SPMV(N, x, x, CUDA_R_32F, CUSPARSE_SPMV_COO_ALG1));
  cusparseSpGEMMDescr_t d;
  EXPECT(CUSPARSE_STATUS_SUCCESS, cusparseSpGEMM_createDescr(&d));
#define GEMM h, N, N, &one, a, a, &one, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, d
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseSpGEMM_compute(GEMM, &bytes, nullptr)); // before the estimation
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
  EXPECT(CUSOLVER_STATUS_NOT_INITIALIZED, cusolverDnDgetrf_bufferSize(nullptr, 2, 2, a, 2, &lwork));
  EXPECT(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnDgetrf_bufferSize(h, 2, 2, a, 1, &lwork));
  EXPECT(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnDgetrf_bufferSize(h, -1, 2, a, 2, &lwork));
  EXPECT(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnDgesvd_bufferSize(h, 1, 2, &lwork));
  auto V = CUSOLVER_EIG_MODE_VECTOR;
  EXPECT(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnDsyevd(h, V, CUBLAS_FILL_MODE_LOWER, 2, a, 2, w, work, 1, info));
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

int main() {
  sparse();
  dense();
  if (!wrong) printf("PASSED\n");
  return wrong;
}
