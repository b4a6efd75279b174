// The driver API of include/cuda.h, in terms of the runtime API. Contexts are devices; a function is the host stub that
// names it.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

namespace {
CUresult result(cudaError_t error) { return (CUresult)error; } // the numbers agree wherever both name an error
int device = 0;
CUcontext contextOf(int ordinal) { return (CUcontext)(size_t)(ordinal + 1); }
void *pointer(CUdeviceptr p) { return (void *)(size_t)p; }

struct Name { int number; const char *name; };
const Name names[] = {
    {0, "CUDA_SUCCESS"},
    {1, "CUDA_ERROR_INVALID_VALUE"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
    {3, "CUDA_ERROR_NOT_INITIALIZED"},
    {4, "CUDA_ERROR_DEINITIALIZED"},
    {5, "CUDA_ERROR_PROFILER_DISABLED"},
    {6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED"},
    {7, "CUDA_ERROR_PROFILER_ALREADY_STARTED"},
    {8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED"},
    {34, "CUDA_ERROR_STUB_LIBRARY"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {100, "CUDA_ERROR_NO_DEVICE"},
    {101, "CUDA_ERROR_INVALID_DEVICE"},
    {102, "CUDA_ERROR_DEVICE_NOT_LICENSED"},
    {200, "CUDA_ERROR_INVALID_IMAGE"},
    {201, "CUDA_ERROR_INVALID_CONTEXT"},
    {202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"},
    {205, "CUDA_ERROR_MAP_FAILED"},
    {206, "CUDA_ERROR_UNMAP_FAILED"},
    {207, "CUDA_ERROR_ARRAY_IS_MAPPED"},
    {208, "CUDA_ERROR_ALREADY_MAPPED"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {210, "CUDA_ERROR_ALREADY_ACQUIRED"},
    {211, "CUDA_ERROR_NOT_MAPPED"},
    {212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY"},
    {213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
    {215, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
    {216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
    {218, "CUDA_ERROR_INVALID_PTX"},
    {219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT"},
    {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED"},
    {300, "CUDA_ERROR_INVALID_SOURCE"},
    {301, "CUDA_ERROR_FILE_NOT_FOUND"},
    {302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"},
    {303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM"},
    {400, "CUDA_ERROR_INVALID_HANDLE"},
    {401, "CUDA_ERROR_ILLEGAL_STATE"},
    {500, "CUDA_ERROR_NOT_FOUND"},
    {600, "CUDA_ERROR_NOT_READY"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
    {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
    {710, "CUDA_ERROR_ASSERT"},
    {711, "CUDA_ERROR_TOO_MANY_PEERS"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"},
    {718, "CUDA_ERROR_INVALID_PC"},
    {719, "CUDA_ERROR_LAUNCH_FAILED"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {800, "CUDA_ERROR_NOT_PERMITTED"},
    {801, "CUDA_ERROR_NOT_SUPPORTED"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    {909, "CUDA_ERROR_TIMEOUT"},
    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
    {999, "CUDA_ERROR_UNKNOWN"},
};
} // namespace

// Runtime, with modules (src/runtime/cuda/api-functions/modules.ts).
extern "C" CUresult __heddle_parameter_places(CUfunction f, void *buffer, size_t bytes, void **out, size_t capacity);

// Parameters as one buffer: { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
// CU_LAUNCH_PARAM_END }.
CUresult heddle_parameter_places(CUfunction f, void **extra, void **places, size_t capacity) {
  void *buffer = nullptr;
  size_t bytes = 0;
  for (int i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[i + 1];
    else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *(size_t *)extra[i + 1];
    else return CUDA_ERROR_INVALID_VALUE;
  }
  return __heddle_parameter_places(f, buffer, bytes, places, capacity);
}

extern "C" {
CUresult cuInit(unsigned int) {
  int count;
  return result(cudaGetDeviceCount(&count));
}
CUresult cuDriverGetVersion(int *version) { return result(cudaDriverGetVersion(version)); }
CUresult cuGetErrorName(CUresult error, const char **text) {
  for (const Name &entry : names)
    if (entry.number == error) return *text = entry.name, CUDA_SUCCESS;
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  return *text = cudaGetErrorString((cudaError_t)error), CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) { return result(cudaGetDeviceCount(count)); }
CUresult cuDeviceGet(CUdevice *out, int ordinal) {
  int count;
  CUresult error = result(cudaGetDeviceCount(&count));
  if (error != CUDA_SUCCESS) return error;
  if (ordinal < 0 || ordinal >= count) return CUDA_ERROR_INVALID_DEVICE;
  *out = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice ordinal) {
  cudaDeviceProp prop;
  CUresult error = result(cudaGetDeviceProperties(&prop, ordinal));
  if (error == CUDA_SUCCESS) snprintf(name, length, "%s", prop.name);
  return error;
}
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice ordinal) {
  cudaDeviceProp prop;
  CUresult error = result(cudaGetDeviceProperties(&prop, ordinal));
  if (error == CUDA_SUCCESS) memcpy(uuid, &prop.uuid, sizeof *uuid);
  return error;
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice ordinal) {
  cudaDeviceProp prop;
  CUresult error = result(cudaGetDeviceProperties(&prop, ordinal));
  if (error == CUDA_SUCCESS) *bytes = prop.totalGlobalMem;
  return error;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice ordinal) {
  return result(cudaDeviceGetAttribute(value, (cudaDeviceAttr)attribute, ordinal));
}
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice ordinal) {
  CUresult error = result(cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, ordinal));
  return error == CUDA_SUCCESS ? result(cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, ordinal))
                               : error;
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice ordinal, CUdevice peer) {
  return result(cudaDeviceCanAccessPeer(can, ordinal, peer));
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice ordinal) {
  return *context = contextOf(ordinal), CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxReset(CUdevice) { return result(cudaDeviceReset()); }
CUresult cuCtxCreate(CUcontext *context, unsigned int, CUdevice ordinal) {
  *context = contextOf(ordinal);
  return cuCtxSetCurrent(*context);
}
CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxSetCurrent(context); }
CUresult cuCtxPopCurrent(CUcontext *context) { return context ? cuCtxGetCurrent(context) : CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext context) {
  if (!context) return CUDA_SUCCESS;
  device = (int)(size_t)context - 1;
  return result(cudaSetDevice(device));
}
CUresult cuCtxGetCurrent(CUcontext *context) { return *context = contextOf(device), CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice *out) { return result(cudaGetDevice(out)); }
CUresult cuCtxSynchronize(void) { return result(cudaDeviceSynchronize()); }
CUresult cuCtxSetLimit(CUlimit limit, size_t value) { return result(cudaDeviceSetLimit((cudaLimit)limit, value)); }
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) { return result(cudaDeviceGetLimit(value, (cudaLimit)limit)); }
CUresult cuMemGetInfo(size_t *free, size_t *total) { return result(cudaMemGetInfo(free, total)); }
CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes) {
  void *p = nullptr;
  CUresult error = result(cudaMalloc(&p, bytes));
  *out = (CUdeviceptr)(size_t)p;
  return error;
}
CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned int flags) {
  void *p = nullptr;
  CUresult error = result(cudaMallocManaged(&p, bytes, flags));
  *out = (CUdeviceptr)(size_t)p;
  return error;
}
CUresult cuMemAllocHost(void **out, size_t bytes) { return result(cudaMallocHost(out, bytes)); }
CUresult cuMemFree(CUdeviceptr p) { return result(cudaFree(pointer(p))); }
CUresult cuMemFreeHost(void *p) { return result(cudaFreeHost(p)); }
CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return result(cudaMemcpy(pointer(dst), pointer(src), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyHtoD(CUdeviceptr dst, const void* src, size_t bytes) {
  return result(cudaMemcpy(pointer(dst), src, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void* dst, CUdeviceptr src, size_t bytes) {
  return result(cudaMemcpy(dst, pointer(src), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return result(cudaMemcpy(pointer(dst), pointer(src), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr dst, const void* src, size_t bytes, CUstream s) {
  return result(cudaMemcpyAsync(pointer(dst), src, bytes, cudaMemcpyHostToDevice, s));
}
CUresult cuMemcpyDtoHAsync(void* dst, CUdeviceptr src, size_t bytes, CUstream s) {
  return result(cudaMemcpyAsync(dst, pointer(src), bytes, cudaMemcpyDeviceToHost, s));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream s) {
  return result(cudaMemcpyAsync(pointer(dst), pointer(src), bytes, cudaMemcpyDeviceToDevice, s));
}
CUresult cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t count) {
  return result(cudaMemset(pointer(dst), value, count));
}
CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return result(cudaStreamCreateWithFlags(stream, flags));
}
CUresult cuStreamDestroy(CUstream stream) { return result(cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result(cudaStreamSynchronize(stream)); }
CUresult cuStreamQuery(CUstream stream) { return result(cudaStreamQuery(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return result(cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuEventCreate(CUevent *event, unsigned int flags) { return result(cudaEventCreateWithFlags(event, flags)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return result(cudaEventRecord(event, stream)); }
CUresult cuEventSynchronize(CUevent event) { return result(cudaEventSynchronize(event)); }
CUresult cuEventQuery(CUevent event) { return result(cudaEventQuery(event)); }
CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent end) {
  return result(cudaEventElapsedTime(ms, start, end));
}
CUresult cuEventDestroy(CUevent event) { return result(cudaEventDestroy(event)); }
CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                        unsigned int by, unsigned int bz, unsigned int sharedBytes, CUstream stream, void** params,
                        void** extra) {
  void *places[4096];
  if (extra) {
    CUresult error = heddle_parameter_places(f, extra, places, sizeof places / sizeof *places);
    if (error != CUDA_SUCCESS) return error;
    params = places;
  }
  return result(cudaLaunchKernel((const void *)f, dim3(gx, gy, gz), dim3(bx, by, bz), params, sharedBytes, stream));
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f) {
  cudaFuncAttributes a;
  cudaError_t error = cudaFuncGetAttributes(&a, (const void *)f);
  if (error != cudaSuccess) return result(error);
  const int values[] = {a.maxThreadsPerBlock,
                        (int)a.sharedSizeBytes,
                        (int)a.constSizeBytes,
                        (int)a.localSizeBytes,
                        a.numRegs,
                        a.ptxVersion,
                        a.binaryVersion,
                        a.cacheModeCA,
                        a.maxDynamicSharedSizeBytes,
                        a.preferredShmemCarveout};
  if ((unsigned)attribute >= sizeof values / sizeof *values) return CUDA_ERROR_INVALID_VALUE;
  *value = values[attribute];
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
  return result(cudaFuncSetAttribute((const void*)f, (cudaFuncAttribute)attribute, value));
}
CUresult cuProfilerStart(void) { return result(cudaProfilerStart()); }
CUresult cuProfilerStop(void) { return result(cudaProfilerStop()); }
}
