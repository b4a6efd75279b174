// Adds up an array: a block adds its elements in shared memory, then one thread adds the block's sum to the total.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));   \
      exit(EXIT_FAILURE);                                                      \
    }                                                                          \
  } while (0)

const int BLOCK = 256;

__global__ void sum(const float* x, float* total, int n) {
  __shared__ float part[BLOCK];
  int t = threadIdx.x;
  int i = blockIdx.x * BLOCK + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(total, part[0]);
}

int main() {
  const int n = 10000;
  std::vector<float> x(n, 1.0f);  // n ones: the sum is n
  float *d_x, *d_total, total;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_total, sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_total, 0, sizeof(float)));

  sum<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_x, d_total, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&total, d_total, sizeof(float), cudaMemcpyDeviceToHost));
  printf("sum of %d ones: %.0f, %s\n", n, total, total == n ? "right" : "WRONG");

  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_total));
  return total == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
