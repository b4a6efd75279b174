// y = A x with a thread for each row, and with a warp for each row.
// @flawed 128 32 uncoalesced in[row
// @repaired 512 256
__global__ void flawed(float* out, const float* in, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) % n;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += in[row * n + k] * 0.5f;
  out[row] = sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 % n, lane = threadIdx.x % 32;
  float sum = 0;
  for (int k = lane; k < n; k += 32) sum += in[row * n + k] * 0.5f;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) out[row] = sum;
}
