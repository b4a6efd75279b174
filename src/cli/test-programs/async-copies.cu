// Asynchronous copies to shared memory, by the pipeline and by a group; the copy's source and place are known to the
// compiler only after inlining.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/pipeline>

const int threads = 64, rounds = 4, n = threads * rounds * 3;

__global__ void pipelined(const double *in, double *out) {
  extern __shared__ double tiles[];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const auto shape = cuda::aligned_size_t<alignof(double)>(sizeof(double));
  const double *from = in + blockIdx.x * threads * rounds + threadIdx.x;
  double sum = 0;
  for (int round = 0; round < rounds; round++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tiles[threadIdx.x], from + round * threads, shape, pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    sum += tiles[threadIdx.x ^ 1];
    __syncthreads();
    pipe.consumer_release();
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

__global__ void grouped(const double *in, double *out) {
  __shared__ double tile[threads];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, in + blockIdx.x * threads, sizeof(tile));
  cooperative_groups::wait(block);
  out[blockIdx.x * threads + threadIdx.x] = tile[threads - 1 - threadIdx.x];
}

int main() {
  double *in, *out;
  cudaMallocManaged(&in, n * sizeof(double));
  cudaMallocManaged(&out, n * sizeof(double));
  for (int i = 0; i < n; i++) in[i] = i;
  pipelined<<<3, threads, threads * sizeof(double)>>>(in, out);
  cudaDeviceSynchronize();
  printf("pipelined %g %g\n", out[0], out[3 * threads - 1]);
  grouped<<<n / threads, threads>>>(in, out);
  cudaDeviceSynchronize();
  printf("grouped %g %g\n", out[0], out[n - 1]);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaFree(in);
  cudaFree(out);
  return 0;
}
