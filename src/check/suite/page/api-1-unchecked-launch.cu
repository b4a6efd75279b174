// An error that nobody checks: the kernel never runs, and the program ends as if it had.
__global__ void fill(int *out) { out[threadIdx.x] = 1; }

int main() {
  int *out;
  cudaMalloc(&out, 2048 * sizeof(int));
  fill<<<1, 2048>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
