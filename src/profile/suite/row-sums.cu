// Each thread sums a row of its own; the repaired one lets each warp read a row together.
// @flawed 128 8x8 uncoalesced sum += in[row
// @repaired 1024 256
__global__ void flawed(float* out, const float* in, int n) {
  int row = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int column = 0; column < n; column++)
    sum += in[row * n + column];
  out[row] = sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float sum = 0;
  for (int column = lane; column < n; column += 32) sum += in[row * n + column];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (lane == 0) out[row] = sum;
}
