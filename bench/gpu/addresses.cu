// Kernels whose time is their pointer and index arithmetic: products of matrices indexed in int, unsigned and size_t,
// loops that count in 64 bits, structs with pointers, tables of pointers, stencils, scans, chases. See programs.mjs.
#include "timing.h"
#include <cuda_fp16.h>
#include <cstdint>

template <typename T>
__global__ void product(const float *a, const float *b, float *c, T n) {
  T row = (T)blockIdx.y * blockDim.y + threadIdx.y, column = (T)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (T k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

template <typename T>
__global__ void saxpy(const float *x, float *y, float a, T n) {
  T step = (T)gridDim.x * blockDim.x;
  for (T i = (T)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) y[i] = a * x[i] + y[i];
}

struct Particles {
  float *x, *y, *z;
  long count;
};
__global__ void move(Particles to, const Particles *from, float dt) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= from->count) return;
  to.x[i] += dt * from->x[i];
  to.y[i] += dt * from->y[i];
  to.z[i] += dt * from->z[i];
}

__global__ void sumRows(const float *const *rows, float *sums, int count, long width) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= count) return;
  float sum = 0;
  for (long k = threadIdx.x; k < width; k += 32) sum += rows[row][k];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x == 0) sums[row] = sum;
}

struct Node {
  const Node *next;
  long value;
};
__global__ void chase(const Node *nodes, long *sums, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long sum = 0;
  for (const Node *at = nodes + i; steps-- > 0; at = at->next) sum += at->value;
  sums[i] = sum;
}

template <typename T>
__global__ void stencil(const float *in, float *out, T width, T height, T depth) {
  T x = (T)blockIdx.x * blockDim.x + threadIdx.x, y = (T)blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  for (T z = 1; z < depth - 1; z++) {
    T at = (z * height + y) * width + x;
    out[at] = 0.5f * in[at] + 0.1f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width] +
                                      in[at - width * height] + in[at + width * height]);
  }
}

__global__ void scanBlocks(const float *in, float *out, int n) {
  extern __shared__ float both[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, side = 0;
  both[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    float *from = both + side * blockDim.x, *to = both + (side ^= 1) * blockDim.x;
    to[t] = t >= offset ? from[t] + from[t - offset] : from[t];
    __syncthreads();
  }
  if (i < n) out[i] = both[side * blockDim.x + t];
}

__global__ void halfGemv(const __half *matrix, const __half *vector, __half *out, int rows, int columns) {
  int row = blockIdx.x;
  const float4 *from = (const float4 *)(matrix + (size_t)row * columns), *by = (const float4 *)vector;
  float sum = 0;
  for (int k = threadIdx.x; k < columns / 8; k += blockDim.x) {
    float4 a = from[k], b = by[k];
    const __half2 *left = (const __half2 *)&a, *right = (const __half2 *)&b;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float2 l = __half22float2(left[j]), r = __half22float2(right[j]);
      sum += l.x * r.x + l.y * r.y;
    }
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  __shared__ float sums[32];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++) sum += sums[w];
    out[row] = __float2half(sum);
  }
}

__constant__ float taps[17];
template <typename T>
__global__ void convolve(const float *in, float *out, T n) {
  T i = (T)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (T k = 0; k < 17; k++) {
    T at = i + k - 8;
    if (at >= 0 && at < n) sum += taps[k] * in[at];
  }
  out[i] = sum;
}

__global__ void transposeRows(const float *in, float *out, size_t width, size_t height) {
  __shared__ float tile[32][33];
  size_t x = (size_t)blockIdx.x * 32 + threadIdx.x, y = (size_t)blockIdx.y * 32 + threadIdx.y;
  for (size_t j = 0; j < 32; j += 8)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = (size_t)blockIdx.y * 32 + threadIdx.x;
  y = (size_t)blockIdx.x * 32 + threadIdx.y;
  for (size_t j = 0; j < 32; j += 8)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T>
T *allocate(size_t count) {
  T *pointer;
  CHECK(cudaMalloc(&pointer, count * sizeof(T)));
  CHECK(cudaMemset(pointer, 0, count * sizeof(T)));
  return pointer;
}

int main() {
  const size_t n = (size_t)1 << 26;
  float *a = allocate<float>(n), *b = allocate<float>(n), *c = allocate<float>(n);
  const dim3 square(16, 16), many(1024 / 16, 1024 / 16);
  timeOnGpu("product-int", [&] { product<int><<<many, square>>>(a, b, c, 1024); });
  timeOnGpu("product-unsigned", [&] { product<unsigned><<<many, square>>>(a, b, c, 1024); });
  timeOnGpu("product-long", [&] { product<long><<<many, square>>>(a, b, c, 1024); });
  timeOnGpu("product-size_t", [&] { product<size_t><<<many, square>>>(a, b, c, 1024); });
  timeOnGpu("saxpy-int", [&] { saxpy<int><<<2048, 256>>>(a, b, 2, (int)n); });
  timeOnGpu("saxpy-size_t", [&] { saxpy<size_t><<<2048, 256>>>(a, b, 2, n); });

  Particles from{a, a + n / 4, a + n / 2, (long)(n / 4)}, to{b, b + n / 4, b + n / 2, (long)(n / 4)};
  Particles *onDevice = allocate<Particles>(1);
  CHECK(cudaMemcpy(onDevice, &from, sizeof from, cudaMemcpyHostToDevice));
  timeOnGpu("structs-of-pointers", [&] { move<<<n / 4 / 256, 256>>>(to, onDevice, 0.1f); });

  std::vector<const float *> rows(16384);
  for (size_t row = 0; row < rows.size(); row++) rows[row] = a + row * 4096;
  const float **table = (const float **)allocate<float *>(rows.size());
  CHECK(cudaMemcpy(table, rows.data(), rows.size() * sizeof rows[0], cudaMemcpyHostToDevice));
  timeOnGpu("table-of-pointers", [&] { sumRows<<<16384 / 8, dim3(32, 8)>>>(table, c, 16384, 4096); });

  std::vector<Node> list(1 << 20);
  Node *nodes = allocate<Node>(list.size());
  for (size_t i = 0; i < list.size(); i++) list[i] = {nodes + (i * 40503 + 1) % list.size(), (long)i};
  CHECK(cudaMemcpy(nodes, list.data(), list.size() * sizeof list[0], cudaMemcpyHostToDevice));
  long *sums = allocate<long>(list.size());
  timeOnGpu("chase", [&] { chase<<<(1 << 20) / 256, 256>>>(nodes, sums, 1 << 20, 32); });

  const dim3 plane(512 / 32, 512 / 8);
  timeOnGpu("stencil-int", [&] { stencil<int><<<plane, dim3(32, 8)>>>(a, b, 512, 512, 256); });
  timeOnGpu("stencil-size_t", [&] { stencil<size_t><<<plane, dim3(32, 8)>>>(a, b, 512, 512, 256); });
  timeOnGpu("scan-1024", [&] { scanBlocks<<<n / 4 / 1024, 1024, 8192>>>(a, b, n / 4); });
  timeOnGpu("half-gemv", [&] { halfGemv<<<8192, 256>>>((__half *)a, (__half *)b, (__half *)c, 8192, 8192); });
  timeOnGpu("convolve-int", [&] { convolve<int><<<n / 256, 256>>>(a, b, (int)n); });
  timeOnGpu("convolve-long", [&] { convolve<long><<<n / 256, 256>>>(a, b, (long)n); });
  timeOnGpu("transpose-size_t", [&] { transposeRows<<<dim3(256, 256), dim3(32, 8)>>>(a, b, 8192, 8192); });
  CHECK(cudaDeviceSynchronize());
}
