// What a program waits for between its kernels: graphs in a loop, mapped memory, many small launches. See programs.mjs.
#include "timing.h"

__global__ void increment(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i]++;
}
__global__ void sum(const int *x, int *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] == -1) atomicAdd(total, 1);
}

int main() {
  int *x, *total, *mapped, *mappedOnDevice, *managed;
  const int small = 1 << 10, large = 1 << 22;
  CHECK(cudaMalloc(&x, large * 4));
  CHECK(cudaMalloc(&total, 4));
  CHECK(cudaMemset(x, 0, large * 4));
  CHECK(cudaHostAlloc(&mapped, large * 4, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&mappedOnDevice, mapped, 0));
  for (int i = 0; i < large; i++) mapped[i] = i;
  CHECK(cudaMallocManaged(&managed, large * 4));
  for (int i = 0; i < large; i++) managed[i] = i;

  timeOnHost("100-launches", [&] {
    for (int i = 0; i < 100; i++) increment<<<4, 256>>>(x, small);
    CHECK(cudaDeviceSynchronize());
  });
  timeOnHost("100-launches-each-awaited", [&] {
    for (int i = 0; i < 100; i++) {
      increment<<<4, 256>>>(x, small);
      CHECK(cudaDeviceSynchronize());
    }
  });
  timeOnHost("100-launches-with-copies", [&] {
    for (int i = 0; i < 100; i++) {
      int value;
      increment<<<4, 256>>>(x, small);
      CHECK(cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost));
    }
  });
  timeOnHost("mapped-small-use", [&] {
    sum<<<1, 256>>>(mappedOnDevice, total, 256);
    CHECK(cudaDeviceSynchronize());
  });
  timeOnHost("mapped-full-read", [&] {
    sum<<<large / 256, 256>>>(mappedOnDevice, total, large);
    CHECK(cudaDeviceSynchronize());
  });
  timeOnHost("beside-managed-memory", [&] {
    increment<<<4, 256>>>(x, small);
    CHECK(cudaDeviceSynchronize());
  });
  timeOnHost("managed-small-use", [&] {
    sum<<<1, 256>>>(managed, total, 256);
    CHECK(cudaDeviceSynchronize());
  });

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 20; i++) increment<<<4, 256, 0, stream>>>(x, small);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  timeOnHost("graph-100-launches", [&] {
    for (int i = 0; i < 100; i++) CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
  });
  timeOnHost("graph-100-launches-each-awaited", [&] {
    for (int i = 0; i < 100; i++) {
      CHECK(cudaGraphLaunch(exec, stream));
      CHECK(cudaStreamSynchronize(stream));
    }
  });
}
