// Takes 2 GB of device memory. Kernels have run before: a variable has changed, and memory holds a function's address.
#include <cstdio>

typedef int (*Operation)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ Operation operation;
__device__ int launches = 7;

__global__ void choose(bool doubles) {
  operation = doubles ? twice : thrice;
  launches++;
}
__global__ void apply(int* out, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = operation(tile[63 - threadIdx.x]) + launches;
}
__global__ void fill(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = 1;
}

int main(int argc, char** argv) {
  const size_t bytes = size_t(1) << 30;
  size_t available, all;
  cudaMemGetInfo(&available, &all);
  printf("%s\n", available > 2 * bytes ? "there is room" : "there is none");
  int *out, *a, *b;
  cudaMalloc(&out, 1024);
  choose<<<1, 1>>>(true);
  apply<<<4, 64>>>(out, 256);
  if (cudaMalloc(&a, bytes) != cudaSuccess || cudaMalloc(&b, bytes) != cudaSuccess) return 1;
  apply<<<4, 64>>>(out, 256);
  fill<<<1024, 64>>>(b, 65535);
  if (argc > 1) fill<<<5, 64>>>(out, 256);
  int first, last, seen;
  cudaMemcpy(&first, out + 64, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&last, b + 65535, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&seen, launches, sizeof(int));
  printf("%d %d %d\n", first, last, seen);
  cudaFree(b);
  cudaFree(a);
  cudaFree(out);
  return 0;
}
