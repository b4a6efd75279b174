/* cub::BlockReduce and cub::BlockScan: warps by shuffles, their results through shared memory. */
#pragma once

#include "../warp/warp_reduce.cuh"

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <typename T, int X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int PTX_ARCH = 0>
class BlockReduce {
  static constexpr int threads = X * Y * Z, warps = (threads + 31) / 32;

 public:
  struct TempStorage {
    Uninitialized<T> __warp[warps];
  };
  __CUB_D BlockReduce() : __storage(__private()) {}
  __CUB_D BlockReduce(TempStorage &storage) : __storage(storage) {}

  /** The result is thread 0's. */
  template <typename OP>
  __CUB_D T Reduce(T value, OP op) { return Reduce(value, op, threads); }
  template <typename OP>
  __CUB_D T Reduce(T value, OP op, int valid) {
    const int t = (int)detail::linear_thread(X, Y), l = t & 31, base = t & ~31;
    const unsigned mask = detail::warp_lanes(threads);
    const int here = valid - base < 32 ? valid - base : 32;
    for (int offset = 1; offset < 32; offset *= 2) {
      const T other = ::__heddle::shuffle_down(mask, value, (unsigned)offset);
      if ((l & (2 * offset - 1)) == 0 && l + offset < here) value = op(value, other);
    }
    if (warps == 1) return value;
    if (l == 0) __storage.__warp[t / 32].Alias() = value;
    __syncthreads();
    if (t == 0)
      for (int w = 1; w < warps && w * 32 < valid; ++w) value = op(value, __storage.__warp[w].Alias());
    return value;
  }
  template <int ITEMS, typename OP>
  __CUB_D T Reduce(T (&items)[ITEMS], OP op) {
    T value = items[0];
    _Pragma("unroll") for (int i = 1; i < ITEMS; ++i) value = op(value, items[i]);
    return Reduce(value, op);
  }
  __CUB_D T Sum(T value) { return Reduce(value, cub::Sum()); }
  __CUB_D T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int ITEMS>
  __CUB_D T Sum(T (&items)[ITEMS]) { return Reduce(items, cub::Sum()); }

 private:
  TempStorage &__storage;
  __CUB_D static TempStorage &__private() {
    __shared__ TempStorage storage;
    return storage;
  }
};

template <typename T, int X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int PTX_ARCH = 0>
class BlockScan {
  static constexpr int threads = X * Y * Z, warps = (threads + 31) / 32;

 public:
  struct TempStorage {
    Uninitialized<T> __warp[warps];
    Uninitialized<T> __prefix;
  };
  __CUB_D BlockScan() : __storage(__private()) {}
  __CUB_D BlockScan(TempStorage &storage) : __storage(storage) {}

  template <typename OP>
  __CUB_D void InclusiveScan(T in, T &out, OP op) {
    T before, aggregate;
    out = __any_before(in, before, aggregate, op) ? (T)op(before, in) : in;
  }
  template <typename OP>
  __CUB_D void InclusiveScan(T in, T &out, OP op, T &aggregate) {
    T before;
    out = __any_before(in, before, aggregate, op) ? (T)op(before, in) : in;
  }
  /** The first warp's callback gives what comes before the block; thread 0's answer counts. */
  template <typename OP, typename PREFIX>
  __CUB_D void InclusiveScan(T in, T &out, OP op, PREFIX &prefix_op) {
    T before, aggregate;
    const bool any = __any_before(in, before, aggregate, op);
    const T prefix = __prefix_of(prefix_op, aggregate);
    out = op(any ? (T)op(prefix, before) : prefix, in);
  }
  template <typename OP>
  __CUB_D void ExclusiveScan(T in, T &out, OP op) {
    T aggregate;
    __any_before(in, out, aggregate, op);
  }
  template <typename OP>
  __CUB_D void ExclusiveScan(T in, T &out, OP op, T &aggregate) { __any_before(in, out, aggregate, op); }
  template <typename OP>
  __CUB_D void ExclusiveScan(T in, T &out, T init, OP op) {
    T aggregate;
    ExclusiveScan(in, out, init, op, aggregate);
  }
  template <typename OP>
  __CUB_D void ExclusiveScan(T in, T &out, T init, OP op, T &aggregate) {
    T before;
    out = __any_before(in, before, aggregate, op) ? (T)op(init, before) : init;
  }
  template <typename OP, typename PREFIX, typename = std::enable_if_t<std::is_class<PREFIX>::value>>
  __CUB_D void ExclusiveScan(T in, T &out, OP op, PREFIX &prefix_op) {
    T before, aggregate;
    const bool any = __any_before(in, before, aggregate, op);
    const T prefix = __prefix_of(prefix_op, aggregate);
    out = any ? (T)op(prefix, before) : prefix;
  }
  __CUB_D void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
  __CUB_D void InclusiveSum(T in, T &out, T &aggregate) { InclusiveScan(in, out, cub::Sum(), aggregate); }
  template <typename PREFIX,
            typename = std::enable_if_t<std::is_class<PREFIX>::value && !std::is_same<PREFIX, T>::value>>
  __CUB_D void InclusiveSum(T in, T& out, PREFIX& prefix_op) {
    InclusiveScan(in, out, cub::Sum(), prefix_op);
  }
  __CUB_D void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  __CUB_D void ExclusiveSum(T in, T &out, T &aggregate) { ExclusiveScan(in, out, T(), cub::Sum(), aggregate); }
  template <typename PREFIX,
            typename = std::enable_if_t<std::is_class<PREFIX>::value && !std::is_same<PREFIX, T>::value>>
  __CUB_D void ExclusiveSum(T in, T& out, PREFIX& prefix_op) {
    ExclusiveScan(in, out, cub::Sum(), prefix_op);
  }

  /* Several items a thread, in blocked order. */
  template <int ITEMS, typename OP>
  __CUB_D void InclusiveScan(T (&in)[ITEMS], T (&out)[ITEMS], OP op) {
    T aggregate;
    InclusiveScan(in, out, op, aggregate);
  }
  template <int ITEMS, typename OP>
  __CUB_D void InclusiveScan(T (&in)[ITEMS], T (&out)[ITEMS], OP op, T &aggregate) {
    T total = in[0], before;
    _Pragma("unroll") for (int i = 1; i < ITEMS; ++i) total = op(total, in[i]);
    const bool any = __any_before(total, before, aggregate, op);
    T running = any ? (T)op(before, in[0]) : in[0];
    out[0] = running;
    _Pragma("unroll") for (int i = 1; i < ITEMS; ++i) out[i] = running = op(running, in[i]);
  }
  template <int ITEMS, typename OP>
  __CUB_D void ExclusiveScan(T (&in)[ITEMS], T (&out)[ITEMS], T init, OP op) {
    T aggregate;
    ExclusiveScan(in, out, init, op, aggregate);
  }
  template <int ITEMS, typename OP>
  __CUB_D void ExclusiveScan(T (&in)[ITEMS], T (&out)[ITEMS], T init, OP op, T &aggregate) {
    T total = in[0], before;
    _Pragma("unroll") for (int i = 1; i < ITEMS; ++i) total = op(total, in[i]);
    T running = __any_before(total, before, aggregate, op) ? (T)op(init, before) : init;
    _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) {
      const T own = in[i];
      out[i] = running;
      running = op(running, own);
    }
  }
  template <int ITEMS, typename OP, typename PREFIX, typename = std::enable_if_t<std::is_class<PREFIX>::value>>
  __CUB_D void ExclusiveScan(T (&in)[ITEMS], T (&out)[ITEMS], OP op, PREFIX &prefix_op) {
    T total = in[0], before, aggregate;
    _Pragma("unroll") for (int i = 1; i < ITEMS; ++i) total = op(total, in[i]);
    const bool any = __any_before(total, before, aggregate, op);
    const T prefix = __prefix_of(prefix_op, aggregate);
    T running = any ? (T)op(prefix, before) : prefix;
    _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) {
      const T own = in[i];
      out[i] = running;
      running = op(running, own);
    }
  }
  template <int ITEMS>
  __CUB_D void InclusiveSum(T (&in)[ITEMS], T (&out)[ITEMS]) { InclusiveScan(in, out, cub::Sum()); }
  template <int ITEMS>
  __CUB_D void InclusiveSum(T (&in)[ITEMS], T (&out)[ITEMS], T& aggregate) {
    InclusiveScan(in, out, cub::Sum(), aggregate);
  }
  template <int ITEMS>
  __CUB_D void ExclusiveSum(T (&in)[ITEMS], T (&out)[ITEMS]) { ExclusiveScan(in, out, T(), cub::Sum()); }
  template <int ITEMS>
  __CUB_D void ExclusiveSum(T (&in)[ITEMS], T (&out)[ITEMS], T& aggregate) {
    ExclusiveScan(in, out, T(), cub::Sum(), aggregate);
  }
  template <int ITEMS, typename PREFIX,
            typename = std::enable_if_t<std::is_class<PREFIX>::value && !std::is_same<PREFIX, T>::value>>
  __CUB_D void ExclusiveSum(T (&in)[ITEMS], T (&out)[ITEMS], PREFIX& prefix_op) {
    ExclusiveScan(in, out, cub::Sum(), prefix_op);
  }

 private:
  TempStorage &__storage;
  __CUB_D static TempStorage &__private() {
    __shared__ TempStorage storage;
    return storage;
  }
  /** What the threads before this one make together (false: there are none), and what all make. */
  template <typename OP>
  __CUB_D bool __any_before(T in, T &before, T &aggregate, OP op) {
    const unsigned t = detail::linear_thread(X, Y), l = t & 31, w = t / 32, mask = detail::warp_lanes(threads);
    T inclusive = in;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
      const T other = ::__heddle::shuffle_up(mask, inclusive, offset);
      if (l >= offset) inclusive = op(other, inclusive);
    }
    const T in_warp = ::__heddle::shuffle_up(mask, inclusive, 1u);
    if (l == 31 || t == threads - 1) __storage.__warp[w].Alias() = inclusive;
    __syncthreads();
    T running = __storage.__warp[0].Alias(), warps_before = running;
    for (int i = 1; i < warps; ++i) {
      if (w == (unsigned)i) warps_before = running;
      running = op(running, __storage.__warp[i].Alias());
    }
    aggregate = running;
    if (w == 0) before = in_warp;
    else before = l == 0 ? warps_before : (T)op(warps_before, in_warp);
    return t != 0;
  }
  template <typename PREFIX>
  __CUB_D T __prefix_of(PREFIX &prefix_op, T aggregate) {
    const unsigned t = detail::linear_thread(X, Y);
    if (t < 32) {
      const T prefix = prefix_op(aggregate);
      if (t == 0) __storage.__prefix.Alias() = prefix;
    }
    __syncthreads();
    return __storage.__prefix.Alias();
  }
};

}  // namespace cub
