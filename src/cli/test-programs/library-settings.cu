// State of libraries that is kept and returned: emulation of cuBLAS; a communicator that is revoked.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <nccl.h>
#include <cstdio>

static int failures = 0;
#define EXPECT(call, wanted) expect((long long)(call), (long long)(wanted), #call)
static void expect(long long got, long long wanted, const char *call) {
  if (got != wanted) printf("%s is %lld, not %lld\n", call, got, wanted), failures++;
}

static void emulation() {
  cublasHandle_t h;
  cublasCreate(&h);
  cublasEmulationStrategy_t strategy;
  cudaEmulationSpecialValuesSupport special;
  cudaEmulationMantissaControl control;
  int bits, *count = nullptr;
  EXPECT(cublasGetEmulationStrategy(h, &strategy), CUBLAS_STATUS_SUCCESS);
  EXPECT(strategy, CUBLAS_EMULATION_STRATEGY_DEFAULT);
  EXPECT(cublasSetEmulationStrategy(h, CUBLAS_EMULATION_STRATEGY_EAGER), CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasGetEmulationStrategy(h, &strategy), CUBLAS_STATUS_SUCCESS);
  EXPECT(strategy, CUBLAS_EMULATION_STRATEGY_EAGER);
  EXPECT(cublasSetEmulationStrategy(h, (cublasEmulationStrategy_t)9), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasGetEmulationSpecialValuesSupport(h, &special), CUBLAS_STATUS_SUCCESS);
  EXPECT(special, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT);
  EXPECT(cublasSetFixedPointEmulationMantissaControl(h, CUDA_EMULATION_MANTISSA_CONTROL_FIXED), CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasGetFixedPointEmulationMantissaControl(h, &control), CUBLAS_STATUS_SUCCESS);
  EXPECT(control, CUDA_EMULATION_MANTISSA_CONTROL_FIXED);
  EXPECT(cublasSetFixedPointEmulationMaxMantissaBitCount(h, 55), CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasGetFixedPointEmulationMaxMantissaBitCount(h, &bits), CUBLAS_STATUS_SUCCESS);
  EXPECT(bits, 55);
  EXPECT(cublasSetFixedPointEmulationMantissaBitCountPointer(h, &bits), CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasGetFixedPointEmulationMantissaBitCountPointer(h, &count), CUBLAS_STATUS_SUCCESS);
  EXPECT(count == &bits, 1);
  cublasDestroy(h);
  cublasLtEmulationDesc_t desc;
  EXPECT(cublasLtEmulationDescCreate(&desc), CUBLAS_STATUS_SUCCESS);
  int value = 7;
  size_t written = 0;
  EXPECT(cublasLtEmulationDescSetAttribute(desc, CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET, &value, 4),
         CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasLtEmulationDescGetAttribute(desc, CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET, &bits, 4,
                                           &written),
         CUBLAS_STATUS_SUCCESS);
  EXPECT(bits, 7);
  EXPECT(written, 4);
  EXPECT(cublasLtEmulationDescGetAttribute(desc, CUBLASLT_EMULATION_DESC_SPECIAL_VALUES_SUPPORT, &bits, 4, &written),
         CUBLAS_STATUS_SUCCESS);
  EXPECT(bits, 0xffff);
  EXPECT(cublasLtEmulationDescSetAttribute(desc, (cublasLtEmulationDescAttributes_t)99, &value, 4),
         CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasLtEmulationDescDestroy(desc), CUBLAS_STATUS_SUCCESS);
}

/// Work memory goes with the stream that it was for: new streams, one after the other, need no more of it.
static void streams() {
  const int M = 8, N = 65536;
  const float one = 1;
  cublasHandle_t h;
  float *a, *b;
  size_t free, total, first = 0;
  cublasCreate(&h);
  cudaMalloc(&a, M * M * sizeof(float)), cudaMalloc(&b, M * N * sizeof(float));
  cudaMemset(a, 0, M * M * sizeof(float)), cudaMemset(b, 0, M * N * sizeof(float));
  for (int i = 0; i < 10; i++) {
    cudaStream_t stream;
    EXPECT(cudaStreamCreate(&stream), 0);
    cublasSetStream(h, stream);
    EXPECT(cublasStrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, M, N, &one, a, M, b, M,
                       b, M), CUBLAS_STATUS_SUCCESS);
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(cudaMemGetInfo(&free, &total), 0);
    if (i == 0) first = free;
  }
  EXPECT(free, first);
  cublasDestroy(h), cudaFree(a), cudaFree(b);
}

static void revoked() {
  ncclComm_t comms[2];
  float *x;
  ncclResult_t state;
  cudaMalloc(&x, 32);
  EXPECT(ncclCommFinalize(nullptr), ncclSuccess);
  EXPECT(ncclMemAlloc(nullptr, 0), ncclUnhandledCudaError);
  EXPECT(ncclCommInitAll(comms, 2, nullptr), ncclSuccess);
  EXPECT(ncclCommRevoke(comms[0], 99), ncclInvalidArgument);
  EXPECT(ncclCommRevoke(comms[0], NCCL_REVOKE_DEFAULT), ncclSuccess);
  EXPECT(ncclAllReduce(x, x, 8, ncclFloat, ncclSum, comms[0], 0), ncclInvalidUsage);
  EXPECT(ncclAllReduce(x, x, 8, ncclFloat, ncclSum, comms[1], 0), ncclRemoteError);
  EXPECT(ncclCommGetAsyncError(comms[1], &state), ncclSuccess);
  EXPECT(state, ncclRemoteError);
  for (ncclComm_t comm : comms) EXPECT(ncclCommDestroy(comm), ncclSuccess);
  cudaFree(x);
}

int main() {
  emulation();
  streams();
  revoked();
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
