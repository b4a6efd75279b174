// Conversions between 8-bit floats, halves and floats by inline PTX, against those of cuda_fp8.h: all halves and bytes.
#include <cstdio>
#include <cuda_fp8.h>

template <int E5M2> __device__ unsigned pairOf(float high, float low) {
  unsigned short d;
  if (E5M2) asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(d) : "f"(high), "f"(low));
  else asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(high), "f"(low));
  return d;
}
template <int E5M2> __device__ unsigned pairOf(unsigned halves) {
  unsigned short d;
  if (E5M2) asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(d) : "r"(halves));
  else asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(d) : "r"(halves));
  return d;
}
template <int E5M2> __device__ unsigned halvesOf(unsigned pair) {
  unsigned d;
  if (E5M2) asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(d) : "h"((unsigned short)pair));
  else asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(d) : "h"((unsigned short)pair));
  return d;
}
__device__ unsigned positive(float high, float low) {
  unsigned short d;
  asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(high), "f"(low));
  return d;
}
__device__ bool isNan(unsigned half) { return (half & 0x7fff) > 0x7c00; }

/// The instruction makes 0x7f of every NaN, and 0x7fff of a byte that is one.
template <int E5M2> __device__ int differences(unsigned bits) {
  const __nv_fp8_interpretation_t format = E5M2 ? __NV_E5M2 : __NV_E4M3;
  const __half half = __ushort_as_half((unsigned short)bits);
  const unsigned byte = isNan(bits) ? 0x7f : __nv_cvt_halfraw_to_fp8(half, __NV_SATFINITE, format);
  const float value = __half2float(half), between = value * 1.0001f;
  int found = pairOf<E5M2>(bits << 16 | 0x3c00) != (byte << 8 | (E5M2 ? 0x3c : 0x38));
  found += pairOf<E5M2>(1, value) != ((E5M2 ? 0x3c00 : 0x3800) | byte);
  if (!isNan(bits))
    found += pairOf<E5M2>(between, 1) >> 8 != __nv_cvt_float_to_fp8(between, __NV_SATFINITE, format);
  if (bits < 256) {
    const unsigned wide = __half_as_ushort(__half(__nv_cvt_fp8_to_halfraw(bits, format)));
    found += halvesOf<E5M2>(bits << 8 | bits) != (isNan(wide) ? 0x7fff : wide) * 0x10001u;
  }
  return found;
}
__global__ void compare(int *differ) {
  const unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;
  if (int found = differences<0>(bits) + differences<1>(bits)) atomicAdd(differ, found);
  if (bits == 0 && positive(-2, 2) != 0x40) atomicAdd(differ, 1);
}

int main() {
  int *differ;
  cudaMallocManaged(&differ, sizeof *differ);
  *differ = 0;
  compare<<<256, 256>>>(differ);
  cudaError_t status = cudaDeviceSynchronize();
  printf("%s, %d differ\n", cudaGetErrorString(status), *differ);
  puts(status == cudaSuccess && *differ == 0 ? "PASSED" : "FAILED");
  return status != cudaSuccess || *differ != 0;
}
