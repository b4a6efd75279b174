// Out of bounds: the last block has more threads than there are elements.
__global__ void scale(float *x, int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= a;
}

int main() {
  const int n = 1000;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  scale<<<4, 256>>>(x, n, 2.0f);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(x);
  return error;
}
