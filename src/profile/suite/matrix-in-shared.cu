// Each thread sums a row of 32 numbers in shared memory: all rows begin in the same bank until they are padded.
// @flawed 1024 256 bank-conflicts tile[t][k]
// @repaired 1024 256
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ float tile[256][32];
  int t = threadIdx.x;
  for (int k = 0; k < 4; k++) tile[k * 8 + t / 32][t % 32] = in[(blockIdx.x * 4 + k) * 256 + t];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 32; k++) sum += tile[t][k];
  out[blockIdx.x * 256 + t] = sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float tile[256][33];
  int t = threadIdx.x;
  for (int k = 0; k < 4; k++) tile[k * 8 + t / 32][t % 32] = in[(blockIdx.x * 4 + k) * 256 + t];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 32; k++) sum += tile[t][k];
  out[blockIdx.x * 256 + t] = sum;
}
