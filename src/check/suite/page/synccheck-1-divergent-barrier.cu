// A barrier that a part of the block never reaches.
__global__ void reverse(int *x, int n) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  if (i >= n) return;
  tile[i] = x[i];
  __syncthreads();
  x[i] = tile[n - 1 - i];
}

int main() {
  int *x;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  reverse<<<1, 64>>>(x, 50);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(x);
  return error != cudaSuccess;
}
