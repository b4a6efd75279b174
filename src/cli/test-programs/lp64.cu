// 64-bit programs: what host and device exchange, with pointers, long and size_t of 8 bytes.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

struct Node {
  Node *next;
  long value;
  char tag;
};
struct Arguments {
  float *data;
  size_t n;
  int k;
  const char *name;
};
static_assert(sizeof(Node) == 24 && sizeof(Arguments) == 32 && sizeof(long) == 8 && sizeof(void *) == 8, "LP64");

__device__ double twice(double x) { return 2 * x; }
__device__ double thrice(double x) { return 3 * x; }
__device__ double (*functions[2])(double) = {twice, thrice};
__device__ Node *head;
__device__ long total;
__constant__ Arguments constants;
__device__ const char *names[] = {"zero", "one", "two"};

__global__ void build(int n) {
  Node *last = nullptr;
  for (int i = 0; i < n; i++) {
    Node *node = (Node *)malloc(sizeof(Node));
    *node = {last, (1L << 33) + i, (char)('a' + i)};
    last = node;
  }
  head = last;
}
__global__ void walk(long *sum) {
  *sum = 0;
  for (Node *p = head; p; p = p->next) *sum += p->value;
  printf("%ld %zu %s %c %lx %s\n", *sum, sizeof(Node), names[2], head->tag, (unsigned long)head->value, "end");
  while (head) {
    Node *p = head;
    head = p->next;
    free(p);
  }
}
__global__ void byValue(Arguments a, long scale) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < a.n) a.data[i] = a.data[i] * scale + a.k;
  if (i == 0) total = (long)a.n << 32;
}
__global__ void rows(float **row, long n) {
  for (long i = threadIdx.x; i < n; i += blockDim.x) row[blockIdx.x][i] = blockIdx.x * 100 + i;
}
__global__ void indirect(double *out) { out[threadIdx.x] = functions[threadIdx.x % 2](threadIdx.x); }
__global__ void fromConstant(float *out) {
  out[threadIdx.x] = constants.data[threadIdx.x] + constants.k + (float)constants.n;
}
__global__ void atomics(unsigned long long *x, Node **last, Node *nodes) {
  atomicAdd(x, 1ull << 40);
  Node *me = nodes + threadIdx.x;
  me->next = (Node *)atomicExch((unsigned long long *)last, (unsigned long long)me);
}
template <class T> __global__ void sizes(T *out) {
  out[0] = sizeof(T);
  out[1] = sizeof(void *);
  out[2] = (T)-1 > 0;
  ptrdiff_t distance = &out[7] - &out[2];
  out[3] = distance;
  out[4] = (uintptr_t)out != 0;
}

int main() {
  build<<<1, 1>>>(5);
  long *sum;
  cudaMallocManaged(&sum, sizeof *sum);
  walk<<<1, 1>>>(sum);
  cudaDeviceSynchronize();
  printf("managed %ld\n", *sum);

  const size_t n = 1000;
  float *d;
  cudaMalloc(&d, n * sizeof(float));
  std::vector<float> h(n);
  std::iota(h.begin(), h.end(), 0.f);
  cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  Arguments a{d, n, 7, "name"};
  byValue<<<4, 256>>>(a, 3L);
  cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
  long t;
  cudaMemcpyFromSymbol(&t, total, sizeof t);
  printf("by value %g %g %ld\n", h[0], h[999], t);

  float *pointers[3], **onDevice, last;
  for (auto &p : pointers) cudaMalloc(&p, 400);
  cudaMalloc(&onDevice, sizeof pointers);
  cudaMemcpy(onDevice, pointers, sizeof pointers, cudaMemcpyHostToDevice);
  rows<<<3, 32>>>(onDevice, 100);
  cudaMemcpy(&last, pointers[2] + 99, sizeof last, cudaMemcpyDefault);
  printf("rows %g\n", last);

  double *out, results[4];
  cudaMalloc(&out, sizeof results);
  indirect<<<1, 4>>>(out);
  cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
  printf("functions %g %g %g\n", results[1], results[2], results[3]);

  cudaMemcpyToSymbol(constants, &a, sizeof a);
  fromConstant<<<1, 32>>>(d + 100);
  cudaMemcpy(h.data(), d + 100, 128, cudaMemcpyDeviceToHost);
  printf("constant %g\n", h[5]);

  unsigned long long *x;
  Node **chain, *nodes;
  cudaMallocManaged(&x, sizeof *x);
  cudaMallocManaged(&chain, sizeof *chain);
  cudaMallocManaged(&nodes, 64 * sizeof *nodes);
  *x = 0;
  *chain = nullptr;
  atomics<<<1, 64>>>(x, chain, nodes);
  cudaDeviceSynchronize();
  int length = 0;
  for (Node *p = *chain; p; p = p->next) length++;
  printf("atomics %llu %d\n", *x, length);

  size_t *size;
  cudaMallocManaged(&size, 8 * sizeof *size);
  sizes<<<1, 1>>>(size);
  cudaDeviceSynchronize();
  printf("sizes %zu %zu %zu %zu %zu\n", size[0], size[1], size[2], size[3], size[4]);

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaLaunchHostFunc(stream, [](void *p) { printf("host function %ld\n", *(long *)p); }, &t);
  cudaStreamAddCallback(
      stream, [](cudaStream_t, cudaError_t error, void *p) { printf("callback %d %d\n", (int)error, p == nullptr); },
      nullptr, 0);
  cudaStreamSynchronize(stream);

  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, d);
  printf("attributes %d %d\n", attributes.type, attributes.devicePointer == d);
  void *big;
  printf("100 GB: %s\n", cudaGetErrorName(cudaMalloc(&big, size_t(100) << 30)));
}
