// What goes on beside the host on a real GPU: printing, symbols, managed memory, streams, pinned copies, graphs, faults. Runs on both devices.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__constant__ float table[4];
__device__ int counter;
__managed__ int managed = 5;

__global__ void hello(int n) { printf("hello %d from %d %s\n", n, threadIdx.x, threadIdx.x ? "one" : "zero"); }
__global__ void wild(int *p) { p[1 << 28] = 1; }
__global__ void endless(volatile int *p) {
  while (p[0] == 0) {
  }
}
__global__ void scale(float *x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
__global__ void useTable(float *out) {
  out[threadIdx.x] = table[threadIdx.x];
  atomicAdd(&counter, 1);
}
__global__ void useManaged() { managed += 1; }

const int N = 1 << 20;

static void work(float *x) {
  hello<<<1, 2>>>(7);
  cudaDeviceSynchronize();
  printf("launched\n");
  float values[4] = {1, 2, 3, 4}, result[4];
  cudaMemcpyToSymbol(table, values, sizeof values);
  useTable<<<1, 4>>>(x);
  cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost);
  printf("%g %g %g %g\n", result[0], result[1], result[2], result[3]);
  int count;
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  printf("counter %d\n", count);
  useManaged<<<1, 1>>>();
  cudaDeviceSynchronize();
  printf("managed %d\n", managed);

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  float *pinned, ms = -1;
  cudaMallocHost(&pinned, N * sizeof(float));
  for (int i = 0; i < N; i++) pinned[i] = i;
  cudaMemcpyAsync(x, pinned, N * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaEventRecord(start, stream);
  for (int i = 0; i < 10; i++) scale<<<N / 256, 256, 0, stream>>>(x, N, i % 2 ? 2.0f : 0.5f);
  cudaEventRecord(end, stream);
  cudaMemcpyAsync(pinned, x, N * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaEventElapsedTime(&ms, start, end);
  printf("copies %d\n", pinned[1000] == 1000.0f && pinned[N - 1] == N - 1 && ms >= 0);

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 10; i++) scale<<<N / 256, 256, 0, stream>>>(x, N, 2.0f);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 3; i++) cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(result, x + 3, sizeof(float), cudaMemcpyDeviceToHost);
  printf("graph %g\n", result[0]);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFreeHost(pinned);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  cudaStreamDestroy(stream);
  printf("%s\n", cudaGetLastError() == cudaSuccess ? "PASSED" : "FAILED");
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "work";
  float *x;
  cudaMalloc(&x, N * sizeof(float));
  if (strcmp(what, "work") == 0) work(x);
  if (strcmp(what, "fault") == 0) {
    wild<<<1, 1>>>((int *)x);
    printf("sync %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("malloc %s\n", cudaGetErrorName(cudaMalloc(&x, 4)));
  }
  if (strcmp(what, "unseen") == 0) wild<<<1, 1>>>((int *)x);
  if (strcmp(what, "endless") == 0) {
    cudaMemset(x, 0, 4);
    printf("before\n");
    endless<<<1, 1>>>((int *)x);
    cudaDeviceSynchronize();
  }
}
