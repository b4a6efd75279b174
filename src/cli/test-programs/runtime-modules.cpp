// Modules of code that NVRTC compiles while the program runs: variables and kernels by their names.
#include <cuda.h>
#include <nvrtc.h>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static int failures = 0;
#define EXPECT(what)                                                             \
  do {                                                                           \
    if (!(what)) failures++, printf("line %d: %s\n", __LINE__, #what);           \
  } while (0)
#define CHECK(call) EXPECT((call) == CUDA_SUCCESS)

// A name expression is replaced by the kernel's name.
static CUmodule compiled(const char *source, std::string *name = nullptr) {
  nvrtcProgram program;
  // What programs bring for the C++ library, which NVRTC has not; ours is there.
  const char *header = "#error a header of the C++ library is brought along\n", *header_name = "type_traits";
  EXPECT(nvrtcCreateProgram(&program, source, "source.cu", 1, &header, &header_name) == NVRTC_SUCCESS);
  if (name) EXPECT(nvrtcAddNameExpression(program, name->c_str()) == NVRTC_SUCCESS);
  std::vector<const char *> options;
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
  const char *lowered = nullptr;
  if (name) EXPECT(nvrtcGetLoweredName(program, name->c_str(), &lowered) == NVRTC_SUCCESS);
  if (name) *name = lowered;
  CUmodule module = nullptr;
  CHECK(cuModuleLoadData(&module, ptx.data()));
  nvrtcDestroyProgram(&program);
  return module;
}

// NVIDIA's compilers do not mangle the names of static variables.
static void staticVariables() {
  CUmodule module = compiled(R"(
    static __constant__ int table[4];
    namespace { namespace inner { __constant__ int more; } }
    __device__ int sum;
    extern "C" __global__ void add() { sum = table[0] + table[1] + table[2] + table[3] + inner::more; }
  )");
  const int numbers[4] = {1, 20, 300, 4000}, further = 50000;
  CUdeviceptr table = 0, sum = 0;
  size_t bytes = 0;
  CHECK(cuModuleGetGlobal(&table, &bytes, module, "table"));
  EXPECT(bytes == sizeof numbers);
  CHECK(cuMemcpyHtoD(table, numbers, sizeof numbers));
  CHECK(cuModuleGetGlobal(&table, &bytes, module, "_ZN12_GLOBAL__N_15inner4moreE"));
  CHECK(cuMemcpyHtoD(table, &further, sizeof further));
  CUfunction add;
  CHECK(cuModuleGetFunction(&add, module, "add"));
  CHECK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  CHECK(cuModuleGetGlobal(&sum, nullptr, module, "sum"));
  int result = 0;
  CHECK(cuMemcpyDtoH(&result, sum, sizeof result));
  EXPECT(result == 54321);
  EXPECT(cuModuleGetGlobal(&sum, nullptr, module, "difference") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuModuleUnload(module));
}

// A template is instantiated by its name; a list of static variables does not name it.
static void templates() {
  std::string name = "scale<3>";
  CUmodule module = compiled(R"(
    #include <type_traits>
    static __constant__ int offset[1];
    template <int factor> __global__ void scale(int *p) { *p = *p * factor + offset[0]; }
    static_assert(std::is_same<int, int>::value, "");
  )", &name);
  EXPECT(name == "_Z5scaleILi3EEvPi");
  CUfunction scale;
  CHECK(cuModuleGetFunction(&scale, module, name.c_str()));
  CUdeviceptr offset, p;
  int value = 5, by = 100;
  CHECK(cuModuleGetGlobal(&offset, nullptr, module, "offset"));
  CHECK(cuMemcpyHtoD(offset, &by, sizeof by));
  CHECK(cuMemAlloc(&p, sizeof value));
  CHECK(cuMemcpyHtoD(p, &value, sizeof value));
  void *arguments[] = {&p};
  CHECK(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(&value, p, sizeof value));
  EXPECT(value == 115);
}

// Programs look for NVRTC's words about a header that is not there.
static void missingHeader() {
  nvrtcProgram program;
  EXPECT(nvrtcCreateProgram(&program, "\n#include <a/b.h>\n", "name", 0, nullptr, nullptr) == NVRTC_SUCCESS);
  EXPECT(nvrtcCompileProgram(program, 0, nullptr) == NVRTC_ERROR_COMPILATION);
  size_t bytes = 0;
  EXPECT(nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS);
  std::vector<char> log(bytes);
  EXPECT(nvrtcGetProgramLog(program, log.data()) == NVRTC_SUCCESS);
  EXPECT(strstr(log.data(), "\nname(2): catastrophic error: cannot open source file \"a/b.h\""));
}

int main() {
  CHECK(cuInit(0));
  staticVariables();
  templates();
  missingHeader();
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
