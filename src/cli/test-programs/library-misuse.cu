// Pairs of wrong and right calls of libraries, for `heddle check`: NAME_wrong has one call that is reported, in the line
// marked "// ! KIND: STATUS"; NAME_right does the same as it should. Arguments name those that run.
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <nccl.h>
#include <nvrtc.h>
#include <atomic>
#include <chrono>
#include <thread>
#include <cstdio>
#include "misuse-pairs.h"

static const float one = 1;

PAIR(product_wrong) {
  cublasHandle_t h;
  float *x = zeros(64);
  cublasCreate(&h);
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, x, 2, x, 4, &one, x + 32, 4); // ! library-argument: CUBLAS_STATUS_INVALID_VALUE
  cublasDestroy(h);
  cudaFree(x);
}
PAIR(product_right) {
  cublasHandle_t h;
  float *x = zeros(64);
  cublasCreate(&h);
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, x, 4, x, 4, &one, x + 32, 4);
  cublasDestroy(h);
  cudaFree(x);
}

PAIR(handle_wrong) {
  cublasHandle_t h;
  float *x = zeros(16);
  cublasCreate(&h);
  cublasDestroy(h);
  cublasSscal(h, 16, &one, x, 1); // ! library-handle: CUBLAS_STATUS_NOT_INITIALIZED
  cudaFree(x);
}
PAIR(handle_right) {
  cublasHandle_t h;
  float *x = zeros(16);
  cublasCreate(&h);
  cublasSscal(h, 16, &one, x, 1);
  cublasDestroy(h);
  cudaFree(x);
}

PAIR(plan_wrong) {
  cufftHandle plan;
  cufftComplex *x = (cufftComplex *)zeros(16);
  cufftPlan1d(&plan, 8, CUFFT_C2C, 1);
  cufftDestroy(plan);
  cufftExecC2C(plan, x, x, CUFFT_FORWARD); // ! library-handle: CUFFT_INVALID_PLAN
  cudaFree(x);
}
PAIR(plan_right) {
  cufftHandle plan;
  cufftComplex *x = (cufftComplex *)zeros(16);
  cufftPlan1d(&plan, 8, CUFFT_C2C, 1);
  cufftExecC2C(plan, x, x, CUFFT_FORWARD);
  cufftDestroy(plan);
  cudaFree(x);
}

PAIR(generator_wrong) {
  curandGenerator_t g;
  float x[3];
  curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_XORWOW);
  curandGenerateNormal(g, x, 3, 0, 1); // ! library-argument: CURAND_STATUS_LENGTH_NOT_MULTIPLE
  curandDestroyGenerator(g);
}
PAIR(generator_right) {
  curandGenerator_t g;
  float x[4];
  curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_XORWOW);
  curandGenerateNormal(g, x, 4, 0, 1);
  curandDestroyGenerator(g);
}

// A capture records no numbers that the host makes, and in the global mode it refuses allocations.
template <class Call> static void captured(bool isBefore, cudaStream_t stream, Call call) {
  cudaGraph_t graph = nullptr;
  if (isBefore) call();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  if (!isBefore) call();
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
  cudaGetLastError();
}
static void capturedNumbers(bool isBefore) {
  curandGenerator_t g;
  cudaStream_t stream;
  float *x = zeros(4);
  cudaStreamCreate(&stream);
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10), curandSetStream(g, stream);
  captured(isBefore, stream, [=] {
    curandGenerateUniform(g, x, 4); // ! library-capture: cudaMalloc in captured_numbers_wrong
  });
  curandDestroyGenerator(g), cudaStreamDestroy(stream), cudaFree(x);
}
PAIR(captured_numbers_wrong) { capturedNumbers(false); }
PAIR(captured_numbers_right) { capturedNumbers(true); }
static void capturedPlan(bool isBefore) {
  cudaStream_t stream;
  cufftHandle plan = 0;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  captured(isBefore, stream, [&] {
    cufftPlan1d(&plan, 1009, CUFFT_C2C, 1); // ! library-capture: cudaMalloc in captured_plan_wrong
  });
  if (plan) cufftDestroy(plan);
  cudaStreamDestroy(stream);
}
PAIR(captured_plan_wrong) { capturedPlan(false); }
PAIR(captured_plan_right) { capturedPlan(true); }

static void reduce(bool bothRanks) {
  ncclComm_t comms[2];
  float *x[2];
  ncclCommInitAll(comms, 2, nullptr);
  for (int i = 0; i < 2; i++) cudaSetDevice(i), x[i] = zeros(8);
  ncclGroupStart();
  for (int i = 0; i < (bothRanks ? 2 : 1); i++) ncclAllReduce(x[i], x[i], 8, ncclFloat, ncclSum, comms[i], 0);
  ncclGroupEnd(); // ! library-rank: ncclRemoteError in rank_wrong
  for (int i = 0; i < 2; i++) cudaSetDevice(i), cudaDeviceSynchronize(), cudaFree(x[i]), ncclCommAbort(comms[i]);
}
PAIR(rank_wrong) { reduce(false); }
PAIR(rank_right) { reduce(true); }

// What a library's function calls of its own library is not reported: one call, one finding.
PAIR(nested_wrong) {
  cublasHandle_t h;
  float *x = zeros(16);
  cublasCreate(&h);
  cublasSscal_64(nullptr, 16, &one, x, 1); // ! library-handle: CUBLAS_STATUS_NOT_INITIALIZED
  cublasDestroy(h);
  cudaFree(x);
}
PAIR(nested_right) {
  cublasHandle_t h;
  float *x = zeros(16);
  cublasCreate(&h);
  cublasSscal_64(h, 16, &one, x, 1);
  cublasDestroy(h);
  cudaFree(x);
}

static void compileAtRunTime(const char *const option) {
  nvrtcProgram p;
  nvrtcCreateProgram(&p, "extern \"C\" __global__ void k() {}", "k.cu", 0, nullptr, nullptr);
  nvrtcCompileProgram(p, 1, &option); // ! library-argument: NVRTC_ERROR_INVALID_OPTION in option_wrong
  nvrtcDestroyProgram(&p);
}
PAIR(option_wrong) { compileAtRunTime("--no-such-option"); }
PAIR(option_right) { compileAtRunTime("-arch=sm_80"); }
PAIR(program_wrong) {
  size_t bytes;
  nvrtcGetPTXSize(nullptr, &bytes); // ! library-handle: NVRTC_ERROR_INVALID_PROGRAM
}
PAIR(program_right) {
  int major, minor;
  nvrtcVersion(&major, &minor);
}

/// Calls `meanwhile` while another host thread waits inside of its library.
template <class Meanwhile> static void reduceOfThreads(Meanwhile meanwhile) {
  ncclComm_t comms[2];
  float *x[2];
  std::atomic<bool> isInside{false};
  ncclCommInitAll(comms, 2, nullptr);
  for (int i = 0; i < 2; i++) cudaSetDevice(i), x[i] = zeros(8);
  std::thread other([&] {
    cudaSetDevice(0);
    isInside = true;
    ncclAllReduce(x[0], x[0], 8, ncclFloat, ncclSum, comms[0], 0);
  });
  while (!isInside) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cublasHandle_t h;
  cublasCreate(&h);
  meanwhile(h, x[1]);
  cublasDestroy(h);
  ncclAllReduce(x[1], x[1], 8, ncclFloat, ncclSum, comms[1], 0);
  other.join();
  for (int i = 0; i < 2; i++) cudaSetDevice(i), cudaDeviceSynchronize(), cudaFree(x[i]), ncclCommDestroy(comms[i]);
}
// It hides no finding.
PAIR(threads_wrong) {
  reduceOfThreads([](cublasHandle_t, float *x) {
    cublasSscal(nullptr, 8, &one, x, 1); // ! library-handle: CUBLAS_STATUS_NOT_INITIALIZED
  });
}
PAIR(threads_right) {
  reduceOfThreads([](cublasHandle_t h, float *x) { cublasSscal(h, 8, &one, x, 1); });
}
// What a capture refuses this thread, its library does not ask.
static void captureMeanwhile(bool isOfLibrary) {
  reduceOfThreads([&](cublasHandle_t h, float *x) {
    float result;
    cudaStream_t stream;
    cudaGraph_t graph = nullptr;
    cudaStreamCreate(&stream), cublasSetStream(h, stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    if (isOfLibrary) cublasSdot(h, 4, x, 1, x + 4, 1, &result); // ! library-capture: cudaStreamSynchronize in threads_capture_wrong
    else if (cudaStreamSynchronize(stream) == cudaSuccess) exit(1); // ! call-in-capture
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    cudaGetLastError();
    cudaStreamDestroy(stream);
  });
}
PAIR(threads_capture_wrong) { captureMeanwhile(true); }
PAIR(threads_capture_right) { captureMeanwhile(false); }
