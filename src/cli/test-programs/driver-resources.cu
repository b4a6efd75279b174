// The driver's functions by name, as NVIDIA's headers find them, and what they do: pools, pointers, patterns, launches.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <cstdio>
#include <cstring>

static int failures = 0;
#define EXPECT(what)                                                             \
  do {                                                                           \
    if (!(what)) failures++, printf("line %d: %s\n", __LINE__, #what);           \
  } while (0)

__global__ void scale(int *p, int by) { p[threadIdx.x] *= by; }

static PFN_cuGetProcAddress_v12000 procAddress;
template <typename FUNCTION> FUNCTION function(const char *name) {
  void *found = nullptr;
  CUdriverProcAddressQueryResult status;
  EXPECT(procAddress(name, &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status) == CUDA_SUCCESS);
  EXPECT(status == (found ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
  return (FUNCTION)found;
}

static void entryPoints() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  EXPECT(driver);
  procAddress = (PFN_cuGetProcAddress_v12000)dlsym(driver, "cuGetProcAddress_v2");
  EXPECT(procAddress == cuGetProcAddress);
  EXPECT(dlsym(driver, "cuMemAlloc_v2") == (void *)cuMemAlloc);
  EXPECT(!dlsym(driver, "cuNothing") && strstr(dlerror(), "cuNothing") && !dlerror());
  EXPECT(!dlopen("libother.so", RTLD_NOW) && strstr(dlerror(), "libother.so"));
  EXPECT(!function<void *>("cuNothing"));
  void *found = nullptr;
  cudaDriverEntryPointQueryResult status;
  EXPECT(cudaGetDriverEntryPoint("cuDeviceGetCount", &found, cudaEnableDefault, &status) == cudaSuccess);
  int count = 0;
  EXPECT(status == cudaDriverEntryPointSuccess && ((PFN_cuDeviceGetCount)found)(&count) == CUDA_SUCCESS && count == 1);
  EXPECT(cudaGetDriverEntryPoint("cuNothing", &found, cudaEnableDefault, &status) == cudaSuccess);
  EXPECT(status == cudaDriverEntryPointSymbolNotFound && !found);
}

static void memory() {
  CUmemPoolProps props = {};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool pool;
  EXPECT(function<PFN_cuMemPoolCreate>("cuMemPoolCreate")(&pool, &props) == CUDA_SUCCESS);
  cuuint64_t threshold = 1ull << 40, known = 0;
  EXPECT(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold) == CUDA_SUCCESS);
  EXPECT(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &known) == CUDA_SUCCESS && known == threshold);
  CUdeviceptr p = 0;
  EXPECT(cuMemAllocFromPoolAsync(&p, 4 * 37, pool, nullptr) == CUDA_SUCCESS && p != 0);
  EXPECT(cuMemsetD32Async(p, 0x01020304, 37, nullptr) == CUDA_SUCCESS);
  EXPECT(cuMemsetD16Async(p, 0x0506, 3, nullptr) == CUDA_SUCCESS);
  EXPECT(cuMemsetD8Async(p + 5, 0x07, 1, nullptr) == CUDA_SUCCESS);
  unsigned char bytes[4 * 37], expected[4 * 37];
  for (int i = 0; i < 37; i++) memcpy(expected + 4 * i, "\x04\x03\x02\x01", 4);
  memcpy(expected, "\x06\x05\x06\x05\x06\x07", 6);
  EXPECT(cuMemcpyAsync((CUdeviceptr)(size_t)bytes, p, sizeof bytes, nullptr) == CUDA_SUCCESS);
  EXPECT(cuStreamSynchronize(nullptr) == CUDA_SUCCESS && memcmp(bytes, expected, sizeof bytes) == 0);

  CUmemorytype type;
  int ordinal = 7, managed = 7;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void *data[] = {&ordinal, &managed};
  EXPECT(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_DEVICE);
  EXPECT(cuPointerGetAttributes(2, attributes, data, p) == CUDA_SUCCESS && ordinal == 0 && managed == 0);
  CUdeviceptr own = (CUdeviceptr)(size_t)&type;
  EXPECT(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, own) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuPointerGetAttributes(2, attributes, data, own) == CUDA_SUCCESS && ordinal == -2 && managed == 0);
  EXPECT(cuMemFreeAsync(p, nullptr) == CUDA_SUCCESS && cuMemPoolDestroy(pool) == CUDA_SUCCESS);
}

static void launches() {
  int *values;
  EXPECT(cudaMallocManaged(&values, 8 * sizeof(int)) == cudaSuccess);
  for (int i = 0; i < 8; i++) values[i] = i;
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 8;
  int by = 3;
  void *arguments[] = {&values, &by};
  CUfunction kernel;
  EXPECT(cudaGetFuncBySymbol(&kernel, (const void *)scale) == cudaSuccess);
  EXPECT(cuFuncLoad(kernel) == CUDA_SUCCESS && cuLaunchKernelEx(&config, kernel, arguments, nullptr) == CUDA_SUCCESS);
  EXPECT(cuStreamSynchronize(nullptr) == CUDA_SUCCESS && values[7] == 21);
  const char *name = nullptr;
  EXPECT(cuFuncGetName(&name, kernel) == CUDA_SUCCESS && strstr(name, "scale"));
  CUcontext context, current;
  EXPECT(cuStreamGetCtx(nullptr, &context) == CUDA_SUCCESS && cuCtxGetCurrent(&current) == CUDA_SUCCESS);
  EXPECT(context == current);
}

/// The driver wants strides of a tensor of one dimension too, which has none.
static void tensorMaps() {
  alignas(64) CUtensorMap map;
  void *p;
  EXPECT(cudaMalloc(&p, 4096) == cudaSuccess);
  const cuuint64_t extent = 64, strides[1] = {};
  const cuuint32_t box = 16, step = 1;
  const auto encode = [&](const cuuint64_t *those) {
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, p, &extent, those, &box, &step,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  EXPECT(encode(strides) == CUDA_SUCCESS);
  EXPECT(encode(nullptr) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cudaFree(p) == cudaSuccess);
}

int main() {
  entryPoints();
  memory();
  launches();
  tensorMaps();
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
