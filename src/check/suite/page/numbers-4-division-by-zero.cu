// A division by zero: thread 0 divides by its own index.
__global__ void parts(int *out, int n) { out[threadIdx.x] = n / threadIdx.x; }

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  parts<<<1, 64>>>(out, 1000);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
