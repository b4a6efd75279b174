// What CUPTI's callbacks give as functionParams at calls of the CUDA runtime API: the parameters, by their documented
// names, in one struct a function (CUPTI documentation).
#pragma once
#include <cuda_runtime_api.h>

typedef struct cudaDeviceSetLimit_v3020_params_st {
  enum cudaLimit limit; size_t value;
} cudaDeviceSetLimit_v3020_params;
typedef struct cudaDeviceGetLimit_v3020_params_st {
  size_t *value; enum cudaLimit limit;
} cudaDeviceGetLimit_v3020_params;
typedef struct cudaDeviceGetTexture1DLinearMaxWidth_v11010_params_st {
  size_t* maxWidth; const struct cudaChannelFormatDesc* desc; int device;
} cudaDeviceGetTexture1DLinearMaxWidth_v11010_params;
typedef struct cudaDeviceGetCacheConfig_v3020_params_st {
  enum cudaFuncCache *config;
} cudaDeviceGetCacheConfig_v3020_params;
typedef struct cudaDeviceSetCacheConfig_v3020_params_st {
  enum cudaFuncCache config;
} cudaDeviceSetCacheConfig_v3020_params;
typedef struct cudaDeviceGetSharedMemConfig_v4020_params_st {
  enum cudaSharedMemConfig *config;
} cudaDeviceGetSharedMemConfig_v4020_params;
typedef struct cudaDeviceSetSharedMemConfig_v4020_params_st {
  enum cudaSharedMemConfig config;
} cudaDeviceSetSharedMemConfig_v4020_params;
typedef struct cudaDeviceGetStreamPriorityRange_v5050_params_st {
  int *leastPriority; int *greatestPriority;
} cudaDeviceGetStreamPriorityRange_v5050_params;
typedef struct cudaDeviceGetByPCIBusId_v4010_params_st {
  int *device; const char *pciBusId;
} cudaDeviceGetByPCIBusId_v4010_params;
typedef struct cudaDeviceGetPCIBusId_v4010_params_st {
  char *pciBusId; int length; int device;
} cudaDeviceGetPCIBusId_v4010_params;
typedef struct cudaDeviceGetAttribute_v5000_params_st {
  int *value; enum cudaDeviceAttr attribute; int device;
} cudaDeviceGetAttribute_v5000_params;
typedef struct cudaDeviceGetDefaultMemPool_v11020_params_st {
  cudaMemPool_t *pool; int device;
} cudaDeviceGetDefaultMemPool_v11020_params;
typedef struct cudaDeviceSetMemPool_v11020_params_st {
  int device; cudaMemPool_t pool;
} cudaDeviceSetMemPool_v11020_params;
typedef struct cudaDeviceGetMemPool_v11020_params_st {
  cudaMemPool_t *pool; int device;
} cudaDeviceGetMemPool_v11020_params;
typedef struct cudaDeviceGetP2PAttribute_v8000_params_st {
  int *value; enum cudaDeviceP2PAttr attribute; int srcDevice; int dstDevice;
} cudaDeviceGetP2PAttribute_v8000_params;
typedef struct cudaDeviceFlushGPUDirectRDMAWrites_v11030_params_st {
  int target; int scope;
} cudaDeviceFlushGPUDirectRDMAWrites_v11030_params;
typedef struct cudaGetDeviceCount_v3020_params_st { int *count; } cudaGetDeviceCount_v3020_params;
typedef struct cudaGetDeviceProperties_v12000_params_st {
  struct cudaDeviceProp *prop; int device;
} cudaGetDeviceProperties_v12000_params;
typedef struct cudaChooseDevice_v3020_params_st {
  int *device; const struct cudaDeviceProp *prop;
} cudaChooseDevice_v3020_params;
typedef struct cudaInitDevice_v12000_params_st {
  int device; unsigned int deviceFlags; unsigned int flags;
} cudaInitDevice_v12000_params;
typedef struct cudaSetDevice_v3020_params_st { int device; } cudaSetDevice_v3020_params;
typedef struct cudaGetDevice_v3020_params_st { int *device; } cudaGetDevice_v3020_params;
typedef struct cudaSetValidDevices_v3020_params_st { int *devices; int length; } cudaSetValidDevices_v3020_params;
typedef struct cudaSetDeviceFlags_v3020_params_st { unsigned int flags; } cudaSetDeviceFlags_v3020_params;
typedef struct cudaGetDeviceFlags_v7000_params_st { unsigned int *flags; } cudaGetDeviceFlags_v7000_params;
typedef struct cudaIpcGetEventHandle_v4010_params_st {
  cudaIpcEventHandle_t *handle; cudaEvent_t event;
} cudaIpcGetEventHandle_v4010_params;
typedef struct cudaIpcOpenEventHandle_v4010_params_st {
  cudaEvent_t *event; cudaIpcEventHandle_t handle;
} cudaIpcOpenEventHandle_v4010_params;
typedef struct cudaIpcGetMemHandle_v4010_params_st {
  cudaIpcMemHandle_t *handle; void *devPtr;
} cudaIpcGetMemHandle_v4010_params;
typedef struct cudaIpcOpenMemHandle_v4010_params_st {
  void **devPtr; cudaIpcMemHandle_t handle; unsigned int flags;
} cudaIpcOpenMemHandle_v4010_params;
typedef struct cudaIpcCloseMemHandle_v4010_params_st { void *devPtr; } cudaIpcCloseMemHandle_v4010_params;
typedef struct cudaThreadSetLimit_v3020_params_st {
  enum cudaLimit limit; size_t value;
} cudaThreadSetLimit_v3020_params;
typedef struct cudaThreadGetLimit_v3020_params_st {
  size_t *value; enum cudaLimit limit;
} cudaThreadGetLimit_v3020_params;
typedef struct cudaThreadGetCacheConfig_v3020_params_st {
  enum cudaFuncCache *config;
} cudaThreadGetCacheConfig_v3020_params;
typedef struct cudaThreadSetCacheConfig_v3020_params_st {
  enum cudaFuncCache config;
} cudaThreadSetCacheConfig_v3020_params;
typedef struct cudaStreamCreate_v3020_params_st { cudaStream_t *stream; } cudaStreamCreate_v3020_params;
typedef struct cudaStreamCreateWithFlags_v5000_params_st {
  cudaStream_t *stream; unsigned int flags;
} cudaStreamCreateWithFlags_v5000_params;
typedef struct cudaStreamCreateWithPriority_v5050_params_st {
  cudaStream_t *stream; unsigned int flags; int priority;
} cudaStreamCreateWithPriority_v5050_params;
typedef struct cudaStreamGetPriority_v5050_params_st {
  cudaStream_t stream; int *priority;
} cudaStreamGetPriority_v5050_params;
typedef struct cudaStreamGetFlags_v5050_params_st {
  cudaStream_t stream; unsigned int *flags;
} cudaStreamGetFlags_v5050_params;
typedef struct cudaStreamGetId_v12000_params_st {
  cudaStream_t stream; unsigned long long *id;
} cudaStreamGetId_v12000_params;
typedef struct cudaStreamGetDevice_v12080_params_st {
  cudaStream_t stream; int *device;
} cudaStreamGetDevice_v12080_params;
typedef struct cudaStreamDestroy_v5050_params_st { cudaStream_t stream; } cudaStreamDestroy_v5050_params;
typedef struct cudaStreamWaitEvent_v3020_params_st {
  cudaStream_t stream; cudaEvent_t event; unsigned int flags;
} cudaStreamWaitEvent_v3020_params;
typedef struct cudaStreamAddCallback_v5000_params_st {
  cudaStream_t stream; cudaStreamCallback_t callback; void* userData; unsigned int flags;
} cudaStreamAddCallback_v5000_params;
typedef struct cudaStreamSynchronize_v3020_params_st { cudaStream_t stream; } cudaStreamSynchronize_v3020_params;
typedef struct cudaStreamQuery_v3020_params_st { cudaStream_t stream; } cudaStreamQuery_v3020_params;
typedef struct cudaStreamAttachMemAsync_v6000_params_st {
  cudaStream_t stream; void* devPtr; size_t length; unsigned int flags;
} cudaStreamAttachMemAsync_v6000_params;
typedef struct cudaStreamSetAttribute_v11000_params_st {
  cudaStream_t stream; cudaStreamAttrID attribute; const cudaStreamAttrValue *value;
} cudaStreamSetAttribute_v11000_params;
typedef struct cudaStreamGetAttribute_v11000_params_st {
  cudaStream_t stream; cudaStreamAttrID attribute; cudaStreamAttrValue *value;
} cudaStreamGetAttribute_v11000_params;
typedef struct cudaStreamCopyAttributes_v11000_params_st {
  cudaStream_t dst; cudaStream_t src;
} cudaStreamCopyAttributes_v11000_params;
typedef struct cudaStreamBeginCapture_v10000_params_st {
  cudaStream_t stream; enum cudaStreamCaptureMode mode;
} cudaStreamBeginCapture_v10000_params;
typedef struct cudaStreamBeginCaptureToGraph_v12030_params_st {
  cudaStream_t stream; cudaGraph_t graph; const cudaGraphNode_t* dependencies; const void* dependencyData; size_t
  numDependencies; enum cudaStreamCaptureMode mode;
} cudaStreamBeginCaptureToGraph_v12030_params;
typedef struct cudaThreadExchangeStreamCaptureMode_v10010_params_st {
  enum cudaStreamCaptureMode *mode;
} cudaThreadExchangeStreamCaptureMode_v10010_params;
typedef struct cudaStreamEndCapture_v10000_params_st {
  cudaStream_t stream; cudaGraph_t *graph;
} cudaStreamEndCapture_v10000_params;
typedef struct cudaStreamIsCapturing_v10000_params_st {
  cudaStream_t stream; enum cudaStreamCaptureStatus *status;
} cudaStreamIsCapturing_v10000_params;
typedef struct cudaStreamGetCaptureInfo_v12030_params_st {
  cudaStream_t stream; enum cudaStreamCaptureStatus *status; unsigned long long *id;
} cudaStreamGetCaptureInfo_v12030_params;
typedef struct cudaLaunchHostFunc_v10000_params_st {
  cudaStream_t stream; cudaHostFn_t fn; void *userData;
} cudaLaunchHostFunc_v10000_params;
typedef struct cudaEventCreate_v3020_params_st { cudaEvent_t *event; } cudaEventCreate_v3020_params;
typedef struct cudaEventCreateWithFlags_v3020_params_st {
  cudaEvent_t *event; unsigned int flags;
} cudaEventCreateWithFlags_v3020_params;
typedef struct cudaEventRecord_v3020_params_st { cudaEvent_t event; cudaStream_t stream; } cudaEventRecord_v3020_params;
typedef struct cudaEventRecordWithFlags_v11010_params_st {
  cudaEvent_t event; cudaStream_t stream; unsigned int flags;
} cudaEventRecordWithFlags_v11010_params;
typedef struct cudaEventQuery_v3020_params_st { cudaEvent_t event; } cudaEventQuery_v3020_params;
typedef struct cudaEventSynchronize_v3020_params_st { cudaEvent_t event; } cudaEventSynchronize_v3020_params;
typedef struct cudaEventDestroy_v3020_params_st { cudaEvent_t event; } cudaEventDestroy_v3020_params;
typedef struct cudaEventElapsedTime_v12080_params_st {
  float *ms; cudaEvent_t start; cudaEvent_t end;
} cudaEventElapsedTime_v12080_params;
typedef struct cudaLaunchKernel_v7000_params_st {
  const void* func; dim3 gridDim; dim3 blockDim; void** args; size_t sharedMem; cudaStream_t stream;
} cudaLaunchKernel_v7000_params;
typedef struct cudaLaunchKernelExC_v11060_params_st {
  const cudaLaunchConfig_t *config; const void *func; void **args;
} cudaLaunchKernelExC_v11060_params;
typedef struct cudaLaunchCooperativeKernel_v9000_params_st {
  const void* func; dim3 gridDim; dim3 blockDim; void** args; size_t sharedMem; cudaStream_t stream;
} cudaLaunchCooperativeKernel_v9000_params;
typedef struct cudaLaunchCooperativeKernelMultiDevice_v9000_params_st {
  struct cudaLaunchParams* launchParamsList; unsigned int numDevices; unsigned int flags;
} cudaLaunchCooperativeKernelMultiDevice_v9000_params;
typedef struct cudaFuncSetCacheConfig_v3020_params_st {
  const void *func; enum cudaFuncCache config;
} cudaFuncSetCacheConfig_v3020_params;
typedef struct cudaFuncSetSharedMemConfig_v4020_params_st {
  const void *func; enum cudaSharedMemConfig config;
} cudaFuncSetSharedMemConfig_v4020_params;
typedef struct cudaFuncGetAttributes_v3020_params_st {
  struct cudaFuncAttributes *attributes; const void *func;
} cudaFuncGetAttributes_v3020_params;
typedef struct cudaFuncSetAttribute_v9000_params_st {
  const void *func; enum cudaFuncAttribute attribute; int value;
} cudaFuncSetAttribute_v9000_params;
typedef struct cudaFuncGetName_v12030_params_st { const char **name; const void *func; } cudaFuncGetName_v12030_params;
typedef struct cudaGetFuncBySymbol_v11000_params_st {
  cudaFunction_t *function; const void *symbol;
} cudaGetFuncBySymbol_v11000_params;
typedef struct cudaSetDoubleForDevice_v3020_params_st { double *d; } cudaSetDoubleForDevice_v3020_params;
typedef struct cudaSetDoubleForHost_v3020_params_st { double *d; } cudaSetDoubleForHost_v3020_params;
typedef struct cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6050_params_st {
  int* numBlocks; const void* func; int blockSize; size_t dynamicSMemSize;
} cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6050_params;
typedef struct cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000_params_st {
  int* numBlocks; const void* func; int blockSize; size_t dynamicSMemSize; unsigned int flags;
} cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000_params;
typedef struct cudaOccupancyAvailableDynamicSMemPerBlock_v10200_params_st {
  size_t* dynamicSmemSize; const void* func; int numBlocks; int blockSize;
} cudaOccupancyAvailableDynamicSMemPerBlock_v10200_params;
typedef struct cudaOccupancyMaxPotentialClusterSize_v11070_params_st {
  int *clusterSize; const void *func; const cudaLaunchConfig_t *config;
} cudaOccupancyMaxPotentialClusterSize_v11070_params;
typedef struct cudaOccupancyMaxActiveClusters_v11070_params_st {
  int *numClusters; const void *func; const cudaLaunchConfig_t *config;
} cudaOccupancyMaxActiveClusters_v11070_params;
typedef struct cudaConfigureCall_v3020_params_st {
  dim3 gridDim; dim3 blockDim; size_t sharedMem; cudaStream_t stream;
} cudaConfigureCall_v3020_params;
typedef struct cudaSetupArgument_v3020_params_st {
  const void *arg; size_t size; size_t offset;
} cudaSetupArgument_v3020_params;
typedef struct cudaLaunch_v3020_params_st { const void *func; } cudaLaunch_v3020_params;
typedef struct cudaMalloc_v3020_params_st { void **devPtr; size_t size; } cudaMalloc_v3020_params;
typedef struct cudaMallocManaged_v6000_params_st {
  void **devPtr; size_t size; unsigned int flags;
} cudaMallocManaged_v6000_params;
typedef struct cudaMallocHost_v3020_params_st { void **ptr; size_t size; } cudaMallocHost_v3020_params;
typedef struct cudaMallocPitch_v3020_params_st {
  void **devPtr; size_t *pitch; size_t width; size_t height;
} cudaMallocPitch_v3020_params;
typedef struct cudaMallocArray_v3020_params_st {
  cudaArray_t* array; const struct cudaChannelFormatDesc* desc; size_t width; size_t height; unsigned int flags;
} cudaMallocArray_v3020_params;
typedef struct cudaMalloc3D_v3020_params_st {
  struct cudaPitchedPtr *pitchedDevPtr; struct cudaExtent extent;
} cudaMalloc3D_v3020_params;
typedef struct cudaMalloc3DArray_v3020_params_st {
  cudaArray_t* array; const struct cudaChannelFormatDesc* desc; struct cudaExtent extent; unsigned int flags;
} cudaMalloc3DArray_v3020_params;
typedef struct cudaMallocMipmappedArray_v5000_params_st {
  cudaMipmappedArray_t* mipmappedArray; const struct cudaChannelFormatDesc* desc; struct cudaExtent extent; unsigned
  int numLevels; unsigned int flags;
} cudaMallocMipmappedArray_v5000_params;
typedef struct cudaGetMipmappedArrayLevel_v5000_params_st {
  cudaArray_t* levelArray; cudaMipmappedArray_const_t mipmappedArray; unsigned int level;
} cudaGetMipmappedArrayLevel_v5000_params;
typedef struct cudaFree_v3020_params_st { void *devPtr; } cudaFree_v3020_params;
typedef struct cudaFreeHost_v3020_params_st { void *ptr; } cudaFreeHost_v3020_params;
typedef struct cudaFreeArray_v3020_params_st { cudaArray_t array; } cudaFreeArray_v3020_params;
typedef struct cudaFreeMipmappedArray_v5000_params_st {
  cudaMipmappedArray_t mipmappedArray;
} cudaFreeMipmappedArray_v5000_params;
typedef struct cudaHostAlloc_v3020_params_st {
  void **pHost; size_t size; unsigned int flags;
} cudaHostAlloc_v3020_params;
typedef struct cudaHostRegister_v4000_params_st {
  void *ptr; size_t size; unsigned int flags;
} cudaHostRegister_v4000_params;
typedef struct cudaHostUnregister_v4000_params_st { void *ptr; } cudaHostUnregister_v4000_params;
typedef struct cudaHostGetDevicePointer_v3020_params_st {
  void **pDevice; void *pHost; unsigned int flags;
} cudaHostGetDevicePointer_v3020_params;
typedef struct cudaHostGetFlags_v3020_params_st { unsigned int *pFlags; void *pHost; } cudaHostGetFlags_v3020_params;
typedef struct cudaMemGetInfo_v3020_params_st { size_t *free; size_t *total; } cudaMemGetInfo_v3020_params;
typedef struct cudaArrayGetInfo_v4010_params_st {
  struct cudaChannelFormatDesc* desc; struct cudaExtent* extent; unsigned int* flags; cudaArray_t array;
} cudaArrayGetInfo_v4010_params;
typedef struct cudaMemcpy_v3020_params_st {
  void *dst; const void *src; size_t count; enum cudaMemcpyKind kind;
} cudaMemcpy_v3020_params;
typedef struct cudaMemcpyPeer_v4000_params_st {
  void *dst; int dstDevice; const void *src; int srcDevice; size_t count;
} cudaMemcpyPeer_v4000_params;
typedef struct cudaMemcpy2D_v3020_params_st {
  void* dst; size_t dpitch; const void* src; size_t spitch; size_t width; size_t height; enum cudaMemcpyKind kind;
} cudaMemcpy2D_v3020_params;
typedef struct cudaMemcpy2DToArray_v3020_params_st {
  cudaArray_t dst; size_t wOffset; size_t hOffset; const void* src; size_t spitch; size_t width; size_t height; enum
  cudaMemcpyKind kind;
} cudaMemcpy2DToArray_v3020_params;
typedef struct cudaMemcpy2DFromArray_v3020_params_st {
  void* dst; size_t dpitch; cudaArray_const_t src; size_t wOffset; size_t hOffset; size_t width; size_t height; enum
  cudaMemcpyKind kind;
} cudaMemcpy2DFromArray_v3020_params;
typedef struct cudaMemcpy2DArrayToArray_v3020_params_st {
  cudaArray_t dst; size_t wOffsetDst; size_t hOffsetDst; cudaArray_const_t src; size_t wOffsetSrc; size_t hOffsetSrc;
  size_t width; size_t height; enum cudaMemcpyKind kind;
} cudaMemcpy2DArrayToArray_v3020_params;
typedef struct cudaMemcpyToArray_v3020_params_st {
  cudaArray_t dst; size_t wOffset; size_t hOffset; const void* src; size_t count; enum cudaMemcpyKind kind;
} cudaMemcpyToArray_v3020_params;
typedef struct cudaMemcpyFromArray_v3020_params_st {
  void* dst; cudaArray_const_t src; size_t wOffset; size_t hOffset; size_t count; enum cudaMemcpyKind kind;
} cudaMemcpyFromArray_v3020_params;
typedef struct cudaMemcpyArrayToArray_v3020_params_st {
  cudaArray_t dst; size_t wOffsetDst; size_t hOffsetDst; cudaArray_const_t src; size_t wOffsetSrc; size_t hOffsetSrc;
  size_t count; enum cudaMemcpyKind kind;
} cudaMemcpyArrayToArray_v3020_params;
typedef struct cudaMemcpy3D_v3020_params_st { const struct cudaMemcpy3DParms *p; } cudaMemcpy3D_v3020_params;
typedef struct cudaMemcpy3DAsync_v3020_params_st {
  const struct cudaMemcpy3DParms *p; cudaStream_t stream;
} cudaMemcpy3DAsync_v3020_params;
typedef struct cudaMemcpy3DPeer_v4000_params_st {
  const struct cudaMemcpy3DPeerParms *p;
} cudaMemcpy3DPeer_v4000_params;
typedef struct cudaMemcpyToSymbol_v3020_params_st {
  const void* symbol; const void* src; size_t count; size_t offset; enum cudaMemcpyKind kind;
} cudaMemcpyToSymbol_v3020_params;
typedef struct cudaMemcpyFromSymbol_v3020_params_st {
  void* dst; const void* symbol; size_t count; size_t offset; enum cudaMemcpyKind kind;
} cudaMemcpyFromSymbol_v3020_params;
typedef struct cudaMemcpyAsync_v3020_params_st {
  void* dst; const void* src; size_t count; enum cudaMemcpyKind kind; cudaStream_t stream;
} cudaMemcpyAsync_v3020_params;
typedef struct cudaMemcpyPeerAsync_v4000_params_st {
  void* dst; int dstDevice; const void* src; int srcDevice; size_t count; cudaStream_t stream;
} cudaMemcpyPeerAsync_v4000_params;
typedef struct cudaMemcpy2DAsync_v3020_params_st {
  void* dst; size_t dpitch; const void* src; size_t spitch; size_t width; size_t height; enum cudaMemcpyKind kind;
  cudaStream_t stream;
} cudaMemcpy2DAsync_v3020_params;
typedef struct cudaMemcpy2DToArrayAsync_v3020_params_st {
  cudaArray_t dst; size_t wOffset; size_t hOffset; const void* src; size_t spitch; size_t width; size_t height; enum
  cudaMemcpyKind kind; cudaStream_t stream;
} cudaMemcpy2DToArrayAsync_v3020_params;
typedef struct cudaMemcpy2DFromArrayAsync_v3020_params_st {
  void* dst; size_t dpitch; cudaArray_const_t src; size_t wOffset; size_t hOffset; size_t width; size_t height; enum
  cudaMemcpyKind kind; cudaStream_t stream;
} cudaMemcpy2DFromArrayAsync_v3020_params;
typedef struct cudaMemcpyToSymbolAsync_v3020_params_st {
  const void* symbol; const void* src; size_t count; size_t offset; enum cudaMemcpyKind kind; cudaStream_t stream;
} cudaMemcpyToSymbolAsync_v3020_params;
typedef struct cudaMemcpyFromSymbolAsync_v3020_params_st {
  void* dst; const void* symbol; size_t count; size_t offset; enum cudaMemcpyKind kind; cudaStream_t stream;
} cudaMemcpyFromSymbolAsync_v3020_params;
typedef struct cudaMemset_v3020_params_st { void *devPtr; int value; size_t count; } cudaMemset_v3020_params;
typedef struct cudaMemset2D_v3020_params_st {
  void *devPtr; size_t pitch; int value; size_t width; size_t height;
} cudaMemset2D_v3020_params;
typedef struct cudaMemset3D_v3020_params_st {
  struct cudaPitchedPtr pitchedDevPtr; int value; struct cudaExtent extent;
} cudaMemset3D_v3020_params;
typedef struct cudaMemsetAsync_v3020_params_st {
  void *devPtr; int value; size_t count; cudaStream_t stream;
} cudaMemsetAsync_v3020_params;
typedef struct cudaMemset2DAsync_v3020_params_st {
  void* devPtr; size_t pitch; int value; size_t width; size_t height; cudaStream_t stream;
} cudaMemset2DAsync_v3020_params;
typedef struct cudaMemset3DAsync_v3020_params_st {
  struct cudaPitchedPtr pitchedDevPtr; int value; struct cudaExtent extent; cudaStream_t stream;
} cudaMemset3DAsync_v3020_params;
typedef struct cudaGetSymbolAddress_v3020_params_st {
  void **devPtr; const void *symbol;
} cudaGetSymbolAddress_v3020_params;
typedef struct cudaGetSymbolSize_v3020_params_st { size_t *size; const void *symbol; } cudaGetSymbolSize_v3020_params;
typedef struct cudaMemPrefetchAsync_v12020_params_st {
  const void *devPtr; size_t count; int dstDevice; cudaStream_t stream;
} cudaMemPrefetchAsync_v12020_params;
typedef struct cudaMemAdvise_v12020_params_st {
  const void *devPtr; size_t count; enum cudaMemoryAdvise advice; int device;
} cudaMemAdvise_v12020_params;
typedef struct cudaMemRangeGetAttribute_v8000_params_st {
  void* data; size_t dataSize; enum cudaMemRangeAttribute attribute; const void* devPtr; size_t count;
} cudaMemRangeGetAttribute_v8000_params;
typedef struct cudaPointerGetAttributes_v4000_params_st {
  struct cudaPointerAttributes *attributes; const void *ptr;
} cudaPointerGetAttributes_v4000_params;
typedef struct cudaMallocAsync_v11020_params_st {
  void **devPtr; size_t size; cudaStream_t stream;
} cudaMallocAsync_v11020_params;
typedef struct cudaMallocFromPoolAsync_v11020_params_st {
  void **ptr; size_t size; cudaMemPool_t pool; cudaStream_t stream;
} cudaMallocFromPoolAsync_v11020_params;
typedef struct cudaFreeAsync_v11020_params_st { void *devPtr; cudaStream_t stream; } cudaFreeAsync_v11020_params;
typedef struct cudaMemPoolCreate_v11020_params_st {
  cudaMemPool_t *pool; const struct cudaMemPoolProps *props;
} cudaMemPoolCreate_v11020_params;
typedef struct cudaMemPoolDestroy_v11020_params_st { cudaMemPool_t pool; } cudaMemPoolDestroy_v11020_params;
typedef struct cudaMemPoolTrimTo_v11020_params_st {
  cudaMemPool_t pool; size_t minBytesToKeep;
} cudaMemPoolTrimTo_v11020_params;
typedef struct cudaMemPoolSetAttribute_v11020_params_st {
  cudaMemPool_t pool; enum cudaMemPoolAttr attribute; void *value;
} cudaMemPoolSetAttribute_v11020_params;
typedef struct cudaMemPoolGetAttribute_v11020_params_st {
  cudaMemPool_t pool; enum cudaMemPoolAttr attribute; void *value;
} cudaMemPoolGetAttribute_v11020_params;
typedef struct cudaMemPoolSetAccess_v11020_params_st {
  cudaMemPool_t pool; const struct cudaMemAccessDesc *descList; size_t count;
} cudaMemPoolSetAccess_v11020_params;
typedef struct cudaMemPoolGetAccess_v11020_params_st {
  enum cudaMemAccessFlags *flags; cudaMemPool_t pool; struct cudaMemLocation *location;
} cudaMemPoolGetAccess_v11020_params;
typedef struct cudaDeviceCanAccessPeer_v4000_params_st {
  int *canAccessPeer; int device; int peerDevice;
} cudaDeviceCanAccessPeer_v4000_params;
typedef struct cudaDeviceEnablePeerAccess_v4000_params_st {
  int peerDevice; unsigned int flags;
} cudaDeviceEnablePeerAccess_v4000_params;
typedef struct cudaDeviceDisablePeerAccess_v4000_params_st { int peerDevice; } cudaDeviceDisablePeerAccess_v4000_params;
typedef struct cudaGetChannelDesc_v3020_params_st {
  struct cudaChannelFormatDesc *desc; cudaArray_const_t array;
} cudaGetChannelDesc_v3020_params;
typedef struct cudaCreateTextureObject_v5000_params_st {
  cudaTextureObject_t* texObject; const struct cudaResourceDesc* resDesc; const struct cudaTextureDesc* texDesc; const
  struct cudaResourceViewDesc* resViewDesc;
} cudaCreateTextureObject_v5000_params;
typedef struct cudaDestroyTextureObject_v5000_params_st {
  cudaTextureObject_t texObject;
} cudaDestroyTextureObject_v5000_params;
typedef struct cudaGetTextureObjectResourceDesc_v5000_params_st {
  struct cudaResourceDesc *resDesc; cudaTextureObject_t texObject;
} cudaGetTextureObjectResourceDesc_v5000_params;
typedef struct cudaGetTextureObjectTextureDesc_v5000_params_st {
  struct cudaTextureDesc *texDesc; cudaTextureObject_t texObject;
} cudaGetTextureObjectTextureDesc_v5000_params;
typedef struct cudaCreateSurfaceObject_v5000_params_st {
  cudaSurfaceObject_t *surfObject; const struct cudaResourceDesc *resDesc;
} cudaCreateSurfaceObject_v5000_params;
typedef struct cudaDestroySurfaceObject_v5000_params_st {
  cudaSurfaceObject_t surfObject;
} cudaDestroySurfaceObject_v5000_params;
typedef struct cudaBindTexture_v3020_params_st {
  size_t* offset; const struct textureReference* texref; const void* devPtr; const struct cudaChannelFormatDesc* desc;
  size_t size;
} cudaBindTexture_v3020_params;
typedef struct cudaBindTexture2D_v3020_params_st {
  size_t* offset; const struct textureReference* texref; const void* devPtr; const struct cudaChannelFormatDesc* desc;
  size_t width; size_t height; size_t pitch;
} cudaBindTexture2D_v3020_params;
typedef struct cudaBindTextureToArray_v3020_params_st {
  const struct textureReference* texref; cudaArray_const_t array; const struct cudaChannelFormatDesc* desc;
} cudaBindTextureToArray_v3020_params;
typedef struct cudaUnbindTexture_v3020_params_st {
  const struct textureReference *texref;
} cudaUnbindTexture_v3020_params;
typedef struct cudaGetTextureAlignmentOffset_v3020_params_st {
  size_t *offset; const struct textureReference *texref;
} cudaGetTextureAlignmentOffset_v3020_params;
typedef struct cudaGetTextureReference_v3020_params_st {
  const struct textureReference **texref; const void *symbol;
} cudaGetTextureReference_v3020_params;
typedef struct cudaDriverGetVersion_v3020_params_st { int *driverVersion; } cudaDriverGetVersion_v3020_params;
typedef struct cudaRuntimeGetVersion_v3020_params_st { int *runtimeVersion; } cudaRuntimeGetVersion_v3020_params;
typedef struct cudaGetDriverEntryPoint_v11030_params_st {
  const char* symbol; void** function; unsigned long long flags; enum cudaDriverEntryPointQueryResult* status;
} cudaGetDriverEntryPoint_v11030_params;
typedef struct cudaGetDriverEntryPointByVersion_v12050_params_st {
  const char* symbol; void** function; unsigned int cudaVersion; unsigned long long flags; enum
  cudaDriverEntryPointQueryResult* status;
} cudaGetDriverEntryPointByVersion_v12050_params;
typedef struct cudaGraphCreate_v10000_params_st {
  cudaGraph_t *graph; unsigned int flags;
} cudaGraphCreate_v10000_params;
typedef struct cudaGraphDestroy_v10000_params_st { cudaGraph_t graph; } cudaGraphDestroy_v10000_params;
typedef struct cudaGraphClone_v10000_params_st {
  cudaGraph_t *clone; cudaGraph_t original;
} cudaGraphClone_v10000_params;
typedef struct cudaGraphAddKernelNode_v10000_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; const struct
  cudaKernelNodeParams* params;
} cudaGraphAddKernelNode_v10000_params;
typedef struct cudaGraphKernelNodeGetParams_v10000_params_st {
  cudaGraphNode_t node; struct cudaKernelNodeParams *params;
} cudaGraphKernelNodeGetParams_v10000_params;
typedef struct cudaGraphKernelNodeSetParams_v10000_params_st {
  cudaGraphNode_t node; const struct cudaKernelNodeParams *params;
} cudaGraphKernelNodeSetParams_v10000_params;
typedef struct cudaGraphAddMemcpyNode_v10000_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; const struct
  cudaMemcpy3DParms* params;
} cudaGraphAddMemcpyNode_v10000_params;
typedef struct cudaGraphAddMemcpyNode1D_v11010_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; void* dst;
  const void* src; size_t count; enum cudaMemcpyKind kind;
} cudaGraphAddMemcpyNode1D_v11010_params;
typedef struct cudaGraphAddMemcpyNodeToSymbol_v11010_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; const void*
  symbol; const void* src; size_t count; size_t offset; enum cudaMemcpyKind kind;
} cudaGraphAddMemcpyNodeToSymbol_v11010_params;
typedef struct cudaGraphAddMemcpyNodeFromSymbol_v11010_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; void* dst;
  const void* symbol; size_t count; size_t offset; enum cudaMemcpyKind kind;
} cudaGraphAddMemcpyNodeFromSymbol_v11010_params;
typedef struct cudaGraphAddMemsetNode_v10000_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; const struct
  cudaMemsetParams* params;
} cudaGraphAddMemsetNode_v10000_params;
typedef struct cudaGraphMemcpyNodeSetParams1D_v11010_params_st {
  cudaGraphNode_t node; void* dst; const void* src; size_t count; enum cudaMemcpyKind kind;
} cudaGraphMemcpyNodeSetParams1D_v11010_params;
typedef struct cudaGraphMemsetNodeSetParams_v10000_params_st {
  cudaGraphNode_t node; const struct cudaMemsetParams* params;
} cudaGraphMemsetNodeSetParams_v10000_params;
typedef struct cudaGraphAddHostNode_v10000_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; const struct
  cudaHostNodeParams* params;
} cudaGraphAddHostNode_v10000_params;
typedef struct cudaGraphAddChildGraphNode_v10000_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; cudaGraph_t
  child;
} cudaGraphAddChildGraphNode_v10000_params;
typedef struct cudaGraphChildGraphNodeGetGraph_v10000_params_st {
  cudaGraphNode_t node; cudaGraph_t *graph;
} cudaGraphChildGraphNodeGetGraph_v10000_params;
typedef struct cudaGraphAddEmptyNode_v10000_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies;
} cudaGraphAddEmptyNode_v10000_params;
typedef struct cudaGraphAddEventRecordNode_v11010_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; cudaEvent_t
  event;
} cudaGraphAddEventRecordNode_v11010_params;
typedef struct cudaGraphAddEventWaitNode_v11010_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; cudaEvent_t
  event;
} cudaGraphAddEventWaitNode_v11010_params;
typedef struct cudaGraphAddMemAllocNode_v11040_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; struct
  cudaMemAllocNodeParams* params;
} cudaGraphAddMemAllocNode_v11040_params;
typedef struct cudaGraphAddMemFreeNode_v11040_params_st {
  cudaGraphNode_t* node; cudaGraph_t graph; const cudaGraphNode_t* dependencies; size_t numDependencies; void* dptr;
} cudaGraphAddMemFreeNode_v11040_params;
typedef struct cudaGraphAddDependencies_v12030_params_st {
  cudaGraph_t graph; const cudaGraphNode_t* from; const cudaGraphNode_t* to; size_t numDependencies;
} cudaGraphAddDependencies_v12030_params;
typedef struct cudaGraphRemoveDependencies_v12030_params_st {
  cudaGraph_t graph; const cudaGraphNode_t* from; const cudaGraphNode_t* to; size_t numDependencies;
} cudaGraphRemoveDependencies_v12030_params;
typedef struct cudaGraphDestroyNode_v10000_params_st { cudaGraphNode_t node; } cudaGraphDestroyNode_v10000_params;
typedef struct cudaGraphGetNodes_v10000_params_st {
  cudaGraph_t graph; cudaGraphNode_t *nodes; size_t *numNodes;
} cudaGraphGetNodes_v10000_params;
typedef struct cudaGraphGetRootNodes_v10000_params_st {
  cudaGraph_t graph; cudaGraphNode_t *nodes; size_t *numNodes;
} cudaGraphGetRootNodes_v10000_params;
typedef struct cudaGraphGetEdges_v12030_params_st {
  cudaGraph_t graph; cudaGraphNode_t *from; cudaGraphNode_t *to; size_t *numEdges;
} cudaGraphGetEdges_v12030_params;
typedef struct cudaGraphNodeGetDependentNodes_v12030_params_st {
  cudaGraphNode_t node; cudaGraphNode_t *dependentNodes; size_t *numDependentNodes;
} cudaGraphNodeGetDependentNodes_v12030_params;
typedef struct cudaGraphNodeGetType_v10000_params_st {
  cudaGraphNode_t node; enum cudaGraphNodeType *type;
} cudaGraphNodeGetType_v10000_params;
typedef struct cudaGraphInstantiateWithFlags_v11040_params_st {
  cudaGraphExec_t *exec; cudaGraph_t graph; unsigned long long flags;
} cudaGraphInstantiateWithFlags_v11040_params;
typedef struct cudaGraphInstantiate_v12000_params_st {
  cudaGraphExec_t *exec; cudaGraph_t graph; unsigned long long flags;
} cudaGraphInstantiate_v12000_params;
typedef struct cudaGraphExecKernelNodeSetParams_v10010_params_st {
  cudaGraphExec_t exec; cudaGraphNode_t node; const struct cudaKernelNodeParams* params;
} cudaGraphExecKernelNodeSetParams_v10010_params;
typedef struct cudaGraphExecChildGraphNodeSetParams_v11010_params_st {
  cudaGraphExec_t exec; cudaGraphNode_t node; cudaGraph_t child;
} cudaGraphExecChildGraphNodeSetParams_v11010_params;
typedef struct cudaGraphExecMemcpyNodeSetParams1D_v11010_params_st {
  cudaGraphExec_t exec; cudaGraphNode_t node; void* dst; const void* src; size_t count; enum cudaMemcpyKind kind;
} cudaGraphExecMemcpyNodeSetParams1D_v11010_params;
typedef struct cudaGraphExecMemsetNodeSetParams_v10020_params_st {
  cudaGraphExec_t exec; cudaGraphNode_t node; const struct cudaMemsetParams* params;
} cudaGraphExecMemsetNodeSetParams_v10020_params;
typedef struct cudaGraphExecHostNodeSetParams_v10020_params_st {
  cudaGraphExec_t exec; cudaGraphNode_t node; const struct cudaHostNodeParams* params;
} cudaGraphExecHostNodeSetParams_v10020_params;
typedef struct cudaGraphExecUpdate_v10020_params_st {
  cudaGraphExec_t exec; cudaGraph_t graph; cudaGraphExecUpdateResultInfo *resultInfo;
} cudaGraphExecUpdate_v10020_params;
typedef struct cudaGraphUpload_v10000_params_st {
  cudaGraphExec_t exec; cudaStream_t stream;
} cudaGraphUpload_v10000_params;
typedef struct cudaGraphLaunch_v10000_params_st {
  cudaGraphExec_t exec; cudaStream_t stream;
} cudaGraphLaunch_v10000_params;
typedef struct cudaGraphExecDestroy_v10000_params_st { cudaGraphExec_t exec; } cudaGraphExecDestroy_v10000_params;
typedef struct cudaGraphDebugDotPrint_v11030_params_st {
  cudaGraph_t graph; const char *path; unsigned int flags;
} cudaGraphDebugDotPrint_v11030_params;
typedef struct cudaDeviceGraphMemTrim_v11040_params_st { int device; } cudaDeviceGraphMemTrim_v11040_params;
