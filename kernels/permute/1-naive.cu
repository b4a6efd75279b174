// One thread takes one element where it lies and puts it where it belongs: neighbouring threads read neighbours, and
// write a whole matrix apart. Four divisions find the place.
__global__ void permute(const float *x, float *y, int d1, int d2, int d3, int d4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= d1 * d2 * d3 * d4) return;
  int i4 = i % d4, i3 = i / d4 % d3, i2 = i / d4 / d3 % d2, i1 = i / d4 / d3 / d2;
  y[((i4 * d3 + i3) * d1 + i1) * d2 + i2] = x[i];
}
