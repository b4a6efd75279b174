// Modules of code that NVRTC compiles while the program runs: variables and kernels by their names.
#include <cuda.h>
#include <nvrtc.h>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(what)                                                             \
  do {                                                                           \
    if (!(what)) failures++, printf("line %d: %s\n", __LINE__, #what);           \
  } while (0)
#define CHECK(call) EXPECT((call) == CUDA_SUCCESS)

static CUmodule compiled(const char *source, std::vector<const char *> options = {}) {
  nvrtcProgram program;
  EXPECT(nvrtcCreateProgram(&program, source, "source.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
  nvrtcResult status = nvrtcCompileProgram(program, (int)options.size(), options.data());
  size_t bytes = 0;
  if (status != NVRTC_SUCCESS) {
    nvrtcGetProgramLogSize(program, &bytes);
    std::vector<char> log(bytes);
    nvrtcGetProgramLog(program, log.data());
    printf("%s\n", log.data());
    failures++;
    return nullptr;
  }
  EXPECT(nvrtcGetPTXSize(program, &bytes) == NVRTC_SUCCESS);
  std::vector<char> ptx(bytes);
  EXPECT(nvrtcGetPTX(program, ptx.data()) == NVRTC_SUCCESS);
  CUmodule module = nullptr;
  CHECK(cuModuleLoadData(&module, ptx.data()));
  nvrtcDestroyProgram(&program);
  return module;
}

// NVIDIA's compilers do not mangle the names of static variables.
static void staticVariables() {
  CUmodule module = compiled(R"(
    static __constant__ int table[4];
    __device__ int sum;
    extern "C" __global__ void add() { sum = table[0] + table[1] + table[2] + table[3]; }
  )");
  const int numbers[4] = {1, 20, 300, 4000};
  CUdeviceptr table = 0, sum = 0;
  size_t bytes = 0;
  CHECK(cuModuleGetGlobal(&table, &bytes, module, "table"));
  EXPECT(bytes == sizeof numbers);
  CHECK(cuMemcpyHtoD(table, numbers, sizeof numbers));
  CUfunction add;
  CHECK(cuModuleGetFunction(&add, module, "add"));
  CHECK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  CHECK(cuModuleGetGlobal(&sum, nullptr, module, "sum"));
  int result = 0;
  CHECK(cuMemcpyDtoH(&result, sum, sizeof result));
  EXPECT(result == 4321);
  EXPECT(cuModuleGetGlobal(&sum, nullptr, module, "difference") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuModuleUnload(module));
}

int main() {
  CHECK(cuInit(0));
  staticVariables();
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
