// Threads access every eighth word of shared memory; the repaired ones access neighbours.
// @flawed 256 128 bank-conflicts words[8 * threadIdx.x
// @repaired 256 128
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ float words[1024];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; k++) {
    words[8 * threadIdx.x + k] = in[blockIdx.x * 1024 + k * 128 + threadIdx.x];
  }
  __syncthreads();
  for (int k = 0; k < 8; k++) sum += words[k * 128 + threadIdx.x];
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float words[1024];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; k++) {
    words[k * 128 + threadIdx.x] = in[blockIdx.x * 1024 + k * 128 + threadIdx.x];
  }
  __syncthreads();
  for (int k = 0; k < 8; k++) sum += words[k * 128 + threadIdx.x];
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
