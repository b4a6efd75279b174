// Neighbouring threads are 16 elements apart; the repaired one walks in steps of the grid.
// @flawed 128 256 uncoalesced out[first + k] = in
// @repaired 128 256
__global__ void flawed(float* out, const float* in, int n) {
  int first = 16 * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll 1
  for (int k = 0; k < 16; k++)
    out[first + k] = in[first + k] + 1;
}

__global__ void repaired(float* __restrict__ out, const float* __restrict__ in, int n) {
  int threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 16; k++) out[first + k * threads] = in[first + k * threads] + 1;
}
