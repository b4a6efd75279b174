// A shift by as many bits as the type has.
__global__ void masks(unsigned *out, int bits) { out[threadIdx.x] = (1u << (bits * threadIdx.x)) - 1; }

int main() {
  unsigned *out;
  cudaMalloc(&out, 64 * sizeof(unsigned));
  masks<<<1, 5>>>(out, 8);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
