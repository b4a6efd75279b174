// A mask that leaves out the calling lanes.
__global__ void sums(int *out) {
  int x = threadIdx.x;
  x += __shfl_xor_sync(0x0000ffff, x, 1);
  out[threadIdx.x] = x;
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  sums<<<1, 32>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
