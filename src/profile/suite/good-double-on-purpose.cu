// Sums in double precision, because they must be.
// @good 432 256
__global__ void good(float* out, const float* in, int n) {
  const double2* x = (const double2*)in;
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n / 4; i += gridDim.x * blockDim.x) sum += x[i].x * x[i].y;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) ((double*)out)[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}
