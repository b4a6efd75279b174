/*
 * reduce() of cooperative groups and its function objects. Tiles reduce by a butterfly of shuffles, so that all members
 * get the same bits; other groups by a tree over ranks and a broadcast.
 */
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {
namespace __v1 {

template <typename T>
struct plus {
  __attribute__((host)) __attribute__((device)) constexpr T operator()(const T &a, const T &b) const { return a + b; }
};
template <typename T>
struct less {
  __attribute__((host)) __attribute__((device)) constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
template <typename T>
struct greater {
  __attribute__((host)) __attribute__((device)) constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
template <typename T>
struct bit_and {
  __attribute__((host)) __attribute__((device)) constexpr T operator()(const T &a, const T &b) const { return a & b; }
};
template <typename T>
struct bit_or {
  __attribute__((host)) __attribute__((device)) constexpr T operator()(const T &a, const T &b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  __attribute__((host)) __attribute__((device)) constexpr T operator()(const T &a, const T &b) const { return a ^ b; }
};

namespace details {
/** Whether the GPU has one instruction that reduces the lanes of a mask: by the operations above, on integers. */
#if __CUDA_ARCH__ >= 800
template <typename _Op>
struct warp_reduction { static constexpr bool exists = false; };
#define __CG_WARP_REDUCTION(T, _Op, name)                                                        \
  template <>                                                                                   \
  struct warp_reduction<_Op<T>> {                                                                \
    static constexpr bool exists = true;                                                        \
    __CG_D static T reduce(unsigned mask, T value) { return (T)__reduce_##name##_sync(mask, value); } \
  };
__CG_WARP_REDUCTION(int, plus, add)
__CG_WARP_REDUCTION(int, less, min)
__CG_WARP_REDUCTION(int, greater, max)
__CG_WARP_REDUCTION(unsigned, plus, add)
__CG_WARP_REDUCTION(unsigned, less, min)
__CG_WARP_REDUCTION(unsigned, greater, max)
__CG_WARP_REDUCTION(unsigned, bit_and, and)
__CG_WARP_REDUCTION(unsigned, bit_or, or)
__CG_WARP_REDUCTION(unsigned, bit_xor, xor)
#undef __CG_WARP_REDUCTION
#else
template <typename _Op>
struct warp_reduction { static constexpr bool exists = false; };
#endif
template <typename T, typename _Op>
constexpr bool is_warp_reduction = false;
template <typename T, template <typename> class _Op>
constexpr bool is_warp_reduction<T, _Op<T>> = warp_reduction<_Op<T>>::exists;
template <typename T>
struct plain { typedef T type; };
template <typename T>
struct plain<T&> { typedef T type; };
template <typename T>
struct plain<const T> { typedef T type; };
template <typename T>
struct plain<const T&> { typedef T type; };
}  // namespace details

template <unsigned _Size, typename _Parent, typename T, typename _Op>
__CG_D T reduce(const thread_block_tile<_Size, _Parent> &group, T value, _Op &&op) {
  constexpr unsigned lanes = _Size < 32 ? _Size : 32;
  const unsigned mask = details::tile_mask<lanes>();
  using OPERATION = typename details::plain<_Op>::type;
  if constexpr (details::is_warp_reduction<T, OPERATION>) {
    value = details::warp_reduction<OPERATION>::reduce(mask, value);
  } else {
    _Pragma("unroll") for (unsigned offset = lanes / 2; offset > 0; offset /= 2) value =
        op(value, ::__heddle::shuffle_xor(mask, value, (int)offset, (int)lanes));
  }
  if constexpr (_Size > 32) {
    /* Every thread combines the warps' results in one order. */
    T *area = details::exchange_area<T>() + group.meta_group_rank() * _Size;
    if (group.thread_rank() % 32 == 0) area[group.thread_rank() / 32] = value;
    group.sync();
    value = area[0];
    for (unsigned i = 1; i < _Size / 32; ++i) value = op(value, area[i]);
    group.sync();
  }
  return value;
}
template <typename T, typename _Op>
__CG_D T reduce(const coalesced_group &group, T value, _Op &&op) {
  using OPERATION = typename details::plain<_Op>::type;
  if constexpr (details::is_warp_reduction<T, OPERATION>)
    return details::warp_reduction<OPERATION>::reduce(group.get_mask(), value);
  const unsigned rank = group.thread_rank(), size = group.num_threads();
  for (unsigned offset = 1; offset < size; offset *= 2) {
    const T other = group.shfl_down(value, offset);
    if (rank % (2 * offset) == 0 && rank + offset < size) value = op(value, other);
  }
  return group.shfl(value, 0);
}
template <typename _Group, typename T>
__CG_D T reduce(const _Group &group, T value) { return reduce(group, value, plus<T>()); }

/** The first thread stores the group's reduction. */
template <typename _Group, typename _Dst, typename T, typename _Op>
__CG_D void reduce_store_async(const _Group &group, _Dst *destination, T value, _Op &&op) {
  const T result = reduce(group, value, op);
  if (group.thread_rank() == 0) *destination = result;
}
template <typename _Group, typename _Atomics, typename T, typename _Op>
__CG_D void reduce_store_async(const _Group &group, _Atomics &destination, T value, _Op &&op) {
  const T result = reduce(group, value, op);
  if (group.thread_rank() == 0) destination.store(result);
}
/** The first thread updates an atomic with the group's reduction. */
template <typename _Group, typename _Atomics, typename T, typename _Op>
__CG_D void reduce_update_async(const _Group &group, _Atomics &destination, T value, _Op &&op) {
  const T result = reduce(group, value, op);
  if (group.thread_rank() == 0) {
    auto old = destination.load();
    while (!destination.compare_exchange_weak(old, op(old, result))) {
    }
  }
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
