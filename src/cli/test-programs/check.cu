// For heddle check: "check wrong" leaves an array by one element, "check" does not.
#include <cstdio>

__global__ void shift(int* out, const int* in, int n) {
  __shared__ int tile[64];
  int i = threadIdx.x; out += 64 * blockIdx.x;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[i + n];
}

int main(int argc, char**) {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 2 * 64 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  for (int time = 0; time < 3; time++) shift<<<2, argc > 1 ? 64 : 63>>>(out, in, 1);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(in);
}
