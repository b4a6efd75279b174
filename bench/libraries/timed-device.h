// The same for programs that Heddle runs.
#pragma once
#include <cuda_runtime.h>
#include "timed.h"

template <class T> T *on_device(const std::vector<T>& values) {
  T *memory;
  if (cudaMalloc(&memory, values.size() * sizeof(T)) != cudaSuccess) fprintf(stderr, "no memory\n"), exit(1);
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}
template <class T> void write_device(const char *file, const T *memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  write_result(file, values.data(), count);
}
inline void want(int status, const char *what) {
  if (status != 0) fprintf(stderr, "%s: status %d\n", what, status), exit(1);
}
