// A convolution of rows with 33 weights: each element is loaded 33 times from global memory; a tile has it at hand.
// @flawed 4x1000 256 redundant-loads in[
// @repaired 1x1000 256
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.y * n + blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 33; k++) sum += in[i + k] * (k + 0.5f);
  out[i] = sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float4 tile[256 + 8];
  const float4* row = (const float4*)(in + blockIdx.y * n);
  int t = threadIdx.x;
  tile[t] = row[t];
  if (t < 8) tile[256 + t] = row[256 + t];
  __syncthreads();
  float4 sum = make_float4(0, 0, 0, 0), v = tile[t];
#pragma unroll
  for (int k = 0; k < 32; k += 4) {
    float4 w = tile[t + k / 4 + 1];
    float x[8] = {v.x, v.y, v.z, v.w, w.x, w.y, w.z, w.w};
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float weight = k + j + 0.5f;
      sum.x += x[j] * weight, sum.y += x[j + 1] * weight, sum.z += x[j + 2] * weight, sum.w += x[j + 3] * weight;
    }
    v = w;
  }
  sum.x += v.x * 32.5f, sum.y += v.y * 32.5f, sum.z += v.z * 32.5f, sum.w += v.w * 32.5f;
  ((float4*)(out + blockIdx.y * n))[t] = sum;
}
