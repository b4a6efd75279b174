// Sums of columns with a block for each column, and with a thread for each column of a strip of rows.
// @flawed 1024 256 uncoalesced in[i * n
// @repaired 8x128 128
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ float parts[8];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i * n + blockIdx.x];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) sum += parts[w];
    out[blockIdx.x] = sum;
  }
}

__global__ void repaired(float* out, const float* in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 8; i++) sum += in[(blockIdx.y * 8 + i) * n + x];
  out[blockIdx.y * n + x] = sum;
}
