// A race: a tile is filled again while other threads still read it
#include <cstdio>

__global__ void sums(int *out, const int *in) {
  __shared__ int tile[128];
  int sum = 0;
  for (int step = 0; step < 4; step++) {
    tile[threadIdx.x] = in[(threadIdx.x + step) % 128];
    __syncthreads();
    sum += tile[(threadIdx.x + 64) % 128];
  }
  out[threadIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, 128 * sizeof(int));
  for (int i = 0; i < 128; i++) in[i] = i;
  sums<<<1, 128>>>(out, in);
  cudaDeviceSynchronize();
  printf("%d\n", out[0]);
  cudaFree(in);
  cudaFree(out);
}
