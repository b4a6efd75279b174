/*
 * Asynchronous copies from global to shared memory (PTX ISA, "cp.async"), and waiting for them. The emulated device
 * makes such a copy at once.
 */
#pragma once
#include "device_core.h"
#include "copy_bytes.h"

namespace __heddle {

#define __HEDDLE_ASYNC __device__ inline __attribute__((always_inline))

template <int BYTES>
__HEDDLE_ASYNC void copy_async(void *destination, const void *source) {
  const unsigned to = (unsigned)__cvta_generic_to_shared(destination);
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(source) : "memory");
  else if constexpr (BYTES == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(source) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(source) : "memory");
}
/** `available` bytes are copied, the rest of the place becomes 0. */
template <int BYTES>
__HEDDLE_ASYNC void copy_async(void *destination, const void *source, unsigned available) {
  const unsigned to = (unsigned)__cvta_generic_to_shared(destination);
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "r"(available) : "memory");
  else if constexpr (BYTES == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(source), "r"(available) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(source), "r"(available) : "memory");
}
__HEDDLE_ASYNC void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/** Waits for all groups of copies but the last `prior`. */
__HEDDLE_ASYNC void wait_for_copies(unsigned prior) {
  switch (prior) {
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
}

template <int BYTES>
__HEDDLE_ASYNC void copy_words_async(size_t rank, size_t size, void *destination, const void *source, size_t bytes) {
  for (size_t i = rank; i < bytes / BYTES; i += size)
    copy_async<BYTES>((char *)destination + i * BYTES, (const char *)source + i * BYTES);
}
/** As copy_bytes(); what is not from global to shared memory, or of single bytes, is copied at once. */
template <size_t ALIGNMENT>
__HEDDLE_ASYNC void copy_bytes_async(size_t rank, size_t size, void *destination, const void *source, size_t bytes) {
  const size_t both = ALIGNMENT % 16 == 0 ? 0 : (size_t)destination | (size_t)source | bytes;
  if (!__isShared(destination) || !__isGlobal(source) || (ALIGNMENT % 4 != 0 && both % 4 != 0))
    copy_bytes<ALIGNMENT>(rank, size, destination, source, bytes);
  else if (ALIGNMENT % 16 == 0 || both % 16 == 0) copy_words_async<16>(rank, size, destination, source, bytes);
  else if (ALIGNMENT % 8 == 0 || both % 8 == 0) copy_words_async<8>(rank, size, destination, source, bytes);
  else copy_words_async<4>(rank, size, destination, source, bytes);
}

#undef __HEDDLE_ASYNC
}  // namespace __heddle
