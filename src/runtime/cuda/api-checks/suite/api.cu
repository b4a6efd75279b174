// Pairs of host code for the API checks: NAME_wrong breaks one rule, in the line marked "// ! KIND"; NAME_right does the same and keeps it.
//
// The program runs those that its arguments name. What is not the point of a pair is done right: all errors are looked at, all memory is freed.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Case {
  const char *name;
  void (*run)();
  Case *next;
  static Case *first;
  Case(const char *name, void (*run)()) : name(name), run(run), next(first) { first = this; }
};
Case *Case::first = nullptr;

#define PAIR(name) \
  static void name(); \
  static Case case_##name(#name, name); \
  static void name()

// As programs write it.
#define OK(call) \
  do { \
    cudaError_t status = (call); \
    if (status != cudaSuccess) { \
      fprintf(stderr, "%s\n", cudaGetErrorString(status)); \
      exit(3); \
    } \
  } while (0)

static void expectError(cudaError_t error) {
  if (error == cudaSuccess) exit(4);
}

__global__ void fill(int *out, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}
__global__ void total(const int *in, int n, int *sum) {
  int t = 0;
  for (int i = 0; i < n; i++) t += in[i];
  *sum = t;
}
__global__ void dies() { __trap(); }
__constant__ int table[16];
__managed__ int counter;

static const int N = 100, BYTES = N * sizeof(int);

static int *device(int bytes = BYTES) {
  int *p;
  OK(cudaMalloc(&p, bytes)); // ! leak in leak_wrong
  OK(cudaMemset(p, 0, bytes));
  return p;
}

// Errors that nobody looks at.

PAIR(too_much_memory_wrong) {
  int *p;
  cudaMalloc(&p, 0xf0000000u); // ! unchecked-error
}
PAIR(too_much_memory_right) {
  int *p;
  if (cudaMalloc(&p, 0xf0000000u) != cudaSuccess) puts("no memory");
}

PAIR(too_many_threads_wrong) {
  int *p = device();
  fill<<<1, 2048>>>(p, N, 1); // ! unchecked-error
  OK(cudaFree(p));
}
PAIR(too_many_threads_right) {
  int *p = device();
  fill<<<1, 2048>>>(p, N, 1);
  expectError(cudaGetLastError());
  OK(cudaFree(p));
}

PAIR(too_much_shared_wrong) {
  int *p = device();
  fill<<<1, 32, 1 << 20>>>(p, N, 1); // ! unchecked-error
  OK(cudaDeviceSynchronize());
  OK(cudaFree(p));
}
PAIR(too_much_shared_right) {
  int *p = device();
  fill<<<1, 32, 1 << 20>>>(p, N, 1);
  expectError(cudaPeekAtLastError());
  OK(cudaFree(p));
}

PAIR(no_such_device_wrong) {
  cudaSetDevice(99); // ! unchecked-error
}
PAIR(no_such_device_right) {
  cudaError_t error = cudaSetDevice(99);
  printf("%s\n", cudaGetErrorName(error));
}

PAIR(overwritten_wrong) {
  cudaError_t error = cudaSetDevice(99); // ! unchecked-error
  error = cudaSetDevice(0);
  OK(error);
}
PAIR(overwritten_right) {
  cudaError_t error = cudaSetDevice(99);
  if (error == cudaSuccess) error = cudaSetDevice(0);
  expectError(error);
}

PAIR(kernel_dies_wrong) {
  dies<<<1, 1>>>();
  cudaDeviceSynchronize(); // ! unchecked-error
}
PAIR(kernel_dies_right) {
  dies<<<1, 1>>>();
  expectError(cudaDeviceSynchronize());
}

// Seen through a function that passes the error on.
__attribute__((noinline)) static cudaError_t choose(int ordinal) { return cudaSetDevice(ordinal); } // ! unchecked-error in passed_on_wrong
PAIR(passed_on_wrong) {
  choose(99);
}
__attribute__((noinline)) static void chooseAndForget(int ordinal) {
  choose(ordinal);
}
PAIR(passed_on_right) {
  expectError(choose(99));
  chooseAndForget(0);
}

// Copies: the direction.

PAIR(swapped_kind_wrong) {
  int *d = device(), *h = (int *)malloc(BYTES);
  expectError(cudaMemcpy(h, d, BYTES, cudaMemcpyHostToDevice)); // ! wrong-direction
  OK(cudaFree(d));
  free(h);
}
PAIR(swapped_kind_right) {
  int *d = device(), *h = (int *)malloc(BYTES);
  OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost));
  OK(cudaFree(d));
  free(h);
}

PAIR(swapped_pointers_wrong) {
  int *d = device(), *h = (int *)calloc(N, sizeof(int));
  expectError(cudaMemcpy(h, d, BYTES, cudaMemcpyHostToDevice)); // ! wrong-direction
  OK(cudaFree(d));
  free(h);
}
PAIR(swapped_pointers_right) {
  int *d = device(), *h = (int *)calloc(N, sizeof(int));
  OK(cudaMemcpy(d, h, BYTES, cudaMemcpyHostToDevice));
  OK(cudaFree(d));
  free(h);
}

PAIR(overlooked_kind_wrong) {
  int *a = device(), *b = device();
  OK(cudaMemcpy(a, b, BYTES, cudaMemcpyHostToDevice)); // ! wrong-direction
  OK(cudaFree(a));
  OK(cudaFree(b));
}
PAIR(overlooked_kind_right) {
  int *a = device(), *b = device();
  OK(cudaMemcpy(a, b, BYTES, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(a, b, BYTES, cudaMemcpyDefault));
  OK(cudaFree(a));
  OK(cudaFree(b));
}

PAIR(no_kind_wrong) {
  int *d = device();
  int h[N] = {};
  expectError(cudaMemcpy(d, h, BYTES, (cudaMemcpyKind)7)); // ! wrong-direction
  OK(cudaFree(d));
}
PAIR(no_kind_right) {
  int *d = device();
  int h[N] = {};
  OK(cudaMemcpy(d, h, BYTES, cudaMemcpyDefault));
  OK(cudaFree(d));
}

PAIR(symbol_kind_wrong) {
  int h[16] = {};
  expectError(cudaMemcpyToSymbol(table, h, sizeof h, 0, cudaMemcpyDeviceToHost)); // ! wrong-direction
}
PAIR(symbol_kind_right) {
  int h[16] = {};
  OK(cudaMemcpyToSymbol(table, h, sizeof h, 0, cudaMemcpyHostToDevice));
}

PAIR(host_pointer_wrong) {
  int *d = device(), *h = (int *)malloc(BYTES);
  expectError(cudaMemset(h, 0, BYTES)); // ! wrong-pointer
  OK(cudaFree(d));
  free(h);
}
PAIR(host_pointer_right) {
  int *d = device(), *h = (int *)malloc(BYTES);
  memset(h, 0, BYTES);
  OK(cudaMemset(d, 0, BYTES));
  OK(cudaFree(d));
  free(h);
}

PAIR(null_pointer_wrong) {
  int *d = device(), *h = nullptr;
  expectError(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost)); // ! wrong-pointer
  OK(cudaFree(d));
}
PAIR(null_pointer_right) {
  int *d = device(), *h = nullptr;
  OK(cudaMemcpy(h, d, 0, cudaMemcpyDeviceToHost));
  OK(cudaFree(d));
}

// Copies: the size.

PAIR(beyond_destination_wrong) {
  int *d = device(), h[N + 1] = {};
  expectError(cudaMemcpy(d, h, BYTES + 4, cudaMemcpyHostToDevice)); // ! copy-out-of-bounds
  OK(cudaFree(d));
}
PAIR(beyond_destination_right) {
  int *d = device(), h[N + 1] = {};
  OK(cudaMemcpy(d, h, BYTES, cudaMemcpyHostToDevice));
  OK(cudaFree(d));
}

PAIR(beyond_source_wrong) {
  int *d = device(), *h = (int *)malloc(BYTES);
  expectError(cudaMemcpy(h, d + 1, BYTES, cudaMemcpyDeviceToHost)); // ! copy-out-of-bounds
  OK(cudaFree(d));
  free(h);
}
PAIR(beyond_source_right) {
  int *d = device(), *h = (int *)malloc(BYTES);
  OK(cudaMemcpy(h, d + 1, BYTES - 4, cudaMemcpyDeviceToHost));
  OK(cudaFree(d));
  free(h);
}

PAIR(beyond_malloc_wrong) {
  int *d = device(BYTES + 4), *h = (int *)malloc(BYTES);
  OK(cudaMemcpy(h, d, BYTES + 4, cudaMemcpyDeviceToHost)); // ! copy-out-of-bounds
  OK(cudaFree(d));
  free(h);
}
PAIR(beyond_malloc_right) {
  int *d = device(BYTES + 4), *h = (int *)malloc(BYTES + 4);
  OK(cudaMemcpy(h, d, BYTES + 4, cudaMemcpyDeviceToHost));
  OK(cudaFree(d));
  free(h);
}

PAIR(beyond_vector_wrong) {
  int *d = device(BYTES + 4);
  std::vector<int> h(N);
  OK(cudaMemcpy(d + 1, h.data() + 1, BYTES, cudaMemcpyHostToDevice)); // ! copy-out-of-bounds
  OK(cudaFree(d));
}
PAIR(beyond_vector_right) {
  int *d = device(BYTES + 4);
  std::vector<int> h(N);
  OK(cudaMemcpy(d + 1, h.data() + 1, BYTES - 4, cudaMemcpyHostToDevice));
  OK(cudaFree(d));
}

PAIR(beyond_new_wrong) {
  float *d = (float *)device(BYTES * 2), *h = new float[N];
  OK(cudaMemcpyAsync(d, h, N * sizeof(double), cudaMemcpyHostToDevice)); // ! copy-out-of-bounds
  OK(cudaFree(d));
  delete[] h;
}
PAIR(beyond_new_right) {
  float *d = (float *)device(BYTES * 2), *h = new float[N];
  OK(cudaMemcpyAsync(d, h, N * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaFree(d));
  delete[] h;
}

PAIR(beyond_realloc_wrong) {
  int *d = device(), *h = (int *)malloc(2 * BYTES);
  h = (int *)realloc(h, BYTES / 2);
  OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost)); // ! copy-out-of-bounds
  OK(cudaFree(d));
  free(h);
}
PAIR(beyond_realloc_right) {
  int *d = device(), *h = (int *)malloc(BYTES / 2);
  h = (int *)realloc(h, BYTES);
  OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost));
  OK(cudaFree(d));
  free(h);
}

PAIR(beyond_fill_wrong) {
  int *d = device();
  expectError(cudaMemset(d, 0, BYTES * sizeof(int))); // ! copy-out-of-bounds
  OK(cudaFree(d));
}
PAIR(beyond_fill_right) {
  int *d = device();
  OK(cudaMemset(d, 0, BYTES));
  OK(cudaFree(d));
}

PAIR(beyond_rows_wrong) {
  int *d = device(), h[N] = {};
  expectError(cudaMemcpy2D(d, 48, h, 40, 40, 10, cudaMemcpyHostToDevice)); // ! copy-out-of-bounds
  OK(cudaFree(d));
}
PAIR(beyond_rows_right) {
  int *d = device(), h[N] = {};
  OK(cudaMemcpy2D(d, 40, h, 40, 40, 10, cudaMemcpyHostToDevice));
  OK(cudaFree(d));
}

PAIR(beyond_symbol_wrong) {
  int h[17] = {};
  expectError(cudaMemcpyToSymbol(table, h, sizeof h)); // ! copy-out-of-bounds
}
PAIR(beyond_symbol_right) {
  int h[17] = {};
  OK(cudaMemcpyToSymbol(table, h, sizeof table));
}

// Frees.

PAIR(double_free_wrong) {
  int *d = device();
  OK(cudaFree(d));
  expectError(cudaFree(d)); // ! double-free
}
PAIR(double_free_right) {
  int *d = device();
  OK(cudaFree(d));
  d = nullptr;
  OK(cudaFree(d));
}

PAIR(double_free_managed_wrong) {
  int *m;
  OK(cudaMallocManaged(&m, BYTES));
  OK(cudaFree(m));
  expectError(cudaFree(m)); // ! double-free
}
PAIR(double_free_managed_right) {
  int *m;
  OK(cudaMallocManaged(&m, BYTES));
  OK(cudaFree(m));
}

PAIR(free_inside_wrong) {
  int *d = device();
  expectError(cudaFree(d + 4)); // ! free-inside
  OK(cudaFree(d));
}
PAIR(free_inside_right) {
  int *d = device(), *row = d + 4;
  OK(cudaFree(row - 4));
}

PAIR(free_behind_wrong) {
  int *d = device();
  expectError(cudaFree((char *)d + BYTES - 1)); // ! free-inside
  OK(cudaFree(d));
}
PAIR(free_behind_right) {
  int *d = device();
  OK(cudaFree((char *)d + BYTES - BYTES));
}

PAIR(free_of_host_memory_wrong) {
  int *h = (int *)malloc(BYTES);
  expectError(cudaFree(h)); // ! invalid-free
  free(h);
}
PAIR(free_of_host_memory_right) {
  int *h = (int *)malloc(BYTES);
  free(h);
}

PAIR(free_of_pinned_wrong) {
  int *h;
  OK(cudaMallocHost(&h, BYTES));
  expectError(cudaFree(h)); // ! invalid-free
  OK(cudaFreeHost(h));
}
PAIR(free_of_pinned_right) {
  int *h;
  OK(cudaMallocHost(&h, BYTES));
  OK(cudaFreeHost(h));
}

PAIR(free_host_of_malloc_wrong) {
  int *h = (int *)malloc(BYTES);
  expectError(cudaFreeHost(h)); // ! invalid-free
  free(h);
}
PAIR(free_host_of_malloc_right) {
  int *h;
  OK(cudaHostAlloc(&h, BYTES, cudaHostAllocDefault));
  OK(cudaFreeHost(h));
}

PAIR(copy_after_free_wrong) {
  int *d = device(), h[N];
  OK(cudaFree(d));
  expectError(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost)); // ! use-after-free
}
PAIR(copy_after_free_right) {
  int *d = device(), h[N];
  OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost));
  OK(cudaFree(d));
}

PAIR(fill_after_free_wrong) {
  int *d = device();
  OK(cudaFree(d));
  expectError(cudaMemsetAsync(d, 0, BYTES)); // ! use-after-free
}
PAIR(fill_after_free_right) {
  int *d = device();
  OK(cudaMemsetAsync(d, 0, BYTES));
  OK(cudaFree(d));
}

// Streams and events that are gone.

PAIR(launch_on_destroyed_wrong) {
  int *d = device();
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamDestroy(stream));
  fill<<<1, 128, 0, stream>>>(d, N, 1); // ! use-after-destroy
  expectError(cudaGetLastError());
  OK(cudaFree(d));
}
PAIR(launch_on_destroyed_right) {
  int *d = device();
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  fill<<<1, 128, 0, stream>>>(d, N, 1);
  OK(cudaGetLastError());
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(d));
}

PAIR(wait_for_destroyed_wrong) {
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaStreamDestroy(stream));
  expectError(cudaStreamSynchronize(stream)); // ! use-after-destroy
}
PAIR(wait_for_destroyed_right) {
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaStreamSynchronize(stream));
  OK(cudaStreamDestroy(stream));
}

PAIR(destroyed_twice_wrong) {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamDestroy(stream));
  expectError(cudaStreamDestroy(stream)); // ! use-after-destroy
}
PAIR(destroyed_twice_right) {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamDestroy(stream));
}

PAIR(destroyed_event_wrong) {
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  OK(cudaEventDestroy(event));
  expectError(cudaEventRecord(event)); // ! use-after-destroy
}
PAIR(destroyed_event_right) {
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  OK(cudaEventRecord(event));
  OK(cudaEventDestroy(event));
}

PAIR(never_created_wrong) {
  cudaEvent_t event = nullptr;
  expectError(cudaEventRecord(event)); // ! invalid-handle
}
PAIR(never_created_right) {
  cudaEvent_t event = nullptr;
  OK(cudaEventCreate(&event));
  OK(cudaEventRecord(event));
  OK(cudaEventDestroy(event));
}

PAIR(never_created_stream_wrong) {
  cudaEvent_t event = nullptr;
  expectError(cudaEventSynchronize(event)); // ! invalid-handle
}
PAIR(never_created_stream_right) {
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  OK(cudaEventSynchronize(event));
  OK(cudaEventDestroy(event));
}

// Host accesses while the device works.

static int *managed() {
  int *m;
  OK(cudaMallocManaged(&m, BYTES));
  for (int i = 0; i < N; i++) m[i] = 0;
  return m;
}

PAIR(read_too_early_wrong) {
  int *m = managed();
  fill<<<1, 128>>>(m, N, 7);
  printf("%d\n", m[5]); // ! host-access-while-busy
  OK(cudaDeviceSynchronize());
  OK(cudaFree(m));
}
PAIR(read_too_early_right) {
  int *m = managed();
  fill<<<1, 128>>>(m, N, 7);
  OK(cudaDeviceSynchronize());
  printf("%d\n", m[5]);
  OK(cudaFree(m));
}

PAIR(write_too_early_wrong) {
  int *m = managed(), *sum = device();
  total<<<1, 1>>>(m, N, sum);
  m[0] = 3; // ! host-access-while-busy
  OK(cudaDeviceSynchronize());
  OK(cudaFree(m));
  OK(cudaFree(sum));
}
PAIR(write_too_early_right) {
  int *m = managed(), *sum = device();
  total<<<1, 1>>>(m, N, sum);
  int first = m[0];
  OK(cudaDeviceSynchronize());
  m[0] = first + 3;
  OK(cudaFree(m));
  OK(cudaFree(sum));
}

PAIR(other_stream_wrong) {
  int *m = managed();
  cudaStream_t a, b;
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  fill<<<1, 128, 0, a>>>(m, N, 7);
  OK(cudaStreamSynchronize(b));
  printf("%d\n", m[5]); // ! host-access-while-busy
  OK(cudaDeviceSynchronize());
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  OK(cudaFree(m));
}
PAIR(other_stream_right) {
  int *m = managed();
  cudaStream_t a, b;
  cudaEvent_t event;
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaEventCreate(&event));
  fill<<<1, 128, 0, a>>>(m, N, 7);
  OK(cudaEventRecord(event, a));
  OK(cudaStreamWaitEvent(b, event, 0));
  OK(cudaStreamSynchronize(b));
  printf("%d\n", m[5]);
  OK(cudaEventDestroy(event));
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  OK(cudaFree(m));
}

PAIR(event_too_early_wrong) {
  int *m = managed();
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  OK(cudaEventRecord(event));
  fill<<<1, 128>>>(m, N, 7);
  OK(cudaEventSynchronize(event));
  printf("%d\n", m[5]); // ! host-access-while-busy
  OK(cudaDeviceSynchronize());
  OK(cudaEventDestroy(event));
  OK(cudaFree(m));
}
PAIR(event_too_early_right) {
  int *m = managed();
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  fill<<<1, 128>>>(m, N, 7);
  OK(cudaEventRecord(event));
  OK(cudaEventSynchronize(event));
  printf("%d\n", m[5]);
  OK(cudaEventDestroy(event));
  OK(cudaFree(m));
}

// By functions of the C library.
PAIR(managed_memcpy_wrong) {
  int *m = managed(), h[N];
  fill<<<1, 128>>>(m, N, 7);
  memcpy(h, m, sizeof(h)); // ! host-access-while-busy
  OK(cudaDeviceSynchronize());
  printf("%d\n", h[5]);
  OK(cudaFree(m));
}
PAIR(managed_memcpy_right) {
  int *m = managed(), h[N];
  fill<<<1, 128>>>(m, N, 7);
  OK(cudaDeviceSynchronize());
  memcpy(h, m, sizeof(h));
  printf("%d\n", h[5]);
  OK(cudaFree(m));
}
PAIR(managed_memset_wrong) {
  int *m = managed();
  fill<<<1, 128>>>(m, N, 7);
  memset(m, 0, BYTES); // ! host-access-while-busy
  OK(cudaDeviceSynchronize());
  OK(cudaFree(m));
}
PAIR(managed_memset_right) {
  int *m = managed();
  fill<<<1, 128>>>(m, N, 7);
  OK(cudaDeviceSynchronize());
  memset(m, 0, BYTES);
  OK(cudaFree(m));
}

__global__ void count() { atomicAdd(&counter, 1); }
// Together with the device, by atomic operations of both; by those of the device alone.
template <bool SYSTEM> __global__ void add_up(int *sum) {
  if (SYSTEM) atomicAdd_system(sum, 1);
  else atomicAdd(sum, 1);
}
template <bool SYSTEM> static void add_together() {
  int *m = managed();
  add_up<SYSTEM><<<1, 128>>>(m);
  int seen;
  do seen = *m; // ! host-access-while-busy in together_wrong
  while (!__sync_bool_compare_and_swap(m, seen, seen + 1));
  OK(cudaDeviceSynchronize());
  OK(cudaFree(m));
}
PAIR(together_wrong) { add_together<false>(); }
PAIR(together_right) { add_together<true>(); }

PAIR(managed_variable_wrong) {
  count<<<1, 32>>>();
  printf("%d\n", counter); // ! host-access-while-busy
  OK(cudaDeviceSynchronize());
}
PAIR(managed_variable_right) {
  count<<<1, 32>>>();
  OK(cudaDeviceSynchronize());
  printf("%d\n", counter);
}

PAIR(pinned_read_wrong) {
  int *d = device(), *h;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaMallocHost(&h, BYTES));
  OK(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, stream));
  printf("%d\n", h[3]); // ! host-access-while-busy
  OK(cudaStreamSynchronize(stream));
  OK(cudaStreamDestroy(stream));
  OK(cudaFreeHost(h));
  OK(cudaFree(d));
}
PAIR(pinned_read_right) {
  int *d = device(), *h;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaMallocHost(&h, BYTES));
  OK(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  printf("%d\n", h[3]);
  OK(cudaStreamDestroy(stream));
  OK(cudaFreeHost(h));
  OK(cudaFree(d));
}

PAIR(pinned_write_wrong) {
  int *d = device(), *h;
  OK(cudaMallocHost(&h, BYTES));
  for (int i = 0; i < N; i++) h[i] = i;
  OK(cudaMemcpyAsync(d, h, BYTES, cudaMemcpyHostToDevice));
  h[0] = 42; // ! host-access-while-busy
  OK(cudaFree(d));
  OK(cudaFreeHost(h));
}
PAIR(pinned_write_right) {
  int *d = device(), *h;
  OK(cudaMallocHost(&h, BYTES));
  for (int i = 0; i < N; i++) h[i] = i;
  OK(cudaMemcpyAsync(d, h, BYTES, cudaMemcpyHostToDevice));
  int first = h[0]; // reading beside a copy that reads is right
  while (cudaStreamQuery(0) == cudaErrorNotReady) {}
  h[0] = first + 42;
  OK(cudaFree(d));
  OK(cudaFreeHost(h));
}

PAIR(blocking_copy_wrong) {
  int *m = managed(), *d = device(), h[N];
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  fill<<<1, 128, 0, stream>>>(m, N, 7);
  OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost));
  printf("%d\n", m[5]); // ! host-access-while-busy
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(m));
  OK(cudaFree(d));
}
PAIR(blocking_copy_right) {
  int *m = managed(), *d = device(), h[N];
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  fill<<<1, 128, 0, stream>>>(m, N, 7);
  OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost));
  printf("%d\n", m[5]);
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(m));
  OK(cudaFree(d));
}

static int *seen;
static void look(void *) { printf("%d\n", seen[5]); } // ! host-access-while-busy in callback_wrong
PAIR(callback_wrong) {
  seen = managed();
  fill<<<1, 128>>>(seen, N, 7);
  look(nullptr);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(seen));
}
PAIR(callback_right) {
  seen = managed();
  fill<<<1, 128>>>(seen, N, 7);
  OK(cudaLaunchHostFunc(0, look, nullptr));
  OK(cudaDeviceSynchronize());
  OK(cudaFree(seen));
}

// Memory by handles: what a kernel may read is what is mapped, and as long as it is.

__global__ void readPast(int *out, const int *in, int at) {
  *out = in[at]; // ! out-of-bounds in past_mapping_wrong
}
__global__ void readReserved(int *out, const int *in) {
  *out = *in; // ! unallocated in only_reserved_wrong
}
__global__ void readUnmapped(int *out, const int *in) {
  *out = *in; // ! use-after-free in unmapped_wrong
}

static void driver(CUresult status) {
  if (status != CUDA_SUCCESS) exit(5);
}
/// Addresses twice as long as the memory, which is mapped at their start.
struct Mapped {
  size_t bytes = 0;
  CUdeviceptr start = 0;
  CUmemGenericAllocationHandle handle = 0;
  bool isMapped = true;
  int *out = device(sizeof(int));
  Mapped() {
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    driver(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    driver(cuMemAddressReserve(&start, 2 * bytes, 0, 0, 0));
    driver(cuMemCreate(&handle, bytes, &prop, 0));
    driver(cuMemMap(start, bytes, 0, handle, 0));
    CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    driver(cuMemSetAccess(start, bytes, &access, 1));
    driver(cuMemsetD32(start, 7, bytes / sizeof(int)));
  }
  void unmap() {
    if (isMapped) driver(cuMemUnmap(start, bytes));
    isMapped = false;
  }
  ~Mapped() {
    OK(cudaDeviceSynchronize());
    unmap();
    driver(cuMemRelease(handle));
    driver(cuMemAddressFree(start, 2 * bytes));
    OK(cudaFree(out));
  }
  const int *at(size_t offset) const { return (const int *)(start + offset); }
};

PAIR(past_mapping_wrong) {
  Mapped m;
  readPast<<<1, 1>>>(m.out, m.at(0), (int)(m.bytes / sizeof(int)));
  OK(cudaGetLastError());
}
PAIR(past_mapping_right) {
  Mapped m;
  readPast<<<1, 1>>>(m.out, m.at(0), (int)(m.bytes / sizeof(int)) - 1);
  OK(cudaGetLastError());
}

PAIR(only_reserved_wrong) {
  Mapped m;
  readReserved<<<1, 1>>>(m.out, m.at(m.bytes));
  OK(cudaGetLastError());
}
PAIR(only_reserved_right) {
  Mapped m;
  readReserved<<<1, 1>>>(m.out, m.at(m.bytes - sizeof(int)));
  OK(cudaGetLastError());
}

PAIR(unmapped_wrong) {
  Mapped m;
  m.unmap();
  readUnmapped<<<1, 1>>>(m.out, m.at(0));
  OK(cudaGetLastError());
}
PAIR(unmapped_right) {
  Mapped m;
  readUnmapped<<<1, 1>>>(m.out, m.at(0));
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  m.unmap();
}

// Never freed.

PAIR(leak_wrong) {
  int *d = device(12345 * sizeof(int));
  OK(cudaMemset(d, 0, 16));
}
PAIR(leak_right) {
  int *d = device(12345 * sizeof(int));
  OK(cudaMemset(d, 0, 16));
  OK(cudaFree(d));
}

PAIR(leak_of_rows_wrong) {
  void *rows;
  size_t pitch;
  OK(cudaMallocPitch(&rows, &pitch, 100, 20)); // ! leak
  OK(cudaMemset(rows, 0, 16));
}
PAIR(leak_of_rows_right) {
  void *rows;
  size_t pitch;
  OK(cudaMallocPitch(&rows, &pitch, 100, 20));
  OK(cudaMemset(rows, 0, 16));
  OK(cudaFree(rows));
}

// Calls that a capture neither records nor lets pass. The capture is invalid from then on.
static void in_capture(bool waits, bool allocates) {
  cudaStream_t stream;
  cudaGraph_t graph = nullptr;
  int *d = device(), *more = nullptr;
  OK(cudaStreamCreate(&stream));
  OK(cudaDeviceSynchronize());
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  fill<<<1, 128, 0, stream>>>(d, N, 1);
  if (waits) expectError(cudaStreamSynchronize(stream)); // ! call-in-capture in waits_in_capture_wrong
  if (allocates) expectError(cudaMalloc(&more, BYTES)); // ! call-in-capture in allocates_in_capture_wrong
  cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  if (waits || allocates) expectError(ended);
  else {
    OK(ended);
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMalloc(&more, BYTES));
    OK(cudaMemset(more, 0, BYTES));
    OK(cudaFree(more));
  }
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(d));
}
PAIR(waits_in_capture_wrong) { in_capture(true, false); }
PAIR(waits_in_capture_right) { in_capture(false, false); }
PAIR(allocates_in_capture_wrong) { in_capture(false, true); }
PAIR(allocates_in_capture_right) { in_capture(false, false); }

// Runs the pairs that its arguments name, one after the other. What error one left is not the next one's.
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    Case *c = Case::first;
    while (c && strcmp(c->name, argv[i])) c = c->next;
    if (!c) return 2;
    c->run();
    if (i + 1 < argc) cudaGetLastError();
  }
  return 0;
}
