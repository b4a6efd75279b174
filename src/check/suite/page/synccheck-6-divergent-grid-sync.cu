// A barrier of the grid that a part of a block never reaches.
#include <cooperative_groups.h>
__global__ void step(int *out) {
  if (threadIdx.x >= 32) return;
  out[32 * blockIdx.x + threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  void *args[] = {&out};
  cudaLaunchCooperativeKernel((void *)step, dim3(2), dim3(64), args, 0, 0);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
