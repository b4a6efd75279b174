// Half of an array is set, and a kernel does arithmetic on all of it; before, one copies all of it.
#include <cstdio>

__global__ void copy(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}
__global__ void add(int* values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] += i;
}

int main() {
  const int n = 2048;
  int *values, *others;
  cudaMalloc(&values, n * sizeof(int));
  cudaMalloc(&others, n * sizeof(int));
  cudaMemset(values, 0, n * sizeof(int) / 2);
  copy<<<n / 64, 64>>>(others, values);
  add<<<n / 64, 64>>>(values);
  cudaDeviceSynchronize();
  cudaFree(values);
  cudaFree(others);
  return 0;
}
