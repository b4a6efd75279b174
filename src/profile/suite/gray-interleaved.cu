// Gray from red, green and blue: only green of pixels with four floats, and green in a plane of its own.
// @flawed 1024 256 uncoalesced in[4 * i
// @repaired 1024 256
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[4 * i + 1] * 0.587f;
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[n * n / 4 + i] * 0.587f;
}
