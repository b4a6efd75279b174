// Two devices: memory, kernels, constants and streams of each, copies between them. Needs --devices 2.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

__constant__ int addend;
__device__ int launches;

__global__ void work(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += addend;
  if (i == 0) atomicAdd(&launches, 1);
}

int main() {
  const int N = 1 << 20;
  int count = 0, errors = 0;
  cudaGetDeviceCount(&count);
  if (count < 2) return printf("%d devices\n", count), 2;
  int *data[2], *second[2];
  cudaStream_t streams[2];
  std::vector<int> host(N), got(N);
  for (int i = 0; i < N; i++) host[i] = i;
  for (int d = 0; d < 2; d++) {
    int value = 100 * (d + 1);
    cudaSetDevice(d);
    cudaMalloc(&data[d], N * sizeof(int));
    cudaMalloc(&second[d], N * sizeof(int));
    cudaStreamCreate(&streams[d]);
    cudaMemcpyToSymbol(addend, &value, sizeof value);
  }
  auto expect = [&](const char *what, int device, const int *from, int plus) {
    cudaSetDevice(device);
    cudaError_t error = cudaMemcpy(got.data(), from, N * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
      if (got[i] == host[i] + plus) continue;
      printf("%s: element %d is %d, not %d (%s)\n", what, i, got[i], host[i] + plus, cudaGetErrorName(error)), errors++;
      break;
    }
  };
  cudaSetDevice(0);
  cudaMemcpy(data[0], host.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  work<<<N / 256, 256, 0, streams[0]>>>(data[0], N);
  cudaStreamSynchronize(streams[0]);
  cudaMemcpyPeer(data[1], 1, data[0], 0, N * sizeof(int));
  expect("copied to the second", 1, data[1], 100);
  cudaSetDevice(1);
  work<<<N / 256, 256, 0, streams[1]>>>(data[1], N);
  cudaMemcpyPeerAsync(second[0], 0, data[1], 1, N * sizeof(int), streams[1]);
  cudaStreamSynchronize(streams[1]);
  expect("and back", 0, second[0], 300);
  cudaMemcpy(second[1], second[0], N * sizeof(int), cudaMemcpyDefault);
  expect("between devices by address", 1, second[1], 300);
  for (int d = 0; d < 2; d++) {
    int ran = 0;
    cudaSetDevice(d);
    cudaMemcpyFromSymbol(&ran, launches, sizeof ran);
    if (ran != 1) printf("device %d ran %d kernels\n", d, ran), errors++;
  }
  cudaError_t last = cudaGetLastError();
  if (last != cudaSuccess) printf("%s\n", cudaGetErrorName(last)), errors++;
  printf(errors ? "FAILED\n" : "PASSED\n");
  return errors != 0;
}
