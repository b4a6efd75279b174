// Few threads add many elements, and each load is waited for before the next one; the repaired one has 16 under way.
// @flawed 256 32 loads-under-way in4[i]
// @repaired 256 32
__global__ void flawed(float* out, const float* in, int n) {
  const float4* in4 = (const float4*)in;
  size_t first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
  for (size_t i = first; i < size_t(n) * n / 4; i += threads) {
    float4 x = in4[i];
    sum += x.x + x.y + x.z + x.w;
  }
  out[first] = sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  const float4* in4 = (const float4*)in;
  size_t first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
  for (size_t i = first; i < size_t(n) * n / 4; i += 16 * threads) {
    float4 x[16];
#pragma unroll
    for (int k = 0; k < 16; k++) x[k] = in4[i + k * threads];
#pragma unroll
    for (int k = 0; k < 16; k++) sum += x[k].x + x[k].y + x[k].z + x[k].w;
  }
  out[first] = sum;
}
