// A window of the last values as a ring buffer: the index at run time sends it to local memory. Shifting keeps registers.
// @flawed 512 256 local-memory ring[
// @repaired 512 256
__global__ void flawed(float* out, const float* in, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float ring[4] = {0, 0, 0, 0};
  int at = n & 3;
  for (int i = first; i < n * n; i += threads) {
    ring[at] = in[i];
    at = (at + (n & 1) + 1) & 3;
    out[i] = ring[0] + ring[1] + ring[2] + ring[3];
  }
}

__global__ void repaired(float* out, const float* in, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float a = 0, b = 0, c = 0, d = 0;
  for (int i = first; i < n * n; i += threads) {
    a = b, b = c, c = d, d = in[i];
    out[i] = a + b + c + d;
  }
}
