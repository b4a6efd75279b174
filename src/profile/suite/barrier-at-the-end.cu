// A barrier before the end of a kernel: nobody reads anything behind it.
// @flawed 1024 256 needless-barrier // not needed
// @repaired 1024 256
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = ((const float4*)in)[i];
  __syncthreads();
  ((float4*)out)[i] = tile[255 - threadIdx.x];
  __syncthreads();  // not needed
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = ((const float4*)in)[i];
  __syncthreads();
  ((float4*)out)[i] = tile[255 - threadIdx.x];
}
