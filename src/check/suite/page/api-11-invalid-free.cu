// cudaFree of memory that cudaMallocHost allocated.
int main() {
  float *x;
  cudaMallocHost(&x, 32 * sizeof(float));
  cudaError_t error = cudaFree(x);
  cudaFreeHost(x);
  return error != cudaErrorInvalidValue;
}
