// A filter of 2 * RADIUS + 1 taps along a row of n samples, zero outside; a block of 256 loads its samples and the halo
// first.
#define RADIUS 8

__global__ void conv1d(int n, const float* taps, const float* in, float* out) {
  __shared__ float tile[256 + 2 * RADIUS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  tile[RADIUS + t] = i < n ? in[i] : 0.0f;
  if (t < RADIUS) {
    tile[t] = i >= RADIUS ? in[i - RADIUS] : 0.0f;
    tile[RADIUS + blockDim.x + t] = i + blockDim.x < n ? in[i + blockDim.x] : 0.0f;
  }
  __syncthreads();
  if (i < n) {
    float sum = 0.0f;
    for (int k = 0; k <= 2 * RADIUS; k++) sum += taps[k] * tile[t + k];
    out[i] = sum;
  }
}
