/* memcpy_async() of cooperative groups: the copy is made at the call, wait() is the group's barrier. */
#pragma once

#include "../cooperative_groups.h"
#include "../heddle/aligned_size.h"

namespace cooperative_groups {
namespace __v1 {

namespace details {
template <typename GROUP>
__CG_D void copy_bytes(const GROUP &group, void *destination, const void *source, size_t bytes) {
  const size_t rank = (size_t)group.thread_rank(), size = (size_t)group.num_threads();
  const size_t both = (size_t)destination | (size_t)source | bytes;
  if (both % 16 == 0) {
    for (size_t i = rank; i < bytes / 16; i += size) ((uint4 *)destination)[i] = ((const uint4 *)source)[i];
  } else if (both % 4 == 0) {
    for (size_t i = rank; i < bytes / 4; i += size) ((unsigned *)destination)[i] = ((const unsigned *)source)[i];
  } else {
    for (size_t i = rank; i < bytes; i += size) ((unsigned char *)destination)[i] = ((const unsigned char *)source)[i];
  }
}
}  // namespace details

template <typename GROUP, typename DST, typename SRC>
__CG_D void memcpy_async(const GROUP &group, DST *destination, const SRC *source, size_t bytes) {
  details::copy_bytes(group, destination, source, bytes);
}
template <typename GROUP, typename DST, typename SRC, size_t ALIGNMENT>
__CG_D void memcpy_async(const GROUP& group, DST* destination, const SRC* source,
                         const cuda::aligned_size_t<ALIGNMENT>& bytes) {
  details::copy_bytes(group, destination, source, (size_t)bytes);
}
/** Layouts count elements; the smaller one is copied. */
template <typename GROUP, typename T, typename DST_LAYOUT, typename SRC_LAYOUT>
__CG_D void memcpy_async(const GROUP& group, T* destination, const DST_LAYOUT& destination_layout, const T* source,
                         const SRC_LAYOUT& source_layout) {
  const size_t to = (size_t)destination_layout, from = (size_t)source_layout;
  details::copy_bytes(group, destination, source, (to < from ? to : from) * sizeof(T));
}

template <typename GROUP>
__CG_D void wait(const GROUP &group) { group.sync(); }
template <unsigned STAGES, typename GROUP>
__CG_D void wait_prior(const GROUP &group) { group.sync(); }

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
