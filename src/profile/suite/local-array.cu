// A thread sorts what it reads into counts of its own: an array indexed by data is in local memory, not in registers.
// @flawed 512 128 local-memory counts[
// @repaired 512 128
__global__ void flawed(float* out, const float* in, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  int counts[16];
  for (int k = 0; k < 16; k++) counts[k] = 0;
  for (int i = first; i < n * n; i += threads) counts[int(in[i] * 16)]++;
  for (int k = 0; k < 16; k++) out[k * threads + first] = counts[k];
}

__global__ void repaired(float* out, const float* in, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  __shared__ int counts[16][128];
  for (int k = 0; k < 16; k++) counts[k][threadIdx.x] = 0;
  for (int i = first; i < n * n; i += threads) counts[int(in[i] * 16)][threadIdx.x]++;
  for (int k = 0; k < 16; k++) out[k * threads + first] = counts[k][threadIdx.x];
}
