// A double free in a kernel: two threads free the same memory.
__global__ void scratch(int *out) {
  __shared__ int *buffer;
  if (threadIdx.x == 0) buffer = (int *)malloc(32 * sizeof(int));
  __syncthreads();
  buffer[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = buffer[31 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 2) free(buffer);
}

int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  scratch<<<1, 32>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
