// What a call costs the host, of small operations in a row, and of calls of a millisecond.
#include <cublas_v2.h>
#include <cufft.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <cudnn.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>
typedef std::chrono::steady_clock Clock;
template <class Call> static void measure(const char *name, int calls, bool waits, Call call) {
  std::vector<double> times;
  for (int i = 0; i < 50 && !waits; i++) call();
  call();
  cudaDeviceSynchronize();
  for (int round = 0; round < 9; round++) {
    auto begin = Clock::now();
    for (int i = 0; i < calls; i++) call();
    if (waits) cudaDeviceSynchronize();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / calls);
    cudaDeviceSynchronize();
  }
  std::sort(times.begin(), times.end());
  printf("%s %.3f %.3f\n", name, times[4], times[0]);
}
int main() {
  cublasHandle_t blas; cublasCreate(&blas);
  cusparseHandle_t sparse; cusparseCreate(&sparse);
  cudnnHandle_t dnn; cudnnCreate(&dnn);
  float *a, *b, *c;
  const int n = 3072, big = 1 << 26;
  cudaMalloc(&a, 4ull * big * 2); cudaMalloc(&b, 4ull * big * 2); cudaMalloc(&c, 4ull * big);
  cudaMemset(a, 0, 4ull * big * 2); cudaMemset(b, 0, 4ull * big * 2); cudaMemset(c, 0, 4ull * big);
  const float one = 1, zero = 0;
  measure("cublasSetStream", 2000, false, [&] { cublasSetStream(blas, 0); });
  measure("cublasSaxpy", 500, false, [&] { cublasSaxpy(blas, 256, &one, a, 1, b, 1); });
  measure("cublasSgemm-64", 500, false, [&] {
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &one, a, 64, b, 64, &zero, c, 64);
  });
  cufftHandle plan; cufftPlan1d(&plan, 256, CUFFT_C2C, 4);
  measure("cufftExecC2C-256", 500, false, [&] {
    cufftExecC2C(plan, (cufftComplex *)a, (cufftComplex *)b, CUFFT_FORWARD);
  });
  std::vector<int> offsets(257), columns(512);
  for (int i = 0; i < 257; i++) offsets[i] = 2 * i;
  for (int i = 0; i < 512; i++) columns[i] = i % 256 / 2 + (i % 2) * 128;
  int *rows, *cols;
  cudaMalloc(&rows, 257 * 4); cudaMalloc(&cols, 512 * 4);
  cudaMemcpy(rows, offsets.data(), 257 * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(cols, columns.data(), 512 * 4, cudaMemcpyHostToDevice);
  cusparseSpMatDescr_t mat; cusparseDnVecDescr_t x, y;
  cusparseCreateCsr(&mat, 256, 256, 512, rows, cols, a, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&x, 256, b, CUDA_R_32F); cusparseCreateDnVec(&y, 256, c, CUDA_R_32F);
  size_t bytes = 0; void *work;
  cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, mat, x, &zero, y, CUDA_R_32F,
      CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
  cudaMalloc(&work, bytes + 16);
  measure("cusparseSpMV-256", 500, false, [&] {
    cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, mat, x, &zero, y, CUDA_R_32F,
        CUSPARSE_SPMV_ALG_DEFAULT, work);
  });
  cudnnTensorDescriptor_t t; cudnnCreateTensorDescriptor(&t);
  cudnnSetTensor4dDescriptor(t, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 4, 8, 8);
  cudnnActivationDescriptor_t act; cudnnCreateActivationDescriptor(&act);
  cudnnSetActivationDescriptor(act, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0);
  measure("cudnnActivationForward-256", 500, false, [&] { cudnnActivationForward(dnn, act, &one, t, a, &zero, t, b); });
  // about a millisecond each
  measure("cublasSgemm-3072", 40, true, [&] {
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
  });
  cufftHandle large; cufftPlan1d(&large, 4096, CUFFT_C2C, big / 4096);
  measure("cufftExecC2C-2^26", 40, true, [&] {
    cufftExecC2C(large, (cufftComplex *)a, (cufftComplex *)b, CUFFT_FORWARD);
  });
  cudnnTensorDescriptor_t l; cudnnCreateTensorDescriptor(&l);
  cudnnSetTensor4dDescriptor(l, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 64, 64, 128, 128);
  measure("cudnnActivationForward-2^26", 100, true, [&] { cudnnActivationForward(dnn, act, &one, l, a, &zero, l, b); });
  return 0;
}
