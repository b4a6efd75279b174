// A host pointer, passed to a kernel.
__global__ void sum(const int *in, int *out) { atomicAdd(out, in[threadIdx.x]); }

int main() {
  int numbers[32] = {}, *out;
  cudaMalloc(&out, sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  sum<<<1, 32>>>(numbers, out);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error == cudaSuccess;
}
