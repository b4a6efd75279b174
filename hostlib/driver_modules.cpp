// The driver API of include/heddle/driver_modules.h: modules from files, occupancy, and what names functions. Modules
// themselves are the runtime's (src/runtime/cuda/api-functions/modules.ts).
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" CUresult __heddle_module_load(CUmodule *module, const void *image, size_t bytes, const char *name);

namespace {
CUresult result(cudaError_t error) { return (CUresult)error; }

// The whole of a file, with a zero behind it; null if it cannot be read.
char *contents(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file) return nullptr;
  size_t capacity = 1 << 16, length = 0;
  char *data = (char *)malloc(capacity + 1);
  while (data) {
    length += fread(data + length, 1, capacity - length, file);
    if (length < capacity) break;
    char *more = (char *)realloc(data, 2 * capacity + 1);
    if (!more) free(data);
    data = more;
    capacity *= 2;
  }
  fclose(file);
  if (!data) return nullptr;
  data[length] = 0;
  *bytes = length;
  return data;
}
} // namespace

extern "C" {
CUresult cuModuleLoad(CUmodule *module, const char *path) {
  if (!module || !path) return CUDA_ERROR_INVALID_VALUE;
  size_t bytes;
  char *data = contents(path, &bytes);
  if (!data) return CUDA_ERROR_FILE_NOT_FOUND;
  CUresult error = __heddle_module_load(module, data, bytes, path);
  free(data);
  return error;
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *, void **, unsigned int,
                               CUlibraryOption *, void **, unsigned int) {
  return cuModuleLoad((CUmodule *)library, path);
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count,
                       CUjit_option *options, void **values) {
  if (!path) return CUDA_ERROR_INVALID_VALUE;
  size_t bytes;
  char *data = contents(path, &bytes);
  if (!data) return CUDA_ERROR_FILE_NOT_FOUND;
  CUresult error = cuLinkAddData(state, type, data, bytes, path, count, options, values);
  free(data);
  return error;
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  return *mode = CU_MODULE_EAGER_LOADING, CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int blockSize, size_t sharedBytes) {
  return result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)f, blockSize, sharedBytes));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int blockSize,
                                                              size_t sharedBytes, unsigned int) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, blockSize, sharedBytes);
}
// The largest product of blocks and their threads; of equals the largest block, as the runtime's template.
CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction f,
                                          CUoccupancyB2DSize sharedOf, size_t sharedBytes, int limit) {
  if (!minGridSize || !blockSize) return CUDA_ERROR_INVALID_VALUE;
  int device, processors, most;
  CUresult error = result(cudaGetDevice(&device));
  if (error == CUDA_SUCCESS)
    error = result(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  if (error == CUDA_SUCCESS) error = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
  if (error != CUDA_SUCCESS) return error;
  if (limit > 0 && limit < most) most = limit;
  int best = 0;
  for (int threads = most; threads > 0; threads = threads % 32 ? threads / 32 * 32 : threads - 32) {
    int blocks;
    size_t shared = sharedOf ? sharedOf(threads) : sharedBytes;
    error = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads, shared);
    if (error != CUDA_SUCCESS) return error;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *blockSize = threads;
    *minGridSize = blocks * processors;
  }
  return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction f,
                                                   CUoccupancyB2DSize sharedOf, size_t sharedBytes, int limit,
                                                   unsigned int) {
  return cuOccupancyMaxPotentialBlockSize(minGridSize, blockSize, f, sharedOf, sharedBytes, limit);
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                                   unsigned int by, unsigned int bz, unsigned int sharedBytes, CUstream stream,
                                   void **params) {
  return result(
      cudaLaunchCooperativeKernel((const void *)f, dim3(gx, gy, gz), dim3(bx, by, bz), params, sharedBytes, stream));
}
CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config) {
  return result(cudaFuncSetCacheConfig((const void *)f, (cudaFuncCache)config));
}
CUresult cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig) { return CUDA_SUCCESS; }
CUresult cuCtxGetApiVersion(CUcontext, unsigned int *version) { return *version = 3020, CUDA_SUCCESS; }
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return result(cudaDeviceSetCacheConfig((cudaFuncCache)config));
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return result(cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  return result(cudaHostAlloc(pointer, bytes, flags));
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags) {
  void *found = nullptr;
  CUresult error = result(cudaHostGetDevicePointer(&found, host, flags));
  *device = (CUdeviceptr)(size_t)found;
  return error;
}
CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned int flags) {
  return result(cudaHostRegister(pointer, bytes, flags));
}
CUresult cuMemHostUnregister(void *pointer) { return result(cudaHostUnregister(pointer)); }
}
