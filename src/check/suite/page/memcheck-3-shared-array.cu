// Past the end of a shared array: the halo is missing.
__global__ void blur(float *out, const float *in) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  if (i > 0) out[i] = tile[i - 1] + tile[i] + tile[i + 1];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  blur<<<1, 64>>>(out, in);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return error;
}
