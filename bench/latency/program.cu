// The program of the waiting times: a matrix product, by hand and through shared memory, and its row sums, checked on
// the host. It says "launched" when its first kernel has ended. The bench changes the number in SCALE.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define SCALE 1

#define CHECK(call)                                                                     \
  do {                                                                                  \
    cudaError_t status = (call);                                                        \
    if (status != cudaSuccess) {                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));   \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

constexpr int TILE = 16;

__global__ void fill(float *data, int count, float step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = SCALE * step * static_cast<float>(i % 17);
}

__global__ void product_naive(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void product_tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += TILE) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void row_sums(const float *c, float *sums, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += warpSize) sum += c[blockIdx.x * n + i];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

static bool equal(const std::vector<float> &x, const std::vector<float> &y) {
  for (size_t i = 0; i < x.size(); i++) {
    if (std::fabs(x[i] - y[i]) > 1e-4f * std::fabs(x[i])) {
      printf("element %zu: %g and %g\n", i, x[i], y[i]);
      return false;
    }
  }
  return true;
}

int main() {
  const int n = 64;
  const size_t bytes = n * n * sizeof(float);
  float *a, *b, *c, *sums;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMalloc(&c, bytes));
  CHECK(cudaMalloc(&sums, n * sizeof(float)));
  fill<<<n * n / 256, 256>>>(a, n * n, 0.5f);
  CHECK(cudaDeviceSynchronize());
  printf("launched %d\n", SCALE);
  fflush(stdout);
  fill<<<n * n / 256, 256>>>(b, n * n, 0.25f);
  std::vector<float> naive(n * n), tiled(n * n), sum(n), expected(n);
  dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
  product_naive<<<grid, block>>>(a, b, c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(naive.data(), c, bytes, cudaMemcpyDeviceToHost));
  product_tiled<<<grid, block>>>(a, b, c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(tiled.data(), c, bytes, cudaMemcpyDeviceToHost));
  row_sums<<<n, 32>>>(c, sums, n);
  CHECK(cudaMemcpy(sum.data(), sums, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    expected[i] = 0;
    for (int k = 0; k < n; k++) expected[i] += naive[i * n + k];
  }
  const bool right = equal(naive, tiled) && equal(expected, sum);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
  CHECK(cudaFree(sums));
  puts(right ? "PASSED" : "FAILED");
  return right ? 0 : 1;
}
