// A scan of each warp's elements.
// @good 1024 1024
__global__ void good(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float sum = in[i];
  for (int step = 1; step < 32; step *= 2) {
    float other = __shfl_up_sync(~0u, sum, step);
    sum += lane >= step ? other : 0;
  }
  out[i] = sum;
}
