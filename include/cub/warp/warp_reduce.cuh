/* cub::WarpReduce and cub::WarpScan, by shuffles. The result of a reduction is the first lane's. */
#pragma once

#include "../util.cuh"

namespace cub {

namespace detail {
template <int SIZE>
__CUB_D unsigned logical_mask() {
  if constexpr (SIZE == 32) return 0xffffffffu;
  else return ((1u << SIZE) - 1u) << (lane() & ~(unsigned)(SIZE - 1));
}
}  // namespace detail

template <typename T, int LOGICAL_WARP_THREADS = 32, int PTX_ARCH = 0>
class WarpReduce {
 public:
  struct TempStorage {};
  __CUB_D WarpReduce() {}
  __CUB_D WarpReduce(TempStorage &) {}
  template <typename OP>
  __CUB_D T Reduce(T value, OP op) { return Reduce(value, op, LOGICAL_WARP_THREADS); }
  template <typename OP>
  __CUB_D T Reduce(T value, OP op, int valid) {
    const int rank = (int)(detail::lane() & (LOGICAL_WARP_THREADS - 1));
    for (int offset = 1; offset < LOGICAL_WARP_THREADS; offset *= 2) {
      const T other = ::__heddle::shuffle_down(detail::logical_mask<LOGICAL_WARP_THREADS>(), value, (unsigned)offset,
                                               LOGICAL_WARP_THREADS);
      if (rank + offset < valid && (rank & (2 * offset - 1)) == 0) value = op(value, other);
    }
    return value;
  }
  __CUB_D T Sum(T value) { return Reduce(value, cub::Sum()); }
  __CUB_D T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  /** Each segment begins at a flag; its first lane gets the result. */
  template <typename OP, typename FLAG>
  __CUB_D T HeadSegmentedReduce(T value, FLAG head, OP op) {
    const unsigned mask = detail::logical_mask<LOGICAL_WARP_THREADS>();
    const unsigned heads = __ballot_sync(mask, head ? 1 : 0) & mask, l = detail::lane();
    const unsigned after = l == 31 ? 0u : heads & (0xfffffffeu << l);
    const unsigned end =
        after ? (unsigned)__builtin_ctz(after) : (l & ~(unsigned)(LOGICAL_WARP_THREADS - 1)) + LOGICAL_WARP_THREADS;
    for (unsigned offset = 1; offset < LOGICAL_WARP_THREADS; offset *= 2) {
      const T other = ::__heddle::shuffle_down(mask, value, offset, LOGICAL_WARP_THREADS);
      if (l + offset < end) value = op(value, other);
    }
    return value;
  }
  template <typename FLAG>
  __CUB_D T HeadSegmentedSum(T value, FLAG head) { return HeadSegmentedReduce(value, head, cub::Sum()); }
};

template <typename T, int LOGICAL_WARP_THREADS = 32, int PTX_ARCH = 0>
class WarpScan {
 public:
  struct TempStorage {};
  __CUB_D WarpScan() {}
  __CUB_D WarpScan(TempStorage &) {}
  template <typename OP>
  __CUB_D void InclusiveScan(T in, T &out, OP op) {
    const unsigned rank = detail::lane() & (LOGICAL_WARP_THREADS - 1),
                   mask = detail::logical_mask<LOGICAL_WARP_THREADS>();
    for (unsigned offset = 1; offset < LOGICAL_WARP_THREADS; offset *= 2) {
      const T other = ::__heddle::shuffle_up(mask, in, offset, LOGICAL_WARP_THREADS);
      if (rank >= offset) in = op(other, in);
    }
    out = in;
  }
  template <typename OP>
  __CUB_D void InclusiveScan(T in, T &out, OP op, T &aggregate) {
    InclusiveScan(in, out, op);
    aggregate = Broadcast(out, LOGICAL_WARP_THREADS - 1);
  }
  /** The first lane's result is not defined without a start value. */
  template <typename OP>
  __CUB_D void ExclusiveScan(T in, T &out, OP op) {
    T inclusive;
    InclusiveScan(in, inclusive, op);
    out = ::__heddle::shuffle_up(detail::logical_mask<LOGICAL_WARP_THREADS>(), inclusive, 1u, LOGICAL_WARP_THREADS);
  }
  template <typename OP>
  __CUB_D void ExclusiveScan(T in, T &out, T init, OP op) {
    T before;
    ExclusiveScan(in, before, op);
    out = (detail::lane() & (LOGICAL_WARP_THREADS - 1)) == 0 ? init : (T)op(init, before);
  }
  template <typename OP>
  __CUB_D void ExclusiveScan(T in, T &out, T init, OP op, T &aggregate) {
    T inclusive;
    InclusiveScan(in, inclusive, op, aggregate);
    ExclusiveScan(in, out, init, op);
  }
  __CUB_D void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
  __CUB_D void InclusiveSum(T in, T &out, T &aggregate) { InclusiveScan(in, out, cub::Sum(), aggregate); }
  __CUB_D void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  __CUB_D void ExclusiveSum(T in, T &out, T &aggregate) { ExclusiveScan(in, out, T(), cub::Sum(), aggregate); }
  __CUB_D T Broadcast(T value, unsigned from) {
    return ::__heddle::shuffle(detail::logical_mask<LOGICAL_WARP_THREADS>(), value, (int)from, LOGICAL_WARP_THREADS);
  }
};

}  // namespace cub
