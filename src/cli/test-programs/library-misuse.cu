// Pairs of wrong and right calls of libraries, for `heddle check`: NAME_wrong has one call that is reported, in the line
// marked "// ! KIND: STATUS"; NAME_right does the same as it should. Arguments name those that run.
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <nccl.h>
#include <cstdio>
#include <cstring>

struct Case {
  const char *name;
  void (*run)();
  Case *next;
  static Case *first;
  Case(const char *name, void (*run)()) : name(name), run(run), next(first) { first = this; }
};
Case *Case::first = nullptr;
#define PAIR(name)                     \
  static void name();                  \
  static Case case_##name(#name, name); \
  static void name()

static float *zeros(int n) {
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  return x;
}
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

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    for (Case *c = Case::first; c; c = c->next)
      if (!strcmp(c->name, argv[i])) c->run();
  return 0;
}
