// Fills device memory with numbers that depend on their place, in one allocation, and checks them. Then the host changes
// one number in the last gibibyte, which the check must find, and asks for the bytes around it.
//
//   device-memory [GIGABYTES [BLOCKS]]      of 10^9 bytes (1), and blocks of each launch (4096)
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                          \
  do {                                                                       \
    cudaError_t error = (call);                                              \
    if (error != cudaSuccess) {                                              \
      printf("line %d: %s\n", __LINE__, cudaGetErrorString(error));          \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

__host__ __device__ unsigned long numberAt(size_t i) {
  unsigned long x = i * 0x9e3779b97f4a7c15ul;
  return x ^ x >> 29;
}

__global__ void fill(unsigned long *numbers, size_t count) {
  size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) numbers[i] = numberAt(i);
}

__global__ void check(const unsigned long *numbers, size_t count, unsigned long long *wrong, size_t *where) {
  size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    if (numbers[i] != numberAt(i)) {
      atomicAdd(wrong, 1ull);
      *where = i;
    }
}

int main(int argc, char **argv) {
  size_t bytes = (size_t)((argc > 1 ? atof(argv[1]) : 1) * 1e9);
  size_t count = bytes / sizeof(long), changed = count - 54321, free, total;
  int blocks = argc > 2 ? atoi(argv[2]) : 4096;
  CHECK(cudaMemGetInfo(&free, &total));
  if (free < bytes) {
    printf("needs %zu bytes of device memory, %zu are free\n", bytes, free);
    return 2;
  }
  unsigned long *numbers, around[3];
  struct Found {
    unsigned long long wrong;
    size_t where;
  } *found, host;
  CHECK(cudaMalloc(&numbers, count * sizeof *numbers));
  CHECK(cudaMalloc(&found, sizeof *found));
  CHECK(cudaMemset(found, 0, sizeof *found));
  fill<<<blocks, 256>>>(numbers, count);
  check<<<blocks, 256>>>(numbers, count, &found->wrong, &found->where);
  CHECK(cudaMemcpy(&host, found, sizeof host, cudaMemcpyDeviceToHost));
  printf("wrong: %llu\n", host.wrong);

  unsigned long other = ~numberAt(changed);
  CHECK(cudaMemcpy(numbers + changed, &other, sizeof other, cudaMemcpyHostToDevice));
  check<<<blocks, 256>>>(numbers, count, &found->wrong, &found->where);
  CHECK(cudaMemcpy(&host, found, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(around, numbers + changed - 1, sizeof around, cudaMemcpyDeviceToHost));
  bool isRight = host.wrong == 1 && host.where == changed && around[0] == numberAt(changed - 1) &&
                 around[1] == other && around[2] == numberAt(changed + 1);
  printf("one number changed: %llu wrong, at %zu of %zu\n", host.wrong, host.where, count);
  CHECK(cudaFree(numbers));
  puts(isRight ? "PASSED" : "FAILED");
  return isRight ? 0 : 1;
}
