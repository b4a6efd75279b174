// A block of 64 threads takes 44 KiB of shared memory, so few of them run at once.
// @flawed 512 64 occupancy
// @repaired 512 64
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ float words[11264];
  for (int k = 0; k < 4; k++) words[k * 2816 + threadIdx.x] = in[blockIdx.x * 256 + k * 64 + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 4; k++) out[blockIdx.x * 256 + k * 64 + threadIdx.x] = words[k * 2816 + 63 - threadIdx.x];
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float words[256];
  for (int k = 0; k < 4; k++) words[k * 64 + threadIdx.x] = in[blockIdx.x * 256 + k * 64 + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 4; k++) out[blockIdx.x * 256 + k * 64 + threadIdx.x] = words[k * 64 + 63 - threadIdx.x];
}
