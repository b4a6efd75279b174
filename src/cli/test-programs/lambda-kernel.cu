// nvcc: --extended-lambda
// A kernel that is instantiated with a lambda, which goes out of bounds.
template <class F>
__global__ void each(int n, F f) {
  int i = threadIdx.x;
  if (i <= n) f(i);
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  each<<<1, 128>>>(64, [out] __device__(int i) { out[i] = i; });
  cudaDeviceSynchronize();
  cudaFree(out);
  return 0;
}
