// The address of a __constant__ variable as a kernel's argument: in a struct and by itself, before and after the host has changed the variable. Runs on both devices.
#include <cstdio>
#include <cuda_runtime.h>

__constant__ int table[64];
__constant__ float unused[4] = {1, 2, 3, 4};
struct View { const int *first; int count; };

__global__ void sum(const int *p, int n, int *out) {
  int s = 0;
  for (int i = 0; i < n; i++) s += p[i];
  *out = s;
}
__global__ void sumOfView(View view, int *out) {
  int s = 0;
  for (int i = 0; i < view.count; i++) s += view.first[i];
  *out = s + table[0];
}
__global__ void floats(const float *p, float *out) { *out = p[0] + p[3] + unused[1]; }

int main() {
  int *out, values[64], errors = 0, got = -1;
  cudaMalloc(&out, 4);
  auto expect = [&](const char *what, int wanted) {
    cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost);
    cudaError_t error = cudaGetLastError();
    if (got != wanted || error != cudaSuccess) printf("%s: %d, not %d (%s)\n", what, got, wanted, cudaGetErrorName(error)), errors++;
  };
  for (int i = 0; i < 64; i++) values[i] = i;
  cudaMemcpyToSymbol(table, values, sizeof values);
  void *address, *behind;
  cudaGetSymbolAddress(&address, table);
  cudaGetSymbolAddress(&behind, unused);
  sum<<<1, 1>>>((const int *)address, 64, out);
  expect("before", 64 * 63 / 2);
  sumOfView<<<1, 1>>>(View{(const int *)address + 32, 32}, out);
  expect("in a struct", (32 + 63) * 16);
  for (int i = 0; i < 64; i++) values[i] = 2 * i + 1;
  cudaMemcpyToSymbol(table, values, 128, 128);
  sum<<<1, 1>>>((const int *)address + 32, 32, out);
  expect("half of it changed", 32 * (1 + 63) / 2);
  cudaMemcpy(address, values, 4, cudaMemcpyHostToDevice);
  sumOfView<<<1, 1>>>(View{(const int *)address, 1}, out);
  expect("changed by its address", 2);
  cudaMemset(address, 0, sizeof values);
  sum<<<1, 1>>>((const int *)address, 64, out);
  expect("cleared", 0);
  float *sums, result = 0;
  cudaMalloc(&sums, 4);
  floats<<<1, 1>>>((const float *)behind, sums);
  cudaMemcpy(&result, sums, 4, cudaMemcpyDeviceToHost);
  if (result != 7) printf("floats: %g\n", result), errors++;
  printf(errors ? "FAILED\n" : "PASSED\n");
  return errors != 0;
}
