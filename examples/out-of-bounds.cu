// Multiplies 1000 elements by 2, with more threads than elements. The kernel forgets to compare i with n.
//
//   npx heddle run examples/out-of-bounds.cu           1024 threads: nobody notices
//   npx heddle check examples/out-of-bounds.cu         24 threads are reported
//   npx heddle run examples/out-of-bounds.cu 5000      1280000 threads: far outside, the kernel is stopped
#include <cstdio>
#include <cstdlib>

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= factor;  // forgotten: if (i < n)
}

int main(int argc, char** argv) {
  const int n = 1000;
  int blocks = argc > 1 ? atoi(argv[1]) : 4;
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  scale<<<blocks, 256>>>(x, n, 2.0f);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(x);
}
