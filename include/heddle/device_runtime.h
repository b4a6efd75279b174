// The device's overloads of the runtime API, for kernels that launch kernels ("CUDA Dynamic Parallelism" in the CUDA
// C++ Programming Guide). Their code is libdevice/launches.cu. Clang makes the first two of a launch in device code.
#pragma once
#include "../driver_types.h"

// Streams of launches in device code: to begin when the grid and its other launches have ended; in no order.
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#define __HEDDLE_DEVICE_API extern "C" __device__ __attribute__((nothrow))

__HEDDLE_DEVICE_API void* cudaGetParameterBuffer(size_t alignment, size_t size);
__HEDDLE_DEVICE_API cudaError_t cudaLaunchDevice(void* func, void* parameterBuffer, dim3 gridDimension,
                                                 dim3 blockDimension, unsigned int sharedMemSize, cudaStream_t stream);

#if defined(CUDA_FORCE_CDP1_IF_SUPPORTED)
__HEDDLE_DEVICE_API cudaError_t cudaDeviceSynchronize(void) __attribute__((convergent));
#else
__HEDDLE_DEVICE_API __attribute__((convergent, deprecated("in device code it is removed from CUDA 12 on, but with "
                                                          "-DCUDA_FORCE_CDP1_IF_SUPPORTED")))
cudaError_t cudaDeviceSynchronize(void);
#endif
__HEDDLE_DEVICE_API cudaError_t cudaGetLastError(void);
__HEDDLE_DEVICE_API cudaError_t cudaPeekAtLastError(void);
__HEDDLE_DEVICE_API const char* cudaGetErrorName(cudaError_t error);
__HEDDLE_DEVICE_API const char* cudaGetErrorString(cudaError_t error);
__HEDDLE_DEVICE_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
__HEDDLE_DEVICE_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
__HEDDLE_DEVICE_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
__HEDDLE_DEVICE_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
__HEDDLE_DEVICE_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
__HEDDLE_DEVICE_API cudaError_t cudaEventDestroy(cudaEvent_t event);
__HEDDLE_DEVICE_API cudaError_t cudaMalloc(void** devPtr, size_t size);
__HEDDLE_DEVICE_API cudaError_t cudaFree(void* devPtr);
__HEDDLE_DEVICE_API cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind,
                                                cudaStream_t stream = 0);
__HEDDLE_DEVICE_API cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream = 0);

template <class T> static inline __device__ cudaError_t cudaMalloc(T** devPtr, size_t size) {
  return ::cudaMalloc((void**)(void*)devPtr, size);
}
