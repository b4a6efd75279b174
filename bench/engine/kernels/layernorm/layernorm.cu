// A block normalises one row: mean, variance, then scale and shift.
__device__ float block_sum(float value, float* partial) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    if (threadIdx.x == 0) partial[0] = value;
  }
  __syncthreads();
  value = partial[0];
  __syncthreads();
  return value;
}

__global__ void layernorm(int columns, const float* in, const float* weight, const float* bias, float* out) {
  __shared__ float partial[32];
  const float* x = in + blockIdx.x * columns;
  float* y = out + blockIdx.x * columns;

  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[i];
  float mean = block_sum(sum, partial) / columns;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    float d = x[i] - mean;
    squares += d * d;
  }
  float scale = rsqrtf(block_sum(squares, partial) / columns + 1e-5f);

  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}
