// Nanoseconds a call of libraries that do nothing: what is left is Heddle's hand-over.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cudnn.h>
#include <cufft.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <nccl.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef std::chrono::steady_clock Clock;

static int failed = 0;
/// Rounds are shorter than a scheduler's turn: on a busy machine some of them run undisturbed.
template <class Call> static void measure(const char *name, int rounds, Call call) {
  const int CALLS = 1000;
  std::vector<double> all;
  for (int round = -10; round < rounds; round++) {
    auto begin = Clock::now();
    for (int i = 0; i < CALLS; i++) failed |= (int)call();
    all.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / CALLS);
  }
  // At first V8 interprets what hands over.
  double first = all[0], later = *std::min_element(all.begin() + 5, all.begin() + 10);
  printf("%s first %.0f later %.0f best %.0f\n", name, first, later, *std::min_element(all.begin(), all.end()));
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 500;
  float *a, *b, *c, sum = 0;
  const float one = 1, zero = 0;
  cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20); cudaMalloc(&c, 1 << 20);
  cublasHandle_t blas; cublasCreate(&blas);
  measure("cublasSaxpy", rounds, [&] { return cublasSaxpy(blas, 256, &one, a, 1, b, 1); });
  measure("cublasSgemm", rounds, [&] {
    return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &one, a, 64, b, 64, &zero, c, 64);
  });
  measure("cublasSasum", rounds, [&] { return cublasSasum(blas, 256, a, 1, &sum); });
  if (sum != 257) failed = 1;
  cudaStream_t streams[2];
  for (cudaStream_t &stream : streams) cudaStreamCreate(&stream);
  int which = 0;
  measure("cublasSaxpy, two streams", rounds, [&] {
    cublasSetStream(blas, streams[which ^= 1]);
    return cublasSaxpy(blas, 256, &one, a, 1, b, 1);
  });
  cublasSetStream(blas, 0);
  measure("cublasSaxpy, cublasSgemm", rounds, [&] {
    cublasSaxpy(blas, 256, &one, a, 1, b, 1);
    return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &one, a, 64, b, 64, &zero, c, 64);
  });
  cublasLtHandle_t lt; cublasLtCreate(&lt);
  cublasLtMatmulDesc_t product; cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayout_t layout; cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 64, 64, 64);
  measure("cublasLtMatmul", rounds, [&] {
    return cublasLtMatmul(lt, product, &one, a, layout, b, layout, &zero, c, layout, c, layout, nullptr, nullptr, 0, 0);
  });
  cufftHandle plan; cufftPlan1d(&plan, 256, CUFFT_C2C, 4);
  measure("cufftExecC2C", rounds, [&] {
    return cufftExecC2C(plan, (cufftComplex *)a, (cufftComplex *)b, CUFFT_FORWARD);
  });
  cusparseHandle_t sparse; cusparseCreate(&sparse);
  cusparseSpMatDescr_t matrix; cusparseDnVecDescr_t x, y;
  cusparseCreateCsr(&matrix, 256, 256, 512, a, a, a, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&x, 256, b, CUDA_R_32F); cusparseCreateDnVec(&y, 256, c, CUDA_R_32F);
  measure("cusparseSpMV", rounds, [&] {
    return cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x, &zero, y, CUDA_R_32F,
        CUSPARSE_SPMV_ALG_DEFAULT, a);
  });
  cudnnHandle_t dnn; cudnnCreate(&dnn);
  cudnnTensorDescriptor_t tensor; cudnnCreateTensorDescriptor(&tensor);
  cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 4, 8, 8);
  cudnnActivationDescriptor_t activation; cudnnCreateActivationDescriptor(&activation);
  cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0);
  measure("cudnnActivationForward", rounds, [&] {
    return cudnnActivationForward(dnn, activation, &one, tensor, a, &zero, tensor, b);
  });
  cusolverDnHandle_t solver; cusolverDnCreate(&solver);
  measure("cusolverDnSpotrf", rounds, [&] {
    return cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 64, a, 64, b, 4096, (int *)c);
  });
  int devices = 0;
  cudaGetDeviceCount(&devices);
  ncclComm_t alone; int first = 0; ncclCommInitAll(&alone, 1, &first);
  measure("ncclAllReduce, one rank", rounds, [&] { return ncclAllReduce(a, c, 256, ncclFloat, ncclSum, alone, 0); });
  if (devices > 1) {
    ncclComm_t ranks[2]; ncclCommInitAll(ranks, 2, nullptr);
    float *there; cudaSetDevice(1); cudaMalloc(&there, 1 << 20); cudaSetDevice(0);
    measure("ncclAllReduce, two ranks", rounds, [&] {
      ncclGroupStart();
      ncclAllReduce(a, c, 256, ncclFloat, ncclSum, ranks[0], 0);
      ncclAllReduce(there, there, 256, ncclFloat, ncclSum, ranks[1], 0);
      return ncclGroupEnd();
    });
  }
  if (failed) printf("a call failed\n");
  return failed;
}
