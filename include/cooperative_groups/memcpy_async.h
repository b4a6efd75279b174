/* memcpy_async() of cooperative groups: each call is a group of asynchronous copies of a thread. */
#pragma once

#include "../cooperative_groups.h"
#include "../heddle/async_copy.h"

namespace cooperative_groups {
namespace __v1 {

namespace details {
template <size_t ALIGNMENT, typename GROUP>
__CG_D void copy_bytes(const GROUP &group, void *destination, const void *source, size_t bytes) {
  ::__heddle::copy_bytes_async<ALIGNMENT>((size_t)group.thread_rank(), (size_t)group.num_threads(), destination,
                                          source, bytes);
  ::__heddle::commit_copies();
}
}  // namespace details

template <typename GROUP, typename DST, typename SRC>
__CG_D void memcpy_async(const GROUP &group, DST *destination, const SRC *source, size_t bytes) {
  details::copy_bytes<1>(group, destination, source, bytes);
}
template <typename GROUP, typename DST, typename SRC, size_t ALIGNMENT>
__CG_D void memcpy_async(const GROUP& group, DST* destination, const SRC* source,
                         const cuda::aligned_size_t<ALIGNMENT>& bytes) {
  details::copy_bytes<ALIGNMENT>(group, destination, source, (size_t)bytes);
}
/** Layouts count elements; the smaller one is copied. */
template <typename GROUP, typename T, typename DST_LAYOUT, typename SRC_LAYOUT>
__CG_D void memcpy_async(const GROUP& group, T* destination, const DST_LAYOUT& destination_layout, const T* source,
                         const SRC_LAYOUT& source_layout) {
  const size_t to = (size_t)destination_layout, from = (size_t)source_layout;
  details::copy_bytes<alignof(T)>(group, destination, source, (to < from ? to : from) * sizeof(T));
}

template <typename GROUP>
__CG_D void wait(const GROUP &group) {
  ::__heddle::wait_for_copies(0);
  group.sync();
}
template <unsigned STAGES, typename GROUP>
__CG_D void wait_prior(const GROUP &group) {
  ::__heddle::wait_for_copies(STAGES);
  group.sync();
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
