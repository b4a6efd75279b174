// What CUPTI's callbacks give as functionParams at calls of the CUDA driver API (CUPTI documentation), for functions
// that tools look at. Other functions have such a struct, too: its fields are the parameters in their order.
#pragma once
#include <cuda.h>

typedef struct cuInit_params_st { unsigned int Flags; } cuInit_params;
typedef struct cuDeviceGet_params_st { CUdevice *device; int ordinal; } cuDeviceGet_params;
typedef struct cuDeviceGetCount_params_st { int *count; } cuDeviceGetCount_params;
typedef struct cuDevicePrimaryCtxRetain_params_st { CUcontext *pctx; CUdevice dev; } cuDevicePrimaryCtxRetain_params;
typedef struct cuCtxCreate_v2_params_st { CUcontext *pctx; unsigned int flags; CUdevice dev; } cuCtxCreate_v2_params;
typedef struct cuCtxDestroy_v2_params_st { CUcontext ctx; } cuCtxDestroy_v2_params;
typedef struct cuCtxSetCurrent_params_st { CUcontext ctx; } cuCtxSetCurrent_params;
typedef struct cuModuleLoad_params_st { CUmodule *module; const char *fname; } cuModuleLoad_params;
typedef struct cuModuleLoadData_params_st { CUmodule *module; const void *image; } cuModuleLoadData_params;
typedef struct cuModuleLoadDataEx_params_st {
  CUmodule *module; const void *image; unsigned int numOptions; CUjit_option *options; void **optionValues;
} cuModuleLoadDataEx_params;
typedef struct cuModuleUnload_params_st { CUmodule hmod; } cuModuleUnload_params;
typedef struct cuModuleGetFunction_params_st {
  CUfunction *hfunc; CUmodule hmod; const char *name;
} cuModuleGetFunction_params;
typedef struct cuMemAlloc_v2_params_st { CUdeviceptr *dptr; size_t bytesize; } cuMemAlloc_v2_params;
typedef struct cuMemAllocManaged_params_st {
  CUdeviceptr *dptr; size_t bytesize; unsigned int flags;
} cuMemAllocManaged_params;
typedef struct cuMemAllocHost_v2_params_st { void **pp; size_t bytesize; } cuMemAllocHost_v2_params;
typedef struct cuMemAllocAsync_params_st {
  CUdeviceptr *dptr; size_t bytesize; CUstream hStream;
} cuMemAllocAsync_params;
typedef struct cuMemFree_v2_params_st { CUdeviceptr dptr; } cuMemFree_v2_params;
typedef struct cuMemFreeAsync_params_st { CUdeviceptr dptr; CUstream hStream; } cuMemFreeAsync_params;
typedef struct cuMemFreeHost_params_st { void *p; } cuMemFreeHost_params;
typedef struct cuMemcpy_params_st { CUdeviceptr dst, src; size_t ByteCount; } cuMemcpy_params;
typedef struct cuMemcpyAsync_params_st {
  CUdeviceptr dst, src; size_t ByteCount; CUstream hStream;
} cuMemcpyAsync_params;
typedef struct cuMemcpyHtoD_v2_params_st {
  CUdeviceptr dstDevice; const void *srcHost; size_t ByteCount;
} cuMemcpyHtoD_v2_params;
typedef struct cuMemcpyHtoDAsync_v2_params_st {
  CUdeviceptr dstDevice; const void *srcHost; size_t ByteCount; CUstream hStream;
} cuMemcpyHtoDAsync_v2_params;
typedef struct cuMemcpyDtoH_v2_params_st {
  void *dstHost; CUdeviceptr srcDevice; size_t ByteCount;
} cuMemcpyDtoH_v2_params;
typedef struct cuMemcpyDtoHAsync_v2_params_st {
  void *dstHost; CUdeviceptr srcDevice; size_t ByteCount; CUstream hStream;
} cuMemcpyDtoHAsync_v2_params;
typedef struct cuMemcpyDtoD_v2_params_st {
  CUdeviceptr dstDevice, srcDevice; size_t ByteCount;
} cuMemcpyDtoD_v2_params;
typedef struct cuMemcpyDtoDAsync_v2_params_st {
  CUdeviceptr dstDevice, srcDevice; size_t ByteCount; CUstream hStream;
} cuMemcpyDtoDAsync_v2_params;
typedef struct cuStreamCreate_params_st { CUstream *phStream; unsigned int Flags; } cuStreamCreate_params;
typedef struct cuStreamDestroy_v2_params_st { CUstream hStream; } cuStreamDestroy_v2_params;
typedef struct cuStreamSynchronize_params_st { CUstream hStream; } cuStreamSynchronize_params;
typedef struct cuStreamWaitEvent_params_st {
  CUstream hStream; CUevent hEvent; unsigned int Flags;
} cuStreamWaitEvent_params;
typedef struct cuEventCreate_params_st { CUevent *phEvent; unsigned int Flags; } cuEventCreate_params;
typedef struct cuEventRecord_params_st { CUevent hEvent; CUstream hStream; } cuEventRecord_params;
typedef struct cuEventSynchronize_params_st { CUevent hEvent; } cuEventSynchronize_params;
typedef struct cuLaunchKernel_params_st {
  CUfunction f;
  unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  void **kernelParams;
  void **extra;
} cuLaunchKernel_params;
typedef struct cuLaunchKernelEx_params_st {
  const CUlaunchConfig *config; CUfunction f; void **kernelParams; void **extra;
} cuLaunchKernelEx_params;
