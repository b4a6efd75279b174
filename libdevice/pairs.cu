/*
 * Atomic sums of two 16-bit floats in one word, each for itself ("atomicAdd()" in the CUDA C++ Programming Guide). Most
 * GPUs have an instruction for both at once (src/ptx/emit/atomics.ts).
 */
#include "prelude.h"

template <class T> INLINE u32 add_pair(T *address, u32 pair) {
  u16 low = __builtin_bit_cast(u16, __atomic_fetch_add(address, __builtin_bit_cast(T, (u16)pair), __ATOMIC_RELAXED));
  u16 high = __builtin_bit_cast(
      u16, __atomic_fetch_add(address + 1, __builtin_bit_cast(T, (u16)(pair >> 16)), __ATOMIC_RELAXED));
  return low | (u32)high << 16;
}
DEVICE_FN u32 __heddle_atomic_add_f16x2(u32 *address, u32 pair) { return add_pair((_Float16 *)address, pair); }
DEVICE_FN u32 __heddle_atomic_add_bf16x2(u32 *address, u32 pair) { return add_pair((__bf16 *)address, pair); }
