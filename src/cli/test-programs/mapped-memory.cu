// Memory that host and device both use: mapped, pinned, managed. Copies, fills, pointers inside, sizes of all kinds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static int failures = 0;
#define EXPECT(condition) \
  if (!(condition)) failures++, printf("line %d: %s\n", __LINE__, #condition)

__global__ void addOne(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
__global__ void sum(const int *x, int n, long long *out) {
  long long own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
  atomicAdd((unsigned long long *)out, (unsigned long long)own);
}
__global__ void countUp(volatile int *progress, int steps) {
  for (int i = 1; i <= steps; i++) {
    *progress = i;
    __threadfence_system();
  }
}
struct Node {
  int value;
  Node *next;
};
__global__ void addList(Node *node) {
  for (; node; node = node->next) node->value *= 2;
}

static int *mapped(size_t n, int **device) {
  int *host = nullptr;
  EXPECT(cudaHostAlloc((void **)&host, n * sizeof(int), cudaHostAllocMapped) == cudaSuccess);
  EXPECT(cudaHostGetDevicePointer((void **)device, host, 0) == cudaSuccess);
  return host;
}

static void arrays(int n) {
  int *device, *host = mapped(n, &device), *other;
  cudaMalloc(&other, n * sizeof(int));
  for (int i = 0; i < n; i++) host[i] = i;
  const int blocks = (n + 255) / 256;
  for (int r = 0; r < 3; r++) addOne<<<blocks, 256>>>(device, n);
  cudaDeviceSynchronize();
  EXPECT(host[0] == 3 && host[n - 1] == n + 2);
  // The host's changes are there without a copy.
  host[n / 2] = -5;
  long long *deviceTotal, *total = nullptr;
  cudaHostAlloc((void **)&total, sizeof *total, cudaHostAllocMapped);
  cudaHostGetDevicePointer((void **)&deviceTotal, total, 0);
  *total = 0;
  sum<<<1, 256>>>(device, n, deviceTotal);
  cudaDeviceSynchronize();
  long long expected = 0;
  for (int i = 0; i < n; i++) expected += host[i];
  EXPECT(*total == expected);
  // Copies in all directions, in order with kernels.
  addOne<<<blocks, 256>>>(device, n);
  cudaMemcpy(other, host, n * sizeof(int), cudaMemcpyHostToDevice);
  addOne<<<blocks, 256>>>(other, n);
  int *back = (int *)malloc(n * sizeof(int));
  cudaMemcpy(back, other, n * sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(back[0] == 5 && back[n - 1] == n + 4);
  addOne<<<blocks, 256>>>(device, n);
  cudaMemcpy(back, device, n * sizeof(int), cudaMemcpyDefault);
  EXPECT(back[0] == 5 && back[n - 1] == n + 4);
  cudaMemset(device, 0, n * sizeof(int));
  addOne<<<blocks, 256>>>(device, n);
  cudaDeviceSynchronize();
  EXPECT(host[0] == 1 && host[n - 1] == 1);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  addOne<<<blocks, 256, 0, stream>>>(other, n);
  cudaMemcpyAsync(host, other, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
  addOne<<<blocks, 256, 0, stream>>>(device, n);
  cudaStreamSynchronize(stream);
  EXPECT(host[0] == 7 && host[n - 1] == n + 6);
  cudaStreamDestroy(stream);
  cudaPointerAttributes attributes;
  EXPECT(cudaPointerGetAttributes(&attributes, host + n / 2) == cudaSuccess && attributes.type == cudaMemoryTypeHost);
  EXPECT(attributes.devicePointer == device + n / 2 && attributes.hostPointer == host + n / 2);
  free(back);
  EXPECT(cudaFreeHost(host) == cudaSuccess && cudaFreeHost(total) == cudaSuccess && cudaFree(other) == cudaSuccess);
}

static void lists() {
  Node *device, *nodes = nullptr;
  cudaHostAlloc((void **)&nodes, 8 * sizeof(Node), cudaHostAllocMapped);
  cudaHostGetDevicePointer((void **)&device, nodes, 0);
  for (int i = 0; i < 8; i++) nodes[i] = {i, i < 7 ? device + i + 1 : nullptr};
  addList<<<1, 1>>>(device);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; i++) EXPECT(nodes[i].value == 2 * i);
  cudaFreeHost(nodes);
}

static void progress() {
  int *device, *host = mapped(1, &device);
  *host = 0;
  countUp<<<1, 1>>>(device, 1000);
  while (*(volatile int *)host < 1000) {
  }
  EXPECT(*host == 1000);
  cudaDeviceSynchronize();
  cudaFreeHost(host);
}

static void managed(int n) {
  int *x;
  cudaMallocManaged(&x, n * sizeof(int));
  for (int i = 0; i < n; i++) x[i] = i;
  for (int r = 0; r < 4; r++) {
    addOne<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
    x[n - 1] += 10;
  }
  EXPECT(x[0] == 4 && x[n - 2] == n + 2 && x[n - 1] == n + 43);
  EXPECT(cudaFree(x) == cudaSuccess);
}

int main() {
  // Freed memory is used again, beside memory that stays.
  int *device, *kept = mapped(3000, &device);
  kept[2999] = 42;
  for (int n : {3, 1000, 1 << 14, 100003}) arrays(n);
  lists();
  progress();
  for (int n : {2, 1000, 100003}) managed(n);
  // The host's own heap grows beside it.
  for (int i = 0; i < 50; i++) {
    char *p = (char *)malloc(1 << 20);
    EXPECT(p != nullptr);
    memset(p, i, 1 << 20);
  }
  arrays(5000);
  EXPECT(kept[2999] == 42);
  addOne<<<12, 256>>>(device, 3000);
  cudaDeviceSynchronize();
  EXPECT(kept[2999] == 43);
  if (failures == 0) puts("PASSED");
  return failures != 0;
}
