// For heddle check: "threads" does one thing wrong in 10,000 threads, "places" something in each of 8 lines.
#include <cstring>

__global__ void threads(int *out, int n) { out[n + blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void places(int *out, int n) {
  out[n + 1] = 1;
  out[n + 2] = 2;
  out[n + 3] = 3;
  out[n + 4] = 4;
  out[n + 5] = 5;
  out[n + 6] = 6;
  out[n + 7] = 7;
  out[n + 8] = 8;
}

int main(int, char **argv) {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  if (!strcmp(argv[1], "threads")) threads<<<100, 100>>>(out, 64);
  else places<<<1, 1>>>(out, 64);
  return cudaDeviceSynchronize() != cudaSuccess || cudaFree(out) != cudaSuccess;
}
