// Right and then wrong calls of cuSPARSE for `heddle check`. Each wrong one is reported, once, in the line marked
// "// ! KIND: STATUS", where STATUS is what the message ends with.
#include <cusparse.h>
#include <cstdio>
#include <cstdlib>

static cusparseHandle_t handle;
static cusparseMatDescr_t descr;
static float *floats, one = 1, zero = 0;
static int *offsets, *columns;
static char *buffer;

static void destroyed_handle(bool isRight) {
  cusparseHandle_t other;
  cusparseCreate(&other);
  if (!isRight) cusparseDestroy(other);
  cusparseSetStream(other, 0); // ! library-argument: CUSPARSE_STATUS_INVALID_VALUE
  cusparseXcoo2csr(other, columns, 2, 2, (int *)buffer, CUSPARSE_INDEX_BASE_ZERO); // ! library-handle: CUSPARSE_STATUS_NOT_INITIALIZED
  if (isRight) cusparseDestroy(other);
}
static void destroyed_vector(bool isRight) {
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t x, y;
  cusparseCreateCsr(&a, 2, 2, 2, offsets, columns, floats, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&x, 2, floats + 8, CUDA_R_32F);
  cusparseCreateDnVec(&y, 2, floats + 16, CUDA_R_32F);
  if (!isRight) cusparseDestroyDnVec(y);
  cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer); // ! library-argument: CUSPARSE_STATUS_INVALID_VALUE
  if (isRight) cusparseDestroyDnVec(y);
  cusparseDestroyDnVec(x);
  cusparseDestroySpMat(a);
}
static void work_memory(bool isRight) {
  cusparseSpMatDescr_t a, c;
  cusparseSpGEMMDescr_t product;
  int *rows;
  size_t first = 0, second = 0;
  void *work;
  cudaMalloc(&rows, 64);
  cusparseCreateCsr(&a, 2, 2, 2, offsets, columns, floats, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateCsr(&c, 2, 2, 0, rows, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseSpGEMM_createDescr(&product);
#define GEMM                                                                                                  \
  handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, a, &zero, c, CUDA_R_32F, \
      CUSPARSE_SPGEMM_DEFAULT, product
  cusparseSpGEMM_workEstimation(GEMM, &first, nullptr);
  cusparseSpGEMM_workEstimation(GEMM, &first, buffer);
  cusparseSpGEMM_compute(GEMM, &second, nullptr);
  cudaMalloc(&work, second);
  if (!isRight) second /= 2;
  cusparseSpGEMM_compute(GEMM, &second, work); // ! library-workspace: CUSPARSE_STATUS_INSUFFICIENT_RESOURCES
  cusparseSpGEMM_destroyDescr(product);
  cusparseDestroySpMat(a);
  cusparseDestroySpMat(c);
  cudaFree(work);
  cudaFree(rows);
}
static void order_of_steps(bool isRight) {
  bsrsv2Info_t info;
  cusparseCreateBsrsv2Info(&info);
#define SYSTEM CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, 2, 2
#define MATRIX descr, floats, offsets, columns, 1, info
  if (isRight) cusparseSbsrsv2_analysis(handle, SYSTEM, MATRIX, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer);
  cusparseSbsrsv2_solve(handle, SYSTEM, &one, MATRIX, floats + 8, floats + 16, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer); // ! library-argument: CUSPARSE_STATUS_INVALID_VALUE
  cusparseDestroyBsrsv2Info(info);
}
static void alignment(bool isRight) {
  bsrilu02Info_t info;
  cusparseCreateBsrilu02Info(&info);
  cusparseSbsrilu02_analysis(handle, CUSPARSE_DIRECTION_ROW, 2, 2, MATRIX, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer + (isRight ? 128 : 4)); // ! library-argument: CUSPARSE_STATUS_INVALID_VALUE
  cusparseDestroyBsrilu02Info(info);
}
/// A total on the host needs the device's answer; one on the device does not.
static void capture(bool isRight) {
  cudaStream_t stream;
  cudaGraph_t graph = nullptr;
  int total = 0, *totalOnDevice, *counts;
  cudaMalloc(&totalOnDevice, 64);
  cudaMalloc(&counts, 64);
  cudaStreamCreate(&stream);
  cusparseSetStream(handle, stream);
  if (isRight) cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE);
  // before, so that the handle has its memory
  cusparseSnnz(handle, CUSPARSE_DIRECTION_ROW, 2, 2, descr, floats, 2, counts, isRight ? totalOnDevice : &total);
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) != cudaSuccess) exit(1);
  cusparseSnnz(handle, CUSPARSE_DIRECTION_ROW, 2, 2, descr, floats, 2, counts, isRight ? totalOnDevice : &total); // ! library-capture: the capture of the stream refuses that
  if ((cudaStreamEndCapture(stream, &graph) == cudaSuccess) != isRight) exit(1);
  if (graph) cudaGraphDestroy(graph);
  cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST);
  cusparseSetStream(handle, 0);
  cudaStreamDestroy(stream);
  cudaFree(totalOnDevice);
  cudaFree(counts);
}

int main() {
  int hostOffsets[] = {0, 1, 2}, hostColumns[] = {0, 1};
  cusparseCreate(&handle);
  cusparseCreateMatDescr(&descr);
  cudaMalloc(&floats, 256);
  cudaMalloc(&offsets, 64);
  cudaMalloc(&columns, 64);
  cudaMalloc(&buffer, 4096);
  cudaMemset(floats, 0, 256);
  cudaMemcpy(offsets, hostOffsets, sizeof hostOffsets, cudaMemcpyHostToDevice);
  cudaMemcpy(columns, hostColumns, sizeof hostColumns, cudaMemcpyHostToDevice);
  for (bool isRight : {true, false}) {
    destroyed_handle(isRight);
    destroyed_vector(isRight);
    work_memory(isRight);
    order_of_steps(isRight);
    alignment(isRight);
    capture(isRight);
  }
  cusparseDestroyMatDescr(descr);
  cusparseDestroy(handle);
  for (void *memory : {(void *)floats, (void *)offsets, (void *)columns, (void *)buffer}) cudaFree(memory);
  return 0;
}
