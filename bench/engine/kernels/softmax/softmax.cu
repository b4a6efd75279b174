// A block computes the softmax of one row: reductions by shuffles within a warp, through shared memory between warps.
__device__ float block_max(float value, float* partial) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, distance));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
  for (int i = 1; i < blockDim.x / 32; i++) value = fmaxf(value, partial[i]);
  __syncthreads();
  return value;
}

__device__ float block_sum(float value, float* partial) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffff, value, distance);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
  for (int i = 1; i < blockDim.x / 32; i++) value += partial[i];
  __syncthreads();
  return value;
}

__global__ void softmax(int columns, const float* in, float* out) {
  __shared__ float partial[32];
  const float* x = in + blockIdx.x * columns;
  float* y = out + blockIdx.x * columns;

  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, x[i]);
  largest = block_max(largest, partial);

  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    float e = expf(x[i] - largest);
    y[i] = e;
    sum += e;
  }
  sum = block_sum(sum, partial);

  float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[i] *= scale;
}
