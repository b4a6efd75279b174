// Elements in an order that jumps through memory, and in the order in which they lie there.
// @flawed 4096 256 uncoalesced in[
// @repaired 4096 256
__global__ void flawed(float* out, const float* in, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned j = (i ^ (i >> 7)) * 2654435761u >> 12;
  out[i] = in[j];
}

__global__ void repaired(float* out, const float* in, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i ^ (i >> 10 << 5 & 0xe0)];
}
