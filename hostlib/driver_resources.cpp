// The driver API of include/heddle/driver_resources.h, in terms of the runtime API.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

namespace {
CUresult result(cudaError_t error) { return (CUresult)error; }
void *pointer(CUdeviceptr p) { return (void *)(size_t)p; }
CUresult allocated(cudaError_t error, void *p, CUdeviceptr *out) {
  if (error == cudaSuccess) *out = (CUdeviceptr)(size_t)p;
  return result(error);
}

// Bytes that are alike are a plain memset; other values are written once and doubled.
template <typename T> CUresult fill(CUdeviceptr dst, T value, size_t count, CUstream stream) {
  unsigned char bytes[sizeof(T)];
  memcpy(bytes, &value, sizeof value);
  bool alike = true;
  for (unsigned char byte : bytes) alike = alike && byte == bytes[0];
  if (count == 0 || alike) return result(cudaMemsetAsync(pointer(dst), bytes[0], count * sizeof value, stream));
  // A captured copy would read `value` when the graph runs, long after this call.
  cudaStreamCaptureStatus capture;
  cudaError_t error = cudaStreamIsCapturing(stream, &capture);
  if (error != cudaSuccess) return result(error);
  if (capture != cudaStreamCaptureStatusNone) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  error = cudaMemcpyAsync(pointer(dst), &value, sizeof value, cudaMemcpyHostToDevice, stream);
  for (size_t done = 1; done < count && error == cudaSuccess; done *= 2) {
    size_t more = (done < count - done ? done : count - done) * sizeof value;
    error = cudaMemcpyAsync(pointer(dst + done * sizeof value), pointer(dst), more, cudaMemcpyDeviceToDevice, stream);
  }
  return result(error);
}

static_assert(sizeof(CUmemLocation) == sizeof(cudaMemLocation), "both APIs describe places alike");
static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps), "both APIs describe pools alike");
} // namespace

CUresult heddle_parameter_places(CUfunction f, void **extra, void **places, size_t capacity); // driver.cpp

extern "C" {
CUresult cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned int *flags, int *active) {
  CUdevice device;
  CUresult error = cuDeviceGet(&device, ordinal);
  if (error != CUDA_SUCCESS) return error;
  *flags = CU_CTX_SCHED_AUTO;
  *active = 1; // a device is ready from the start
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  return result(cudaDeviceGetDefaultMemPool(pool, device));
}
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props) {
  return result(cudaMemPoolCreate(pool, (const cudaMemPoolProps *)props));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) { return result(cudaMemPoolDestroy(pool)); }
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) { return result(cudaMemPoolTrimTo(pool, bytes)); }
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return result(cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)attribute, value));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return result(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)attribute, value));
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *descriptions, size_t count) {
  return result(cudaMemPoolSetAccess(pool, (const cudaMemAccessDesc *)descriptions, count));
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
  return result(cudaMemPoolGetAccess((cudaMemAccessFlags *)flags, pool, (cudaMemLocation *)location));
}

CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream) {
  void *p = nullptr;
  cudaError_t error = cudaMallocAsync(&p, bytes, stream);
  return allocated(error, p, out);
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool pool, CUstream stream) {
  void *p = nullptr;
  cudaError_t error = cudaMallocFromPoolAsync(&p, bytes, pool, stream);
  return allocated(error, p, out);
}
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream) { return result(cudaFreeAsync(pointer(p), stream)); }
CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(pointer(dst), pointer(src), bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream) {
  return fill(dst, value, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count, CUstream stream) {
  return fill(dst, value, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t count, CUstream stream) {
  return fill(dst, value, count, stream);
}
CUresult cuMemsetD16(CUdeviceptr dst, unsigned short value, size_t count) { return fill(dst, value, count, nullptr); }
CUresult cuMemsetD32(CUdeviceptr dst, unsigned int value, size_t count) { return fill(dst, value, count, nullptr); }

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr p) {
  cudaPointerAttributes known;
  cudaError_t error = cudaPointerGetAttributes(&known, pointer(p));
  if (error != cudaSuccess) return result(error);
  // The runtime reports memory that CUDA does not know; the driver refuses it.
  if (known.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: return cuDevicePrimaryCtxRetain((CUcontext *)data, known.device);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(CUmemorytype *)data = known.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return *(void **)data = known.devicePointer, CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    *(void **)data = known.hostPointer;
    return known.hostPointer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: return *(int *)data = known.type == cudaMemoryTypeManaged, CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return *(int *)data = known.device, CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MAPPED: return *(int *)data = 1, CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return *(CUmemoryPool *)data = nullptr, CUDA_SUCCESS;
  default: return CUDA_ERROR_NOT_SUPPORTED;
  }
}
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr p) {
  cudaPointerAttributes known;
  cudaError_t error = cudaPointerGetAttributes(&known, pointer(p));
  if (error != cudaSuccess) return result(error);
  // Unlike the call for one attribute, this one answers for any memory: with zeros where an attribute does not exist.
  for (unsigned i = 0; i < count; i++) {
    CUresult one = cuPointerGetAttribute(data[i], attributes[i], p);
    if (one == CUDA_ERROR_NOT_SUPPORTED) return one;
    if (one == CUDA_SUCCESS) continue;
    bool isOrdinal = attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    if (isOrdinal) *(int *)data[i] = -2; // the driver's word for "no device"
    else memset(data[i], 0, sizeof(int));
  }
  return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) {
  return result(cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  return result(cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags) { return result(cudaStreamGetFlags(stream, flags)); }
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) { return result(cudaStreamGetId(stream, id)); }
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  int ordinal;
  cudaError_t error = cudaStreamGetDevice(stream, &ordinal);
  return error == cudaSuccess ? cuDevicePrimaryCtxRetain(context, ordinal) : result(error);
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *userData, unsigned int flags) {
  return result(cudaStreamAddCallback(stream, (cudaStreamCallback_t)callback, userData, flags));
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *userData) {
  return result(cudaLaunchHostFunc(stream, function, userData));
}

CUresult cuFuncLoad(CUfunction f) {
  cudaFuncAttributes attributes;
  return result(cudaFuncGetAttributes(&attributes, (const void *)f));
}
CUresult cuFuncGetName(const char **name, CUfunction f) { return result(cudaFuncGetName(name, (const void *)f)); }
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra) {
  void *places[4096];
  if (extra) {
    CUresult error = heddle_parameter_places(f, extra, places, sizeof places / sizeof *places);
    if (error != CUDA_SUCCESS) return error;
    params = places;
  }
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "both APIs have the same attributes");
  cudaLaunchConfig_t same = {};
  same.gridDim = dim3(config->gridDimX, config->gridDimY, config->gridDimZ);
  same.blockDim = dim3(config->blockDimX, config->blockDimY, config->blockDimZ);
  same.dynamicSmemBytes = config->sharedMemBytes;
  same.stream = config->hStream;
  same.attrs = (cudaLaunchAttribute *)config->attrs;
  same.numAttrs = config->numAttrs;
  return result(cudaLaunchKernelExC(&same, (const void *)f, params));
}

// A kernel and its function are one thing here: the host stub that names both.
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return *function = (CUfunction)kernel, CUDA_SUCCESS;
}
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}
CUresult cuKernelGetName(const char **name, CUkernel kernel) { return cuFuncGetName(name, (CUfunction)kernel); }

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *params) {
  cudaKernelNodeParams same = {};
  same.func = params->func ? (void *)params->func : (void *)params->kern;
  same.gridDim = dim3(params->gridDimX, params->gridDimY, params->gridDimZ);
  same.blockDim = dim3(params->blockDimX, params->blockDimY, params->blockDimZ);
  same.sharedMemBytes = params->sharedMemBytes;
  same.kernelParams = params->kernelParams;
  same.extra = params->extra;
  return result(cudaGraphAddKernelNode(node, graph, dependencies, count, &same));
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode, CUkernelNodeAttrID, const CUkernelNodeAttrValue *) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
/* The request's words: src/runtime/cuda/api-functions/tensor-maps.ts. */
cudaError_t __heddle_tensor_map_encode(CUtensorMap *map, const cuuint32_t *request, void *address,
                                       const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                                       const cuuint32_t *boxDim, const cuuint32_t *elementStrides);
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *globalDim, const cuuint64_t *globalStrides, const cuuint32_t *boxDim,
                                const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  /* Strides too where rank is 1 and there are none to read. */
  if (map == nullptr || globalDim == nullptr || globalStrides == nullptr || boxDim == nullptr ||
      elementStrides == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  const cuuint32_t request[15] = {(cuuint32_t)type,    rank, (cuuint32_t)interleave, (cuuint32_t)swizzle,
                                  (cuuint32_t)promotion, (cuuint32_t)fill};
  return (CUresult)__heddle_tensor_map_encode(map, request, address, globalDim, globalStrides, boxDim, elementStrides);
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                                 const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill) {
  if (map == nullptr || globalDim == nullptr || globalStrides == nullptr ||
      pixelBoxLowerCorner == nullptr || pixelBoxUpperCorner == nullptr || elementStrides == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  cuuint32_t request[15] = {(cuuint32_t)type, rank, (cuuint32_t)interleave, (cuuint32_t)swizzle,
                            (cuuint32_t)promotion, (cuuint32_t)fill, 1, channelsPerPixel, pixelsPerColumn};
  for (cuuint32_t i = 0; i < 3 && i + 2 < rank; ++i) {
    request[9 + i] = (cuuint32_t)pixelBoxLowerCorner[i];
    request[12 + i] = (cuuint32_t)pixelBoxUpperCorner[i];
  }
  return (CUresult)__heddle_tensor_map_encode(map, request, address, globalDim, globalStrides, nullptr, elementStrides);
}
CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                     const cuuint64_t *globalDim, const cuuint64_t *globalStrides, int, int,
                                     cuuint32_t, cuuint32_t, const cuuint32_t *elementStrides, CUtensorMapInterleave,
                                     CUtensorMapIm2ColWideMode, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                     CUtensorMapFloatOOBfill) {
  const cuuint32_t request[15] = {(cuuint32_t)type, rank, 0, 0, 0, 0, 2};
  return (CUresult)__heddle_tensor_map_encode(map, request, address, globalDim, globalStrides, nullptr, elementStrides);
}
}
