// Copies of the wrong size: elements for bytes on one side, one element too many on the other.
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
