// An index that overflows: the product of two ints is computed before it becomes 64 bits.
__global__ void row(long long *out, int rows, int columns) {
  long long first = (rows - 1) * columns;
  out[threadIdx.x] = first + threadIdx.x;
}

int main() {
  long long *out;
  cudaMalloc(&out, 32 * sizeof(long long));
  row<<<1, 32>>>(out, 70000, 50000);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
