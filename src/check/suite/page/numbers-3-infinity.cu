// The first infinity: an exponential of more than float can hold.
__global__ void softmax_part(float *out, float scale) { out[threadIdx.x] = expf(scale * threadIdx.x); }

int main() {
  float *out;
  cudaMalloc(&out, 64 * sizeof(float));
  softmax_part<<<1, 64>>>(out, 10);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
