// A scan by a balanced tree: its steps of powers of two meet in one bank; an index with gaps spreads them.
// @flawed 1024 256 bank-conflicts sums[
// @repaired 1024 256
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ float sums[4096];
  int t = threadIdx.x;
  for (int k = 0; k < 4; k++) sums[8 * (k * 256 + t) % 4096] = in[(blockIdx.x * 4 + k) * 256 + t];
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < 16; k++) sums[16 * t] += sums[16 * t + k % 15 + 1];
  __syncthreads();
  out[blockIdx.x * 256 + t] = sums[16 * t];
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float sums[256 * 17];
  int t = threadIdx.x;
  for (int k = 0; k < 4; k++) sums[k * 256 + t] = in[(blockIdx.x * 4 + k) * 256 + t];
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < 16; k++) sums[17 * t] += sums[17 * t + k % 15 + 1];
  __syncthreads();
  out[blockIdx.x * 256 + t] = sums[17 * t];
}
