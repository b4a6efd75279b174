// The driver API of include/heddle/driver_arrays.h in terms of the runtime's arrays, copies and texture objects.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string.h>

namespace {
CUresult result(cudaError_t error) { return (CUresult)error; } // the numbers agree wherever both name an error
void *pointer(CUdeviceptr p) { return (void *)(size_t)p; }

/// One channel's bits and kind; 0 bits: no format of arrays.
struct Channel { int bits; cudaChannelFormatKind kind; };
Channel channel_of(CUarray_format format) {
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT8: return {8, cudaChannelFormatKindUnsigned};
  case CU_AD_FORMAT_UNSIGNED_INT16: return {16, cudaChannelFormatKindUnsigned};
  case CU_AD_FORMAT_UNSIGNED_INT32: return {32, cudaChannelFormatKindUnsigned};
  case CU_AD_FORMAT_SIGNED_INT8: return {8, cudaChannelFormatKindSigned};
  case CU_AD_FORMAT_SIGNED_INT16: return {16, cudaChannelFormatKindSigned};
  case CU_AD_FORMAT_SIGNED_INT32: return {32, cudaChannelFormatKindSigned};
  case CU_AD_FORMAT_HALF: return {16, cudaChannelFormatKindFloat};
  case CU_AD_FORMAT_FLOAT: return {32, cudaChannelFormatKindFloat};
  }
  return {0, cudaChannelFormatKindNone};
}
bool texel_of(CUarray_format format, unsigned int channels, cudaChannelFormatDesc &out) {
  Channel one = channel_of(format);
  if (one.bits == 0 || (channels != 1 && channels != 2 && channels != 4)) return false;
  const int bits = one.bits;
  out = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, one.kind};
  return true;
}
unsigned int channels_of(const cudaChannelFormatDesc &texel) {
  return texel.w ? 4 : texel.z ? 3 : texel.y ? 2 : 1;
}
CUarray_format format_of(const cudaChannelFormatDesc &texel) {
  if (texel.f == cudaChannelFormatKindFloat) return texel.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  int size = texel.x == 8 ? 0 : texel.x == 16 ? 1 : 2;
  return (CUarray_format)((texel.f == cudaChannelFormatKindSigned ? 0x08 : 0x01) + size);
}
CUresult describe(CUarray array, cudaChannelFormatDesc &texel, cudaExtent &extent, unsigned int &flags) {
  return result(cudaArrayGetInfo(&texel, &extent, &flags, (cudaArray_t)array));
}
CUresult texel_bytes(CUarray array, size_t &bytes) {
  cudaChannelFormatDesc texel;
  cudaExtent extent;
  unsigned int flags;
  CUresult error = describe(array, texel, extent, flags);
  bytes = error == CUDA_SUCCESS ? (size_t)(texel.x + texel.y + texel.z + texel.w) / 8 : 1;
  return error;
}

/// One end of a copy.
struct Place {
  size_t x, y, z;
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch, height;
};
/// The runtime counts what lies in arrays by elements, and the rest by bytes.
CUresult set_end(const Place &place, size_t width, cudaArray_t &array, cudaPos &position, cudaPitchedPtr &memory) {
  position = {place.x, place.y, place.z};
  array = nullptr;
  switch (place.type) {
  case CU_MEMORYTYPE_ARRAY: {
    size_t bytes;
    CUresult error = texel_bytes(place.array, bytes);
    if (error != CUDA_SUCCESS) return error;
    if (place.x % bytes != 0 || width % bytes != 0) return CUDA_ERROR_INVALID_VALUE;
    position.x = place.x / bytes;
    array = (cudaArray_t)place.array;
    return CUDA_SUCCESS;
  }
  case CU_MEMORYTYPE_HOST:
  case CU_MEMORYTYPE_DEVICE:
  case CU_MEMORYTYPE_UNIFIED: {
    void *start = place.type == CU_MEMORYTYPE_HOST ? (void *)place.host : pointer(place.device);
    size_t pitch = place.pitch ? place.pitch : place.x + width;
    memory = {start, pitch, pitch, place.height};
    return CUDA_SUCCESS;
  }
  }
  return CUDA_ERROR_INVALID_VALUE;
}
cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to) {
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  if (from == CU_MEMORYTYPE_HOST) return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}
CUresult copy(const Place &from, const Place &to, size_t width, size_t height, size_t depth,
              const CUstream *stream = nullptr) {
  if (width == 0 || height == 0 || depth == 0) return CUDA_SUCCESS;
  cudaMemcpy3DParms params = {};
  CUresult error = set_end(from, width, params.srcArray, params.srcPos, params.srcPtr);
  if (error == CUDA_SUCCESS) error = set_end(to, width, params.dstArray, params.dstPos, params.dstPtr);
  if (error != CUDA_SUCCESS) return error;
  size_t unit = 1;
  if (params.srcArray || params.dstArray) texel_bytes(params.srcArray ? from.array : to.array, unit);
  params.extent = {width / unit, height, depth};
  params.kind = kind_of(from.type, to.type);
  return result(stream ? cudaMemcpy3DAsync(&params, *stream) : cudaMemcpy3D(&params));
}
CUresult copy2d(const CUDA_MEMCPY2D *p, const CUstream *stream = nullptr) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  Place from = {p->srcXInBytes, p->srcY, 0, p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcPitch, 0};
  Place to = {p->dstXInBytes, p->dstY, 0, p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstPitch, 0};
  return copy(from, to, p->WidthInBytes, p->Height, 1, stream);
}
CUresult copy3d(const CUDA_MEMCPY3D *p, const CUstream *stream = nullptr) {
  if (!p || p->srcLOD != 0 || p->dstLOD != 0) return CUDA_ERROR_INVALID_VALUE;
  Place from = {p->srcXInBytes, p->srcY,    p->srcZ,     p->srcMemoryType, p->srcHost,
                p->srcDevice,   p->srcArray, p->srcPitch, p->srcHeight};
  Place to = {p->dstXInBytes, p->dstY,    p->dstZ,     p->dstMemoryType, p->dstHost,
              p->dstDevice,   p->dstArray, p->dstPitch, p->dstHeight};
  return copy(from, to, p->WidthInBytes, p->Height, p->Depth, stream);
}
Place in_array(CUarray array, size_t offset) { return {offset, 0, 0, CU_MEMORYTYPE_ARRAY, nullptr, 0, array, 0, 0}; }
Place on_host(const void *p) { return {0, 0, 0, CU_MEMORYTYPE_HOST, p, 0, nullptr, 0, 0}; }
Place on_device(CUdeviceptr p) { return {0, 0, 0, CU_MEMORYTYPE_DEVICE, nullptr, p, nullptr, 0, 0}; }

template <class T, class F>
CUresult fill_rows(CUdeviceptr dst, size_t pitch, T value, size_t width, size_t height, F fill) {
  for (size_t row = 0; row < height; row++) {
    CUresult error = fill(dst + row * pitch, value, width);
    if (error != CUDA_SUCCESS) return error;
  }
  return CUDA_SUCCESS;
}

CUresult to_runtime(const CUDA_RESOURCE_DESC &from, cudaResourceDesc &to) {
  memset(&to, 0, sizeof to);
  to.resType = (cudaResourceType)from.resType;
  switch (from.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    to.res.array.array = (cudaArray_t)from.res.array.hArray;
    return CUDA_SUCCESS;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    to.res.mipmap.mipmap = (cudaMipmappedArray_t)from.res.mipmap.hMipmappedArray;
    return CUDA_SUCCESS;
  case CU_RESOURCE_TYPE_LINEAR: {
    const auto &linear = from.res.linear;
    to.res.linear.devPtr = pointer(linear.devPtr);
    to.res.linear.sizeInBytes = linear.sizeInBytes;
    return texel_of(linear.format, linear.numChannels, to.res.linear.desc) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  case CU_RESOURCE_TYPE_PITCH2D: {
    const auto &plane = from.res.pitch2D;
    to.res.pitch2D.devPtr = pointer(plane.devPtr);
    to.res.pitch2D.width = plane.width;
    to.res.pitch2D.height = plane.height;
    to.res.pitch2D.pitchInBytes = plane.pitchInBytes;
    return texel_of(plane.format, plane.numChannels, to.res.pitch2D.desc) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  }
  return CUDA_ERROR_INVALID_VALUE;
}
void from_runtime(const cudaResourceDesc &from, CUDA_RESOURCE_DESC &to) {
  memset(&to, 0, sizeof to);
  to.resType = (CUresourcetype)from.resType;
  switch (from.resType) {
  case cudaResourceTypeArray: to.res.array.hArray = (CUarray)from.res.array.array; break;
  case cudaResourceTypeMipmappedArray: to.res.mipmap.hMipmappedArray = (CUmipmappedArray)from.res.mipmap.mipmap; break;
  case cudaResourceTypeLinear: {
    const auto &linear = from.res.linear;
    to.res.linear = {(CUdeviceptr)(size_t)linear.devPtr, format_of(linear.desc), channels_of(linear.desc),
                     linear.sizeInBytes};
    break;
  }
  case cudaResourceTypePitch2D: {
    const auto &plane = from.res.pitch2D;
    to.res.pitch2D = {(CUdeviceptr)(size_t)plane.devPtr, format_of(plane.desc), channels_of(plane.desc), plane.width,
                      plane.height, plane.pitchInBytes};
    break;
  }
  }
}
/// Whether a resource has integers of 8 or 16 bits: these alone can be read as floats.
bool is_narrow(const cudaResourceDesc &resource) {
  cudaChannelFormatDesc texel = resource.res.linear.desc;
  if (resource.resType == cudaResourceTypePitch2D) texel = resource.res.pitch2D.desc;
  if (resource.resType == cudaResourceTypeArray) cudaGetChannelDesc(&texel, resource.res.array.array);
  return texel.f != cudaChannelFormatKindFloat && texel.x < 32;
}
cudaTextureDesc to_runtime(const CUDA_TEXTURE_DESC &from, const cudaResourceDesc &resource) {
  cudaTextureDesc to = {};
  for (int i = 0; i < 3; i++) to.addressMode[i] = (cudaTextureAddressMode)from.addressMode[i];
  to.filterMode = (cudaTextureFilterMode)from.filterMode;
  bool asFloat = !(from.flags & CU_TRSF_READ_AS_INTEGER) && is_narrow(resource);
  to.readMode = asFloat ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  memcpy(to.borderColor, from.borderColor, sizeof to.borderColor);
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = (cudaTextureFilterMode)from.mipmapFilterMode;
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  to.disableTrilinearOptimization = (from.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
  to.seamlessCubemap = (from.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  return to;
}
void from_runtime(const cudaTextureDesc &from, CUDA_TEXTURE_DESC &to) {
  memset(&to, 0, sizeof to);
  for (int i = 0; i < 3; i++) to.addressMode[i] = (CUaddress_mode)from.addressMode[i];
  to.filterMode = (CUfilter_mode)from.filterMode;
  to.flags = (from.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
             (from.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (from.sRGB ? CU_TRSF_SRGB : 0) |
             (from.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
             (from.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = (CUfilter_mode)from.mipmapFilterMode;
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  memcpy(to.borderColor, from.borderColor, sizeof to.borderColor);
}
} // namespace

extern "C" {
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  cudaChannelFormatDesc texel;
  if (!array || !d || !texel_of(d->Format, d->NumChannels, texel)) return CUDA_ERROR_INVALID_VALUE;
  return result(cudaMalloc3DArray((cudaArray_t *)array, &texel, {d->Width, d->Height, d->Depth}, d->Flags));
}
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR full = {d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
  return cuArray3DCreate(array, &full);
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  cudaChannelFormatDesc texel;
  cudaExtent extent;
  unsigned int flags;
  CUresult error = describe(array, texel, extent, flags);
  if (error == CUDA_SUCCESS)
    *d = {extent.width, extent.height, extent.depth, format_of(texel), channels_of(texel), flags};
  return error;
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *d, CUarray array) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR full;
  CUresult error = cuArray3DGetDescriptor(&full, array);
  if (error == CUDA_SUCCESS) *d = {full.Width, full.Height, full.Format, full.NumChannels};
  return error;
}
CUresult cuArrayDestroy(CUarray array) {
  return array ? result(cudaFreeArray((cudaArray_t)array)) : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuMemAllocPitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned int elementBytes) {
  if (!out || !pitch || (elementBytes != 4 && elementBytes != 8 && elementBytes != 16)) return CUDA_ERROR_INVALID_VALUE;
  void *p = nullptr;
  CUresult error = result(cudaMallocPitch(&p, pitch, width, height));
  *out = (CUdeviceptr)(size_t)p;
  return error;
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *p) { return copy2d(p); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *p) { return copy2d(p); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *p, CUstream stream) { return copy2d(p, &stream); }
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *p) { return copy3d(p); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *p, CUstream stream) { return copy3d(p, &stream); }
CUresult cuMemcpyHtoA(CUarray dst, size_t offset, const void *src, size_t bytes) {
  return copy(on_host(src), in_array(dst, offset), bytes, 1, 1);
}
CUresult cuMemcpyAtoH(void *dst, CUarray src, size_t offset, size_t bytes) {
  return copy(in_array(src, offset), on_host(dst), bytes, 1, 1);
}
CUresult cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes) {
  return copy(on_device(src), in_array(dst, offset), bytes, 1, 1);
}
CUresult cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes) {
  return copy(in_array(src, offset), on_device(dst), bytes, 1, 1);
}
CUresult cuMemcpyAtoA(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset, size_t bytes) {
  return copy(in_array(src, srcOffset), in_array(dst, dstOffset), bytes, 1, 1);
}
CUresult cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t bytes, CUstream stream) {
  return copy(on_host(src), in_array(dst, offset), bytes, 1, 1, &stream);
}
CUresult cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream) {
  return copy(in_array(src, offset), on_host(dst), bytes, 1, 1, &stream);
}
CUresult cuMemsetD2D8(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill_rows(dst, pitch, value, width, height, cuMemsetD8);
}
CUresult cuMemsetD2D16(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fill_rows(dst, pitch, value, width, height, cuMemsetD16);
}
CUresult cuMemsetD2D32(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height) {
  return fill_rows(dst, pitch, value, width, height, cuMemsetD32);
}
CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view) {
  if (!object || !resource || !texture) return CUDA_ERROR_INVALID_VALUE;
  if (view) return CUDA_ERROR_NOT_SUPPORTED; // the runtime has no views
  cudaResourceDesc storage;
  CUresult error = to_runtime(*resource, storage);
  if (error != CUDA_SUCCESS) return error;
  cudaTextureDesc sampling = to_runtime(*texture, storage);
  return result(cudaCreateTextureObject(object, &storage, &sampling, nullptr));
}
CUresult cuTexObjectDestroy(CUtexObject object) { return result(cudaDestroyTextureObject(object)); }
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object) {
  cudaResourceDesc storage;
  CUresult error = result(cudaGetTextureObjectResourceDesc(&storage, object));
  if (error == CUDA_SUCCESS) from_runtime(storage, *resource);
  return error;
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object) {
  cudaTextureDesc sampling;
  CUresult error = result(cudaGetTextureObjectTextureDesc(&sampling, object));
  if (error == CUDA_SUCCESS) from_runtime(sampling, *texture);
  return error;
}
CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource) {
  if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc storage;
  CUresult error = to_runtime(*resource, storage);
  return error == CUDA_SUCCESS ? result(cudaCreateSurfaceObject(object, &storage)) : error;
}
CUresult cuSurfObjectDestroy(CUsurfObject object) { return result(cudaDestroySurfaceObject(object)); }
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object) {
  return cuTexObjectGetResourceDesc(resource, object);
}
}
