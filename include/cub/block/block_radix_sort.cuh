/*
 * cub::BlockRadixSort, cub::BlockMergeSort, cub::BlockDiscontinuity and cub::BlockHistogram. Sorts are merge sorts in
 * shared memory: stable, and in the order of the chosen bits of the keys.
 */
#pragma once

#include "block_load.cuh"
#include "block_reduce.cuh"

namespace cub {

namespace detail {
/** Sorts blocked items of a block by merging runs of `ITEMS`, 2 `ITEMS` … */
template <typename K, typename V, int THREADS, int ITEMS>
struct block_merge_sort {
  struct storage {
    Uninitialized<K> keys[THREADS * ITEMS];
    Uninitialized<V> values[std::is_same<V, NullType>::value ? 1 : THREADS * ITEMS];
  };
  static constexpr bool has_values = !std::is_same<V, NullType>::value;
  template <typename C>
  __CUB_D static void sort(storage &s, unsigned t, K (&keys)[ITEMS], V *values, C less) {
    for (int i = 1; i < ITEMS; ++i)
      for (int j = i; j > 0 && less(keys[j], keys[j - 1]); --j) {
        const K k = keys[j];
        keys[j] = keys[j - 1];
        keys[j - 1] = k;
        if (has_values) {
          const V v = values[j];
          values[j] = values[j - 1];
          values[j - 1] = v;
        }
      }
    for (int width = ITEMS; width < THREADS * ITEMS; width *= 2) {
      __syncthreads();
      for (int i = 0; i < ITEMS; ++i) {
        s.keys[t * ITEMS + i].Alias() = keys[i];
        if (has_values) s.values[t * ITEMS + i].Alias() = values[i];
      }
      __syncthreads();
      const int n = THREADS * ITEMS, out = (int)t * ITEMS, base = out / (2 * width) * (2 * width);
      const int middle = base + width < n ? base + width : n, end = base + 2 * width < n ? base + 2 * width : n;
      const int diagonal = out - base, left = middle - base, right = end - middle;
      int low = diagonal > right ? diagonal - right : 0, high = diagonal < left ? diagonal : left;
      while (low < high) {
        const int i = (low + high) / 2;
        if (less(s.keys[middle + diagonal - 1 - i].Alias(), s.keys[base + i].Alias())) high = i;
        else low = i + 1;
      }
      int a = base + low, b = middle + diagonal - low;
      for (int i = 0; i < ITEMS; ++i) {
        const bool from_right = a >= middle || (b < end && less(s.keys[b].Alias(), s.keys[a].Alias()));
        const int from = from_right ? b++ : a++;
        keys[i] = s.keys[from].Alias();
        if (has_values) values[i] = s.values[from].Alias();
      }
    }
    __syncthreads();
  }
};
}  // namespace detail

template <typename K, int X, int ITEMS, typename V = NullType, int RADIX_BITS = 4, bool MEMOIZE = true,
          BlockScanAlgorithm SCAN = BLOCK_SCAN_WARP_SCANS, int SMEM = 0, int Y = 1, int Z = 1, int PTX_ARCH = 0>
class BlockRadixSort {
  static constexpr int threads = X * Y * Z;
  typedef detail::block_merge_sort<K, V, threads, ITEMS> sorter;

 public:
  typedef typename sorter::storage TempStorage;
  __CUB_D BlockRadixSort() : __storage(__private()) {}
  __CUB_D BlockRadixSort(TempStorage &storage) : __storage(storage) {}
  __CUB_D void Sort(K (&keys)[ITEMS], int begin = 0, int end = sizeof(K) * 8) {
    __sort<false>(keys, (V*)nullptr, begin, end);
  }
  __CUB_D void Sort(K (&keys)[ITEMS], V (&values)[ITEMS], int begin = 0, int end = sizeof(K) * 8) {
    __sort<false>(keys, values, begin, end);
  }
  __CUB_D void SortDescending(K (&keys)[ITEMS], int begin = 0, int end = sizeof(K) * 8) {
    __sort<true>(keys, (V*)nullptr, begin, end);
  }
  __CUB_D void SortDescending(K (&keys)[ITEMS], V (&values)[ITEMS], int begin = 0, int end = sizeof(K) * 8) {
    __sort<true>(keys, values, begin, end);
  }
  __CUB_D void SortBlockedToStriped(K (&keys)[ITEMS], int begin = 0, int end = sizeof(K) * 8) {
    Sort(keys, begin, end);
    __stripe(__storage.keys, keys);
  }
  __CUB_D void SortBlockedToStriped(K (&keys)[ITEMS], V (&values)[ITEMS], int begin = 0, int end = sizeof(K) * 8) {
    Sort(keys, values, begin, end);
    __stripe(__storage.keys, keys);
    __stripe(__storage.values, values);
  }
  __CUB_D void SortDescendingBlockedToStriped(K (&keys)[ITEMS], int begin = 0, int end = sizeof(K) * 8) {
    SortDescending(keys, begin, end);
    __stripe(__storage.keys, keys);
  }

 private:
  TempStorage &__storage;
  __CUB_D static TempStorage &__private() {
    __shared__ TempStorage storage;
    return storage;
  }
  template <bool DESCENDING>
  __CUB_D void __sort(K (&keys)[ITEMS], V* values, int begin, int end) {
    sorter::sort(__storage, detail::linear_thread(X, Y), keys, values, detail::radix_less<K, DESCENDING>{begin, end});
  }
  template <typename T>
  __CUB_D void __stripe(Uninitialized<T> *place, T (&items)[ITEMS]) {
    const unsigned t = detail::linear_thread(X, Y);
    for (int i = 0; i < ITEMS; ++i) place[t * ITEMS + i].Alias() = items[i];
    __syncthreads();
    for (int i = 0; i < ITEMS; ++i) items[i] = place[t + i * threads].Alias();
    __syncthreads();
  }
};

template <typename K, int X, int ITEMS, typename V = NullType, int Y = 1, int Z = 1>
class BlockMergeSort {
  typedef detail::block_merge_sort<K, V, X * Y * Z, ITEMS> sorter;
  typename sorter::storage &__storage;

 public:
  typedef typename sorter::storage TempStorage;
  __CUB_D BlockMergeSort(TempStorage &storage) : __storage(storage) {}
  template <typename C>
  __CUB_D void Sort(K (&keys)[ITEMS], C less) {
    sorter::sort(__storage, detail::linear_thread(X, Y), keys, (V*)nullptr, less);
  }
  template <typename C>
  __CUB_D void Sort(K (&keys)[ITEMS], V (&values)[ITEMS], C less) {
    sorter::sort(__storage, detail::linear_thread(X, Y), keys, values, less);
  }
  template <typename C>
  __CUB_D void StableSort(K (&keys)[ITEMS], C less) { Sort(keys, less); }
};

/** Where an item differs from the one before it. */
template <typename T, int X, int Y = 1, int Z = 1, int PTX_ARCH = 0>
class BlockDiscontinuity {
  static constexpr int threads = X * Y * Z;

 public:
  struct TempStorage {
    Uninitialized<T> __last[threads];
  };
  __CUB_D BlockDiscontinuity(TempStorage &storage) : __storage(storage) {}
  template <int ITEMS, typename FLAG, typename OP>
  __CUB_D void FlagHeads(FLAG (&flags)[ITEMS], T (&items)[ITEMS], OP differs) {
    const unsigned t = __share(items[ITEMS - 1]);
    flags[0] = t == 0 ? 1 : differs(__storage.__last[t - 1].Alias(), items[0]);
    for (int i = 1; i < ITEMS; ++i) flags[i] = differs(items[i - 1], items[i]);
  }
  template <int ITEMS, typename FLAG, typename OP>
  __CUB_D void FlagTails(FLAG (&flags)[ITEMS], T (&items)[ITEMS], OP differs) {
    const unsigned t = __share(items[0]);
    for (int i = 0; i + 1 < ITEMS; ++i) flags[i] = differs(items[i], items[i + 1]);
    flags[ITEMS - 1] = t == threads - 1 ? 1 : differs(items[ITEMS - 1], __storage.__last[t + 1].Alias());
  }

 private:
  TempStorage &__storage;
  __CUB_D unsigned __share(T item) {
    const unsigned t = detail::linear_thread(X, Y);
    __storage.__last[t].Alias() = item;
    __syncthreads();
    return t;
  }
};

/** Differences of neighbouring items; input and output may be the same array. */
template <typename T, int X, int Y = 1, int Z = 1, int PTX_ARCH = 0>
class BlockAdjacentDifference {
  static constexpr int threads = X * Y * Z;

 public:
  struct TempStorage {
    Uninitialized<T> __edge[threads];
  };
  __CUB_D BlockAdjacentDifference(TempStorage &storage) : __storage(storage) {}
  /** output[i] = op(input[i], input[i - 1]); the block's first item stays as it is. */
  template <int ITEMS, typename O, typename OP>
  __CUB_D void SubtractLeft(T (&input)[ITEMS], O (&output)[ITEMS], OP op) {
    __left(input, output, op, threads * ITEMS, nullptr);
  }
  /** The item in front of the block's first. */
  template <int ITEMS, typename O, typename OP>
  __CUB_D void SubtractLeft(T (&input)[ITEMS], O (&output)[ITEMS], OP op, T predecessor) {
    __left(input, output, op, threads * ITEMS, &predecessor);
  }
  /** Items from `valid` on stay as they are. */
  template <int ITEMS, typename O, typename OP>
  __CUB_D void SubtractLeftPartialTile(T (&input)[ITEMS], O (&output)[ITEMS], OP op, int valid) {
    __left(input, output, op, valid, nullptr);
  }
  template <int ITEMS, typename O, typename OP>
  __CUB_D void SubtractLeftPartialTile(T (&input)[ITEMS], O (&output)[ITEMS], OP op, int valid, T predecessor) {
    __left(input, output, op, valid, &predecessor);
  }
  /** output[i] = op(input[i], input[i + 1]); the block's last item stays as it is. */
  template <int ITEMS, typename O, typename OP>
  __CUB_D void SubtractRight(T (&input)[ITEMS], O (&output)[ITEMS], OP op) {
    __right(input, output, op, threads * ITEMS, nullptr);
  }
  /** The item behind the block's last. */
  template <int ITEMS, typename O, typename OP>
  __CUB_D void SubtractRight(T (&input)[ITEMS], O (&output)[ITEMS], OP op, T successor) {
    __right(input, output, op, threads * ITEMS, &successor);
  }
  /** The last valid item and all behind it stay as they are. */
  template <int ITEMS, typename O, typename OP>
  __CUB_D void SubtractRightPartialTile(T (&input)[ITEMS], O (&output)[ITEMS], OP op, int valid) {
    __right(input, output, op, valid, nullptr);
  }

 private:
  TempStorage &__storage;
  template <int ITEMS, typename O, typename OP>
  __CUB_D void __left(T (&input)[ITEMS], O (&output)[ITEMS], OP op, int valid, const T *predecessor) {
    const int t = __share(input[ITEMS - 1]);
    for (int i = ITEMS - 1; i >= 0; --i) {
      const int at = t * ITEMS + i;
      if (at >= valid || (at == 0 && predecessor == nullptr)) output[i] = input[i];
      else if (i > 0) output[i] = op(input[i], input[i - 1]);
      else output[i] = op(input[i], at == 0 ? *predecessor : __storage.__edge[t - 1].Alias());
    }
  }
  template <int ITEMS, typename O, typename OP>
  __CUB_D void __right(T (&input)[ITEMS], O (&output)[ITEMS], OP op, int valid, const T *successor) {
    const int t = __share(input[0]);
    for (int i = 0; i < ITEMS; ++i) {
      const int at = t * ITEMS + i;
      const bool last = at == threads * ITEMS - 1;
      if (at >= valid || (at == valid - 1 && !(last && successor != nullptr))) output[i] = input[i];
      else if (i + 1 < ITEMS) output[i] = op(input[i], input[i + 1]);
      else output[i] = op(input[i], last ? *successor : __storage.__edge[t + 1].Alias());
    }
  }
  __CUB_D int __share(T item) {
    const int t = (int)detail::linear_thread(X, Y);
    __storage.__edge[t].Alias() = item;
    __syncthreads();
    return t;
  }
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <typename T, int X, int ITEMS, int BINS, BlockHistogramAlgorithm ALGORITHM = BLOCK_HISTO_SORT, int Y = 1,
          int Z = 1, int PTX_ARCH = 0>
class BlockHistogram {
 public:
  struct TempStorage {};
  __CUB_D BlockHistogram() {}
  __CUB_D BlockHistogram(TempStorage &) {}
  template <typename COUNTER>
  __CUB_D void InitHistogram(COUNTER *bins) {
    for (int i = (int)detail::linear_thread(X, Y); i < BINS; i += X * Y * Z) bins[i] = 0;
  }
  template <typename COUNTER>
  __CUB_D void Composite(T (&items)[ITEMS], COUNTER *bins) {
    for (int i = 0; i < ITEMS; ++i) atomicAdd(bins + items[i], (COUNTER)1);
  }
  template <typename COUNTER>
  __CUB_D void Histogram(T (&items)[ITEMS], COUNTER *bins) {
    InitHistogram(bins);
    __syncthreads();
    Composite(items, bins);
  }
};

}  // namespace cub
