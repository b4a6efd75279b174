// Kernels that launch kernels, checked here against what the host computes. -DCUDA_FORCE_CDP1_IF_SUPPORTED adds the
// waiting of the first generation.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "launched-quicksort.h"

static int failures = 0;
#define CHECK(condition) \
  if (!(condition)) failures++, printf("line %d: %s\n", __LINE__, #condition)

struct Mixed { char a; double b; short c; int *p; };
static __device__ int counter;
__device__ int log_length, log_entries[4096];
static __device__ void note(int entry) { log_entries[atomicAdd(&log_length, 1)] = entry; }

// ---- arguments, kernels of every kind of linkage
namespace { __global__ void anonymous(int x) { counter += x; } }
static __global__ void internal(int x) { counter += x; }
template <class T> __global__ void templated(T *out, T value) { out[threadIdx.x] = value + (T)threadIdx.x; }
__global__ void mixed(char first, Mixed m, long long last, float f) {
  if (first == 'x' && m.a == 'y' && m.c == 7 && last == 1234567890123ll && f == 0.5f) m.p[0] = (int)m.b;
}
__global__ void arguments(int *out, double *doubles) {
  anonymous<<<1, 1>>>(1);
  internal<<<1, 1>>>(10);
  templated<<<1, 4>>>(doubles, 0.25);
  templated<int><<<1, dim3(2, 1, 1), 16>>>(out + 1, 5);
  mixed<<<1, 1>>>('x', Mixed{'y', 42.9, 7, out}, 1234567890123ll, 0.5f);
}

// ---- order: a block's launches one after the other, each with its own; the tail last
__global__ void leaf(int entry) { note(entry); }
__global__ void branch(int entry) { note(entry); leaf<<<1, 1>>>(entry + 1); leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(entry + 2); }
__global__ void ordered() {
  leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(90);
  branch<<<1, 1>>>(10);
  branch<<<1, 1>>>(20);
  leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(91);
  note(1);
}
__global__ void many_blocks(int *out) { if (threadIdx.x == blockIdx.x % 32) templated<<<1, 32>>>(out + 32 * blockIdx.x, (int)blockIdx.x); }

// ---- copies and fills between launches
__global__ void twice(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= 2; }
__global__ void copies(int *a, int *b, cudaError_t *e) {
  cudaMemsetAsync(a, 1, 32);
  twice<<<1, 32>>>(a, 8);
  cudaMemcpyAsync(b, a, 32, cudaMemcpyDeviceToDevice);
  twice<<<1, 32>>>(a, 8);
  e[0] = cudaMemcpyAsync(b, a, 32, cudaMemcpyHostToDevice);
  e[1] = cudaGetLastError();
}

// ---- errors, each a thread's own
__global__ void too_many_threads(int) {}
__global__ void __launch_bounds__(64) bounded() {}
__global__ void wrong(cudaError_t *e, int *none) {
  if (threadIdx.x == 1) { too_many_threads<<<1, 2048>>>(0); e[0] = cudaPeekAtLastError(), e[1] = cudaGetLastError(), e[2] = cudaGetLastError(); }
  if (threadIdx.x == 2) { too_many_threads<<<0, 1>>>(0); e[3] = cudaGetLastError(); }
  if (threadIdx.x == 3) { too_many_threads<<<1, 1, 1 << 20>>>(0); e[4] = cudaGetLastError(); }
  if (threadIdx.x == 4) { bounded<<<1, 128>>>(); e[5] = cudaGetLastError(); }
  if (threadIdx.x == 5) { cudaStream_t s; e[6] = cudaStreamCreateWithFlags(&s, 0); }
  if (threadIdx.x == 6) { too_many_threads<<<1, dim3(1, 1, 128)>>>(0); e[7] = cudaGetLastError(); }
  if (threadIdx.x == 7) { bounded<<<1, 64>>>(); e[8] = cudaGetLastError(); }
}
__global__ void deep(int depth, int *deepest, cudaError_t *e) {
  *deepest = depth;
  deep<<<1, 1>>>(depth + 1, deepest, e);
  if (cudaError_t error = cudaGetLastError()) *e = error;
}
__global__ void pending(int n, int *succeeded, cudaError_t *e) {
  for (int i = 0; i < n; i++) {
    internal<<<1, 1>>>(1);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) ++*succeeded;
    else *e = error;
  }
}

#if defined(CUDA_FORCE_CDP1_IF_SUPPORTED)
// ---- waiting
__global__ void add_to(int *p, int x) { p[blockIdx.x * blockDim.x + threadIdx.x] += x; }
__global__ void waits(int *p, int *sums) {
  __shared__ int kept[64];
  kept[threadIdx.x] = threadIdx.x + 100 * blockIdx.x;
  int own = threadIdx.x * 3;
  for (int round = 1; round <= 3; round++) {
    __syncthreads();
    if (threadIdx.x == 0) { add_to<<<2, 32>>>(p + 64 * blockIdx.x, round); cudaDeviceSynchronize(); }
    __syncthreads();
    atomicAdd(&sums[blockIdx.x], p[64 * blockIdx.x + threadIdx.x]);
  }
  if (kept[threadIdx.x] != threadIdx.x + 100 * blockIdx.x || own != threadIdx.x * 3) sums[blockIdx.x] = -1;
}
__global__ void fibonacci(int n, int *result) {
  if (n < 2) { *result = n; return; }
  int *parts = (int *)malloc(2 * sizeof(int));
  fibonacci<<<1, 1>>>(n - 1, parts);
  fibonacci<<<1, 1>>>(n - 2, parts + 1);
  cudaDeviceSynchronize();
  *result = parts[0] + parts[1];
  free(parts);
}
__global__ void sync_depth(int depth, cudaError_t *e) {
  if (depth < 4) sync_depth<<<1, 1>>>(depth + 1, e);
  e[depth] = cudaDeviceSynchronize();
}
#endif

template <class T> std::vector<T> read(const T *p, int n) {
  std::vector<T> v(n);
  CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
  return v;
}

int main() {
  int *ints; double *doubles; cudaError_t *errors;
  cudaMalloc(&ints, 1 << 16); cudaMalloc(&doubles, 64); cudaMalloc(&errors, 64);
  auto clear = [&] { cudaMemset(ints, 0, 1 << 16); cudaMemset(errors, 0, 64); int zero = 0;
    cudaMemcpyToSymbol(counter, &zero, 4); cudaMemcpyToSymbol(log_length, &zero, 4); };
  auto counted = [] { int n; cudaMemcpyFromSymbol(&n, counter, 4); return n; };

  clear();
  arguments<<<1, 1>>>(ints, doubles);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(counted() == 11);
  CHECK((read(doubles, 4) == std::vector<double>{0.25, 1.25, 2.25, 3.25}));
  CHECK((read(ints, 4) == std::vector<int>{42, 5, 6, 0}));

  for (int n : {1, 2, 9, 1000, 3000}) {
    std::vector<int> data(n);
    for (int &x : data) x = rand() % 500;
    cudaMemcpy(ints, data.data(), n * 4, cudaMemcpyHostToDevice);
    quicksort<<<1, 1>>>(ints, 0, n - 1, 0);
    std::sort(data.begin(), data.end());
    CHECK(read(ints, n) == data);
  }

  clear();
  ordered<<<1, 1>>>();
  int length, entries[16];
  cudaMemcpyFromSymbol(&length, log_length, 4); cudaMemcpyFromSymbol(entries, log_entries, sizeof entries);
  CHECK((std::vector<int>(entries, entries + std::min(16, length)) == std::vector<int>{1, 10, 11, 12, 20, 21, 22, 90, 91}));

  clear();
  many_blocks<<<300, 32>>>(ints);
  std::vector<int> values = read(ints, 300 * 32);
  for (int i = 0; i < 300 * 32; i++) if (values[i] != i / 32 + i % 32) { CHECK(!"many blocks"); break; }

  clear();
  copies<<<1, 1>>>(ints, ints + 16, errors);
  CHECK(read(ints, 1)[0] == 0x04040404 && read(ints, 8)[7] == 0x04040404 && read(ints + 16, 8)[7] == 0x02020202);
  CHECK((read(errors, 2) == std::vector<cudaError_t>(2, cudaErrorInvalidMemcpyDirection)));

  clear();
  wrong<<<1, 32>>>(errors, ints);
  CHECK((read(errors, 9) == std::vector<cudaError_t>{cudaErrorInvalidConfiguration, cudaErrorInvalidConfiguration, cudaSuccess,
    cudaErrorInvalidConfiguration, cudaErrorInvalidValue, cudaErrorInvalidValue, cudaErrorInvalidValue,
    cudaErrorInvalidConfiguration, cudaSuccess}));
  deep<<<1, 1>>>(0, ints, errors);
  CHECK(read(ints, 1)[0] == 24 && read(errors, 1)[0] == cudaErrorLaunchMaxDepthExceeded);

  clear();
  pending<<<1, 1>>>(3000, ints, errors);
  CHECK(read(ints, 1)[0] == 3000 && counted() == 3000);
  cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100);
  clear();
  pending<<<1, 1>>>(150, ints, errors);
  CHECK(read(ints, 1)[0] == 100 && counted() == 100 && read(errors, 1)[0] == cudaErrorLaunchPendingCountExceeded);
  cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 2048);

#if defined(CUDA_FORCE_CDP1_IF_SUPPORTED)
  clear();
  waits<<<40, 64>>>(ints, ints + 8192);
  for (int sum : read(ints + 8192, 40)) if (sum != 64 * (1 + 3 + 6)) { CHECK(!"waits"); break; }
  sync_depth<<<1, 1>>>(0, errors);
  CHECK((read(errors, 5) == std::vector<cudaError_t>{cudaSuccess, cudaSuccess, cudaErrorSyncDepthExceeded,
    cudaErrorSyncDepthExceeded, cudaErrorSyncDepthExceeded}));
  cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 16);
  fibonacci<<<1, 1>>>(10, ints);
  CHECK(read(ints, 1)[0] == 55);
#endif
  CHECK(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess);
  if (failures == 0) printf("PASSED\n");
  return failures != 0;
}
