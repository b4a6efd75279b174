// A copy from memory that was freed.
int main() {
  float *x, host[32];
  cudaMalloc(&x, sizeof(host));
  cudaMemset(x, 0, sizeof(host));
  cudaFree(x);
  cudaError_t error = cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  return error != cudaErrorInvalidValue;
}
