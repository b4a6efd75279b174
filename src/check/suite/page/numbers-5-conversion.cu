// A float that the integer cannot hold.
__global__ void indices(int *out, float scale) { out[threadIdx.x] = (int)(scale * threadIdx.x); }

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  indices<<<1, 64>>>(out, 1e8f);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
