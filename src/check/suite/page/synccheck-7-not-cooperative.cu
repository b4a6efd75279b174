// A barrier of the grid in a launch that is not cooperative: the blocks need not run at the same time.
#include <cooperative_groups.h>
__global__ void step(int *out) {
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
  cooperative_groups::this_grid().sync();
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  step<<<2, 32>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
