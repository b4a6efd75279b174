// Host memory above 4 GiB: everything that the runtime reads or writes for the program lies there once.
//
//   host-memory FILE [all]    "all" fills 6 GiB and checks them, otherwise a number in each 64 KiB is written
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <sys/stat.h>
#include <time.h>

#define CHECK(call)                                                 \
  do {                                                              \
    cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                     \
      printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                      \
    }                                                               \
  } while (0)

static int wrong = 0;
static void expect(bool isRight, const char *what) {
  if (isRight) return;
  wrong++;
  printf("wrong: %s\n", what);
}

// All that comes after the block of 6 GiB lies above it.
static char *above = nullptr, *end = nullptr;
template <typename T>
T *place(size_t count = 1) {
  char *at = (char *)(((uintptr_t)above + 63) / 64 * 64);
  above = at + count * sizeof(T);
  if (above > end) puts("no room"), exit(1);
  return (T *)at;
}

static uint64_t numberAt(uint64_t i) { return i * 0x9e3779b97f4a7c15ull; }

static void fillAndCheck(uint64_t *numbers, size_t count, size_t step) {
  for (size_t i = 0; i < count; i += step) numbers[i] = numberAt(i);
  size_t bad = 0;
  for (size_t i = 0; i < count; i += step) bad += numbers[i] != numberAt(i);
  expect(bad == 0, "numbers in 6 GiB");
}

struct Point {
  double x;
  int *where;
};
__global__ void add(int *x, const int *y, int n, Point p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i] + (int)p.x;
  if (i == 0) *p.where = n;
}
__global__ void twice(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__device__ int symbol[4];

static void files(const char *name) {
  char *path = place<char>(200), *text = place<char>(1000);
  strcpy(path, name);
  snprintf(text, 1000, "%s, %d, %.3f\n", "a line", 42, 1.5);
  printf("%s", text);
  fflush(stdout);
  FILE *file = fopen(path, "w");
  char *large = place<char>(100000);
  memset(large, 'x', 100000);
  expect(fwrite(large, 1, 100000, file) == 100000, "fwrite");
  expect(fprintf(file, "%s", text) == (int)strlen(text), "fprintf");
  fclose(file);
  struct stat *about = place<struct stat>();
  expect(stat(path, about) == 0 && about->st_size == (long)(100000 + strlen(text)), "stat");
  file = fopen(path, "r");
  char *back = place<char>(100100);
  size_t got = fread(back, 1, 100100, file);
  fclose(file);
  expect(got == 100000 + strlen(text) && !memcmp(back, large, 100000) && !memcmp(back + 100000, text, strlen(text)),
         "fread");
  expect(remove(path) == 0, "remove");
  timespec *now = place<timespec>();
  expect(clock_gettime(CLOCK_REALTIME, now) == 0 && now->tv_sec > 1000000000, "clock_gettime");
  setenv("HEDDLE_TEST_NAME", path, 1);
  expect(std::string(getenv("HEDDLE_TEST_NAME")) == path, "setenv");
}

static void api() {
  const int n = 1000;
  int **device = place<int *>(4);
  for (int i = 0; i < 3; i++) CHECK(cudaMalloc(&device[i], n * sizeof(int)));
  int *x = place<int>(n), *y = place<int>(n), *back = place<int>(n);
  for (int i = 0; i < n; i++) x[i] = i, y[i] = 3 * i;
  CHECK(cudaMemcpy(device[0], x, n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyAsync(device[1], y, n * 4, cudaMemcpyDefault, 0));
  // The kernel's arguments, and the list of their addresses.
  Point *point = place<Point>();
  *point = {7, device[2]};
  int *count = place<int>();
  *count = n;
  void **arguments = place<void *>(4);
  arguments[0] = &device[0], arguments[1] = &device[1], arguments[2] = count, arguments[3] = point;
  dim3 *sizes = place<dim3>(2);
  sizes[0] = dim3(8), sizes[1] = dim3(128);
  CHECK(cudaLaunchKernel((const void *)add, sizes[0], sizes[1], arguments, 0, 0));
  CHECK(cudaMemcpy(back, device[0], n * 4, cudaMemcpyDeviceToHost));
  int bad = 0;
  for (int i = 0; i < n; i++) bad += back[i] != 4 * i + 7;
  expect(bad == 0, "a kernel's result");
  CHECK(cudaMemcpy(back, device[2], 4, cudaMemcpyDeviceToHost));
  expect(back[0] == n, "a pointer in a struct");

  CHECK(cudaMemcpy2D(back, 40, device[1], 80, 40, 10, cudaMemcpyDeviceToHost));
  bad = 0;
  for (int i = 0; i < 100; i++) bad += back[i] != 3 * (i / 10 * 20 + i % 10);
  expect(bad == 0, "cudaMemcpy2D");
  cudaMemcpy3DParms *copy = place<cudaMemcpy3DParms>();
  memset(copy, 0, sizeof *copy);
  copy->srcPtr = make_cudaPitchedPtr(y, 40, 40, 5);
  copy->dstPtr = make_cudaPitchedPtr(device[1], 40, 40, 5);
  copy->extent = make_cudaExtent(40, 5, 2);
  copy->kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(copy));
  CHECK(cudaMemcpyToSymbol(symbol, y + 5, 16));
  CHECK(cudaMemcpyFromSymbol(back, symbol, 16));
  expect(back[3] == 24, "symbols");
  cudaDeviceProp *properties = place<cudaDeviceProp>();
  CHECK(cudaGetDeviceProperties(properties, 0));
  expect(properties->warpSize == 32 && properties->name[0] != 0, "properties");
  cudaStream_t *stream = place<cudaStream_t>();
  cudaEvent_t *events = place<cudaEvent_t>(2);
  CHECK(cudaStreamCreate(stream));
  CHECK(cudaEventCreate(&events[0]));
  CHECK(cudaEventCreate(&events[1]));
  CHECK(cudaEventRecord(events[0], *stream));
  twice<<<8, 128, 0, *stream>>>(device[0], n);
  CHECK(cudaEventRecord(events[1], *stream));
  CHECK(cudaStreamSynchronize(*stream));
  float *milliseconds = place<float>();
  *milliseconds = -1;
  CHECK(cudaEventElapsedTime(milliseconds, events[0], events[1]));
  expect(*milliseconds >= 0, "cudaEventElapsedTime");
  size_t *info = place<size_t>(2);
  CHECK(cudaMemGetInfo(&info[0], &info[1]));
  expect(info[0] > 0 && info[0] <= info[1], "cudaMemGetInfo");
}

static void pinned() {
  const int n = 1 << 20;
  int **memory = place<int *>(4);
  CHECK(cudaMallocHost(&memory[0], n * sizeof(int)));
  expect((uintptr_t)memory[0] > (uintptr_t)UINT32_MAX, "pinned memory lies above 4 GiB");
  for (int i = 0; i < n; i++) memory[0][i] = i;
  twice<<<n / 256, 256>>>(memory[0], n);
  CHECK(cudaDeviceSynchronize());
  int bad = 0;
  for (int i = 0; i < n; i++) bad += memory[0][i] != 2 * i;
  expect(bad == 0, "a kernel on pinned memory");
  CHECK(cudaMalloc(&memory[1], n * sizeof(int)));
  CHECK(cudaMemcpyAsync(memory[1], memory[0], n * sizeof(int), cudaMemcpyHostToDevice));
  twice<<<n / 256, 256>>>(memory[1], n);
  CHECK(cudaMemcpyAsync(memory[0], memory[1], n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  expect(memory[0][n - 1] == 4 * (n - 1), "copies of pinned memory");
  cudaPointerAttributes *attributes = place<cudaPointerAttributes>();
  CHECK(cudaPointerGetAttributes(attributes, memory[0] + 5));
  expect(attributes->type == cudaMemoryTypeHost && attributes->hostPointer == memory[0] + 5, "attributes");
  int *own = place<int>(n);
  for (int i = 0; i < n; i++) own[i] = i;
  CHECK(cudaHostRegister(own, n * sizeof(int), cudaHostRegisterDefault));
  CHECK(cudaHostGetDevicePointer(&memory[2], own, 0));
  twice<<<n / 256, 256>>>(memory[2], n);
  CHECK(cudaDeviceSynchronize());
  expect(own[n - 1] == 2 * (n - 1), "registered memory");
  CHECK(cudaHostUnregister(own));
  CHECK(cudaFreeHost(memory[0]));
  // One address on both sides, which lies below 4 GiB.
  CHECK(cudaMallocManaged(&memory[3], n * sizeof(int)));
  for (int i = 0; i < n; i++) memory[3][i] = i;
  twice<<<n / 256, 256>>>(memory[3], n);
  CHECK(cudaDeviceSynchronize());
  expect(memory[3][n - 1] == 2 * (n - 1), "managed memory");
}

int main(int argc, char **argv) {
  const size_t bytes = (size_t)6 << 30, room = 64 << 20;
  uint64_t *numbers = (uint64_t *)malloc(bytes);
  char *rest = numbers ? (char *)malloc(room) : nullptr;
  if (!rest) {
    puts("malloc gives NULL");
    return 2;
  }
  above = rest, end = rest + room;
  expect((uintptr_t)rest > (uintptr_t)UINT32_MAX, "malloc after 6 GiB");
  fillAndCheck(numbers, bytes / 8, argc > 2 ? 1 : 8192);
  files(argv[1]);
  api();
  pinned();
  // Else the compiler takes the allocation away.
  uint64_t *volatile again;
  free(numbers);
  again = (uint64_t *)malloc(bytes);
  expect(again == numbers, "freed memory is given again");
  puts(wrong == 0 ? "PASSED" : "FAILED");
  return wrong != 0;
}
