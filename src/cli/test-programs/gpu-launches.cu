// Kernels that launch kernels, in no order that a GPU would not keep. It runs on the emulated device and on a GPU.
#include <algorithm>
#include <cstdio>
#include <vector>
#include "launched-quicksort.h"

static int failures = 0;
#define CHECK(condition) \
  if (!(condition)) failures++, printf("line %d: %s\n", __LINE__, #condition)

struct Mixed { char a; double b; short c; int *p; };
static __device__ int counter;
static __constant__ int factors[2] = {3, 5};

// ---- arguments of every size, kernels of every kind of linkage, a child's own memories
namespace { __global__ void anonymous(int x) { atomicAdd(&counter, x); } }
static __global__ void internal(int x) { atomicAdd(&counter, x * factors[1]); }
template <class T> __global__ void templated(T *out, T value) { out[threadIdx.x] = value + (T)threadIdx.x; }
__global__ void mixed(char first, Mixed m, long long last, float f, char end) {
  if (first == 'x' && m.a == 'y' && m.c == 7 && last == 1234567890123ll && f == 0.5f && end == 'z') m.p[0] = (int)m.b;
}
__global__ void empty() { atomicAdd(&counter, 100); }
__global__ void places(int *out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * 24 + thread] = block * 1000 + thread;
}
__global__ void reversed(int *out) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[32];
  dynamic[threadIdx.x] = threadIdx.x;
  fixed[threadIdx.x] = 100;
  __syncthreads();
  out[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x] + fixed[(threadIdx.x + 1) % 32];
}
__global__ void arguments(int *out, double *doubles) {
  anonymous<<<1, 1>>>(1);
  internal<<<1, 2>>>(1);
  empty<<<1, 1>>>();
  templated<<<1, 4>>>(doubles, 0.25);
  templated<int><<<1, dim3(2, 1, 1), 16>>>(out + 1, 5);
  mixed<<<1, 1>>>('x', Mixed{'y', 42.9, 7, out}, 1234567890123ll, 0.5f, 'z');
  places<<<dim3(2, 3, 4), dim3(4, 3, 2)>>>(out + 64);
  reversed<<<1, 32, 32 * sizeof(int)>>>(out + 16);
}

// ---- two kernels that launch each other; the tail begins when all others have ended
__global__ void odd(int n, int *steps);
__global__ void even(int n, int *steps) { ++*steps; if (n > 0) odd<<<1, 1>>>(n - 1, steps); }
__global__ void odd(int n, int *steps) { ++*steps; if (n > 0) even<<<1, 1>>>(n - 1, steps); }
__global__ void add_slowly(int *sum) {
  for (int i = 0; i < 2000; i++) __threadfence();
  atomicAdd(sum, 1);
}
__global__ void take(const int *sum, int *result) { *result = *sum; }
__global__ void with_tail(int *sum, int *result) {
  if (threadIdx.x == 0) take<<<1, 1, 0, cudaStreamTailLaunch>>>(sum, result);
  add_slowly<<<1, 32>>>(sum);
}

// ---- copies, fills and events; the heap
__global__ void twice(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= 2; }
// Fills are in device-launches.cu: those of NVIDIA's runtime (CUDA 13.0) write zeros, whatever the value.
__global__ void copies(const int *from, int *a, int *b, int *errors) {
  cudaStream_t s, t;
  cudaEvent_t e;
  errors[0] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  errors[1] = cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  errors[2] = cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  errors[3] = cudaMemcpyAsync(a, from, 32, cudaMemcpyDeviceToDevice, s);
  twice<<<1, 32, 0, s>>>(a, 8);
  errors[4] = cudaEventRecord(e, s);
  errors[5] = cudaStreamWaitEvent(t, e, 0);
  errors[6] = cudaMemcpyAsync(b, a, 32, cudaMemcpyDeviceToDevice, t);
  twice<<<1, 32, 0, t>>>(b, 8);
  errors[7] = cudaEventDestroy(e);
  errors[8] = cudaStreamDestroy(s);
  errors[9] = cudaStreamDestroy(t);
  errors[10] = cudaGetLastError();
}
__global__ void read_and_free(int *p, int *out) { *out = p[0] + p[9]; free(p); }
__global__ void on_heap(int *out) {
  int *p = (int *)malloc(40), *q;
  if (cudaMalloc(&q, 40) != cudaSuccess) return;
  p[0] = q[0] = 4, p[9] = q[9] = 5;
  read_and_free<<<1, 1>>>(p, out);
  out[1] = q[0] + q[9];
  cudaFree(q);
}

// ---- errors, each a thread's own
__global__ void wrong(int *e) {
  if (threadIdx.x == 1) {
    templated<int><<<1, 2048>>>(e, 0);
    e[0] = cudaPeekAtLastError(), e[1] = cudaGetLastError(), e[2] = cudaGetLastError();
  }
  if (threadIdx.x == 2) e[3] = cudaGetLastError();
}

// ---- many at once, and what they print
__global__ void tell(int from) { if (threadIdx.x == 0) printf("a child of block %d\n", from); }
__global__ void tells() { tell<<<1, 32>>>(blockIdx.x); }
__global__ void many(int *out) {
  int child = blockIdx.x * 8 + threadIdx.x;
  if (threadIdx.x < 8) templated<<<1, 32>>>(out + 32 * child, child);
}

template <class T> std::vector<T> read(const T *p, int n) {
  std::vector<T> v(n);
  CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
  return v;
}

int main() {
  int *ints;
  double *doubles;
  const int N = 1 << 15;
  cudaMalloc(&ints, N * sizeof(int));
  cudaMalloc(&doubles, 64);
  cudaMemset(ints, 0, N * sizeof(int));

  arguments<<<1, 1>>>(ints, doubles);
  auto v = read(ints, 64 + 24 * 24);
  CHECK(v[0] == 42 && v[1] == 5 && v[2] == 6 && v[3] == 0);
  for (int i = 0; i < 32; i++) CHECK(v[16 + i] == 131 - i);
  for (int i = 0; i < 24 * 24; i++) CHECK(v[64 + i] == i / 24 * 1000 + i % 24);
  auto d = read(doubles, 4);
  CHECK(d[0] == 0.25 && d[3] == 3.25);
  int count = 0;
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  CHECK(count == 1 + 10 + 100);

  std::vector<int> data(2000);
  for (unsigned i = 0, x = 1; i < data.size(); i++, x = x * 1664525 + 1013904223) data[i] = (int)(x >> 8) % 1000;
  cudaMemcpy(ints, data.data(), data.size() * sizeof(int), cudaMemcpyHostToDevice);
  quicksort<<<1, 1>>>(ints, 0, (int)data.size() - 1, 0);
  std::sort(data.begin(), data.end());
  CHECK(read(ints, (int)data.size()) == data);

  cudaMemset(ints, 0, N * sizeof(int));
  even<<<1, 1>>>(9, ints);
  with_tail<<<1, 64>>>(ints + 1, ints + 2);
  v = read(ints, 3);
  CHECK(v[0] == 10 && v[1] == 64 * 32 && v[2] == 64 * 32);

  cudaMemset(ints + 128, 1, 32);
  copies<<<1, 1>>>(ints + 128, ints, ints + 32, ints + 64);
  v = read(ints, 96);
  for (int i = 0; i < 8; i++)
    if (v[i] != 0x02020202 || v[32 + i] != 0x04040404) failures++, printf("copies %d: %x %x\n", i, v[i], v[32 + i]);
  for (int i = 0; i < 11; i++) CHECK(v[64 + i] == cudaSuccess);

  on_heap<<<1, 1>>>(ints);
  v = read(ints, 2);
  CHECK(v[0] == 9 && v[1] == 9);

  wrong<<<1, 32>>>(ints);
  v = read(ints, 4);
  CHECK(v[0] != cudaSuccess && v[1] == v[0] && v[2] == cudaSuccess && v[3] == cudaSuccess);

  many<<<128, 32>>>(ints);
  v = read(ints, N);
  int bad = 0;
  for (int i = 0; i < N; i++) bad += v[i] != i / 32 + i % 32;
  CHECK(bad == 0);

  tells<<<2, 1>>>();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  printf(failures == 0 ? "PASSED\n" : "FAILED\n");
  return failures != 0;
}
