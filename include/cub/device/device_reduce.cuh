/*
 * Algorithms over whole arrays: DeviceReduce, DeviceScan, DeviceSelect, DevicePartition, DeviceMergeSort,
 * DeviceSegmentedReduce, DeviceRunLengthEncode; DeviceRadixSort and DeviceHistogram have files of their own. They keep
 * cub's protocol: called with null storage they say how many bytes they want (always one, as the kernels of
 * thrust/detail bring their own), else they run on the stream.
 */
#pragma once

#include "../util.cuh"

namespace cub {

namespace detail {
inline thrust::detail::device_policy on(cudaStream_t stream) {
  thrust::detail::device_policy p;
  p.stream = stream;
  return p;
}
/** A number of items, of any integer type; no array here has as many items as `size_t` cannot hold. */
struct item_count {
  size_t n;
  cudaError_t status;
  template <typename T>
  item_count(T count)
      : n((size_t)count), status(count < T() || (unsigned long long)count != n ? cudaErrorInvalidValue : cudaSuccess) {}
  operator size_t() const { return n; }
};
/** Whether this call has nothing to run: it asks for the size, or its number of items cannot be. */
inline bool asks(void *storage, size_t &bytes, const item_count &items) {
  if (storage == nullptr) bytes = 1;
  return storage == nullptr || items.status != cudaSuccess;
}
template <typename O, typename T>
void put(cudaStream_t stream, O out, const T& value) {
  thrust::detail::for_each_index(on(stream), 1, thrust::detail::assign_value<O, T>{out, value});
}

template <typename I>
using value_of = thrust::detail::value_of<I>;

/**
 * The type in which an algorithm adds up: what the operation makes of the initial value and an item (CUB's
 * documentation, "accumulator type"). An output that has no type of its own takes the input's.
 */
template <typename OP, typename ITEM, typename INIT = ITEM>
using accumulator = std::decay_t<decltype(std::declval<OP&>()(std::declval<INIT>(), std::declval<ITEM>()))>;
template <typename T>
constexpr bool is_value = (std::is_arithmetic<T>::value || std::is_class<T>::value) &&
                          !std::is_same<T, thrust::detail::discarded>::value;
template <typename O, typename OTHER>
using value_or = std::conditional_t<is_value<value_of<O>>, value_of<O>, OTHER>;

template <typename T>
struct convert {
  template <typename S>
  __host__ __device__ T operator()(const S &value) const { return (T)value; }
};

template <typename I>
struct with_index {
  I first;
  __host__ __device__ KeyValuePair<int, value_of<I>> operator()(size_t i) const {
    return KeyValuePair<int, value_of<I>>((int)i, first[i]);
  }
};
template <typename F>
struct flag_holds { F flags; __host__ __device__ bool operator()(size_t i) const { return (bool)flags[i]; } };
template <typename I, typename B, typename E, typename O, typename T, typename OP>
struct segment_reduce {
  I in; B begins; E ends; O out; T init; OP op;
  __host__ __device__ void operator()(size_t s) {
    T value = init;
    for (ptrdiff_t i = begins[s]; i < (ptrdiff_t)ends[s]; ++i) value = op(value, in[i]);
    out[s] = value;
  }
};
template <typename I>
struct begins_long_run {
  I in; size_t n;
  __host__ __device__ bool operator()(size_t i) const {
    return i + 1 < n && in[i] == in[i + 1] && (i == 0 || !(in[i - 1] == in[i]));
  }
};
template <typename I, typename O>
struct length_of_run {
  I in; size_t n; const size_t *begins; O out;
  __host__ __device__ void operator()(size_t run) {
    const size_t begin = begins[run];
    size_t end = begin + 1;
    while (end < n && in[end - 1] == in[end]) ++end;
    out[run] = (value_or<O, size_t>)(end - begin);
  }
};
}  // namespace detail

struct DeviceReduce {
  template <typename I, typename O, typename OP, typename T>
  static cudaError_t Reduce(void* storage, size_t& bytes, I in, O out, detail::item_count n, OP op, T init,
                            cudaStream_t stream = 0,
                            bool = false) {
    typedef detail::accumulator<OP, detail::value_of<I>, T> A;
    if (detail::asks(storage, bytes, n)) return n.status;
    detail::put(
        stream, out,
        thrust::detail::reduce_indices(detail::on(stream), n, thrust::detail::element<I>{in}, (A)init, op));
    return cudaGetLastError();
  }
  template <typename I, typename O>
  static cudaError_t Sum(void *storage, size_t &bytes, I in, O out, detail::item_count n, cudaStream_t stream = 0,
                         bool = false) {
    return Reduce(storage, bytes, in, out, n, cub::Sum(), detail::value_or<O, detail::value_of<I>>(), stream);
  }
  template <typename I, typename O>
  static cudaError_t Max(void *storage, size_t &bytes, I in, O out, detail::item_count n, cudaStream_t stream = 0,
                         bool = false) {
    typedef detail::value_of<I> T;
    return Reduce(storage, bytes, in, out, n, cub::Max(), std::numeric_limits<T>::lowest(), stream);
  }
  template <typename I, typename O>
  static cudaError_t Min(void *storage, size_t &bytes, I in, O out, detail::item_count n, cudaStream_t stream = 0,
                         bool = false) {
    typedef detail::value_of<I> T;
    return Reduce(storage, bytes, in, out, n, cub::Min(), std::numeric_limits<T>::max(), stream);
  }
  template <typename I, typename O>
  static cudaError_t ArgMax(void *storage, size_t &bytes, I in, O out, detail::item_count n, cudaStream_t stream = 0,
                            bool = false) {
    return Arg(storage, bytes, in, out, n, cub::ArgMax(), std::numeric_limits<detail::value_of<I>>::lowest(), stream);
  }
  template <typename I, typename O>
  static cudaError_t ArgMin(void *storage, size_t &bytes, I in, O out, detail::item_count n, cudaStream_t stream = 0,
                            bool = false) {
    return Arg(storage, bytes, in, out, n, cub::ArgMin(), std::numeric_limits<detail::value_of<I>>::max(), stream);
  }
  template <typename K, typename UO, typename V, typename AO, typename NO, typename OP>
  static cudaError_t ReduceByKey(void* storage, size_t& bytes, K keys, UO unique_out, V values, AO aggregates_out,
                                 NO count_out, OP op, detail::item_count n, cudaStream_t stream = 0, bool = false) {
    if (detail::asks(storage, bytes, n)) return n.status;
    typedef detail::accumulator<OP, detail::value_of<V>> A;
    const auto items = thrust::make_transform_iterator(values, detail::convert<A>());
    const auto end = thrust::reduce_by_key(detail::on(stream), keys, keys + (ptrdiff_t)n.n, items, unique_out,
                                           aggregates_out, thrust::equal_to<>(), op);
    detail::put(stream, count_out, (detail::value_of<NO>)(end.first - unique_out));
    return cudaGetLastError();
  }

 private:
  template <typename I, typename O, typename OP, typename T>
  static cudaError_t Arg(void *storage, size_t &bytes, I in, O out, detail::item_count n, OP op, T worst,
                         cudaStream_t stream) {
    if (detail::asks(storage, bytes, n)) return n.status;
    typedef KeyValuePair<int, T> P;
    detail::put(stream, out,
                thrust::detail::reduce_indices(detail::on(stream), n, detail::with_index<I>{in},
                                               P(0x7fffffff, worst), op));
    return cudaGetLastError();
  }
};

struct DeviceScan {
  template <typename I, typename O, typename OP, typename T>
  static cudaError_t ExclusiveScan(void* storage, size_t& bytes, I in, O out, OP op, T init, detail::item_count n,
                                   cudaStream_t stream = 0, bool = false) {
    typedef detail::accumulator<OP, detail::value_of<I>, T> A;
    if (detail::asks(storage, bytes, n)) return n.status;
    thrust::detail::scan_indices<A>(detail::on(stream), n, thrust::detail::element<I>{in}, out, op, false, true,
                                    (A)init);
    return cudaGetLastError();
  }
  template <typename I, typename O, typename OP>
  static cudaError_t InclusiveScan(void* storage, size_t& bytes, I in, O out, OP op, detail::item_count n,
                                   cudaStream_t stream = 0,
                                   bool = false) {
    typedef detail::accumulator<OP, detail::value_of<I>> A;
    if (detail::asks(storage, bytes, n)) return n.status;
    thrust::detail::scan_indices<A>(detail::on(stream), n, thrust::detail::element<I>{in}, out, op, true, false,
                                    A());
    return cudaGetLastError();
  }
  template <typename I, typename O>
  static cudaError_t ExclusiveSum(void* storage, size_t& bytes, I in, O out, detail::item_count n,
                                  cudaStream_t stream = 0,
                                  bool = false) {
    return ExclusiveScan(storage, bytes, in, out, cub::Sum(), detail::value_of<I>(), n, stream);
  }
  template <typename I, typename O>
  static cudaError_t InclusiveSum(void* storage, size_t& bytes, I in, O out, detail::item_count n,
                                  cudaStream_t stream = 0,
                                  bool = false) {
    return InclusiveScan(storage, bytes, in, out, cub::Sum(), n, stream);
  }
};

struct DeviceSelect {
  template <typename I, typename F, typename O, typename N>
  static cudaError_t Flagged(void* storage, size_t& bytes, I in, F flags, O out, N count_out, detail::item_count n,
                             cudaStream_t stream = 0, bool = false) {
    if (detail::asks(storage, bytes, n)) return n.status;
    return finish(stream, count_out,
                  thrust::detail::select_indices(detail::on(stream), n, in, out, detail::flag_holds<F>{flags}));
  }
  template <typename I, typename O, typename N, typename P>
  static cudaError_t If(void* storage, size_t& bytes, I in, O out, N count_out, detail::item_count n, P p,
                        cudaStream_t stream = 0,
                        bool = false) {
    if (detail::asks(storage, bytes, n)) return n.status;
    return finish(stream, count_out,
                  thrust::detail::select_indices(detail::on(stream), n, in, out,
                                                 thrust::detail::stencil_holds<I, P>{in, p}));
  }
  template <typename I, typename O, typename N>
  static cudaError_t Unique(void* storage, size_t& bytes, I in, O out, N count_out, detail::item_count n,
                            cudaStream_t stream = 0,
                            bool = false) {
    if (detail::asks(storage, bytes, n)) return n.status;
    return finish(stream, count_out,
                  thrust::detail::select_indices(detail::on(stream), n, in, out,
                                                 thrust::detail::begins_segment<I, thrust::equal_to<>>{in, {}}));
  }

 private:
  template <typename N>
  static cudaError_t finish(cudaStream_t stream, N count_out, size_t count) {
    detail::put(stream, count_out, (detail::value_of<N>)count);
    return cudaGetLastError();
  }
};

/** The selected items first, the others behind them in reverse order. */
struct DevicePartition {
  template <typename I, typename O, typename N, typename P>
  static cudaError_t If(void* storage, size_t& bytes, I in, O out, N count_out, detail::item_count n, P p,
                        cudaStream_t stream = 0,
                        bool = false) {
    if (detail::asks(storage, bytes, n)) return n.status;
    return split(stream, in, out, count_out, n, thrust::detail::stencil_holds<I, P>{in, p});
  }
  template <typename I, typename F, typename O, typename N>
  static cudaError_t Flagged(void* storage, size_t& bytes, I in, F flags, O out, N count_out, detail::item_count n,
                             cudaStream_t stream = 0, bool = false) {
    if (detail::asks(storage, bytes, n)) return n.status;
    return split(stream, in, out, count_out, n, detail::flag_holds<F>{flags});
  }

 private:
  template <typename I, typename O, typename N, typename P>
  static cudaError_t split(cudaStream_t stream, I in, O out, N count_out, detail::item_count n, P p) {
    const auto policy = detail::on(stream);
    const size_t count = thrust::detail::select_indices(policy, n, in, out, p);
    thrust::detail::select_indices(policy, n, in, out + count, thrust::detail::not_index<P>{p});
    thrust::reverse(policy, out + count, out + (ptrdiff_t)n.n);
    detail::put(stream, count_out, (detail::value_of<N>)count);
    return cudaGetLastError();
  }
};

struct DeviceMergeSort {
  template <typename K, typename C>
  static cudaError_t SortKeys(void* storage, size_t& bytes, K keys, detail::item_count n, C less,
                              cudaStream_t stream = 0,
                              bool = false) {
    if (detail::asks(storage, bytes, n)) return n.status;
    thrust::sort(detail::on(stream), keys, keys + (ptrdiff_t)n.n, less);
    return cudaGetLastError();
  }
  template <typename K, typename V, typename C>
  static cudaError_t SortPairs(void* storage, size_t& bytes, K keys, V values, detail::item_count n, C less,
                               cudaStream_t stream = 0,
                               bool = false) {
    if (detail::asks(storage, bytes, n)) return n.status;
    thrust::sort_by_key(detail::on(stream), keys, keys + (ptrdiff_t)n.n, values, less);
    return cudaGetLastError();
  }
};

struct DeviceSegmentedReduce {
  template <typename I, typename O, typename B, typename E, typename OP, typename T>
  static cudaError_t Reduce(void* storage, size_t& bytes, I in, O out, detail::item_count segments, B begins, E ends,
                            OP op, T init,
                            cudaStream_t stream = 0, bool = false) {
    typedef detail::accumulator<OP, detail::value_of<I>, T> A;
    if (detail::asks(storage, bytes, segments)) return segments.status;
    thrust::detail::for_each_index(detail::on(stream), segments,
                                   detail::segment_reduce<I, B, E, O, A, OP>{in, begins, ends, out, (A)init, op});
    return cudaGetLastError();
  }
  template <typename I, typename O, typename B, typename E>
  static cudaError_t Sum(void* storage, size_t& bytes, I in, O out, detail::item_count segments, B begins, E ends,
                         cudaStream_t stream = 0, bool = false) {
    return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Sum(),
                  detail::value_or<O, detail::value_of<I>>(), stream);
  }
  template <typename I, typename O, typename B, typename E>
  static cudaError_t Max(void* storage, size_t& bytes, I in, O out, detail::item_count segments, B begins, E ends,
                         cudaStream_t stream = 0, bool = false) {
    return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Max(),
                  std::numeric_limits<detail::value_of<I>>::lowest(), stream);
  }
  template <typename I, typename O, typename B, typename E>
  static cudaError_t Min(void* storage, size_t& bytes, I in, O out, detail::item_count segments, B begins, E ends,
                         cudaStream_t stream = 0, bool = false) {
    return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Min(),
                  std::numeric_limits<detail::value_of<I>>::max(), stream);
  }
};

struct DeviceRunLengthEncode {
  template <typename I, typename UO, typename LO, typename NO>
  static cudaError_t Encode(void* storage, size_t& bytes, I in, UO unique_out, LO lengths_out, NO count_out,
                            detail::item_count n,
                            cudaStream_t stream = 0, bool = false) {
    return DeviceReduce::ReduceByKey(storage, bytes, in, unique_out, thrust::constant_iterator<detail::value_or<LO,
                                     int>>(1),
                                     lengths_out, count_out, cub::Sum(), n, stream);
  }
  /** Where runs of two or more begin, and how long they are. */
  template <typename I, typename OO, typename LO, typename NO>
  static cudaError_t NonTrivialRuns(void* storage, size_t& bytes, I in, OO offsets_out, LO lengths_out, NO count_out,
                                    detail::item_count n, cudaStream_t stream = 0, bool = false) {
    if (detail::asks(storage, bytes, n)) return n.status;
    const auto policy = detail::on(stream);
    const size_t count = thrust::detail::select_indices(policy, n, thrust::counting_iterator<size_t>(0), offsets_out,
                                                        detail::begins_long_run<I>{in, n});
    // Each length is found again from the items: an offset that is discarded cannot be read.
    thrust::detail::temporary<size_t> begins(count);
    thrust::detail::select_indices(policy, n, thrust::counting_iterator<size_t>(0), begins.data(),
                                   detail::begins_long_run<I>{in, n});
    thrust::detail::for_each_index(policy, count,
                                   detail::length_of_run<I, LO>{in, n, begins.data(), lengths_out});
    detail::put(stream, count_out, (detail::value_or<NO, size_t>)count);
    return cudaGetLastError();
  }
};
struct DeviceFor {
  template <typename OFFSET, typename F>
  static cudaError_t Bulk(OFFSET n, F f, cudaStream_t stream = 0) {
    thrust::detail::for_each_index(detail::on(stream), n, f);
    return cudaGetLastError();
  }
  template <typename I, typename F>
  static cudaError_t ForEach(I first, I last, F f, cudaStream_t stream = 0) {
    thrust::for_each(detail::on(stream), first, last, f);
    return cudaGetLastError();
  }
};

/** Device memory for callers that allocate often: here simply cudaMalloc and cudaFree. */
struct CachingDeviceAllocator {
  CachingDeviceAllocator() = default;
  template <typename... ARGS>
  explicit CachingDeviceAllocator(ARGS...) {}
  cudaError_t DeviceAllocate(void **p, size_t bytes, cudaStream_t = 0) { return cudaMalloc(p, bytes ? bytes : 1); }
  cudaError_t DeviceAllocate(int, void **p, size_t bytes, cudaStream_t = 0) { return cudaMalloc(p, bytes ? bytes : 1); }
  cudaError_t DeviceFree(void *p) { return cudaFree(p); }
  cudaError_t DeviceFree(int, void *p) { return cudaFree(p); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub

#include "device_histogram.cuh"
#include "device_radix_sort.cuh"
