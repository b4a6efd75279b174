/* Atomic additions for every element type. */
#pragma once
#include <heddle/torch.h>

#ifdef __CUDACC__
template <typename T> inline __device__ T gpuAtomicAdd(T *address, T value) { return atomicAdd(address, value); }
inline __device__ c10::Half gpuAtomicAdd(c10::Half *address, c10::Half value) {
  return atomicAdd(reinterpret_cast<__half *>(address), (__half)value);
}
inline __device__ c10::BFloat16 gpuAtomicAdd(c10::BFloat16 *address, c10::BFloat16 value) {
  return atomicAdd(reinterpret_cast<__nv_bfloat16 *>(address), (__nv_bfloat16)value);
}
template <typename T> inline __device__ void gpuAtomicAddNoReturn(T *address, T value) { gpuAtomicAdd(address, value); }
inline __device__ c10::Half atomicAdd(c10::Half *address, c10::Half value) { return gpuAtomicAdd(address, value); }
inline __device__ c10::BFloat16 atomicAdd(c10::BFloat16 *address, c10::BFloat16 value) {
  return gpuAtomicAdd(address, value);
}
#endif
