// Textures and surfaces as plain reads and writes of device memory (CUDA C++ Programming Guide, "Texture and Surface
// Memory" and "Texture Fetching"): addressing modes, point and linear filtering, normalised coordinates and results.
// Linear filtering weighs with eight fractional bits as the guide says; in cubemaps it stays within a face. Left out:
// mipmaps (level 0 is read), sRGB, cubemaps filtered across their edges.
#pragma once
#include "../cuda_runtime_api.h"
#include "runtime_templates.h"
#include "texture_descriptor.h"

// ---- texture references (removed from newer toolkits): the device sees eight bytes that hold a descriptor's address
template <class T, int dim = 1, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
  texture(int norm = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
          enum cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference() {
    normalized = norm;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = cudaCreateChannelDesc<T>();
    __heddle_read_mode = mode;
  }
  texture(int norm, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address, cudaChannelFormatDesc desc)
      : texture(norm, filter, address) {
    channelDesc = desc;
  }
};
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03

#define HEDDLE_TEXTURE template <class T, int dim, enum cudaTextureReadMode mode> static inline cudaError_t
HEDDLE_TEXTURE cudaBindTexture(size_t* offset, const texture<T, dim, mode>& tex, const void* devPtr,
                               const cudaChannelFormatDesc& desc, size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, &tex, devPtr, &desc, size);
}
HEDDLE_TEXTURE cudaBindTexture(size_t* offset, const texture<T, dim, mode>& tex, const void* devPtr,
                               size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, &tex, devPtr, &tex.channelDesc, size);
}
HEDDLE_TEXTURE cudaBindTexture2D(size_t* offset, const texture<T, dim, mode>& tex, const void* devPtr,
                                 const cudaChannelFormatDesc& desc, size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &tex, devPtr, &desc, width, height, pitch);
}
HEDDLE_TEXTURE cudaBindTexture2D(size_t* offset, const texture<T, dim, mode>& tex, const void* devPtr, size_t width,
                                 size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &tex, devPtr, &tex.channelDesc, width, height, pitch);
}
HEDDLE_TEXTURE cudaBindTextureToArray(const texture<T, dim, mode>& tex, cudaArray_const_t array,
                                      const cudaChannelFormatDesc& desc) {
  return ::cudaBindTextureToArray(&tex, array, &desc);
}
HEDDLE_TEXTURE cudaBindTextureToArray(const texture<T, dim, mode> &tex, cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  cudaError_t error = ::cudaGetChannelDesc(&desc, array);
  return error == cudaSuccess ? ::cudaBindTextureToArray(&tex, array, &desc) : error;
}
HEDDLE_TEXTURE cudaUnbindTexture(const texture<T, dim, mode> &tex) { return ::cudaUnbindTexture(&tex); }
HEDDLE_TEXTURE cudaGetTextureAlignmentOffset(size_t* offset, const texture<T, dim, mode>& tex) {
  return ::cudaGetTextureAlignmentOffset(offset, &tex);
}
#undef HEDDLE_TEXTURE

#define HEDDLE_D static inline __device__

// ---- one texel
HEDDLE_D const __heddle_texture* __heddle_descriptor(cudaTextureObject_t object) {
  return (const __heddle_texture*)(size_t)object;
}

// Index after the addressing mode; -1 for outside (border).
HEDDLE_D int __heddle_address(int i, unsigned n, unsigned mode, bool normalized) {
  if (i >= 0 && i < (int)n) return i;
  if (mode == cudaAddressModeBorder) return -1;
  if (normalized && mode == cudaAddressModeWrap) return (int)(((i % (int)n) + (int)n) % (int)n);
  if (normalized && mode == cudaAddressModeMirror) {
    int period = 2 * (int)n, k = ((i % period) + period) % period;
    return k < (int)n ? k : period - 1 - k;
  }
  return i < 0 ? 0 : (int)n - 1;
}

// Channel c of the texel at `p`, as type E: an element, or a normalised float.
template <class E> HEDDLE_D E __heddle_channel(const __heddle_texture *t, const char *p, unsigned c) {
  if (c >= t->channels) return (E)0;
  bool isSigned = t->kind == cudaChannelFormatKindSigned;
  if (t->channelBits == 32) {
    unsigned bits = ((const unsigned *)p)[c];
    if constexpr (__is_same(E, float))
      return t->kind == cudaChannelFormatKindFloat ? __int_as_float((int)bits)
             : isSigned                            ? (float)(int)bits
                                                   : (float)bits;
    else return (E)bits;
  }
  int value = t->channelBits == 16 ? (isSigned ? (int)((const short *)p)[c] : (int)((const unsigned short *)p)[c])
                                   : (isSigned ? (int)((const signed char *)p)[c] : (int)((const unsigned char *)p)[c]);
  if constexpr (__is_same(E, float)) {
    if (t->kind == cudaChannelFormatKindFloat) return __nv_half2float((unsigned short)value);
    if (t->readMode != cudaReadModeNormalizedFloat) return (float)value;
    float largest = t->channelBits == 16 ? (isSigned ? 32767.0f : 65535.0f) : (isSigned ? 127.0f : 255.0f);
    float result = (float)value / largest;
    return result < -1.0f ? -1.0f : result;
  } else return (E)value;
}

template <class T>
HEDDLE_D void __heddle_set(T& value, unsigned c, typename __heddle_channels<T>::element e) {
  ((typename __heddle_channels<T>::element*)&value)[c] = e;
}

// The address of so many bytes behind the first texel.
HEDDLE_D char *__heddle_texel_address(const __heddle_texture *t, unsigned offset) {
#ifdef __LP64__
  return (char *)((size_t)t->dataHigh << 32 | t->data) + offset;
#else
  return (char *)(size_t)(t->data + offset);
#endif
}

template <class T> HEDDLE_D T __heddle_texel(const __heddle_texture *t, int x, int y, int z) {
  using C = __heddle_channels<T>;
  using E = typename C::element;
  T result;
  bool inside = x >= 0 && y >= 0 && z >= 0;
  const char* p = __heddle_texel_address(
      t, inside ? (unsigned)z * t->slice + (unsigned)y * t->pitch + (unsigned)x * t->texelBytes : 0u);
  for (unsigned c = 0; c < C::count; c++)
    __heddle_set(result, c, inside ? __heddle_channel<E>(t, p, c) : (E)t->border[c]);
  return result;
}

// ---- sampling: dims says how many of x, y, z are coordinates; layer replaces the next one
template <class T>
HEDDLE_D T __heddle_sample(const __heddle_texture* t, int dims, float x, float y, float z, int layer) {
  bool normalized = t->normalized != 0;
  unsigned n[3] = {t->width, t->height ? t->height : 1u, t->depth ? t->depth : 1u};
  float at[3] = {x, y, z};
  int fixed[3] = {0, 0, 0};
  if (layer >= 0) fixed[t->height > 0 && dims == 2 ? 2 : dims] = layer;
  if constexpr (__is_same(typename __heddle_channels<T>::element, float)) {
    if (t->filterMode == cudaFilterModeLinear) {
      int low[3];
      float weight[3];
      for (int d = 0; d < dims; d++) {
        float b = (normalized ? at[d] * (float)n[d] : at[d]) - 0.5f, f = __builtin_floorf(b);
        low[d] = (int)f;
        weight[d] = __builtin_floorf((b - f) * 256.0f + 0.5f) * (1.0f / 256.0f);
      }
      T sum;
      for (unsigned c = 0; c < __heddle_channels<T>::count; c++) __heddle_set(sum, c, 0.0f);
      for (int corner = 0; corner < (1 << dims); corner++) {
        int index[3] = {fixed[0], fixed[1], fixed[2]};
        float w = 1.0f;
        for (int d = 0; d < dims; d++) {
          int up = (corner >> d) & 1;
          index[d] = __heddle_address(low[d] + up, n[d], t->addressMode[d], normalized);
          w *= up ? weight[d] : 1.0f - weight[d];
        }
        T texel = __heddle_texel<T>(t, index[0], index[1], index[2]);
        for (unsigned c = 0; c < __heddle_channels<T>::count; c++)
          __heddle_set(sum, c, ((const float*)&sum)[c] + w * ((const float*)&texel)[c]);
      }
      return sum;
    }
  }
  int index[3] = {fixed[0], fixed[1], fixed[2]};
  for (int d = 0; d < dims; d++)
    index[d] = __heddle_address((int)__builtin_floorf(normalized ? at[d] * (float)n[d] : at[d]), n[d],
                                t->addressMode[d], normalized);
  return __heddle_texel<T>(t, index[0], index[1], index[2]);
}

// ---- texture objects
#define HEDDLE_TEX template <class T> HEDDLE_D T
HEDDLE_TEX tex1Dfetch(cudaTextureObject_t object, int x) {
  const __heddle_texture *t = __heddle_descriptor(object);
  return __heddle_texel<T>(t, x < (int)t->width ? x : -1, 0, 0);
}
HEDDLE_TEX tex1D(cudaTextureObject_t object, float x) {
  return __heddle_sample<T>(__heddle_descriptor(object), 1, x, 0, 0, -1);
}
HEDDLE_TEX tex2D(cudaTextureObject_t object, float x, float y) {
  return __heddle_sample<T>(__heddle_descriptor(object), 2, x, y, 0, -1);
}
HEDDLE_TEX tex3D(cudaTextureObject_t object, float x, float y, float z) {
  return __heddle_sample<T>(__heddle_descriptor(object), 3, x, y, z, -1);
}
HEDDLE_TEX tex1DLayered(cudaTextureObject_t object, float x, int layer) {
  return __heddle_sample<T>(__heddle_descriptor(object), 1, x, 0, 0, layer);
}
HEDDLE_TEX tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) {
  return __heddle_sample<T>(__heddle_descriptor(object), 2, x, y, 0, layer);
}
// Face and coordinates of a direction: the table of the guide's section "Cubemap Textures".
HEDDLE_TEX texCubemapLayered(cudaTextureObject_t object, float x, float y, float z, int layer) {
  const __heddle_texture* t = __heddle_descriptor(object);
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z), u, v, m;
  int face;
  if (ax >= ay && ax >= az) face = x >= 0 ? 0 : 1, m = ax, u = x >= 0 ? -z : z, v = -y;
  else if (ay >= az) face = y >= 0 ? 2 : 3, m = ay, u = x, v = y >= 0 ? z : -z;
  else face = z >= 0 ? 4 : 5, m = az, u = z >= 0 ? x : -x, v = -y;
  float scale = t->normalized ? 0.5f : 0.5f * (float)t->width;  // a direction has no coordinates in texels
  return __heddle_sample<T>(t, 2, (u / m + 1.0f) * scale, (v / m + 1.0f) * scale, 0, 6 * layer + face);
}
HEDDLE_TEX texCubemap(cudaTextureObject_t object, float x, float y, float z) {
  return texCubemapLayered<T>(object, x, y, z, 0);
}
HEDDLE_TEX texCubemapLod(cudaTextureObject_t object, float x, float y, float z, float) {
  return texCubemap<T>(object, x, y, z);
}
HEDDLE_TEX texCubemapLayeredLod(cudaTextureObject_t object, float x, float y, float z, int layer, float) {
  return texCubemapLayered<T>(object, x, y, z, layer);
}
HEDDLE_TEX tex1DLayeredLod(cudaTextureObject_t object, float x, int layer, float) {
  return tex1DLayered<T>(object, x, layer);
}
HEDDLE_TEX tex2DLayeredLod(cudaTextureObject_t object, float x, float y, int layer, float) {
  return tex2DLayered<T>(object, x, y, layer);
}
HEDDLE_TEX tex1DLod(cudaTextureObject_t object, float x, float) { return tex1D<T>(object, x); }
HEDDLE_TEX tex2DLod(cudaTextureObject_t object, float x, float y, float) { return tex2D<T>(object, x, y); }
HEDDLE_TEX tex3DLod(cudaTextureObject_t object, float x, float y, float z, float) { return tex3D<T>(object, x, y, z); }
HEDDLE_TEX tex1DGrad(cudaTextureObject_t object, float x, float, float) { return tex1D<T>(object, x); }
HEDDLE_TEX tex2DGrad(cudaTextureObject_t object, float x, float y, float2, float2) { return tex2D<T>(object, x, y); }
HEDDLE_TEX tex3DGrad(cudaTextureObject_t object, float x, float y, float z, float4, float4) {
  return tex3D<T>(object, x, y, z);
}
#undef HEDDLE_TEX
#define HEDDLE_TEX template <class T> HEDDLE_D void
HEDDLE_TEX tex1Dfetch(T *r, cudaTextureObject_t object, int x) { *r = tex1Dfetch<T>(object, x); }
HEDDLE_TEX tex1D(T *r, cudaTextureObject_t object, float x) { *r = tex1D<T>(object, x); }
HEDDLE_TEX tex2D(T *r, cudaTextureObject_t object, float x, float y) { *r = tex2D<T>(object, x, y); }
HEDDLE_TEX tex3D(T *r, cudaTextureObject_t object, float x, float y, float z) { *r = tex3D<T>(object, x, y, z); }
HEDDLE_TEX tex1DLayered(T* r, cudaTextureObject_t object, float x, int layer) {
  *r = tex1DLayered<T>(object, x, layer);
}
HEDDLE_TEX tex2DLayered(T* r, cudaTextureObject_t object, float x, float y, int layer) {
  *r = tex2DLayered<T>(object, x, y, layer);
}
HEDDLE_TEX texCubemap(T* r, cudaTextureObject_t object, float x, float y, float z) {
  *r = texCubemap<T>(object, x, y, z);
}
HEDDLE_TEX texCubemapLayered(T* r, cudaTextureObject_t object, float x, float y, float z, int layer) {
  *r = texCubemapLayered<T>(object, x, y, z, layer);
}
#undef HEDDLE_TEX

// ---- texture references
template <class T, enum cudaTextureReadMode mode> struct __heddle_result { using type = T; };
#define HEDDLE_NORMALIZED(V, E)                               \
  template <>                                                 \
  struct __heddle_result<E, cudaReadModeNormalizedFloat> {    \
    using type = float;                                       \
  };                                                          \
  template <>                                                 \
  struct __heddle_result<V##1, cudaReadModeNormalizedFloat> { \
    using type = float1;                                      \
  };                                                          \
  template <>                                                 \
  struct __heddle_result<V##2, cudaReadModeNormalizedFloat> { \
    using type = float2;                                      \
  };                                                          \
  template <>                                                 \
  struct __heddle_result<V##4, cudaReadModeNormalizedFloat> { \
    using type = float4;                                      \
  };
HEDDLE_NORMALIZED(char, signed char)
HEDDLE_NORMALIZED(uchar, unsigned char)
HEDDLE_NORMALIZED(short, short)
HEDDLE_NORMALIZED(ushort, unsigned short)
#undef HEDDLE_NORMALIZED
#define HEDDLE_TEXREF(dim)                          \
  template <class T, enum cudaTextureReadMode mode> \
  HEDDLE_D typename __heddle_result<T, mode>::type
#define HEDDLE_OBJECT ((cudaTextureObject_t)*(const unsigned int *)&tex)
#define HEDDLE_R typename __heddle_result<T, mode>::type
HEDDLE_TEXREF(1) tex1Dfetch(const texture<T, 1, mode> &tex, int x) { return tex1Dfetch<HEDDLE_R>(HEDDLE_OBJECT, x); }
HEDDLE_TEXREF(1) tex1D(const texture<T, 1, mode> &tex, float x) { return tex1D<HEDDLE_R>(HEDDLE_OBJECT, x); }
HEDDLE_TEXREF(2) tex2D(const texture<T, 2, mode>& tex, float x, float y) {
  return tex2D<HEDDLE_R>(HEDDLE_OBJECT, x, y);
}
HEDDLE_TEXREF(3) tex3D(const texture<T, 3, mode>& tex, float x, float y, float z) {
  return tex3D<HEDDLE_R>(HEDDLE_OBJECT, x, y, z);
}
HEDDLE_TEXREF(1) tex1DLayered(const texture<T, 0xF1, mode>& tex, float x, int layer) {
  return tex1DLayered<HEDDLE_R>(HEDDLE_OBJECT, x, layer);
}
HEDDLE_TEXREF(2) tex2DLayered(const texture<T, 0xF2, mode>& tex, float x, float y, int layer) {
  return tex2DLayered<HEDDLE_R>(HEDDLE_OBJECT, x, y, layer);
}
HEDDLE_TEXREF(2) texCubemap(const texture<T, 0x0C, mode>& tex, float x, float y, float z) {
  return texCubemap<HEDDLE_R>(HEDDLE_OBJECT, x, y, z);
}
HEDDLE_TEXREF(2) texCubemapLayered(const texture<T, 0xFC, mode>& tex, float x, float y, float z, int layer) {
  return texCubemapLayered<HEDDLE_R>(HEDDLE_OBJECT, x, y, z, layer);
}
HEDDLE_TEXREF(2) tex2DLod(const texture<T, 2, mode>& tex, float x, float y, float) {
  return tex2D<HEDDLE_R>(HEDDLE_OBJECT, x, y);
}
#undef HEDDLE_R
#undef HEDDLE_OBJECT
#undef HEDDLE_TEXREF

// ---- surfaces: x counts bytes; outside, the boundary mode decides
HEDDLE_D char* __heddle_surface(cudaSurfaceObject_t object, int xBytes, int y, int z, unsigned bytes,
                                enum cudaSurfaceBoundaryMode mode) {
  const __heddle_texture *t = __heddle_descriptor(object);
  int width = (int)(t->width * t->texelBytes), height = t->height ? (int)t->height : 1,
      depth = t->depth ? (int)t->depth : 1;
  bool inside = xBytes >= 0 && xBytes + (int)bytes <= width && y >= 0 && y < height && z >= 0 && z < depth;
  if (!inside) {
    if (mode == cudaBoundaryModeTrap) __builtin_trap();
    if (mode == cudaBoundaryModeZero) return 0;
    xBytes = xBytes < 0 ? 0 : xBytes + (int)bytes > width ? width - (int)bytes : xBytes;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    z = z < 0 ? 0 : z >= depth ? depth - 1 : z;
  }
  return __heddle_texel_address(t, (unsigned)z * t->slice + (unsigned)y * t->pitch + (unsigned)xBytes);
}
#define HEDDLE_SURFACE(NAME, PARAMETERS, Y, Z)                                                                         \
  template <class T>                                                                                                   \
  HEDDLE_D T NAME##read(cudaSurfaceObject_t s, PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    const char* p = __heddle_surface(s, x, Y, Z, sizeof(T), mode);                                                     \
    T value;                                                                                                           \
    __builtin_memset(&value, 0, sizeof(T));                                                                            \
    if (p) value = *(const T*)p;                                                                                       \
    return value;                                                                                                      \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  HEDDLE_D void NAME##read(T* r, cudaSurfaceObject_t s, PARAMETERS,                                                    \
                           enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                 \
    const char* p = __heddle_surface(s, x, Y, Z, sizeof(T), mode);                                                     \
    if (p) *r = *(const T*)p;                                                                                          \
    else __builtin_memset(r, 0, sizeof(T));                                                                            \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  HEDDLE_D void NAME##write(T value, cudaSurfaceObject_t s, PARAMETERS,                                                \
                            enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
    if (char* p =                                                                                                      \
            __heddle_surface(s, x, Y, Z, sizeof(T), mode == cudaBoundaryModeClamp ? cudaBoundaryModeZero : mode))      \
      *(T*)p = value;                                                                                                  \
  }
#define HEDDLE_COMMA ,
HEDDLE_SURFACE(surf1D, int x, 0, 0)
HEDDLE_SURFACE(surf2D, int x HEDDLE_COMMA int y, y, 0)
HEDDLE_SURFACE(surf3D, int x HEDDLE_COMMA int y HEDDLE_COMMA int z, y, z)
HEDDLE_SURFACE(surf1DLayered, int x HEDDLE_COMMA int layer, 0, layer)
HEDDLE_SURFACE(surf2DLayered, int x HEDDLE_COMMA int y HEDDLE_COMMA int layer, y, layer)
HEDDLE_SURFACE(surfCubemap, int x HEDDLE_COMMA int y HEDDLE_COMMA int face, y, face)
HEDDLE_SURFACE(surfCubemapLayered, int x HEDDLE_COMMA int y HEDDLE_COMMA int layerFace, y, layerFace)
#undef HEDDLE_COMMA
#undef HEDDLE_SURFACE
#undef HEDDLE_D
