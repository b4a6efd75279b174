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

// What a kernel comes to of managed memory: by an argument, a struct, a variable, a pointer in memory, a text.
struct Range {
  int n;
  int *first;
};
__managed__ int counter = 3;
__managed__ int *anywhere;
__global__ void nothing(int *x) { x[0] = 1; }
__global__ void copyTo(const int *from, int *to, int n) {
  for (int i = 0; i < n; i++) to[i] = from[i];
}
__global__ void addToRange(Range range) {
  for (int i = 0; i < range.n; i++) range.first[i] += 1;
}
__global__ void count(int by) { counter += by; }
__global__ void followPointer(int n) {
  for (int i = 0; i < n; i++) anywhere[i] += 1;
}
__global__ void followPointers(int **rows, int n) {
  for (int i = 0; i < n; i++) rows[i][0] += 1;
}
__global__ void length(const char *text, int *out) {
  int n = 0;
  while (text[n]) n++;
  *out = n;
}

static void reached() {
  const int n = 40000;
  int *a, *b, **rows, *device, other = 0;
  char *text;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  cudaMallocManaged(&rows, 2 * sizeof(int *));
  cudaMallocManaged(&text, 100);
  cudaMalloc(&device, n * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < n; i++) a[i] = i + round, b[i] = -i;
    nothing<<<1, 1>>>(device);
    b[7] = 70 + round;
    copyTo<<<1, 1>>>(a, b, 5);
    cudaDeviceSynchronize();
    EXPECT(b[0] == round && b[4] == 4 + round && b[5] == -5 && b[7] == 70 + round && a[n - 1] == n - 1 + round);
    addToRange<<<1, 1>>>({5, b + 2});
    cudaDeviceSynchronize();
    EXPECT(b[1] == 1 + round && b[2] == 3 + round && b[5] == -4 && b[6] == -5 && b[7] == 70 + round);
    counter += 10;
    count<<<1, 1>>>(5);
    cudaDeviceSynchronize();
    EXPECT(counter == 3 + 15 * (round + 1));
    anywhere = a;
    followPointer<<<1, 1>>>(3);
    cudaDeviceSynchronize();
    EXPECT(a[2] == 3 + round && a[3] == 3 + round);
    rows[0] = a, rows[1] = b;
    followPointers<<<1, 1>>>(rows, 2);
    cudaDeviceSynchronize();
    EXPECT(a[0] == 2 + round && b[0] == 1 + round);
    strcpy(text, round ? "twelve chars" : "four");
    length<<<1, 1>>>(text, device);
    cudaMemcpy(&other, device, sizeof other, cudaMemcpyDeviceToHost);
    EXPECT(other == (round ? 12 : 4));
    // Through device memory, in one stream: what does not touch managed memory goes first all the same.
    addToRange<<<1, 1, 0, stream>>>({1, device});
    copyTo<<<1, 1, 0, stream>>>(device, b, 1);
    copyTo<<<1, 1, 0, stream>>>(b, device + 9, 1);
    cudaStreamSynchronize(stream);
    EXPECT(b[0] == other + 1);
    cudaMemcpyAsync(device, a, 4, cudaMemcpyHostToDevice, stream);
    copyTo<<<1, 1, 0, stream>>>(device, b + 1, 1);
    cudaStreamSynchronize(stream);
    EXPECT(b[1] == 2 + round);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    addToRange<<<1, 1, 0, stream>>>({1, device});
    copyTo<<<1, 1, 0, stream>>>(device, b + 3, 1);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 1; i <= 3; i++) {
      b[4] = i;
      cudaGraphLaunch(exec, stream);
      cudaStreamSynchronize(stream);
      EXPECT(b[3] == 2 + round + i && b[4] == i);
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
  for (void *p : {(void *)a, (void *)b, (void *)rows, (void *)text, (void *)device}) EXPECT(cudaFree(p) == cudaSuccess);
}

int main() {
  // Freed memory is used again, beside memory that stays.
  int *device, *kept = mapped(3000, &device);
  kept[2999] = 42;
  for (int n : {3, 1000, 1 << 14, 100003}) arrays(n);
  lists();
  progress();
  for (int n : {2, 1000, 100003}) managed(n);
  reached();
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
