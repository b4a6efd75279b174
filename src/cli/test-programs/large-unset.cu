// Data of which racecheck has no room for notes, and initcheck has: some of it is set, and some is not.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void addTo(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += in[i];
}

int main(int argc, char **) {
  const int n = 1 << 16;
  const size_t bytes = 700u << 20;
  int *small, *large, result[2];
  cudaMalloc(&small, n * sizeof(int));
  // Half of it, and the rest where nothing is wrong.
  cudaMemset(small, 1, argc > 1 ? n * sizeof(int) / 2 : n * sizeof(int));
  if (cudaMalloc(&large, bytes) != cudaSuccess) return 1;
  cudaMemset((char *)large + bytes - n * sizeof(int), 0, n * sizeof(int));
  int *end = large + bytes / sizeof(int) - n;
  addTo<<<n / 256, 256>>>(small, end, n);
  cudaMemcpy(result, end, sizeof result, cudaMemcpyDeviceToHost);
  printf("%d\n", result[0]);
  cudaFree(small);
  cudaFree(large);
}
