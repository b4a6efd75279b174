// The driver's functions by name: cuGetProcAddress, cudaGetDriverEntryPoint, and dlsym (loaded_libraries.cpp), by which
// NVIDIA's headers find them. A program that asks for none of this is linked without the table.
#define HEDDLE_PLAIN_DRIVER
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string.h>

namespace {
struct Entry { const char *name; void *function; };
// The names as cuda.h spells them after its macros; the functions of the driver have further names with versions, as
// cuMemAlloc_v2.
#define HEDDLE_ENTRY(function) {#function, (void *)&function}
const Entry entries[] = {
    HEDDLE_ENTRY(cuInit),
    HEDDLE_ENTRY(cuDriverGetVersion),
    HEDDLE_ENTRY(cuGetErrorName),
    HEDDLE_ENTRY(cuGetErrorString),
    HEDDLE_ENTRY(cuDeviceGetCount),
    HEDDLE_ENTRY(cuDeviceGet),
    HEDDLE_ENTRY(cuDeviceGetName),
    HEDDLE_ENTRY(cuDeviceGetUuid),
    HEDDLE_ENTRY(cuDeviceTotalMem),
    HEDDLE_ENTRY(cuDeviceGetAttribute),
    HEDDLE_ENTRY(cuDeviceComputeCapability),
    HEDDLE_ENTRY(cuDeviceCanAccessPeer),
    HEDDLE_ENTRY(cuDevicePrimaryCtxRetain),
    HEDDLE_ENTRY(cuDevicePrimaryCtxRelease),
    HEDDLE_ENTRY(cuDevicePrimaryCtxReset),
    // One of two: cuda.h has that of CUDA 13, too.
    {"cuCtxCreate", (void *)(CUresult(*)(CUcontext *, unsigned int, CUdevice)) &cuCtxCreate},
    HEDDLE_ENTRY(cuCtxDestroy),
    HEDDLE_ENTRY(cuCtxPushCurrent),
    HEDDLE_ENTRY(cuCtxPopCurrent),
    HEDDLE_ENTRY(cuCtxSetCurrent),
    HEDDLE_ENTRY(cuCtxGetCurrent),
    HEDDLE_ENTRY(cuCtxGetDevice),
    HEDDLE_ENTRY(cuCtxSynchronize),
    HEDDLE_ENTRY(cuCtxSetLimit),
    HEDDLE_ENTRY(cuCtxGetLimit),
    HEDDLE_ENTRY(cuModuleLoad),
    HEDDLE_ENTRY(cuModuleLoadData),
    HEDDLE_ENTRY(cuModuleLoadDataEx),
    HEDDLE_ENTRY(cuModuleUnload),
    HEDDLE_ENTRY(cuModuleGetFunction),
    HEDDLE_ENTRY(cuMemGetInfo),
    HEDDLE_ENTRY(cuMemAlloc),
    HEDDLE_ENTRY(cuMemAllocManaged),
    HEDDLE_ENTRY(cuMemAllocHost),
    HEDDLE_ENTRY(cuMemFree),
    HEDDLE_ENTRY(cuMemFreeHost),
    HEDDLE_ENTRY(cuMemcpy),
    HEDDLE_ENTRY(cuMemcpyHtoD),
    HEDDLE_ENTRY(cuMemcpyDtoH),
    HEDDLE_ENTRY(cuMemcpyDtoD),
    HEDDLE_ENTRY(cuMemcpyHtoDAsync),
    HEDDLE_ENTRY(cuMemcpyDtoHAsync),
    HEDDLE_ENTRY(cuMemcpyDtoDAsync),
    HEDDLE_ENTRY(cuMemsetD8),
    HEDDLE_ENTRY(cuMemsetD32),
    HEDDLE_ENTRY(cuStreamCreate),
    HEDDLE_ENTRY(cuStreamDestroy),
    HEDDLE_ENTRY(cuStreamSynchronize),
    HEDDLE_ENTRY(cuStreamQuery),
    HEDDLE_ENTRY(cuStreamWaitEvent),
    HEDDLE_ENTRY(cuEventCreate),
    HEDDLE_ENTRY(cuEventRecord),
    HEDDLE_ENTRY(cuEventSynchronize),
    HEDDLE_ENTRY(cuEventQuery),
    HEDDLE_ENTRY(cuEventElapsedTime),
    HEDDLE_ENTRY(cuEventDestroy),
    HEDDLE_ENTRY(cuLaunchKernel),
    HEDDLE_ENTRY(cuFuncGetAttribute),
    HEDDLE_ENTRY(cuFuncSetAttribute),
    HEDDLE_ENTRY(cuProfilerStart),
    HEDDLE_ENTRY(cuProfilerStop),
    HEDDLE_ENTRY(cuGetProcAddress),
    HEDDLE_ENTRY(cuDevicePrimaryCtxGetState),
    HEDDLE_ENTRY(cuDeviceGetDefaultMemPool),
    HEDDLE_ENTRY(cuMemPoolCreate),
    HEDDLE_ENTRY(cuMemPoolDestroy),
    HEDDLE_ENTRY(cuMemPoolTrimTo),
    HEDDLE_ENTRY(cuMemPoolSetAttribute),
    HEDDLE_ENTRY(cuMemPoolGetAttribute),
    HEDDLE_ENTRY(cuMemPoolSetAccess),
    HEDDLE_ENTRY(cuMemPoolGetAccess),
    HEDDLE_ENTRY(cuMemAllocAsync),
    HEDDLE_ENTRY(cuMemAllocFromPoolAsync),
    HEDDLE_ENTRY(cuMemFreeAsync),
    HEDDLE_ENTRY(cuMemcpyAsync),
    HEDDLE_ENTRY(cuMemsetD16),
    HEDDLE_ENTRY(cuMemsetD8Async),
    HEDDLE_ENTRY(cuMemsetD16Async),
    HEDDLE_ENTRY(cuMemsetD32Async),
    HEDDLE_ENTRY(cuPointerGetAttribute),
    HEDDLE_ENTRY(cuPointerGetAttributes),
    HEDDLE_ENTRY(cuStreamCreateWithPriority),
    HEDDLE_ENTRY(cuStreamGetPriority),
    HEDDLE_ENTRY(cuStreamGetFlags),
    HEDDLE_ENTRY(cuStreamGetId),
    HEDDLE_ENTRY(cuStreamGetCtx),
    HEDDLE_ENTRY(cuStreamAddCallback),
    HEDDLE_ENTRY(cuLaunchHostFunc),
    HEDDLE_ENTRY(cuFuncLoad),
    HEDDLE_ENTRY(cuFuncGetName),
    HEDDLE_ENTRY(cuLaunchKernelEx),
    HEDDLE_ENTRY(cuLibraryLoadData),
    HEDDLE_ENTRY(cuLibraryUnload),
    HEDDLE_ENTRY(cuLibraryGetKernel),
    HEDDLE_ENTRY(cuLibraryGetGlobal),
    HEDDLE_ENTRY(cuLibraryGetManaged),
    HEDDLE_ENTRY(cuKernelGetFunction),
    HEDDLE_ENTRY(cuKernelGetAttribute),
    HEDDLE_ENTRY(cuKernelGetName),
    HEDDLE_ENTRY(cuGraphAddKernelNode),
    HEDDLE_ENTRY(cuGraphKernelNodeSetAttribute),
    HEDDLE_ENTRY(cuTensorMapEncodeTiled),
    HEDDLE_ENTRY(cuTensorMapEncodeIm2col),
    HEDDLE_ENTRY(cuTensorMapEncodeIm2colWide),
    HEDDLE_ENTRY(cuModuleLoadFatBinary),
    HEDDLE_ENTRY(cuModuleGetGlobal),
    HEDDLE_ENTRY(cuModuleGetFunctionCount),
    HEDDLE_ENTRY(cuModuleGetLoadingMode),
    HEDDLE_ENTRY(cuLibraryLoadFromFile),
    HEDDLE_ENTRY(cuLibraryGetModule),
    HEDDLE_ENTRY(cuLinkCreate),
    HEDDLE_ENTRY(cuLinkAddData),
    HEDDLE_ENTRY(cuLinkAddFile),
    HEDDLE_ENTRY(cuLinkComplete),
    HEDDLE_ENTRY(cuLinkDestroy),
    HEDDLE_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    HEDDLE_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
    HEDDLE_ENTRY(cuOccupancyMaxPotentialBlockSize),
    HEDDLE_ENTRY(cuOccupancyMaxPotentialBlockSizeWithFlags),
    HEDDLE_ENTRY(cuLaunchCooperativeKernel),
    HEDDLE_ENTRY(cuFuncSetCacheConfig),
    HEDDLE_ENTRY(cuFuncSetSharedMemConfig),
    HEDDLE_ENTRY(cuCtxGetApiVersion),
    HEDDLE_ENTRY(cuCtxSetCacheConfig),
    HEDDLE_ENTRY(cuCtxGetStreamPriorityRange),
    HEDDLE_ENTRY(cuMemHostAlloc),
    HEDDLE_ENTRY(cuMemHostGetDevicePointer),
    HEDDLE_ENTRY(cuMemHostRegister),
    HEDDLE_ENTRY(cuMemHostUnregister),
    HEDDLE_ENTRY(cuArrayCreate),
    HEDDLE_ENTRY(cuArray3DCreate),
    HEDDLE_ENTRY(cuArrayGetDescriptor),
    HEDDLE_ENTRY(cuArray3DGetDescriptor),
    HEDDLE_ENTRY(cuArrayDestroy),
    HEDDLE_ENTRY(cuMemAllocPitch),
    HEDDLE_ENTRY(cuMemcpy2D),
    HEDDLE_ENTRY(cuMemcpy2DUnaligned),
    HEDDLE_ENTRY(cuMemcpy2DAsync),
    HEDDLE_ENTRY(cuMemcpy3D),
    HEDDLE_ENTRY(cuMemcpy3DAsync),
    HEDDLE_ENTRY(cuMemcpyHtoA),
    HEDDLE_ENTRY(cuMemcpyAtoH),
    HEDDLE_ENTRY(cuMemcpyDtoA),
    HEDDLE_ENTRY(cuMemcpyAtoD),
    HEDDLE_ENTRY(cuMemcpyAtoA),
    HEDDLE_ENTRY(cuMemcpyHtoAAsync),
    HEDDLE_ENTRY(cuMemcpyAtoHAsync),
    HEDDLE_ENTRY(cuMemsetD2D8),
    HEDDLE_ENTRY(cuMemsetD2D16),
    HEDDLE_ENTRY(cuMemsetD2D32),
    HEDDLE_ENTRY(cuTexObjectCreate),
    HEDDLE_ENTRY(cuTexObjectDestroy),
    HEDDLE_ENTRY(cuTexObjectGetResourceDesc),
    HEDDLE_ENTRY(cuTexObjectGetTextureDesc),
    HEDDLE_ENTRY(cuSurfObjectCreate),
    HEDDLE_ENTRY(cuSurfObjectDestroy),
    HEDDLE_ENTRY(cuSurfObjectGetResourceDesc),
};
#undef HEDDLE_ENTRY

void *entryPoint(const char *name) {
  size_t length = strlen(name);
  // cuMemAlloc_v2 is cuMemAlloc, cuMemcpyAsync_ptsz the same for the stream of a thread, which is the default stream.
  if (length > 5 && strcmp(name + length - 5, "_ptsz") == 0) length -= 5;
  if (length > 3 && name[length - 3] == '_' && name[length - 2] == 'v') length -= 3;
  for (const Entry &entry : entries)
    if (strlen(entry.name) == length && strncmp(entry.name, name, length) == 0) return entry.function;
  return nullptr;
}
} // namespace

extern "C" {
CUresult cuGetProcAddress(const char *symbol, void **function, int, cuuint64_t,
                          CUdriverProcAddressQueryResult *status) {
  *function = entryPoint(symbol);
  if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long,
                                    cudaDriverEntryPointQueryResult *status) {
  *function = entryPoint(symbol);
  if (status) *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return *function || status ? cudaSuccess : cudaErrorSymbolNotFound;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPoint(symbol, function, flags, status);
}
}
