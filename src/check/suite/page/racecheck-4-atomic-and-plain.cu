// A race: a counter is read without an atomic operation while other threads add to it
#include <cstdio>

__global__ void count(int *counter, int *last) {
  atomicAdd(counter, 1);
  if (*counter == 256) atomicMax(last, (int)blockIdx.x);
}

int main() {
  int *counters;
  cudaMallocManaged(&counters, 2 * sizeof(int));
  counters[0] = counters[1] = 0;
  count<<<4, 64>>>(counters, counters + 1);
  cudaDeviceSynchronize();
  printf("%d\n", counters[0]);
  cudaFree(counters);
}
