/* cub::BlockLoad, cub::BlockStore and cub::BlockExchange: items between memory and threads, in blocked or striped
 * order. */
#pragma once

#include "../util.cuh"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <typename T, int ITEMS, typename I>
__CUB_D void LoadDirectBlocked(int thread, I from, T (&items)[ITEMS]) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) items[i] = from[thread * ITEMS + i];
}
template <typename T, int ITEMS, typename I>
__CUB_D void LoadDirectBlocked(int thread, I from, T (&items)[ITEMS], int valid) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) if (thread * ITEMS + i < valid) items[i] = from[thread * ITEMS + i];
}
template <typename T, int ITEMS, typename I>
__CUB_D void LoadDirectBlocked(int thread, I from, T (&items)[ITEMS], int valid, T fill) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) items[i] =
      thread * ITEMS + i < valid ? (T)from[thread * ITEMS + i] : fill;
}
template <int THREADS, typename T, int ITEMS, typename I>
__CUB_D void LoadDirectStriped(int thread, I from, T (&items)[ITEMS]) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) items[i] = from[thread + i * THREADS];
}
template <int THREADS, typename T, int ITEMS, typename I>
__CUB_D void LoadDirectStriped(int thread, I from, T (&items)[ITEMS], int valid) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) if (thread + i * THREADS < valid) items[i] =
      from[thread + i * THREADS];
}
template <int THREADS, typename T, int ITEMS, typename I>
__CUB_D void LoadDirectStriped(int thread, I from, T (&items)[ITEMS], int valid, T fill) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) items[i] =
      thread + i * THREADS < valid ? (T)from[thread + i * THREADS] : fill;
}
template <typename T, int ITEMS, typename O>
__CUB_D void StoreDirectBlocked(int thread, O to, T (&items)[ITEMS]) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) to[thread * ITEMS + i] = items[i];
}
template <typename T, int ITEMS, typename O>
__CUB_D void StoreDirectBlocked(int thread, O to, T (&items)[ITEMS], int valid) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) if (thread * ITEMS + i < valid) to[thread * ITEMS + i] = items[i];
}
template <int THREADS, typename T, int ITEMS, typename O>
__CUB_D void StoreDirectStriped(int thread, O to, T (&items)[ITEMS]) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) to[thread + i * THREADS] = items[i];
}
template <int THREADS, typename T, int ITEMS, typename O>
__CUB_D void StoreDirectStriped(int thread, O to, T (&items)[ITEMS], int valid) {
  _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) if (thread + i * THREADS < valid) to[thread + i * THREADS] =
      items[i];
}

/* Only the striped form leaves items striped; the transposing ones differ from the direct one in speed alone. */
template <typename T, int X, int ITEMS, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1,
          int PTX_ARCH = 0>
class BlockLoad {
 public:
  struct TempStorage {};
  __CUB_D BlockLoad() {}
  __CUB_D BlockLoad(TempStorage &) {}
  template <typename I, typename... REST>
  __CUB_D void Load(I from, T (&items)[ITEMS], REST... rest) {
    const int thread = (int)detail::linear_thread(X, Y);
    if constexpr (ALGORITHM == BLOCK_LOAD_STRIPED) LoadDirectStriped<X * Y * Z>(thread, from, items, rest...);
    else LoadDirectBlocked(thread, from, items, rest...);
  }
};
template <typename T, int X, int ITEMS, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1,
          int PTX_ARCH = 0>
class BlockStore {
 public:
  struct TempStorage {};
  __CUB_D BlockStore() {}
  __CUB_D BlockStore(TempStorage &) {}
  template <typename O, typename... REST>
  __CUB_D void Store(O to, T (&items)[ITEMS], REST... rest) {
    const int thread = (int)detail::linear_thread(X, Y);
    if constexpr (ALGORITHM == BLOCK_STORE_STRIPED) StoreDirectStriped<X * Y * Z>(thread, to, items, rest...);
    else StoreDirectBlocked(thread, to, items, rest...);
  }
};

template <typename T, int X, int ITEMS, bool TIME_SLICING = false, int Y = 1, int Z = 1, int PTX_ARCH = 0>
class BlockExchange {
  static constexpr int threads = X * Y * Z;

 public:
  struct TempStorage {
    Uninitialized<T> __items[threads * ITEMS];
  };
  __CUB_D BlockExchange() : __storage(__private()) {}
  __CUB_D BlockExchange(TempStorage &storage) : __storage(storage) {}
  __CUB_D void StripedToBlocked(T (&in)[ITEMS], T (&out)[ITEMS]) { __move(in, out, threads, 1, 1, ITEMS); }
  __CUB_D void BlockedToStriped(T (&in)[ITEMS], T (&out)[ITEMS]) { __move(in, out, 1, ITEMS, threads, 1); }
  __CUB_D void StripedToBlocked(T (&items)[ITEMS]) { StripedToBlocked(items, items); }
  __CUB_D void BlockedToStriped(T (&items)[ITEMS]) { BlockedToStriped(items, items); }
  template <typename OFFSET>
  __CUB_D void ScatterToBlocked(T (&in)[ITEMS], T (&out)[ITEMS], OFFSET (&ranks)[ITEMS]) {
    __scatter(in, out, ranks, 1, ITEMS);
  }
  template <typename OFFSET>
  __CUB_D void ScatterToStriped(T (&in)[ITEMS], T (&out)[ITEMS], OFFSET (&ranks)[ITEMS]) {
    __scatter(in, out, ranks, threads, 1);
  }
  template <typename OFFSET>
  __CUB_D void ScatterToBlocked(T (&items)[ITEMS], OFFSET (&ranks)[ITEMS]) { ScatterToBlocked(items, items, ranks); }
  template <typename OFFSET>
  __CUB_D void ScatterToStriped(T (&items)[ITEMS], OFFSET (&ranks)[ITEMS]) { ScatterToStriped(items, items, ranks); }

 private:
  TempStorage &__storage;
  __CUB_D static TempStorage &__private() {
    __shared__ TempStorage storage;
    return storage;
  }
  __CUB_D void __move(T (&in)[ITEMS], T (&out)[ITEMS], int in_item, int in_thread, int out_item, int out_thread) {
    const int t = (int)detail::linear_thread(X, Y);
    _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) __storage.__items[t * in_thread + i * in_item].Alias() = in[i];
    __syncthreads();
    _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) out[i] = __storage.__items[t * out_thread + i * out_item].Alias();
  }
  template <typename OFFSET>
  __CUB_D void __scatter(T (&in)[ITEMS], T (&out)[ITEMS], OFFSET (&ranks)[ITEMS], int out_item, int out_thread) {
    const int t = (int)detail::linear_thread(X, Y);
    _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) __storage.__items[ranks[i]].Alias() = in[i];
    __syncthreads();
    _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) out[i] = __storage.__items[t * out_thread + i * out_item].Alias();
  }
};

/** The same within a warp. */
template <typename T, int ITEMS, int LOGICAL_WARP_THREADS = 32, int PTX_ARCH = 0>
class WarpExchange {
 public:
  struct TempStorage {
    Uninitialized<T> __items[LOGICAL_WARP_THREADS * ITEMS];
  };
  __CUB_D WarpExchange(TempStorage &storage) : __storage(storage) {}
  __CUB_D void StripedToBlocked(const T (&in)[ITEMS], T (&out)[ITEMS]) {
    __move(in, out, LOGICAL_WARP_THREADS, 1, 1, ITEMS);
  }
  __CUB_D void BlockedToStriped(const T (&in)[ITEMS], T (&out)[ITEMS]) {
    __move(in, out, 1, ITEMS, LOGICAL_WARP_THREADS, 1);
  }

 private:
  TempStorage &__storage;
  __CUB_D void __move(const T (&in)[ITEMS], T (&out)[ITEMS], int in_item, int in_thread, int out_item, int out_thread) {
    const int t = (int)(detail::lane() & (LOGICAL_WARP_THREADS - 1));
    const unsigned mask = LOGICAL_WARP_THREADS == 32 ? 0xffffffffu
                                                     : ((1u << (LOGICAL_WARP_THREADS & 31)) - 1u)
                                                           << (detail::lane() & ~(unsigned)(LOGICAL_WARP_THREADS - 1));
    T copy[ITEMS];
    _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) copy[i] = in[i];
    _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) __storage.__items[t * in_thread + i * in_item].Alias() = copy[i];
    __syncwarp(mask);
    _Pragma("unroll") for (int i = 0; i < ITEMS; ++i) out[i] = __storage.__items[t * out_thread + i * out_item].Alias();
  }
};

}  // namespace cub
