// Times all contenders in random order, with a cold L2 cache, and compares every eighth row of their first and last
// results with those of a naive kernel.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>
#include "contender.h"
#define DECLARE(name) std::function<void()> name(const Inputs &);
CONTENDERS(DECLARE)
struct Entry { const char *name; std::function<void()> (*make)(const Inputs &); };
#define ENTRY(name) {#name, name},
static const Entry entries[] = {CONTENDERS(ENTRY)};
__global__ void fill(__nv_bfloat16 *x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned h = (unsigned)i * 2654435761u ^ seed;
    h ^= h >> 16, h *= 0x85ebca6b, h ^= h >> 13, h *= 0xc2b2ae35, h ^= h >> 16;
    x[i] = __float2bfloat16((h >> 8) * 0x1p-23f - 1);
  }
}
__global__ void naive(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const int *ends, float *c, int m, int n, int k,
                      int every) {
  int column = blockIdx.x * 64 + threadIdx.x, row = (blockIdx.y * 8 + threadIdx.y) * every, group = 0;
  if (row >= m || column >= n) return;
  while (row >= ends[group]) group++;
  const __nv_bfloat16 *own = b + (size_t)group * k * n;
  float sum = 0;
  for (int i = 0; i < k; i++)
    sum += __bfloat162float(a[(size_t)row * k + i]) * __bfloat162float(own[(size_t)i * n + column]);
  c[(size_t)(row / every) * n + column] = sum;
}
__global__ void compare(const __nv_bfloat16 *c, const float *r, int rows, int n, int every, int *wrong) {
  size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)rows * n; i += step) {
    float x = __bfloat162float(c[i / n * every * n + i % n]), y = r[i];
    if (!(fabsf(x - y) <= fabsf(y) * 0x1p-8f + 4e-3f)) atomicAdd(wrong, 1);
  }
}
__global__ void flush(const float4 *x, size_t n, float *out) {
  float s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float4 v = x[i];
    s += v.x + v.y + v.z + v.w;
  }
  if (s == 12345.678f) *out = s;
}
int main() {
  struct Case { int m, n, k, groups; bool even; unsigned seed; };
  Case cases[] = {{16384, 4096, 2048, 8, true, 0}, {16384, 4096, 2048, 8, false, 1}, {16384, 4096, 2048, 8, false, 2},
                  {16384, 1408, 2048, 32, false, 3}, {16384, 14336, 4096, 8, false, 4}};
  float4 *junk; float *out; cudaMalloc(&junk, 256 << 20); cudaMemset(junk, 0, 256 << 20); cudaMalloc(&out, 4);
  cudaDeviceProp props; cudaGetDeviceProperties(&props, 0); printf("%s\n", props.name);
  for (const Case &x : cases) {
    std::mt19937 random(x.seed);
    std::vector<int> ends;
    for (int g = 1; g < x.groups; g++) ends.push_back(x.even ? x.m / x.groups * g : random() % (x.m + 1));
    std::sort(ends.begin(), ends.end());
    ends.push_back(x.m);
    __nv_bfloat16 *a, *b, *c; int *dends, *wrong; float *ref;
    int every = 8, rows = x.m / every;
    cudaMalloc(&a, 2ull * x.m * x.k); cudaMalloc(&b, 2ull * x.groups * x.k * x.n); cudaMalloc(&c, 2ull * x.m * x.n);
    cudaMalloc(&dends, 4 * x.groups); cudaMalloc(&wrong, 4); cudaMalloc(&ref, 4ull * rows * x.n);
    cudaMemcpy(dends, ends.data(), 4 * x.groups, cudaMemcpyHostToDevice);
    fill<<<1024, 256>>>(a, (size_t)x.m * x.k, 1); fill<<<1024, 256>>>(b, (size_t)x.groups * x.k * x.n, 2);
    naive<<<dim3((x.n + 63) / 64, (rows + 7) / 8), dim3(64, 8)>>>(a, b, dends, ref, x.m, x.n, x.k, every);
    Inputs in = {a, b, c, ends.data(), dends, x.m, x.n, x.k, x.groups};
    printf("groups %d, %d x %d x %d, %s seed %u:", x.groups, x.m, x.n, x.k, x.even ? "even" : "random", x.seed);
    for (int g = 0; g < std::min(x.groups, 8); g++) printf(" %d", ends[g]);
    printf("\n");
    std::vector<std::function<void()>> runs;
    std::vector<int> order;
    std::vector<std::vector<float>> times;
    for (auto &e : entries) { order.push_back(runs.size()); runs.push_back(e.make(in)); times.push_back({}); }
    std::vector<std::string> verdicts(runs.size());
    cudaEvent_t begin, end; cudaEventCreate(&begin); cudaEventCreate(&end);
    for (int rep = 0; rep < 24; rep++) {
      std::shuffle(order.begin(), order.end(), random);
      for (int i : order) {
        if (!runs[i]) continue;
        if (rep == 0 || rep == 23) cudaMemsetAsync(c, 255, 2ull * x.m * x.n);
        flush<<<1056, 256>>>(junk, (256u << 20) / 16, out);
        cudaEventRecord(begin); runs[i](); cudaEventRecord(end);
        cudaError_t status = cudaEventSynchronize(end);
        if (status == cudaSuccess) status = cudaGetLastError();
        if (status != cudaSuccess) {
          printf("  %s: %s\n", entries[i].name, cudaGetErrorString(status));
          return 1;
        }
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        if (rep > 1) times[i].push_back(ms * 1000);
        if (rep == 0 || rep == 23) {
          cudaMemsetAsync(wrong, 0, 4); compare<<<1024, 256>>>(c, ref, rows, x.n, every, wrong);
          int w;
          cudaMemcpy(&w, wrong, 4, cudaMemcpyDeviceToHost); verdicts[i] += w ? " WRONG " + std::to_string(w) : " ok";
        }
      }
    }
    for (size_t i = 0; i < runs.size(); i++) {
      if (!runs[i]) { printf("  %-24s cannot\n", entries[i].name); continue; }
      auto &t = times[i]; std::sort(t.begin(), t.end());
      double median = t[t.size() / 2];
      printf("  %-24s %8.1f us (%.1f .. %.1f) %6.1f TFLOP/s%s\n", entries[i].name, median, t[t.size() / 4],
             t[t.size() * 3 / 4], 2.0 * x.m * x.n * x.k / median * 1e-6, verdicts[i].c_str());
    }
    fflush(stdout);
    cudaFree(a); cudaFree(b); cudaFree(c); cudaFree(dends); cudaFree(ref);
  }
}
