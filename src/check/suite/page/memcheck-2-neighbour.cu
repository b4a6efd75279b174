// Out of bounds, into another allocation: a GPU does not notice it.
__global__ void copy(int *to, const int *from, int offset) { to[threadIdx.x + offset] = from[threadIdx.x]; }

int main() {
  int *to, *from;
  cudaMalloc(&to, 64 * sizeof(int));
  cudaMalloc(&from, 64 * sizeof(int));
  cudaMemset(from, 0, 64 * sizeof(int));
  copy<<<1, 64>>>(to, from, 64);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(to);
  cudaFree(from);
  return error;
}
