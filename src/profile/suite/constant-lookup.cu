// A table in constant memory, read at another element by each lane; in shared memory the lanes read it at once.
// @flawed 1024 256 constant-addresses weights[
// @repaired 1024 256
__constant__ float weights[256];

__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += in[i] * weights[(threadIdx.x + k) & 255];
  out[i] = sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float table[256];
  table[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += in[i] * table[(threadIdx.x + k) & 255];
  out[i] = sum;
}
