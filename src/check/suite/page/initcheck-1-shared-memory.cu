// Shared memory that nobody wrote: the last threads have no element, but the sum reads their places.
__global__ void sum(const float *x, float *out, int n) {
  __shared__ float part[64];
  int i = threadIdx.x;
  if (i < n) part[i] = x[i];
  __syncthreads();
  for (int width = 32; width > 0; width /= 2) {
    if (i < width) part[i] += part[i + width];
    __syncthreads();
  }
  if (i == 0 && part[0] > 0) *out = part[0];
}

int main() {
  float *x, *out;
  cudaMalloc(&x, 50 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemset(x, 0, 50 * sizeof(float));
  cudaMemset(out, 0, sizeof(float));
  sum<<<1, 64>>>(x, out, 50);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(out);
  return error != cudaSuccess;
}
