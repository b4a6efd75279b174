// The host reads device memory.
#include <cstdio>
int main() {
  float *x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  printf("%f\n", x[5]);
  cudaFree(x);
}
