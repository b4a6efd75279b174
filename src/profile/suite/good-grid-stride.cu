// A loop over the grid: any number of blocks does.
// @good 864 256
__global__ void good(float* out, const float* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x)
    out[i] = fmaxf(in[i] - 0.5f, 0);
}
