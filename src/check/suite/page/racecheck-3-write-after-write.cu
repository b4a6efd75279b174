// A race: blocks update one sum without an atomic operation
#include <cstdio>

__global__ void total(int *sum, const int *in) {
  *sum += in[blockIdx.x];
}

int main() {
  int *in, *sum;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&sum, sizeof(int));
  for (int i = 0; i < 64; i++) in[i] = i;
  *sum = 0;
  total<<<64, 1>>>(sum, in);
  cudaDeviceSynchronize();
  printf("%d\n", *sum);
  cudaFree(in);
  cudaFree(sum);
}
