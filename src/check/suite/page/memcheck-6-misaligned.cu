// A misaligned access: four floats at an address that is no multiple of 16.
__global__ void twice(float *x) {
  float4 v = *(float4 *)(x + 1);
  *(float4 *)(x + 1) = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

int main() {
  float *x;
  cudaMalloc(&x, 64);
  cudaMemset(x, 0, 64);
  twice<<<1, 1>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess;
}
