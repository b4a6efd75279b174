// Layer normalization with a thread for each row, and with a block for each row.
// @flawed 32 32 uncoalesced row[
// @repaired 1024 256
__global__ void flawed(float* out, const float* in, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  const float* row = in + r * n;
  float mean = 0, variance = 0;
  for (int i = 0; i < n; i++) mean += row[i];
  mean /= n;
  for (int i = 0; i < n; i++) variance += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(variance / n + 1e-5f);
  for (int i = 0; i < n; i++) out[r * n + i] = (row[i] - mean) * scale;
}

__device__ float block_sum(float x) {
  __shared__ float parts[8];
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8; i++) sum += parts[i];
  __syncthreads();
  return sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  const float4* row = (const float4*)(in + blockIdx.x * n);
  float4 x = row[threadIdx.x];
  float mean = block_sum(x.x + x.y + x.z + x.w) / n;
  x.x -= mean, x.y -= mean, x.z -= mean, x.w -= mean;
  float scale = rsqrtf(block_sum(x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w) / n + 1e-5f);
  ((float4*)(out + blockIdx.x * n))[threadIdx.x] = make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
}
