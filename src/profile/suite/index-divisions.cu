// A thread for each element of a tensor of four dimensions finds them by divisions; the repaired one has them as indices
// of the launch.
// @flawed 4096 256 divisions unsigned a = i
// @repaired 4x32x32 32x8
__global__ void flawed(float* out, const float* in, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, side = n / 32;
  unsigned a = i / (side * side * side), b = i / (side * side) % side, c = i / side % side, d = i % side;
  out[((a * side + c) * side + b) * side + d] = in[i];
}

__global__ void repaired(float* out, const float* in, int n) {
  unsigned a = blockIdx.z, b = blockIdx.y, c = blockIdx.x * 8 + threadIdx.y, d = threadIdx.x, side = 32;
  out[((a * side + c) * side + b) * side + d] = in[((a * side + b) * side + c) * side + d];
}
