// A null pointer: the allocation failed, and the kernel is launched anyway.
__global__ void clear(float *x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = 0;
}

int main() {
  float *x = nullptr;
  if (cudaMalloc(&x, ~(size_t)0) != cudaSuccess) x = nullptr;
  clear<<<1, 32>>>(x, 20);
  return cudaDeviceSynchronize() != cudaSuccess;
}
