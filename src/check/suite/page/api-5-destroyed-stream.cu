// A stream that is used after it was destroyed.
__global__ void fill(int *out) { out[threadIdx.x] = 1; }

int main() {
  int *out;
  cudaStream_t stream;
  cudaMalloc(&out, 32 * sizeof(int));
  cudaStreamCreate(&stream);
  cudaStreamDestroy(stream);
  fill<<<1, 32, 0, stream>>>(out);
  cudaFree(out);
}
