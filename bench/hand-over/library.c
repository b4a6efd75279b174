// Functions of NVIDIA's libraries that do nothing and succeed. With HEDDLE_BUSY each call reads so many KiB, and runs
// 32 KiB of code: as after a call of the real library, the caches of the processor have forgotten the caller's.
#include <stdint.h>
#include <stdlib.h>
#define OK(NAME) int NAME(void) { return heddle_busy(); }

static volatile char data[1 << 22];
int heddle_busy(void) {
  static int kib = -1;
  if (kib < 0) kib = getenv("HEDDLE_BUSY") ? atoi(getenv("HEDDLE_BUSY")) : 0;
  if (kib == 0) return 0;
  for (int i = 0; i < kib * 1024 && i < (int)sizeof data; i += 64) data[i]++;
  __asm__ volatile(".rept 32768\n nop\n .endr");
  return 0;
}
#define MAKES(NAME) int NAME(uint64_t *made) { *made = 4096; return 0; }

MAKES(cublasCreate_v2) OK(cublasDestroy_v2) OK(cublasSaxpy_v2) OK(cublasSgemm_v2) OK(cublasSetStream_v2)
OK(cublasGemmEx) OK(cublasGemmStridedBatchedEx) OK(cublasSgemmStridedBatched)
int cublasSasum_v2(uint64_t handle, int n, uint64_t x, int step, float *result) {
  *result = (float)(n + step) + (float)(handle != 4096 || x == 0);
  return heddle_busy();
}
MAKES(cublasLtCreate) OK(cublasLtDestroy) MAKES(cublasLtMatmulDescCreate) MAKES(cublasLtMatrixLayoutCreate)
MAKES(cublasLtMatmulPreferenceCreate) OK(cublasLtMatmulDescSetAttribute) OK(cublasLtMatrixLayoutSetAttribute)
OK(cublasLtMatmulPreferenceSetAttribute) OK(cublasLtMatmulPreferenceDestroy) OK(cublasLtMatmulDescDestroy)
OK(cublasLtMatrixLayoutDestroy) OK(cublasLtMatmul)
int cublasLtMatmulAlgoGetHeuristic(uint64_t handle, uint64_t product, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                   uint64_t preference, int wanted, void *results, int *count) {
  *count = 1;
  return 0;
}
int cufftCreate(int *plan) { *plan = 1; return 0; }
int cufftPlanMany(int *plan) { *plan = 1; return 0; }
int cufftMakePlanMany64(int plan) { return plan < 0; }
int cufftMakePlanMany(int plan) { return plan < 0; }
OK(cufftDestroy) OK(cufftExecC2C) OK(cufftSetStream) OK(cufftSetAutoAllocation) OK(cufftSetWorkArea)
MAKES(cusparseCreate) OK(cusparseDestroy) OK(cusparseSetStream) OK(cusparseSetPointerMode) MAKES(cusparseCreateCsr)
MAKES(cusparseCreateDnVec) OK(cusparseSpMV) OK(cusparseSpMV_preprocess) OK(cusparseDestroySpMat)
OK(cusparseDestroyDnVec) MAKES(cusparseCreateConstCsr) MAKES(cusparseCreateConstDnVec)
MAKES(cudnnCreate) OK(cudnnDestroy) OK(cudnnSetStream) MAKES(cudnnCreateTensorDescriptor)
MAKES(cudnnCreateActivationDescriptor)
OK(cudnnDestroyTensorDescriptor) OK(cudnnDestroyActivationDescriptor) OK(cudnnSetTensorNdDescriptor)
OK(cudnnSetActivationDescriptorSwishBeta) OK(cudnnSetTensor4dDescriptorEx)
OK(cudnnSetTensor4dDescriptor) OK(cudnnSetActivationDescriptor) OK(cudnnActivationForward)
MAKES(cusolverDnCreate) OK(cusolverDnDestroy) OK(cusolverDnSetStream) OK(cusolverDnSpotrf)
OK(cusolverDnSpotrf_bufferSize) OK(cusolverDnSetDeterministicMode)
int ncclCommInitAll(uint64_t *made, int count) { for (int i = 0; i < count; i++) made[i] = 4096 + i; return 0; }
OK(ncclCommDestroy) OK(ncclGroupStart) OK(ncclGroupEnd) OK(ncclAllReduce)
