// Copies of a wrong size: elements instead of bytes, and one element too many.
#include <vector>

int main() {
  const int n = 100;
  std::vector<int> host(n);
  int *device;
  cudaMalloc(&device, n);
  cudaMemcpy(device, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaFree(device);
  cudaMalloc(&device, (n + 1) * sizeof(int));
  cudaMemcpy(device, host.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaFree(device);
}
