// A deadlock: one warp waits for a value that the other warp writes behind a barrier, which the first never reaches.
//
//   npx heddle run examples/deadlock.cu
__global__ void lopsided(volatile int *flag) {
  if (threadIdx.x < 32)
    while (*flag == 0) {
    }
  __syncthreads();
  if (threadIdx.x == 32) *flag = 1;
}

int main() {
  int *flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  lopsided<<<1, 64>>>(flag);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(flag);
  return error != cudaSuccess;
}
