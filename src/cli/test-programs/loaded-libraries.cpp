// Libraries that a program loads while it runs: functions by their names, and what is said of those that are not there.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

static int wrong = 0;
#define EXPECT(...)                                                   \
  do {                                                                \
    if (!(__VA_ARGS__)) {                                             \
      printf("line %d: %s is not so\n", __LINE__, #__VA_ARGS__);      \
      wrong++;                                                        \
    }                                                                 \
  } while (0)

template <class F> static F find(void *library, const char *name) { return (F)dlsym(library, name); }

static void board() {
  void *nvml = dlopen("libnvidia-ml.so.1", RTLD_LAZY);
  EXPECT(nvml != nullptr && dlerror() == nullptr);
  auto init = find<int (*)()>(nvml, "nvmlInit_v2");
  auto count = find<int (*)(unsigned *)>(nvml, "nvmlDeviceGetCount_v2");
  auto handle = find<int (*)(unsigned, void **)>(nvml, "nvmlDeviceGetHandleByIndex_v2");
  auto name = find<int (*)(void *, char *, unsigned)>(nvml, "nvmlDeviceGetName");
  auto text = find<const char *(*)(int)>(nvml, "nvmlErrorString");
  EXPECT(init && count && handle && name && text);
  unsigned devices = 0;
  void *device = nullptr;
  char said[96] = "";
  EXPECT(init() == 0 && count(&devices) == 0 && devices > 0);
  EXPECT(handle(0, &device) == 0 && name(device, said, sizeof said) == 0 && said[0] != 0);
  EXPECT(strcmp(text(0), "") != 0);
  EXPECT(dlsym(nvml, "nvmlNoSuchFunction") == nullptr);
  const char *error = dlerror();
  EXPECT(error && strstr(error, "libnvidia-ml.so") && strstr(error, "undefined symbol: nvmlNoSuchFunction"));
  EXPECT(dlerror() == nullptr);
  EXPECT(dlsym(nvml, "cublasCreate_v2") == nullptr);
  EXPECT(dlsym(RTLD_DEFAULT, "nvmlInit_v2") == (void *)init);
  EXPECT(dlsym(dlopen(nullptr, RTLD_NOW), "nvmlInit_v2") == (void *)init);
  EXPECT(dlclose(nvml) == 0);
}

static void others() {
  void *driver = dlopen("/usr/lib/libcuda.so.1", RTLD_NOW), *runtime = dlopen("libcudart.so", RTLD_NOW);
  void *nvrtc = dlopen("libnvrtc.so.12", RTLD_NOW), *blas = dlopen("libcublas.so.12", RTLD_NOW);
  auto version = find<int (*)(int *)>(driver, "cuDriverGetVersion");
  auto allocate = find<int (*)(void **, size_t)>(runtime, "cudaMalloc");
  auto release = find<int (*)(void *)>(runtime, "cudaFree");
  auto compiler = find<int (*)(int *, int *)>(nvrtc, "nvrtcVersion");
  auto create = find<int (*)(void **)>(blas, "cublasCreate_v2");
  auto destroy = find<int (*)(void *)>(blas, "cublasDestroy_v2");
  EXPECT(version && allocate && release && compiler && create && destroy);
  int number = 0, minor = 0;
  void *memory = nullptr, *handle = nullptr;
  EXPECT(version(&number) == 0 && number >= 12000);
  EXPECT(allocate(&memory, 64) == 0 && memory && release(memory) == 0);
  EXPECT(compiler(&number, &minor) == 0 && number >= 12);
  EXPECT(create(&handle) == 0 && handle && destroy(handle) == 0);
}

int main() {
  board();
  others();
  const char *const absent[] = {"libother.so", "libcuda.so.old", "libnvjpeg.so.12"};
  for (const char *file : absent) {
    EXPECT(dlopen(file, RTLD_NOW) == nullptr);
    const char *error = dlerror();
    EXPECT(error && strstr(error, file) && strstr(error, "No such file or directory"));
  }
  puts(wrong == 0 ? "PASSED" : "FAILED");
  return wrong != 0;
}
