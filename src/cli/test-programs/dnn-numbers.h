// What tests of cuDNN share: checks, random numbers, arrays on the device.
#pragma once
#include <cudnn.h>
#include <cmath>
#include <cstdio>
#include <vector>

typedef std::vector<double> Numbers;
static cudnnHandle_t handle;
static int failures = 0;
#define CHECK(CALL) \
  do { \
    cudnnStatus_t s = (CALL); \
    if (s) { \
      printf("line %d: %s\n", __LINE__, cudnnGetErrorString(s)); \
      failures++; \
    } \
  } while (0)
#define EXPECT(STATUS, CALL) \
  do { \
    cudnnStatus_t s = (CALL); \
    if (s != STATUS) { \
      printf("line %d: %s, not " #STATUS "\n", __LINE__, cudnnGetErrorString(s)); \
      failures++; \
    } \
  } while (0)

static unsigned state = 1;
static unsigned random_bits() {
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}
static double number() { return (random_bits() % 2001 - 1000.0) / 1000; }
static Numbers numbers(size_t count, double scale = 1) {
  Numbers all(count);
  for (double &one : all) one = scale * number();
  return all;
}
static double dot(const Numbers &a, const Numbers &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); i++) sum += a[i] * b[i];
  return sum;
}
static Numbers moved(const Numbers &a, const Numbers &direction, double by) {
  Numbers b = a;
  for (size_t i = 0; i < a.size(); i++) b[i] += by * direction[i];
  return b;
}
template <class T> struct Array {
  T *data = nullptr;
  size_t count;
  explicit Array(size_t count) : count(count) {
    cudaMalloc(&data, (count + 1) * sizeof(T));
    cudaMemset(data, 0, (count + 1) * sizeof(T));
  }
  explicit Array(const std::vector<T> &from) : Array(from.size()) {
    cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> read() const {
    std::vector<T> host(count);
    cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }
  Array(const Array &) = delete;
  ~Array() { cudaFree(data); }
};
