// What the programs of bench/gpu share: they print lines "name microseconds", which programs.mjs compares.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The GPU's time for one call, by events around several in a row.
template <typename F>
void timeOnGpu(const char *name, F f, int calls = 10, int rounds = 7) {
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  std::vector<double> times;
  for (int round = -1; round < rounds; round++) {
    CHECK(cudaEventRecord(from));
    for (int i = 0; i < calls; i++) f();
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    if (round >= 0) times.push_back(ms * 1000.0 / calls);
  }
  CHECK(cudaGetLastError());
  printf("%s %.3f\n", name, median(times));
  fflush(stdout);
}

// The time from the call to its end, as the program sees it.
template <typename F>
void timeOnHost(const char *name, F f, int rounds = 30) {
  std::vector<double> times;
  for (int round = -3; round < rounds; round++) {
    auto start = std::chrono::steady_clock::now();
    f();
    std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
    if (round >= 0) times.push_back(passed.count());
  }
  CHECK(cudaGetLastError());
  printf("%s %.3f\n", name, median(times));
  fflush(stdout);
}
