// Two transposes of a matrix, one slow, one fast: one writes columns, the other turns tiles in shared memory.
#include <cstdio>
#include <vector>

constexpr int TILE = 32, ROWS = 8;

__global__ void transpose_columns(float* out, const float* in, int n) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    float value = in[(y + j) * n + x];
    out[x * n + y + j] = value;
  }
}

__global__ void transpose_tiles(float* out, const float* in, int n) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    float value = tile[threadIdx.x][threadIdx.y + j];
    out[(y + j) * n + x] = value;
  }
}

int main() {
  const int n = 1024;
  std::vector<float> host(n * n);
  for (int i = 0; i < n * n; i++) host[i] = i % 1000;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemcpy(in, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  dim3 grid(n / TILE, n / TILE), block(TILE, ROWS);
  transpose_columns<<<grid, block>>>(out, in, n);
  transpose_tiles<<<grid, block>>>(out, in, n);
  std::vector<float> turned(n * n);
  cudaMemcpy(turned.data(), out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) wrong += turned[y * n + x] != host[x * n + y];
  printf("%d elements, %d wrong\n", n * n, wrong);
  cudaFree(in);
  cudaFree(out);
  return wrong != 0;
}
