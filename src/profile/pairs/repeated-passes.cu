// Softmax of rows of 4096. Three loops of a warp go through the row; or a block loads it once, into registers.
// @size 4096
// @flawed 512 256 repeated-passes e = exponentials(from[i], largest);
// @repaired 4096 256
#include <math.h>

__device__ float largestOf(float x) {
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
  return x;
}
__device__ float sumOf(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
}

__device__ float4 exponentials(float4 x, float largest) {
  return make_float4(__expf(x.x - largest), __expf(x.y - largest), __expf(x.z - largest), __expf(x.w - largest));
}

__global__ void flawed(float4* out, const float4* in, int n) {
  int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const float4* from = in + row * (n / 4);
  float largest = -INFINITY, total = 0;
  for (int i = lane; i < n / 4; i += 32) {
    float4 x = from[i];
    largest = fmaxf(largest, fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)));
  }
  largest = largestOf(largest);
  for (int i = lane; i < n / 4; i += 32) {
    float4 e = exponentials(from[i], largest);
    total += e.x + e.y + e.z + e.w;
  }
  float factor = 1 / sumOf(total);
  for (int i = lane; i < n / 4; i += 32) {
    float4 e = exponentials(from[i], largest);
    out[row * (n / 4) + i] = make_float4(e.x * factor, e.y * factor, e.z * factor, e.w * factor);
  }
}

template <typename Combine> __device__ float combined(float x, Combine combine) {
  __shared__ float parts[8];
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = parts[0];
  for (int i = 1; i < 8; i++) x = combine(x, parts[i]);
  __syncthreads();
  return x;
}

__global__ void repaired(float4* out, const float4* in, int n) {
  float4 x[4];
  float largest = -INFINITY, total = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    x[k] = in[blockIdx.x * (n / 4) + k * 256 + threadIdx.x];
    largest = fmaxf(largest, fmaxf(fmaxf(x[k].x, x[k].y), fmaxf(x[k].z, x[k].w)));
  }
  largest = combined(largestOf(largest), [](float a, float b) { return fmaxf(a, b); });
#pragma unroll
  for (int k = 0; k < 4; k++) {
    x[k] = exponentials(x[k], largest);
    total += x[k].x + x[k].y + x[k].z + x[k].w;
  }
  float factor = 1 / combined(sumOf(total), [](float a, float b) { return a + b; });
#pragma unroll
  for (int k = 0; k < 4; k++)
    out[blockIdx.x * (n / 4) + k * 256 + threadIdx.x] =
        make_float4(x[k].x * factor, x[k].y * factor, x[k].z * factor, x[k].w * factor);
}
