// A race: a thread reads shared memory before another thread has written it
#include <cstdio>

__global__ void reverse(int *out, const int *in) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, 128 * sizeof(int));
  for (int i = 0; i < 128; i++) in[i] = i;
  reverse<<<1, 128>>>(out, in);
  cudaDeviceSynchronize();
  printf("%d\n", out[0]);
  cudaFree(in);
  cudaFree(out);
}
