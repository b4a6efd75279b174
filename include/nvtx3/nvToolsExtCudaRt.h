/* Names of CUDA objects for profilers. */
#pragma once
#include "nvToolsExt.h"
#include "../driver_types.h"

#ifdef __cplusplus
extern "C" {
#endif
void nvtxNameCudaDeviceA(int device, const char *name);
void nvtxNameCudaDeviceW(int device, const wchar_t *name);
void nvtxNameCudaStreamA(cudaStream_t stream, const char *name);
void nvtxNameCudaStreamW(cudaStream_t stream, const wchar_t *name);
void nvtxNameCudaEventA(cudaEvent_t event, const char *name);
void nvtxNameCudaEventW(cudaEvent_t event, const wchar_t *name);
#ifdef __cplusplus
}
#endif

#define nvtxNameCudaDevice __HEDDLE_NVTX_FORM(nvtxNameCudaDevice)
#define nvtxNameCudaStream __HEDDLE_NVTX_FORM(nvtxNameCudaStream)
#define nvtxNameCudaEvent __HEDDLE_NVTX_FORM(nvtxNameCudaEvent)
