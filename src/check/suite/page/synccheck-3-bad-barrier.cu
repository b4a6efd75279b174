// A barrier for a number of threads that is not a multiple of 32.
__global__ void halves(int *out) {
  if (threadIdx.x < 40) asm volatile("bar.sync 1, 40;" ::: "memory");
  out[threadIdx.x] = threadIdx.x;
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  halves<<<1, 64>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
