// The C++ side of the runtime API: overloads that take typed pointers, symbols and kernels, and the functions that
// exist only as templates (CUDA Runtime API, "C++ API Routines").
#pragma once
#include "../cuda_runtime_api.h"
#include <utility>

#define HEDDLE_API template <class T> static inline cudaError_t

HEDDLE_API cudaMalloc(T **devPtr, size_t size) { return ::cudaMalloc((void **)(void *)devPtr, size); }
HEDDLE_API cudaMallocHost(T** ptr, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc((void**)(void*)ptr, size, flags);
}
HEDDLE_API cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc((void**)(void*)ptr, size, flags);
}
HEDDLE_API cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void**)(void*)pDevice, pHost, flags);
}
HEDDLE_API cudaMallocManaged(T** devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void**)(void*)devPtr, size, flags);
}
HEDDLE_API cudaMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void**)(void*)devPtr, pitch, width, height);
}
HEDDLE_API cudaMallocAsync(T** devPtr, size_t size, cudaStream_t stream = 0) {
  return ::cudaMallocAsync((void**)(void*)devPtr, size, stream);
}
HEDDLE_API cudaMallocFromPoolAsync(T** devPtr, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)(void*)devPtr, size, pool, stream);
}
static inline cudaError_t cudaMallocAsync(void** ptr, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(ptr, size, pool, stream);
}
static inline cudaError_t cudaMallocHost(void** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(ptr, size, flags);
}
HEDDLE_API cudaStreamAttachMemAsync(cudaStream_t stream, T* devPtr, size_t length = 0,
                                    unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void*)devPtr, length, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

// The forms that CUDA 13 has instead of those with a device's number.
static inline cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, struct cudaMemLocation location,
                                               unsigned int /*flags*/, cudaStream_t stream = 0) {
  return ::cudaMemPrefetchAsync(devPtr, count,
                                location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId, stream);
}
static inline cudaError_t cudaMemAdvise(const void* devPtr, size_t count, enum cudaMemoryAdvise advice,
                                        struct cudaMemLocation location) {
  return ::cudaMemAdvise(devPtr, count, advice,
                         location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId);
}

// Symbols.
HEDDLE_API cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return ::cudaGetSymbolAddress(devPtr, (const void*)&symbol);
}
template <class T, class U>
static inline cudaError_t cudaGetSymbolAddress(U** devPtr, const T& symbol) {
  return ::cudaGetSymbolAddress((void**)(void*)devPtr, (const void*)&symbol);
}
HEDDLE_API cudaGetSymbolSize(size_t *size, const T &symbol) { return ::cudaGetSymbolSize(size, (const void *)&symbol); }
HEDDLE_API cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset = 0,
                              enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
HEDDLE_API cudaMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                   enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
HEDDLE_API cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
HEDDLE_API cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

// Kernels.
HEDDLE_API cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem = 0,
                            cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}
HEDDLE_API cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem = 0,
                                       cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class... Expected, class... Actual>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Expected...),
                                             Actual&&... args) {
  return [&](Expected... converted) {
    void *pointers[sizeof...(Expected) + 1] = {(void *)&converted...};
    return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
  }(std::forward<Actual>(args)...);
}
HEDDLE_API cudaFuncSetCacheConfig(T* func, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void*)func, config);
}
HEDDLE_API cudaFuncSetSharedMemConfig(T* func, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void*)func, config);
}
HEDDLE_API cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, T* func) {
  return ::cudaFuncGetAttributes(attributes, (const void*)func);
}
HEDDLE_API cudaFuncSetAttribute(T* func, enum cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute((const void*)func, attribute, value);
}
HEDDLE_API cudaGetFuncBySymbol(cudaFunction_t* function, T* symbol) {
  return ::cudaGetFuncBySymbol(function, (const void*)symbol);
}
HEDDLE_API cudaLaunch(T *func) { return ::cudaLaunch((const void *)func); }
HEDDLE_API cudaSetupArgument(T arg, size_t offset) { return ::cudaSetupArgument((const void*)&arg, sizeof(T), offset); }
HEDDLE_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize,
                                                         size_t dynamicSMemSize) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void*)func, blockSize,
                                                                  dynamicSMemSize, cudaOccupancyDefault);
}
HEDDLE_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, T func, int blockSize,
                                                                  size_t dynamicSMemSize, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void*)func, blockSize,
                                                                  dynamicSMemSize, flags);
}
HEDDLE_API cudaOccupancyMaxActiveClusters(int* numClusters, T func, const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxActiveClusters(numClusters, (const void*)func, config);
}
HEDDLE_API cudaOccupancyMaxPotentialClusterSize(int* clusterSize, T func, const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, (const void*)func, config);
}
HEDDLE_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* func, int numBlocks, int blockSize) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void*)func, numBlocks, blockSize);
}

// The block size with the most resident threads: every multiple of a warp is tried, the largest winner is kept.
template <class Bytes, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* minGridSize, int* blockSize,
                                                                                  T func, Bytes bytesOfBlock,
                                                                                  int blockSizeLimit = 0,
                                                                                  unsigned int flags = 0) {
  int device, threadsOfSm, sms, deviceLimit;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&threadsOfSm, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&deviceLimit, cudaDevAttrMaxThreadsPerBlock, device);
  if (error == cudaSuccess) error = ::cudaFuncGetAttributes(&attributes, (const void *)func);
  if (error != cudaSuccess) return error;
  int limit = attributes.maxThreadsPerBlock < deviceLimit ? attributes.maxThreadsPerBlock : deviceLimit;
  if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
  int best = 0;
  *blockSize = *minGridSize = 0;
  for (int aligned = (limit + 31) / 32 * 32; aligned > 0; aligned -= 32) {
    int size = aligned < limit ? aligned : limit, blocks;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void*)func, size,
                                                                     bytesOfBlock(size), flags);
    if (error != cudaSuccess) return error;
    if (size * blocks > best) {
      best = size * blocks;
      *blockSize = size;
      *minGridSize = blocks * sms;
    }
    if (best == threadsOfSm) break;
  }
  return cudaSuccess;
}
template <class Bytes, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T func,
                                                                         Bytes bytesOfBlock, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, bytesOfBlock,
                                                                 blockSizeLimit, cudaOccupancyDefault);
}
HEDDLE_API cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T func,
                                                       size_t dynamicSMemSize = 0, int blockSizeLimit = 0,
                                                       unsigned int flags = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; }, blockSizeLimit, flags);
}
HEDDLE_API cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func, size_t dynamicSMemSize = 0,
                                              int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit,
                                                     cudaOccupancyDefault);
}

// Graphs: the five-argument form of older toolkits.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* errorNode,
                                               char* log, size_t bytes) {
  if (errorNode) *errorNode = 0;
  if (log && bytes) *log = 0;
  return ::cudaGraphInstantiateWithFlags(exec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* errorNode,
                                              enum cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info;
  cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
  if (errorNode) *errorNode = info.errorNode;
  if (result) *result = info.result;
  return error;
}
#undef HEDDLE_API

// Channel descriptions of the built-in types.
template <class T> struct __heddle_channels;
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc(void) {
  using C = __heddle_channels<T>;
  return cudaCreateChannelDesc(C::bits, C::count > 1 ? C::bits : 0, C::count > 2 ? C::bits : 0,
                               C::count > 3 ? C::bits : 0, C::kind);
}
#define HEDDLE_CHANNEL(T, N, KIND, E)                     \
  template <>                                             \
  struct __heddle_channels<T> {                           \
    static constexpr int bits = 8 * sizeof(E), count = N; \
    static constexpr cudaChannelFormatKind kind = KIND;   \
    using element = E;                                    \
  };
#define HEDDLE_CHANNELS(V, E, KIND) \
  HEDDLE_CHANNEL(E, 1, KIND, E)     \
  HEDDLE_CHANNEL(V##1, 1, KIND, E) HEDDLE_CHANNEL(V##2, 2, KIND, E) HEDDLE_CHANNEL(V##4, 4, KIND, E)
HEDDLE_CHANNELS(char, signed char, cudaChannelFormatKindSigned)
HEDDLE_CHANNEL(char, 1, cudaChannelFormatKindSigned, char)
HEDDLE_CHANNELS(uchar, unsigned char, cudaChannelFormatKindUnsigned)
HEDDLE_CHANNELS(short, short, cudaChannelFormatKindSigned)
HEDDLE_CHANNELS(ushort, unsigned short, cudaChannelFormatKindUnsigned)
HEDDLE_CHANNELS(int, int, cudaChannelFormatKindSigned)
HEDDLE_CHANNELS(uint, unsigned int, cudaChannelFormatKindUnsigned)
HEDDLE_CHANNELS(float, float, cudaChannelFormatKindFloat)
#undef HEDDLE_CHANNELS
#undef HEDDLE_CHANNEL
