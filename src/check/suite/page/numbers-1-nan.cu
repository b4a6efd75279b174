// The first NaN: a logarithm of a negative number, long before the loss is NaN.
__global__ void entropy(float *out, const float *p) { out[threadIdx.x] = p[threadIdx.x] * logf(p[threadIdx.x] - 0.5f); }

int main() {
  float *p, *out;
  cudaMalloc(&p, 32 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(p, 0, 32 * sizeof(float));
  entropy<<<1, 32>>>(out, p);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(p);
  cudaFree(out);
  return error != cudaSuccess;
}
