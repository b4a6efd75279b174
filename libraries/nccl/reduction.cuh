// Reductions over ranks, element by element, in the order of the ranks: the same sums at every run. Half precision and
// less is summed in float, and rounded once.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "../common/launched.h"
#include "sources.h"

namespace heddle_nccl {

/// Of numbers and no number, the number.
template <class T> __device__ T larger(T a, T b) { return b > a || a != a ? b : a; }
template <class T> __device__ T smaller(T a, T b) { return b < a || a != a ? b : a; }

/// An element as it is summed: as float or double, or as 64 bits of an integer. Sums and products wrap around, so that
/// the lower bits are those of a narrower type.
template <class A> __device__ A element(ncclDataType_t type, const void *data, size_t i) {
  switch (type) {
    case ncclInt8: return (A)((const signed char *)data)[i];
    case ncclUint8: return (A)((const unsigned char *)data)[i];
    case ncclInt32: return (A)((const int *)data)[i];
    case ncclUint32: return (A)((const unsigned *)data)[i];
    case ncclInt64: return (A)((const long long *)data)[i];
    case ncclUint64: return (A)((const unsigned long long *)data)[i];
    case ncclFloat16: return (A)__half2float(((const __half *)data)[i]);
    case ncclFloat32: return (A)((const float *)data)[i];
    case ncclFloat64: return (A)((const double *)data)[i];
    case ncclBfloat16: return (A)__bfloat162float(((const __nv_bfloat16 *)data)[i]);
    case ncclFloat8e4m3: return (A)(float)((const __nv_fp8_e4m3 *)data)[i];
    default: return (A)(float)((const __nv_fp8_e5m2 *)data)[i];
  }
}
template <class A> __device__ void store(ncclDataType_t type, void *data, size_t i, A value) {
  switch (type) {
    case ncclInt8: case ncclUint8: ((unsigned char *)data)[i] = (unsigned char)(long long)value; break;
    case ncclInt32: case ncclUint32: ((unsigned *)data)[i] = (unsigned)(long long)value; break;
    case ncclInt64: case ncclUint64: ((unsigned long long *)data)[i] = (unsigned long long)value; break;
    case ncclFloat16: ((__half *)data)[i] = __float2half((float)value); break;
    case ncclFloat32: ((float *)data)[i] = (float)value; break;
    case ncclFloat64: ((double *)data)[i] = (double)value; break;
    case ncclBfloat16: ((__nv_bfloat16 *)data)[i] = __float2bfloat16((float)value); break;
    case ncclFloat8e4m3: ((__nv_fp8_e4m3 *)data)[i] = __nv_fp8_e4m3((float)value); break;
    default: ((__nv_fp8_e5m2 *)data)[i] = __nv_fp8_e5m2((float)value); break;
  }
}

/// Any operation on any type.
template <class A>
__global__ void reduce_kernel(Sources sources, ncclDataType_t type, int reduction, void *result, size_t count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
    A sum = 0;
    for (int rank = 0; rank < sources.count; rank++) {
      A next = element<A>(type, sources.data[rank], i);
      if (reduction == FACTOR_SUM) {
        const void *factor = sources.factors[rank];
        next = next * element<A>(type, factor ? factor : &sources.values[rank], 0);
      }
      if (rank == 0) sum = next;
      else if (reduction == PRODUCT) sum = sum * next;
      else if (reduction == MAXIMUM) sum = larger(sum, next);
      else if (reduction == MINIMUM) sum = smaller(sum, next);
      else sum = sum + next;
    }
    if (reduction == MEAN) sum = sum / (A)sources.count;
    store(type, result, i, sum);
  }
}

/// Sums of the types that programs train with.
template <class T> __global__ void sum_kernel(Sources sources, T *result, size_t count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
    float sum = (float)((const T *)sources.data[0])[i];
    for (int rank = 1; rank < sources.count; rank++) sum += (float)((const T *)sources.data[rank])[i];
    result[i] = (T)sum;
  }
}

inline cudaError_t reduce(ncclDataType_t type, int reduction, const Sources &sources, void *result, size_t count,
                          cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  size_t wanted = (count + 255) / 256;
  unsigned blocks = (unsigned)(wanted < 4096 ? wanted : 4096);
  bool isSum = reduction == SUM;
  if (isSum && type == ncclFloat32) sum_kernel<<<blocks, 256, 0, stream>>>(sources, (float *)result, count);
  else if (isSum && type == ncclFloat16) sum_kernel<<<blocks, 256, 0, stream>>>(sources, (__half *)result, count);
  else if (isSum && type == ncclBfloat16)
    sum_kernel<<<blocks, 256, 0, stream>>>(sources, (__nv_bfloat16 *)result, count);
  else if (type == ncclFloat64)
    reduce_kernel<double><<<blocks, 256, 0, stream>>>(sources, type, reduction, result, count);
  else if (type == ncclUint64 || type == ncclUint32 || type == ncclUint8)
    reduce_kernel<unsigned long long><<<blocks, 256, 0, stream>>>(sources, type, reduction, result, count);
  else if (type == ncclInt64 || type == ncclInt32 || type == ncclInt8)
    reduce_kernel<long long><<<blocks, 256, 0, stream>>>(sources, type, reduction, result, count);
  else reduce_kernel<float><<<blocks, 256, 0, stream>>>(sources, type, reduction, result, count);
  return __heddle_work_error();
}

} // namespace heddle_nccl
