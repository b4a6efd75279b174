// What a call costs the host, of small operations in a row, and of calls of a millisecond.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <cudnn.h>
#include <nccl.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef std::chrono::steady_clock Clock;
/// HEDDLE_SMALL: small sizes and few calls, to try the program without a GPU.
static const bool isSmall = getenv("HEDDLE_SMALL") != nullptr;
template <class Call> static void measure(const char *name, int calls, bool waits, Call call) {
  std::vector<double> times;
  if (isSmall) calls = 2;
  // Until V8 has compiled what hands over: a loop of training makes as many calls in a second.
  for (int i = 0; i < 5000 && !waits && !isSmall; i++) call();
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
  const int n = isSmall ? 64 : 3072, big = isSmall ? 1 << 16 : 1 << 26;
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
  cusolverDnHandle_t solver; cusolverDnCreate(&solver);
  // A matrix that is its own factor at every call: the unit matrix.
  std::vector<float> unit(64 * 64);
  for (int i = 0; i < 64; i++) unit[65 * i] = 1;
  float *matrix, *room; int size = 0, *info;
  cudaMalloc(&matrix, unit.size() * 4); cudaMalloc(&info, 4);
  cudaMemcpy(matrix, unit.data(), unit.size() * 4, cudaMemcpyHostToDevice);
  cusolverDnSpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, 64, matrix, 64, &size);
  cudaMalloc(&room, 4ull * size + 16);
  measure("cusolverDnSpotrf-64", 500, false, [&] {
    cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 64, matrix, 64, room, size, info);
  });
  cublasLtHandle_t lt; cublasLtCreate(&lt);
  cublasLtMatmulDesc_t product; cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayout_t small; cublasLtMatrixLayoutCreate(&small, CUDA_R_32F, 64, 64, 64);
  measure("cublasLtMatmul-64", 500, false, [&] {
    cublasLtMatmul(lt, product, &one, a, small, b, small, &zero, c, small, c, small, nullptr, nullptr, 0, 0);
  });
  ncclComm_t ranks; int first = 0; ncclCommInitAll(&ranks, 1, &first);
  measure("ncclAllReduce-256", 500, false, [&] { ncclAllReduce(a, c, 256, ncclFloat, ncclSum, ranks, 0); });
  // about a millisecond each
  measure("cublasSgemm-3072", 40, true, [&] {
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
  });
  cufftHandle large; cufftPlan1d(&large, 4096, CUFFT_C2C, big / 4096);
  measure("cufftExecC2C-2^26", 40, true, [&] {
    cufftExecC2C(large, (cufftComplex *)a, (cufftComplex *)b, CUFFT_FORWARD);
  });
  cublasLtMatrixLayout_t wide; cublasLtMatrixLayoutCreate(&wide, CUDA_R_32F, n, n, n);
  measure("cublasLtMatmul-3072", 40, true, [&] {
    cublasLtMatmul(lt, product, &one, a, wide, b, wide, &zero, c, wide, c, wide, nullptr, nullptr, 0, 0);
  });
  cusparseDnMatDescr_t dense, sum;
  const int many = isSmall ? 1 << 8 : 1 << 20;
  std::vector<int> starts(many + 1), places(2 * many);
  for (int i = 0; i <= many; i++) starts[i] = 2 * i;
  for (int i = 0; i < 2 * many; i++) places[i] = i % 2 == 0 ? i / 4 : many / 2 + i / 4;
  int *startsThere, *placesThere;
  cudaMalloc(&startsThere, starts.size() * 4); cudaMalloc(&placesThere, places.size() * 4);
  cudaMemcpy(startsThere, starts.data(), starts.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(placesThere, places.data(), places.size() * 4, cudaMemcpyHostToDevice);
  cusparseSpMatDescr_t long_; cusparseCreateCsr(&long_, many, many, 2 * many, startsThere, placesThere, a,
      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnMat(&dense, many, 64, 64, b, CUDA_R_32F, CUSPARSE_ORDER_ROW);
  cusparseCreateDnMat(&sum, many, 64, 64, c, CUDA_R_32F, CUSPARSE_ORDER_ROW);
  cusparseSpMM_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, long_,
      dense, &zero, sum, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes);
  void *workMM; cudaMalloc(&workMM, bytes + 16);
  measure("cusparseSpMM-2^20x64", 40, true, [&] {
    cusparseSpMM(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, long_, dense, &zero,
        sum, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, workMM);
  });
  float *square; const int order = isSmall ? 64 : 1024;
  std::vector<float> identity((size_t)order * order);
  for (int i = 0; i < order; i++) identity[(size_t)i * (order + 1)] = 1;
  cudaMalloc(&square, identity.size() * 4);
  cudaMemcpy(square, identity.data(), identity.size() * 4, cudaMemcpyHostToDevice);
  cusolverDnSpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, order, square, order, &size);
  float *roomThere; cudaMalloc(&roomThere, 4ull * size + 16);
  measure("cusolverDnSpotrf-1024", 40, true, [&] {
    cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, order, square, order, roomThere, size, info);
  });
  const size_t words = big;
  measure("ncclAllReduce-2^26", 40, true, [&] { ncclAllReduce(a, c, words, ncclFloat, ncclSum, ranks, 0); });
  cudnnTensorDescriptor_t l; cudnnCreateTensorDescriptor(&l);
  cudnnSetTensor4dDescriptor(l, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, isSmall ? 1 : 64, isSmall ? 4 : 64, 128, 128);
  measure("cudnnActivationForward-2^26", 100, true, [&] { cudnnActivationForward(dnn, act, &one, l, a, &zero, l, b); });
  // Graphs of captured calls: what their launches cost.
  cudaStream_t stream; cudaStreamCreate(&stream);
  cublasSetStream(blas, stream);
  auto graph_of = [&](auto work) {
    cudaGraph_t graph; cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    work();
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    return exec;
  };
  cudaGraphExec_t saxpys = graph_of([&] { for (int i = 0; i < 8; i++) cublasSaxpy(blas, 256, &one, a, 1, b, 1); });
  measure("graph-8-cublasSaxpy-256", 500, false, [&] { cudaGraphLaunch(saxpys, stream); });
  cudaGraphExec_t gemm = graph_of([&] {
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
  });
  measure("graph-cublasSgemm-3072", 40, true, [&] { cudaGraphLaunch(gemm, stream); });
  return 0;
}
