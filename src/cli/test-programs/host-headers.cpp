// A C++ source that counts on the platform's names and on what headers bring in practice: gcc's <cmath> the C library's
// names and the small algorithms, curand.h the runtime, and curand_kernel.h types that a C++ compiler can read; and the
// names of types that <cxxabi.h> makes readable.
#if !defined(__linux__) || !defined(__unix__)
#error the program believes that it is not on Linux
#endif
#include <cmath>
#include <cxxabi.h>
#include <typeinfo>
#include <curand.h>
#include <curand_kernel.h>
#include <cstdio>

struct Shared {
  curandState *states;
  curandStateSobol32_t sobol;
};

int main() {
  int a = std::max(1, 2), b = std::min(3, 4), failures = 0;
  std::swap(a, b);
  if (a != 3 || b != 2 || std::make_pair(a, b).first != 3) failures++;
  void *memory = malloc(sizeof(Shared)), *device = nullptr;
  if (memory == nullptr || fabsf(-1.0f) != 1.0f || std::abs(-2) != 2) failures++;
  free(memory);
  if (cudaMalloc(&device, 16) != cudaSuccess || cudaFree(device) != cudaSuccess) failures++;
  int status = 9;
  char *name = abi::__cxa_demangle(typeid(Shared *).name(), nullptr, nullptr, &status);
  if (status != 0 || name == nullptr || name[6] != '*') failures++;
  free(name);
  printf("%s\n", failures == 0 ? "PASSED" : cudaGetErrorString(cudaGetLastError()));
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
