// A shuffle whose mask names lanes that do not take part.
__global__ void neighbours(int *out, const int *in, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[i] + __shfl_down_sync(0xffffffff, in[i], 1);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 0, 32 * sizeof(int));
  neighbours<<<1, 32>>>(out, in, 20);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
