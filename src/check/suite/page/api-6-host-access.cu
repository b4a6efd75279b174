// Managed memory that the host reads before it has waited for the kernel.
#include <cstdio>

__global__ void square(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main() {
  int *x;
  cudaMallocManaged(&x, 32 * sizeof(int));
  for (int i = 0; i < 32; i++) x[i] = i;
  square<<<1, 32>>>(x);
  printf("%d\n", x[5]);
  cudaDeviceSynchronize();
  cudaFree(x);
}
