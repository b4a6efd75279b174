/* Shuffles and votes under ATen's names. */
#pragma once
#include <heddle/torch.h>

#ifdef __CUDACC__
#define HEDDLE_WARP_SHUFFLE(name, own, operand)                                                                        \
  template <typename T>                                                                                                \
  inline __device__ T name(T value, operand, int width = warpSize, unsigned mask = 0xffffffff) {                       \
    return own;                                                                                                        \
  }
HEDDLE_WARP_SHUFFLE(WARP_SHFL, __shfl_sync(mask, value, lane, width), int lane)
HEDDLE_WARP_SHUFFLE(WARP_SHFL_XOR, __shfl_xor_sync(mask, value, lanes, width), int lanes)
HEDDLE_WARP_SHUFFLE(WARP_SHFL_UP, __shfl_up_sync(mask, value, delta, width), unsigned delta)
HEDDLE_WARP_SHUFFLE(WARP_SHFL_DOWN, __shfl_down_sync(mask, value, delta, width), unsigned delta)
#undef HEDDLE_WARP_SHUFFLE
inline __device__ unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) {
  return __ballot_sync(mask, predicate);
}
inline __device__ unsigned ACTIVE_MASK() { return __activemask(); }
inline __device__ void WARP_SYNC(unsigned mask = 0xffffffff) { __syncwarp(mask); }
#endif
