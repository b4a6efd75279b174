// A delay line as a ring buffer of the thread: the index at run time sends it to local memory. A second load does not.
// @flawed 512 256 local-memory ring[
// @repaired 512 256
__global__ void flawed(float* out, const float* in, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float ring[64];
  for (int i = 0; i < 64; i++) ring[i] = 0;
  int at = n & 63;
  for (int i = first; i < n * n; i += threads) {
    out[i] = in[i] + ring[at];
    ring[(at + 5) & 63] = in[i];
    at = (at + 1) & 63;
  }
}

__global__ void repaired(float* out, const float* in, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int i = first; i < n * n; i += threads) {
    int before = i - 5 * threads;
    out[i] = in[i] + (before < 0 ? 0 : in[before]);
  }
}
