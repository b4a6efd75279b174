// A race: an atomic operation of block scope meets those of other blocks
#include <cstdio>

__global__ void count(int *counter) {
  atomicAdd_block(counter, 1);
}

int main() {
  int *counter;
  cudaMallocManaged(&counter, sizeof(int));
  *counter = 0;
  count<<<4, 64>>>(counter);
  cudaDeviceSynchronize();
  printf("%d\n", *counter);
  cudaFree(counter);
}
