/* memcpy_async() of cooperative groups: each call is a group of asynchronous copies of a thread. */
#pragma once

#include "../cooperative_groups.h"
#include "../heddle/async_copy.h"

namespace cooperative_groups {
namespace __v1 {

namespace details {
template <size_t _Alignment, typename _Group>
__CG_D void copy_bytes(const _Group &group, void *destination, const void *source, size_t bytes) {
  ::__heddle::copy_bytes_async<_Alignment>((size_t)group.thread_rank(), (size_t)group.num_threads(), destination,
                                          source, bytes);
  ::__heddle::commit_copies();
}
}  // namespace details

template <typename _Group, typename _Dst, typename _Src>
__CG_D void memcpy_async(const _Group &group, _Dst *destination, const _Src *source, size_t bytes) {
  details::copy_bytes<1>(group, destination, source, bytes);
}
template <typename _Group, typename _Dst, typename _Src, size_t _Alignment>
__CG_D void memcpy_async(const _Group& group, _Dst* destination, const _Src* source,
                         const cuda::aligned_size_t<_Alignment>& bytes) {
  details::copy_bytes<_Alignment>(group, destination, source, (size_t)bytes);
}
/** Layouts count elements; the smaller one is copied. */
template <typename _Group, typename T, typename _DstLayout, typename _SrcLayout>
__CG_D void memcpy_async(const _Group& group, T* destination, const _DstLayout& destination_layout, const T* source,
                         const _SrcLayout& source_layout) {
  const size_t to = (size_t)destination_layout, from = (size_t)source_layout;
  details::copy_bytes<alignof(T)>(group, destination, source, (to < from ? to : from) * sizeof(T));
}

template <typename _Group>
__CG_D void wait(const _Group &group) {
  ::__heddle::wait_for_copies(0);
  group.sync();
}
template <unsigned _Stages, typename _Group>
__CG_D void wait_prior(const _Group &group) {
  ::__heddle::wait_for_copies(_Stages);
  group.sync();
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
