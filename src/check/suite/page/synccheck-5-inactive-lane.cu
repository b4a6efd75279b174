// A shuffle that reads from a lane that takes no part: the value is undefined.
__global__ void next(int *out) {
  int i = threadIdx.x;
  if (i < 16) out[i] = __shfl_down_sync(0x0000ffff, i, 4);
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  next<<<1, 32>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
